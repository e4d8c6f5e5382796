"""The scopes of one file; names are followed through imports and aliases to their origins.

A use of a name resolves to dotted names: ``pc`` after ``from time import perf_counter as pc`` is
``time.perf_counter``; an unbound ``open`` is ``builtins.open``; a parameter annotated ``rng: random.Random`` is
``random.Random()``, an instance. There are several answers if the file binds the name in several ways.
"""

import ast
import builtins
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BUILTINS = frozenset(dir(builtins))
_DEEPEST_ALIAS = 8
_MAIN = "__name__ == '__main__'"


def parameters_of(function: FunctionNode) -> list[ast.arg]:
    """All parameters of a function, in order."""
    a = function.args
    extra = [arg for arg in (a.vararg, a.kwarg) if arg is not None]
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *extra]


@dataclass(slots=True)
class Binding:
    """One place in a scope that binds a name."""

    node: ast.AST
    dotted: str | None = None
    """The dotted name of an import."""
    value: ast.expr | None = None
    """The expression that is assigned or added."""
    annotation: ast.expr | None = None
    is_parameter: bool = False
    added_by: ast.operator | None = None
    """The operator of an augmented assignment."""


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class, function or comprehension, and the names that it binds."""

    node: ast.AST
    parent: "Scope | None"
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer_names: set[str] = field(default_factory=set)
    """Names that ``global`` or ``nonlocal`` statements move to an outer scope."""
    star_imports: list[str] = field(default_factory=list)
    _resolved: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Cached results of ``resolve``, since some files bind one name a thousand times."""

    @property
    def is_module(self) -> bool:
        return isinstance(self.node, ast.Module)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def function(self) -> "Scope | None":
        """The innermost function around this scope, which may be the scope itself."""
        scope: Scope | None = self
        while scope is not None and not isinstance(scope.node, FunctionNode):
            scope = scope.parent
        return scope

    def bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def find(self, name: str) -> "tuple[Scope, list[Binding]] | None":
        """The scope that a use of ``name`` here refers to, with its bindings there."""
        scope: Scope | None = self
        while scope is not None:
            visible = scope is self or not scope.is_class
            if visible and name in scope.bindings and name not in scope.outer_names:
                return scope, scope.bindings[name]
            scope = scope.parent
        return None

    def resolve(self, node: ast.expr, depth: int = 0) -> tuple[str, ...]:
        """The dotted names that ``node`` may stand for; empty if it is a value made in this file."""
        if depth > _DEEPEST_ALIAS:
            return ()
        if isinstance(node, ast.Attribute):
            return tuple(f"{base}.{node.attr}" for base in self.resolve(node.value, depth + 1))
        if isinstance(node, ast.Name):
            if node.id not in self._resolved:
                answer = self._resolve_name(node.id, depth)
                if depth:
                    return answer
                self._resolved[node.id] = answer
            return self._resolved[node.id]
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            imports = {"builtins.__import__", "importlib.import_module"}
            if imports.intersection(self.resolve(node.func, depth + 1)):
                return (str(node.args[0].value),)
        return ()

    def _resolve_name(self, name: str, depth: int) -> tuple[str, ...]:
        found = self.find(name)
        if found is None:
            if name in _BUILTINS:
                return (f"builtins.{name}",)
            return tuple(f"{module}.{name}" for module in self._stars())
        scope, bindings = found
        answers: list[str] = []
        for binding in bindings:
            if binding.dotted is not None:
                answers.append(binding.dotted)
            elif binding.is_parameter and binding.annotation is not None:
                answers += [f"{kind}()" for kind in scope.resolve(binding.annotation, depth + 1)]
            elif binding.value is not None and binding.added_by is None:
                answers += scope.resolve(binding.value, depth + 1)
        return tuple(dict.fromkeys(answers))

    def _stars(self) -> list[str]:
        scope: Scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope.star_imports


