"""Finds what a file declares about its state and commands: whether fields may be floats, and which are integers.

A state has floats if one of its fields has the kind ``F64`` or consists of it: ``float``, ``Angle``, ``Vector2``,
``FRect``. Then + - * / and everything else that IEEE 754 rounds exactly is safe, and the rules ``float`` and
``division`` do not apply.
"""

import ast
from typing import Any

from retick.audit.static.parsed_file import ParsedFile

_STATES = frozenset({"Record", "World", "Thing", "Command"})
_FLOAT_KINDS = frozenset({"F64", "Angle", "Vector2", "FRect"})
_INTEGER_KINDS = frozenset({"I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "Player", "Jumps"})
_SAFE = "retick.sim.maths."


class _Kinds:
    """The kinds that annotations name, also through an alias such as ``Across = Annotated[F64, ...]``."""

    def __init__(self, source: ParsedFile) -> None:
        self._source = source
        self._aliases: dict[str, list[ast.expr]] = {}
        for node in source.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._aliases.setdefault(name, []).append(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._aliases.setdefault(name, []).append(value)
                case _ if type(node).__name__ == "TypeAlias":  # of Python 3.12
                    made: Any = node
                    self._aliases.setdefault(made.name.id, []).append(made.value)

    def of(self, annotation: ast.expr) -> set[str]:
        """The kinds of ``retick.sim`` in an annotation, also inside ``Annotated``, a list or an alternative."""
        found: set[str] = set()
        waiting, followed = [annotation], set[str]()
        while waiting:
            for node in ast.walk(waiting.pop()):
                if not isinstance(node, ast.Name | ast.Attribute):
                    continue
                for name in self._source.resolve(node):
                    if name.startswith("retick.sim."):
                        found.add(name.rpartition(".")[2])
                    elif name in ("builtins.int", "builtins.bool", "builtins.float"):
                        found.add(name)
                if isinstance(node, ast.Name) and node.id not in followed:
                    followed.add(node.id)
                    waiting += self._aliases.get(node.id, ())
        return found


def declares_float_state(source: ParsedFile) -> bool:
    """Whether the file has a field of a float kind."""
    fields, kinds = DeclaredFields(source), _Kinds(source)
    return any(
        isinstance(node, ast.AnnAssign)
        and source.class_of(node)
        and (_FLOAT_KINDS & kinds.of(node.annotation) or fields.is_plain_float(node))
        for node in source.walk()
    )


def uses_safe_functions(source: ParsedFile) -> bool:
    """Whether the file uses ``retick.sim.maths``, and so uses floats on purpose."""
    return any(name.startswith(_SAFE) for _, names in source.references() for name in names)


def inherits(source: ParsedFile, node: ast.ClassDef, kinds: frozenset[str]) -> bool:
    """Whether a base of the class is one of these classes of ``retick.sim``, also as ``retick`` exports them."""
    for base in node.bases:
        for name in source.resolve(base):
            package, _, last = name.rpartition(".")
            if last in kinds and (package == "retick" or package.split(".")[:2] == ["retick", "sim"]):
                return True
    return False


def world_classes(source: ParsedFile) -> tuple[str, ...]:
    """The names of the worlds that a file declares at its top, in order; also those with a base in the same file."""
    found: list[str] = []
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef):
            known = any(isinstance(base, ast.Name) and base.id in found for base in node.bases)
            if known or inherits(source, node, frozenset({"World"})):
                found.append(node.name)
    return tuple(found)


class DeclaredFields:
    """The fields of the states that a file declares, by name."""

    def __init__(self, source: ParsedFile) -> None:
        self._source = source
        self.states = self._state_classes()
        self._named = _Kinds(source)
        self._kinds: dict[str, list[set[str]]] = {}
        for node in ast.walk(source.tree):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and self.is_field(node):
                self._kinds.setdefault(node.target.id, []).append(self._named.of(node.annotation))

    def _state_classes(self) -> set[str]:
        classes = [node for node in ast.walk(self._source.tree) if isinstance(node, ast.ClassDef)]
        found: set[str] = set()
        while more := {one.name for one in classes if one.name not in found and self._derives(one, found)}:
            found |= more
        return found

    def _derives(self, node: ast.ClassDef, known: set[str]) -> bool:
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in known:
                return True
        return inherits(self._source, node, _STATES)

    def is_field(self, node: ast.AnnAssign) -> bool:
        """Whether the line declares a field of a state."""
        scope = self._source.scope(node).node
        return isinstance(scope, ast.ClassDef) and scope.name in self.states

    def is_plain_float(self, node: ast.AnnAssign) -> bool:
        """Whether the line declares a field as a plain ``float``, which means F64."""
        return self.is_field(node) and "builtins.float" in self._named.of(node.annotation)

    def is_integer(self, name: str) -> bool:
        """Whether every field of that name in the file is an integer."""
        kinds = self._kinds.get(name, [])
        integers = _INTEGER_KINDS | {"builtins.int", "builtins.bool"}
        return bool(kinds) and all(one & integers and not one & (_FLOAT_KINDS | {"builtins.float"}) for one in kinds)

    def is_float(self, name: str) -> bool:
        """Whether every field of that name in the file is a float."""
        kinds = self._kinds.get(name, [])
        return bool(kinds) and all(one & (_FLOAT_KINDS | {"builtins.float"}) for one in kinds)
