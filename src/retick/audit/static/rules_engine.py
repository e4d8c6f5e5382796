"""The rules about engines: what a simulation uses of pygame and others, and what to write instead.

An import alone is no finding: the file may draw, too. Nor are constants such as ``pygame.K_a``, and rectangles that are
made once for the module: they have integers only. Each name is found once in a file, where it is used first. Methods of
pygame's vectors are found wherever they are called: they are C code that rounds as the compiler likes.
"""

import ast
import re
from collections.abc import Iterator

from retick.audit.static.outside_names import outside_rule
from retick.audit.static.parsed_file import Hit, ParsedFile

__all__ = ["check"]

_CONSTANT = re.compile(r"\.(K_\w+|[A-Z][A-Z0-9_]*)$")
_VECTORS = ("pygame.Vector2", "pygame.Vector3", "pygame.math.Vector2", "pygame.math.Vector3")
_RECTANGLES = ("pygame.Rect", "pygame.rect.Rect")
_INTEGERS = (*_RECTANGLES, "pygame.Color")
_SAME_VECTOR = "write `from retick.sim import Vector2`, which is used in the same way"
_MACHINE = "reads this machine: the buttons of all players are the inputs of `advance` or `step`"
_SOUND = "would play again when the frame is resimulated: call `self.cue(...)` here, and play it in `hear`"
_PICTURE = "belongs in `draw`"
_INSTEAD = {
    "pygame.Vector2": _SAME_VECTOR,
    "pygame.math.Vector2": _SAME_VECTOR,
    "pygame.Rect": "write `from retick.sim import Rect`, which is used in the same way",
    "pygame.rect.Rect": "write `from retick.sim import Rect`, which is used in the same way",
    "pygame.FRect": "has floats of 32 bits: write `from retick.sim import Rect`, or keep F64 fields",
    "pygame.math": "use `retick.sim.maths`",
    "pygame.sprite": "keep the objects in a list of Things (docs/worlds.md)",
    **dict.fromkeys(("pygame.key", "pygame.mouse", "pygame.joystick", "pygame.event"), _MACHINE),
    **dict.fromkeys(("pygame.mixer", "pygame.sndarray"), _SOUND),
    **dict.fromkeys(
        ("pygame.display", "pygame.draw", "pygame.font", "pygame.freetype", "pygame.gfxdraw", "pygame.image",
         "pygame.Surface", "pygame.surfarray", "pygame.transform"),
        _PICTURE,
    ),
}  # fmt: skip
_VECTOR_METHODS = frozenset({
    "angle_to", "angle_rad_to", "as_polar", "as_spherical", "clamp_magnitude", "clamp_magnitude_ip", "cross",
    "distance_squared_to", "distance_to", "dot", "from_polar", "is_normalized", "length", "length_squared", "lerp",
    "magnitude", "magnitude_squared", "move_towards", "move_towards_ip", "normalize", "normalize_ip", "project",
    "reflect", "reflect_ip", "rotate", "rotate_ip", "rotate_ip_rad", "rotate_rad", "rotate_rad_ip", "scale_to_length",
    "slerp", "smoothstep",
})  # fmt: skip


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rule engine, and those of inexact-math that are methods of pygame's vectors."""
    found: dict[str, list[ast.expr]] = {}
    has_vectors = False
    for node, names in source.references():
        for name in names:
            if outside_rule(name) != "engine":
                continue
            has_vectors = has_vectors or _plain(name).startswith(_VECTORS)
            if not source.in_annotation(node) and not _is_harmless(source, node, name):
                found.setdefault(_used(name), []).append(node)
    for name, nodes in found.items():
        first = min(nodes, key=lambda node: (node.lineno, node.col_offset))
        more = f", here and in {len(nodes) - 1} more places" if len(nodes) > 2 else ", used twice" * (len(nodes) == 2)
        instead = _instead(name)
        yield Hit(first, "engine", f"`{name}`{more}" + (f": {instead}" if instead else ""))
    if has_vectors:
        yield from _vector_methods(source)


def _plain(name: str) -> str:
    return name.replace("()", "")


def _is_harmless(source: ParsedFile, node: ast.expr, name: str) -> bool:
    """A constant, a rectangle made once, a parameter that is only passed on, or a method of a vector."""
    if name.endswith("()") or _CONSTANT.search(name):
        return True
    if "()." in name and name.partition("()")[0] in _VECTORS:
        return True  # found as a method, if it is an unsafe one
    return _plain(name).startswith(_INTEGERS) and source.function_of(node) is None


def _used(name: str) -> str:
    """The name to report: of a class, without its attribute."""
    return name.partition("()")[0]


def _instead(name: str) -> str:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        if text := _INSTEAD.get(".".join(parts[:end])):
            return text
    return ""


def _vector_methods(source: ParsedFile) -> Iterator[Hit]:
    for node in source.walk():
        match node:
            case ast.Call(func=ast.Attribute(attr=method) as func) if method in _VECTOR_METHODS:
                imported = source.resolve(func)
                if imported and not all(_plain(name).startswith(_VECTORS) for name in imported):
                    continue
                text = ast.unparse(func)
                shown = text if len(text) <= 40 else f"...{text[-37:]}"
                what = f"`{shown}()` of pygame's vectors: use `retick.sim.Vector2.{method}`"
                yield Hit(node, "inexact-math", what)
