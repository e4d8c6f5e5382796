"""The origin of each expression of a function, and the changes of arguments that expressions make."""

import ast
from dataclasses import dataclass

from retick.audit.static.argument_origins import EVERYTHING, Env, Origin, merge
from retick.audit.static.mutators import stored_into, what_call_changes
from retick.audit.static.parsed_file import ParsedFile
from retick.audit.static.scopes import FunctionNode

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
    """One place where a function changes an argument, or an object inside of one."""

    parameter: str
    """The parameter that holds the changed object."""
    node: ast.AST
    what: str
    """The change in words, as the report says it."""


class ExpressionTracer:
    """Evaluates expressions to origins; a subclass adds statements and calls of functions of the same file."""

    def __init__(self, source: ParsedFile, env: Env) -> None:
        self.source = source
        self.env = env
        self.found: dict[tuple[str, ast.AST], Change] = {}

    def enter_function(self, function: FunctionNode) -> None:
        """Follow a function that is defined inside of the one that is traced."""
        raise NotImplementedError

    def call_own_function(self, call: ast.Call) -> None:
        """Note what the called function changes, if it is one of the same file."""
        raise NotImplementedError

    def note(self, at: ast.AST, changed: ast.expr, what: str) -> None:
        """Note a change of the object ``changed``, if it belongs to the caller."""
        origin = self.value(changed)
        if origin is not None and origin.layers == 0:
            for parameter in origin.parameters:
                self.found.setdefault((parameter, at), Change(parameter, at, what))

    def children(self, node: ast.AST) -> None:
        """Evaluate every expression below ``node``."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif not isinstance(child, ast.stmt):
                self.children(child)

    def value(self, node: ast.expr) -> Origin | None:
        """The origin of an expression; None if its value is new."""
        match node:
            case ast.Name(id=name):
                return self.env.get(name)
            case ast.Attribute(value=value, attr=attribute):
                origin = self.value(value)
                return origin.inside(attribute) if origin else None
            case ast.Subscript(value=value, slice=index):
                origin = self.value(value)
                self.value(index)
                if origin is None:
                    return None
                return origin.copied() if isinstance(index, ast.Slice) else origin.inside()
            case ast.Call():
                return self._call(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test)
                return merge(self.value(body), self.value(orelse))
            case ast.BoolOp(values=values):
                return self._any_of(values)
            case ast.NamedExpr(target=target, value=value):
                origin = self.value(value)
                self.env.pop(target.id, None)
                if origin is not None:
                    self.env[target.id] = origin
                return origin
            case ast.Starred(value=value):
                return inside(self.value(value))
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                origin = self._any_of(elements)
                return origin.held() if origin else None
            case ast.Dict(keys=keys, values=values):
                origin = self._any_of([*(key for key in keys if key is not None), *values])
                return origin.held() if origin else None
            case ast.BinOp(left=left, right=right):
                origin = merge(self.value(left), self.value(right))
                return origin.copied() if origin else None
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case ast.Lambda():
                self.enter_function(node)
            case _:
                self.children(node)
        return None

    def _any_of(self, nodes: list[ast.expr]) -> Origin | None:
        found: Origin | None = None
        for node in nodes:
            found = merge(found, self.value(node))
        return found

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Origin | None:
        before = dict(self.env)
        for generator in node.generators:
            self.bind(ast.Pass(), generator.target, inside(self.value(generator.iter)))
            for condition in generator.ifs:
                self.value(condition)
        origin = self.value(node.value if isinstance(node, ast.DictComp) else node.elt)
        self.env = before
        return origin.held() if origin else None

    def _call(self, node: ast.Call) -> Origin | None:
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

    def bind(self, at: ast.stmt, target: ast.expr, origin: Origin | None) -> None:
        """Assign a value of this origin to ``target``."""
        if isinstance(target, ast.Name):
            if origin is None:
                self.env.pop(target.id, None)
            else:
                self.env[target.id] = origin
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self.bind(at, element, inside(origin))
        elif isinstance(target, ast.Starred):
            self.bind(at, target.value, origin and origin.held())
        else:
            self.store(at, target, origin)

    def store(self, at: ast.stmt, target: ast.expr, origin: Origin | None) -> None:
        """Note that an attribute or an element is replaced by a value of this origin."""
        for changed in stored_into(target):
            self.note(at, changed, f"`{ast.unparse(target)}` is written")
            known = self.env.get(changed.id) if isinstance(changed, ast.Name) else None
            if isinstance(changed, ast.Name) and known is not None and known.layers:
                attribute = target.attr if isinstance(target, ast.Attribute) else EVERYTHING
                self.env[changed.id] = known.given(attribute, origin)


def inside(origin: Origin | None) -> Origin | None:
    """The origin of an element of a value of this origin."""
    return origin.inside() if origin else None
