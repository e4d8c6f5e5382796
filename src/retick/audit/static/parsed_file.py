"""A parsed source file: its tree, its scopes, and the questions about nodes that several rules ask."""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from retick.audit.static.scopes import Scope, ScopeBuilder, absolute_module


class Hit(NamedTuple):
    """A place that breaks a rule; allow comments are not considered yet."""

    node: ast.AST
    rule: str
    what: str
    """The code at that place, as the report shows it."""


class ParsedFile:
    """A parsed file; with ``floats`` it may use floats, by a ``retick: floats`` comment or by its state."""

    def __init__(self, text: str, *, path: str = "<source>", package: str = "", floats: bool = False) -> None:
        self.floats = floats
        self.tree = ast.parse(text, filename=path)
        built = ScopeBuilder(self.tree, package)
        self.module = built.module
        self._scope_of = built.scope_of
        self._parent_of = built.parent_of
        self._annotations = built.annotations
        self._aside = built.aside
        self.package = package

    def walk(self) -> Iterator[ast.AST]:
        """Every node, except those set aside or under ``if TYPE_CHECKING`` or ``if __name__ == "__main__"``."""
        for node in ast.walk(self.tree):
            if node not in self._aside:
                yield node

    def set_aside(self, nodes: Iterable[ast.AST]) -> None:
        """Leave these nodes out from now on, since they are not part of a simulation."""
        self._aside.update(nodes)

    def imports(self) -> Iterator[str]:
        """The dotted names of imported modules, and of objects imported from modules."""
        for node in self.walk():
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = absolute_module(node, self.package)
                yield from (f"{module}.{alias.name}" for alias in node.names)

    def imported_as(self, name: str) -> list[str]:
        """The dotted names that the module imports under ``name``."""
        bindings = self.module.bindings.get(name)
        if bindings is None:
            return [f"{module}.{name}" for module in self.module.star_imports]
        return [binding.dotted for binding in bindings if binding.dotted]

    def scope(self, node: ast.AST) -> Scope:
        """The scope of ``node``."""
        return self._scope_of.get(node, self.module)

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parent_of.get(node)

    def in_annotation(self, node: ast.AST) -> bool:
        return node in self._annotations

    def resolve(self, node: ast.expr) -> tuple[str, ...]:
        """The dotted names that ``node`` may stand for; see ``Scope.resolve``."""
        return self.scope(node).resolve(node)

    def calls(self, node: ast.AST, *names: str) -> bool:
        """Whether ``node`` is a call of one of the dotted names."""
        return isinstance(node, ast.Call) and any(name in names for name in self.resolve(node.func))

    def function_of(self, node: ast.AST) -> ast.AST | None:
        """The innermost function around ``node``."""
        scope = self.scope(node).function
        return scope.node if scope else None

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around ``node``."""
        scope: Scope | None = self.scope(node)
        while scope is not None:
            if isinstance(scope.node, ast.ClassDef):
                return scope.node
            scope = scope.parent
        return None

    def is_decorated(self, function: ast.FunctionDef, name: str) -> bool:
        return any(name in self.resolve(decorator) for decorator in function.decorator_list)

    def references(self) -> Iterator[tuple[ast.expr, tuple[str, ...]]]:
        """Every name or dotted chain that is read from another module, with the dotted names it may stand for."""
        for node in self.walk():
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            if isinstance(self.parent(node), ast.Attribute):
                continue
            if names := self.resolve(node):
                yield node, names


def root_name(node: ast.expr) -> ast.Name | None:
    """The name at the start of ``name.a[b].c``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node if isinstance(node, ast.Name) else None
