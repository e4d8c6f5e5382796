"""Finds where the rules of a game use the size of a picture, which is known only after its file was loaded.

Pictures are the names of a module whose value is loaded or drawn when it is imported, also by a function of the same
file; and attributes that are called ``image``, as those of pygame's sprites. What is found is the use, since the line
that loads the picture is right once nothing but ``draw`` uses it.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.parsed_file import Hit, ParsedFile, root_name

SIZES = frozenset({"get_bounding_rect", "get_height", "get_rect", "get_size", "get_width"})
"""Methods of pygame's surfaces."""
MADE_BY = ("pygame.image", "pygame.transform", "pygame.Surface", "pygame.surface")
"""Modules and classes that make pictures."""
_USUAL = frozenset({"image", "images", "img", "picture", "pictures", "surface", "surf"})
_INSTEAD = (
    "write its size as a number, such as `WIDTH = 40`, or `Rect(x, y, 40, 30)` of `retick.sim`, and load the picture "
    "only for `draw`"
)


def picture_sizes(source: ParsedFile) -> list[Hit]:
    """The first use of each size of a picture in the functions of a file that imports pygame."""
    if not any(module.partition(".")[0] == "pygame" for module in source.imports()):
        return []
    names = _Names(source)
    found: dict[str, tuple[ast.expr, str]] = {}
    for node, text, what in names.uses():
        before = found.get(text)
        if before is None or _place(node) < _place(before[0]):
            found[text] = (node, what)
    return [Hit(node, "engine", f"`{text}` {what}: {_INSTEAD}") for text, (node, what) in found.items()]


def is_made_at_the_top(source: ParsedFile, node: ast.expr, name: str) -> bool:
    """Whether a picture is made when the module is imported, or by a function of the module itself."""
    function = source.function_of(node)
    return name.startswith(MADE_BY) and (function is None or source.class_of(function) is None)


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


class _Names:
    """The names of one file that hold pictures, and those that hold sizes of pictures."""

    def __init__(self, source: ParsedFile) -> None:
        self._source = source
        self._pictures: set[str] = set()
        self._sizes: set[str] = set()
        top = source.tree.body
        self._makers = {each.name for each in top if isinstance(each, ast.FunctionDef) and self._makes(each)}
        before = -1
        while before != len(self._pictures) + len(self._sizes):
            before = len(self._pictures) + len(self._sizes)
            for statement in top:
                self._note(statement)

    def _note(self, statement: ast.stmt) -> None:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            return
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        known = self._pictures | self._makers
        names = {node.id for each in targets for node in ast.walk(each) if isinstance(node, ast.Name)}
        if any(self._is_size(node) or self._is(node, self._sizes) for node in ast.walk(statement.value)):
            self._sizes |= names
        elif self._makes(statement.value) or any(self._is(node, known) for node in ast.walk(statement.value)):
            self._pictures |= names

    def _makes(self, node: ast.AST) -> bool:
        """Whether something inside of ``node`` loads or makes a picture with pygame."""
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and any(name.startswith(MADE_BY) for name in self._source.resolve(each.func)):
                return True
        return False

    def _is(self, node: ast.AST, names: set[str]) -> bool:
        """Whether ``node`` reads one of these names of the module."""
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id not in names:
            return False
        found = self._source.scope(node).find(node.id)
        return found is not None and found[0].is_module

    def _is_size(self, node: ast.AST) -> bool:
        """Whether ``node`` asks a picture for its size."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in SIZES:
            return False
        asked = node.func.value
        root = root_name(asked)
        if root is not None and (self._is(root, self._pictures) or self._is_alias(root)):
            return True
        while isinstance(asked, ast.Subscript):
            asked = asked.value
        last = asked.attr if isinstance(asked, ast.Attribute) else asked.id if isinstance(asked, ast.Name) else ""
        return last.lower() in _USUAL

    def _is_alias(self, name: ast.Name) -> bool:
        """Whether a function has bound this name to a picture."""
        found = self._source.scope(name).find(name.id)
        values = [] if found is None else [binding.value for binding in found[1] if binding.value is not None]
        roots = [root for root in map(root_name, values) if root is not None]
        return any(self._is(root, self._pictures) for root in roots)

    def uses(self) -> Iterator[tuple[ast.expr, str, str]]:
        """Each use inside of a function: the node, how it is written, and what it is."""
        for node in self._source.walk():
            if self._source.function_of(node) is None or not isinstance(node, ast.Call | ast.Name):
                continue
            if isinstance(node, ast.Call) and self._is_size(node):
                yield node, f"{ast.unparse(node.func)}()", "is the size of a loaded picture"
            elif self._is(node, self._sizes):
                yield node, ast.unparse(node), "comes from the size of a loaded picture"
