"""The units of a file, each reached as a whole or not at all: statements of the module, classes, and methods."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from retick.audit.static.parsed_file import ParsedFile, root_name
from retick.audit.static.scopes import is_main_block

__all__ = ["Unit", "units_of"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(eq=False, slots=True)
class Unit:
    """A statement of a module, a class without its methods, or a method."""

    module: int
    """The number of its file."""
    node: ast.stmt
    owner: "Unit | None" = None
    """The class, for a method."""
    binds: set[str] = field(default_factory=set)
    """Names of the module that it binds, or changes when the module is imported."""
    names: set[str] = field(default_factory=set)
    """Names of its module that it mentions."""
    dotted: set[str] = field(default_factory=set)
    """Dotted names of other modules that it mentions."""
    attributes: set[str] = field(default_factory=set)
    """Attributes that it mentions, also as text, for ``getattr``."""
    own_attributes: set[str] = field(default_factory=set)
    """Attributes of ``self`` and ``cls``."""
    bases: list[str] = field(default_factory=list)
    """Names and dotted names of what a class inherits from."""
    decorators: list[str] = field(default_factory=list)
    methods: list["Unit"] = field(default_factory=list)
    is_main: bool = False
    """It runs only when the file is started as a program."""

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, _FUNCTIONS)

    @property
    def name(self) -> str:
        return str(getattr(self.node, "name", ""))

    @property
    def line(self) -> int:
        return self.node.lineno

    def nodes(self) -> Iterator[ast.AST]:
        """Its nodes; those of a class without its methods."""
        apart = {method.node for method in self.methods}
        waiting: list[ast.AST] = [self.node]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in ast.iter_child_nodes(node) if child not in apart]


def units_of(module: int, source: ParsedFile) -> list[Unit]:
    """All units of a file. Imports are none: they are followed where their names are used."""
    found: list[Unit] = []
    for statement in source.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        unit = Unit(module, statement)
        found.append(unit)
        if isinstance(statement, ast.ClassDef):
            unit.methods = [Unit(module, one, owner=unit) for one in statement.body if isinstance(one, _FUNCTIONS)]
            unit.bases = [name for base in statement.bases for name in _names_of(source, base)]
            found += unit.methods
        if isinstance(statement, _DEFINITIONS):
            unit.binds = {statement.name}
            unit.decorators = [name for one in statement.decorator_list for name in _names_of(source, one)]
        else:
            unit.binds = _changed_names(source, statement)
            unit.is_main = is_main_block(statement)
    for unit in found:
        _note_mentions(source, unit)
    return found


def _names_of(source: ParsedFile, node: ast.expr) -> list[str]:
    node = node.func if isinstance(node, ast.Call) else node
    return [*source.resolve(node), *([node.id] if isinstance(node, ast.Name) else [])]


def _changed_names(source: ParsedFile, statement: ast.stmt) -> set[str]:
    """The variables that a statement binds, or may change by a call or an assignment to a part of them."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, _DEFINITIONS):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found |= _root_of(source, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= _root_of(source, node.func)
    return found


def _root_of(source: ParsedFile, node: ast.expr) -> set[str]:
    """The variable at the root; a call of a function of another module changes no variable of this one."""
    root = root_name(node)
    return {root.id} if root and not source.imported_as(root.id) else set()


def _note_mentions(source: ParsedFile, unit: Unit) -> None:
    for node in unit.nodes():
        if isinstance(node, ast.Name):
            found = source.scope(node).find(node.id)
            if found is None or found[0].is_module:
                unit.names.add(node.id)
                if not isinstance(source.parent(node), ast.Attribute):
                    unit.dotted.update(source.resolve(node))
        elif isinstance(node, ast.Attribute):
            _note_attribute(source, unit, node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = _WORD.findall(node.value)
            if source.in_annotation(node):
                unit.names.update(words)
            elif words == [node.value]:
                unit.attributes.add(node.value)


def _note_attribute(source: ParsedFile, unit: Unit, node: ast.Attribute) -> None:
    imported = source.resolve(node)
    if imported:
        if not isinstance(source.parent(node), ast.Attribute):
            unit.dotted.update(imported)
    elif isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        unit.own_attributes.add(node.attr)
    else:
        unit.attributes.add(node.attr)
