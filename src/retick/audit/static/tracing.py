"""Walks a function and notes each change of an object that its caller still holds.

An abstract interpreter: statements in order, branches merged, loops run twice. Functions and methods of the
same file are summarised by the parameters that they change, and a call of one with a caller's object is a
change at the call. Calls of anything else are taken to change nothing and to return new values; what slips
through there is for the dynamic half of the audit to find.
"""

import ast

from retick.audit.static.expressions import Change, ExpressionTracer, inside
from retick.audit.static.flow import Trace, merge_env
from retick.audit.static.mutators import is_fresh_mutable
from retick.audit.static.scopes import FunctionNode, parameters_of
from retick.audit.static.source import Source

__all__ = ["Change", "Summaries"]


class Summaries:
    """The changes that each function of a file makes, computed when asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._done: dict[ast.AST, list[Change]] = {}
        self._methods: dict[str, list[ast.FunctionDef]] = {}
        for node in source.walk():
            if isinstance(node, ast.FunctionDef) and source.scope(node).is_class:
                self._methods.setdefault(node.name, []).append(node)

    def changes(self, function: FunctionNode) -> list[Change]:
        if function not in self._done:
            self._done[function] = []  # what a recursive call sees meanwhile
            self._done[function] = _Tracer(self, function).run()
        return self._done[function]

    def called(self, call: ast.Call) -> tuple[FunctionNode, list[ast.expr]] | None:
        """The function of this file that is called, with its arguments, the receiver first."""
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


class _Tracer(ExpressionTracer):
    def __init__(self, summaries: Summaries, function: FunctionNode) -> None:
        super().__init__(summaries.source, {p.arg: Trace(frozenset({p.arg})) for p in parameters_of(function)})
        self._summaries = summaries
        self._function = function

    def run(self) -> list[Change]:
        if isinstance(self._function, ast.Lambda):
            self.value(self._function.body)
        else:
            self._block(self._function.body)
        return list(self.found.values())

    # Statements. Each answers whether control goes on after it.

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
                trace = self.value(value)
                for target in targets:
                    self._assign(node, target, value, trace)
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
                    trace = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(node, item.optional_vars, trace)
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
        trace = self.value(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = part.name if isinstance(part, ast.MatchAs | ast.MatchStar) else None
                if name and trace:
                    self.env[name] = trace
        return self._branches(*(case.body for case in node.cases), [])

    def enter_function(self, function: FunctionNode) -> None:
        """A function inside sees the names around it; it is taken to be called once, here."""
        before = dict(self.env)
        for parameter in parameters_of(function):
            self.env.pop(parameter.arg, None)
        if isinstance(function, ast.Lambda):
            self.value(function.body)
        else:
            self._block(function.body)
        self.env = before

    def _assign(self, at: ast.stmt, target: ast.expr, value: ast.expr, trace: Trace | None) -> None:
        match target, value:
            case (
                (ast.Tuple(elts=targets) | ast.List(elts=targets)),
                (ast.Tuple(elts=values) | ast.List(elts=values)),
            ) if len(targets) == len(values):
                traces = [self.value(one) for one in values]
                for one_target, one_trace in zip(targets, traces, strict=True):
                    self.bind(at, one_target, one_trace)
            case _:
                self.bind(at, target, trace)

    def _augment(self, node: ast.AugAssign) -> None:
        self.value(node.value)
        if isinstance(node.target, ast.Name):
            if is_fresh_mutable(self.source, node.value):
                self.note(node, node.target, f"`{node.target.id}` is extended in place")
        else:
            self.store(node, node.target, None)

    def call_own_function(self, node: ast.Call) -> None:
        called = self._summaries.called(node)
        if called is None:
            return
        function, arguments = called
        parameters = [parameter.arg for parameter in parameters_of(function)]
        given = dict(zip(parameters, arguments, strict=False))
        given.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
        for change in self._summaries.changes(function):
            if change.origin in given:
                line = getattr(change.node, "lineno", 0)
                text = ast.unparse(given[change.origin])
                self.note(node, given[change.origin], f"`{ast.unparse(node.func)}()` changes `{text}` (line {line})")
