"""What each expression of a function is traced to, and the changes that expressions make."""

import ast
from dataclasses import dataclass

from retick.audit.static.flow import EVERYTHING, Env, Trace, merge
from retick.audit.static.mutators import stored_into, what_call_changes
from retick.audit.static.scopes import FunctionNode
from retick.audit.static.source import Source

__all__ = ["Change", "ExpressionTracer", "inside"]

_SHALLOW_COPIES = frozenset({
    "builtins.list", "builtins.tuple", "builtins.dict", "builtins.set", "builtins.frozenset", "builtins.sorted",
    "builtins.reversed", "builtins.iter", "builtins.enumerate", "builtins.zip", "builtins.filter", "copy.copy",
    "copy.replace", "dataclasses.replace", "collections.deque", "collections.OrderedDict",
})  # fmt: skip
_GIVES_ELEMENT = frozenset({"builtins.next", "builtins.min", "builtins.max", "builtins.getattr"})
_COPYING_METHODS = frozenset({"copy", "replace", "_replace", "values", "items", "keys", "__copy__"})
_ELEMENT_METHODS = frozenset({"get", "pop", "popitem", "popleft", "setdefault"})


@dataclass(frozen=True, slots=True)
class Change:
    """One place where a function changes what it was given."""

    origin: str
    """The parameter."""
    node: ast.AST
    what: str


class ExpressionTracer:
    """The half of the interpreter that evaluates; statements and calls of the file's own functions come on top."""

    def __init__(self, source: Source, env: Env) -> None:
        self.source = source
        self.env = env
        self.found: dict[tuple[str, ast.AST], Change] = {}

    def enter_function(self, function: FunctionNode) -> None:
        """Follow a function that is defined inside."""
        raise NotImplementedError

    def call_own_function(self, call: ast.Call) -> None:
        """Note what a function of the same file changes when called like this."""
        raise NotImplementedError

    def note(self, at: ast.AST, changed: ast.expr, what: str) -> None:
        trace = self.value(changed)
        if trace is not None and trace.layers == 0:
            for origin in trace.origins:
                self.found.setdefault((origin, at), Change(origin, at, what))

    def children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif not isinstance(child, ast.stmt):
                self.children(child)

    def value(self, node: ast.expr) -> Trace | None:
        match node:
            case ast.Name(id=name):
                return self.env.get(name)
            case ast.Attribute(value=value, attr=attribute):
                trace = self.value(value)
                return trace.inside(attribute) if trace else None
            case ast.Subscript(value=value, slice=index):
                trace = self.value(value)
                self.value(index)
                if trace is None:
                    return None
                return trace.copied() if isinstance(index, ast.Slice) else trace.inside()
            case ast.Call():
                return self._call(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test)
                return merge(self.value(body), self.value(orelse))
            case ast.BoolOp(values=values):
                return self._any_of(values)
            case ast.NamedExpr(target=target, value=value):
                trace = self.value(value)
                self.env.pop(target.id, None)
                if trace is not None:
                    self.env[target.id] = trace
                return trace
            case ast.Starred(value=value):
                return inside(self.value(value))
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                trace = self._any_of(elements)
                return trace.held() if trace else None
            case ast.Dict(keys=keys, values=values):
                trace = self._any_of([*(key for key in keys if key is not None), *values])
                return trace.held() if trace else None
            case ast.BinOp(left=left, right=right):
                trace = merge(self.value(left), self.value(right))
                return trace.copied() if trace else None
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case ast.Lambda():
                self.enter_function(node)
            case _:
                self.children(node)
        return None

    def _any_of(self, nodes: list[ast.expr]) -> Trace | None:
        found: Trace | None = None
        for node in nodes:
            found = merge(found, self.value(node))
        return found

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Trace | None:
        before = dict(self.env)
        for generator in node.generators:
            self.bind(ast.Pass(), generator.target, inside(self.value(generator.iter)))
            for condition in generator.ifs:
                self.value(condition)
        trace = self.value(node.value if isinstance(node, ast.DictComp) else node.elt)
        self.env = before
        return trace.held() if trace else None

    def _call(self, node: ast.Call) -> Trace | None:
        changed = what_call_changes(self.source, node)
        if changed is not None and not self.source.calls(node, "builtins.next"):
            self.note(node, changed, f"`{ast.unparse(node.func)}()` changes `{ast.unparse(changed)}`")
        else:
            self.call_own_function(node)
        arguments = self._any_of([*node.args, *(keyword.value for keyword in node.keywords)])
        names = set(self.source.resolve(node.func))
        given = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
        if names & _SHALLOW_COPIES:
            first = self.value(node.args[0]) if given and node.args else arguments
            return first.copied(given) if first else None
        if names & _GIVES_ELEMENT:
            return inside(arguments)
        if not isinstance(node.func, ast.Attribute):
            self.value(node.func)
            return None
        receiver = self.value(node.func.value)
        if receiver is None:
            return None
        if node.func.attr in _COPYING_METHODS:
            return receiver.copied(given)
        return receiver.inside() if node.func.attr in _ELEMENT_METHODS else None

    def bind(self, at: ast.stmt, target: ast.expr, trace: Trace | None) -> None:
        if isinstance(target, ast.Name):
            if trace is None:
                self.env.pop(target.id, None)
            else:
                self.env[target.id] = trace
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self.bind(at, element, inside(trace))
        elif isinstance(target, ast.Starred):
            self.bind(at, target.value, trace and trace.held())
        else:
            self.store(at, target, trace)

    def store(self, at: ast.stmt, target: ast.expr, trace: Trace | None) -> None:
        for changed in stored_into(target):
            self.note(at, changed, f"`{ast.unparse(target)}` is written")
            known = self.env.get(changed.id) if isinstance(changed, ast.Name) else None
            if isinstance(changed, ast.Name) and known is not None and known.layers:
                attribute = target.attr if isinstance(target, ast.Attribute) else EVERYTHING
                self.env[changed.id] = known.given(attribute, trace)


def inside(trace: Trace | None) -> Trace | None:
    return trace.inside() if trace else None