class ScopeBuilder(ast.NodeVisitor):
    """Walks a file once and notes each node's scope and parent, and whether importing the file can run it."""

    def __init__(self, tree: ast.Module, package: str) -> None:
        self.scope_of: dict[ast.AST, Scope] = {}
        self.parent_of: dict[ast.AST, ast.AST] = {}
        self.annotations: set[ast.AST] = set()
        self.aside: set[ast.AST] = set()
        self._package = package
        self._scope = Scope(tree, None)
        self.module = self._scope
        self._above: ast.AST = tree
        self.scope_of[tree] = self._scope
        self.generic_visit(tree)

    def visit(self, node: ast.AST) -> None:
        self.scope_of[node] = self._scope
        self.parent_of[node] = self._above
        above, self._above = self._above, node
        super().visit(node)
        self._above = above

    def _visit_inside(self, scope: Scope, nodes: list[ast.AST]) -> None:
        outer, self._scope = self._scope, scope
        for node in nodes:
            self.visit(node)
        self._scope = outer

    def _visit_annotation(self, node: ast.expr | None) -> None:
        if node is None:
            return
        self.visit(node)
        self.annotations.update(ast.walk(node))

    def _visit_function(self, node: FunctionNode) -> None:
        scope = Scope(node, self._scope)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for parameter in parameters_of(node):
            self.scope_of[parameter], self.parent_of[parameter] = scope, node
            self._visit_annotation(parameter.annotation)
            scope.bind(parameter.arg, Binding(parameter, annotation=parameter.annotation, is_parameter=True))
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self._visit_inside(scope, list(body))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scope.bind(node.name, Binding(node))
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._visit_annotation(node.returns)
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.bind(node.name, Binding(node))
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outside)
        self._visit_inside(Scope(node, self._scope), list(node.body))

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _COMPREHENSIONS):
            outer, self._scope = self._scope, Scope(node, self._scope)
            super().generic_visit(node)
            self._scope = outer
        else:
            super().generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self.generic_visit(node)
        if ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING" or is_main_block(node):
            for statement in node.body:
                self.aside.update(ast.walk(statement))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.split(".")[0]
            dotted = alias.name if alias.asname else top
            self._scope.bind(alias.asname or top, Binding(node, dotted=dotted))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = absolute_module(node, self._package)
        for alias in node.names:
            if alias.name == "*":
                self.module.star_imports.append(module)
            else:
                self._scope.bind(alias.asname or alias.name, Binding(node, dotted=f"{module}.{alias.name}"))

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.outer_names.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.outer_names.update(node.names)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self._bind_value(target, node.value)

    def _bind_value(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            # visit_Name has already made a binding without a value: replace it.
            self._scope.bindings[target.id][-1:] = [Binding(target, value=value)]
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one_target, one_value in zip(target.elts, value.elts, strict=True):
                self._bind_value(one_target, one_value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self._visit_annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        if isinstance(node.target, ast.Name):
            binding = Binding(node, value=node.value, annotation=node.annotation)
            self._scope.bindings[node.target.id][-1:] = [binding]

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            binding = Binding(node, value=node.value, added_by=node.op)
            self._scope.bindings[node.target.id][-1:] = [binding]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.generic_visit(node)
        self._scope.bindings[node.target.id][-1:] = [Binding(node, value=node.value)]

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store | ast.Del):
            self._scope.bind(node.id, Binding(node))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._scope.bind(node.name, Binding(node))
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._scope.bind(node.name, Binding(node))
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._scope.bind(node.name, Binding(node))

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._scope.bind(node.rest, Binding(node))
        self.generic_visit(node)


def is_main_block(statement: ast.stmt) -> bool:
    """Whether the statement runs only when the file is started as a program."""
    return isinstance(statement, ast.If) and ast.unparse(statement.test) == _MAIN


def absolute_module(node: ast.ImportFrom, package: str) -> str:
    """The module that a ``from`` import names, with leading dots filled in from the file's package."""
    if node.level == 0:
        return node.module or ""
    above = package.split(".")[: len(package.split(".")) - (node.level - 1)]
    return ".".join([*above, *([node.module] if node.module else [])])
