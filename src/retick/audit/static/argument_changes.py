"""Finds each place where a function changes an object that belongs to its caller.

An abstract interpreter: statements are followed in order, branches are merged, loops are run twice. For functions and
methods of the same file it computes which parameters they change; passing a caller's object to such a parameter is a
change at the call. Calls of anything else are assumed to change nothing and to return new values; the dynamic half of
the audit finds what that misses.
"""

import ast

from retick.audit.static.argument_origins import Origin, merge_env
from retick.audit.static.expression_changes import Change, ExpressionTracer, inside
from retick.audit.static.mutators import is_fresh_mutable
from retick.audit.static.parsed_file import ParsedFile
from retick.audit.static.scopes import FunctionNode, parameters_of

__all__ = ["FunctionChanges"]


class FunctionChanges:
    """The changes that each function of a file makes to its arguments, computed on demand."""

    def __init__(self, source: ParsedFile) -> None:
        self.source = source
        self._done: dict[ast.AST, list[Change]] = {}
        self._methods: dict[str, list[ast.FunctionDef]] = {}
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef) and source.scope(node).is_class:
                self._methods.setdefault(node.name, []).append(node)

    def changes(self, function: FunctionNode) -> list[Change]:
        """The changes that ``function`` makes to its arguments."""
        if function not in self._done:
            self._done[function] = []  # for a recursive call during the computation
            self._done[function] = _StatementTracer(self, function).run()
        return self._done[function]

    def called(self, call: ast.Call) -> tuple[FunctionNode, list[ast.expr]] | None:
        """The function of this file that is called, with its arguments; for a method, its object comes first."""
        if isinstance(call.func, ast.Name):
            found = self.source.scope(call).find(call.func.id)
            node = found[1][-1].node if found else None
            return (node, call.args) if isinstance(node, ast.FunctionDef) else None
        if not isinstance(call.func, ast.Attribute):
            return None
        owner = self.source.class_of(call)
        named = self._methods.get(call.func.attr, [])
        own = [method for method in named if self.source.class_of(method) is owner and owner is not None]
        on_self = isinstance(call.func.value, ast.Name) and call.func.value.id == "self"
        chosen = own if on_self and own else named
        if len(chosen) != 1:
            return None
        static = self.source.is_decorated(chosen[0], "builtins.staticmethod")
        return chosen[0], call.args if static else [call.func.value, *call.args]


class _StatementTracer(ExpressionTracer):
    """Follows the statements of one function."""

    def __init__(self, function_changes: FunctionChanges, function: FunctionNode) -> None:
        super().__init__(function_changes.source, {p.arg: Origin(frozenset({p.arg})) for p in parameters_of(function)})
        self._function_changes = function_changes
        self._function = function

    def run(self) -> list[Change]:
        if isinstance(self._function, ast.Lambda):
            self.value(self._function.body)
        else:
            self._block(self._function.body)
        return list(self.found.values())

    # Statements. Each method returns whether execution continues after it.

    def _block(self, statements: list[ast.stmt]) -> bool:
        return all(self._statement(statement) for statement in statements)

    def _branches(self, *blocks: list[ast.stmt]) -> bool:
        before, after = self.env, None
        for block in blocks:
            self.env = dict(before)
            if self._block(block):
                after = merge_env(after, self.env)
        self.env = before if after is None else after
        return after is not None

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool:
        for _ in range(2):
            self._branches(body, [])
        return self._block(orelse)

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=targets, value=value):
                origin = self.value(value)
                for target in targets:
                    self._assign(node, target, value, origin)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(node, target, value, self.value(value))
            case ast.AugAssign():
                self._augment(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.store(node, target, None)
            case ast.If(test=test, body=body, orelse=orelse):
                self.value(test)
                return self._branches(body, orelse)
            case ast.For() | ast.AsyncFor():
                self.bind(node, node.target, inside(self.value(node.iter)))
                return self._loop(node.body, node.orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                self.value(test)
                return self._loop(body, orelse)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    origin = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(node, item.optional_vars, origin)
                return self._block(node.body)
            case ast.Try():
                self._branches(node.body + node.orelse, *(handler.body for handler in node.handlers), [])
                return self._block(node.finalbody)
            case ast.Match():
                return self._match(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.enter_function(node)
            case ast.Return() | ast.Raise():
                self.children(node)
                return False
            case ast.ClassDef():
                pass
            case _:
                self.children(node)
        return True

    def _match(self, node: ast.Match) -> bool:
        origin = self.value(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = part.name if isinstance(part, ast.MatchAs | ast.MatchStar) else None
                if name and origin:
                    self.env[name] = origin
        return self._branches(*(case.body for case in node.cases), [])

    def enter_function(self, function: FunctionNode) -> None:
        """An inner function sees the names around it; it is assumed to be called once, where it is defined."""
        before = dict(self.env)
        for parameter in parameters_of(function):
            self.env.pop(parameter.arg, None)
        if isinstance(function, ast.Lambda):
            self.value(function.body)
        else:
            self._block(function.body)
        self.env = before

    def _assign(self, at: ast.stmt, target: ast.expr, value: ast.expr, origin: Origin | None) -> None:
        match target, value:
            case (
                (ast.Tuple(elts=targets) | ast.List(elts=targets)),
                (ast.Tuple(elts=values) | ast.List(elts=values)),
            ) if len(targets) == len(values):
                origins = [self.value(one) for one in values]
                for one_target, one_origin in zip(targets, origins, strict=True):
                    self.bind(at, one_target, one_origin)
            case _:
                self.bind(at, target, origin)

    def _augment(self, node: ast.AugAssign) -> None:
        self.value(node.value)
        if isinstance(node.target, ast.Name):
            if is_fresh_mutable(self.source, node.value):
                self.note(node, node.target, f"`{node.target.id}` is extended in place")
        else:
            self.store(node, node.target, None)

    def call_own_function(self, node: ast.Call) -> None:
        called = self._function_changes.called(node)
        if called is None:
            return
        function, arguments = called
        parameters = [parameter.arg for parameter in parameters_of(function)]
        given = dict(zip(parameters, arguments, strict=False))
        given.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
        for change in self._function_changes.changes(function):
            if change.parameter in given:
                line = getattr(change.node, "lineno", 0)
                text = ast.unparse(given[change.parameter])
                self.note(node, given[change.parameter], f"`{ast.unparse(node.func)}()` changes `{text}` (line {line})")
