"""Finds each place where a function changes an object that belongs to its caller.

This is an abstract interpreter: it follows statements in order, merges branches, and runs loops twice. For functions
and methods of the same file it computes which parameters they change; passing a caller's object to such a parameter is
a change at the call. Other calls are assumed to change nothing and to return new values; the dynamic half of the audit
finds what that misses.
"""

import ast
from dataclasses import dataclass, replace

from retick.audit.static.parsed_file import ParsedFile
from retick.audit.static.scopes import FunctionNode, parameters_of

# The rules about changed states ask whether a value is still an object of the caller, or a new one.
#
# An ``Origin`` says from which parameters a value came and how many layers of it are new. ``state.players`` belongs to
# the caller (0 new layers). ``list(state.players)`` is a new list of the caller's players (1 layer). ``[copy.copy(p)
# for p in state.players]`` is a new list of new players (2 layers). Reading an attribute or an element removes one
# layer. Changing an object without a new layer changes the caller's object.

EVERYTHING = "*"
"""Stands in ``fresh`` for an unknown element that was replaced."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; a value without an Origin is entirely new."""

    parameters: frozenset[str]
    """The parameters to whose objects the value may belong."""
    layers: int = 0
    """Number of outer layers that are new; below them are the caller's objects."""
    fresh: frozenset[str] = frozenset()
    """Attributes of the outermost layer that were replaced by new values."""

    def inside(self, attribute: str = EVERYTHING) -> "Origin | None":
        """The origin of an attribute or an element."""
        if EVERYTHING in self.fresh or (attribute in self.fresh and attribute != EVERYTHING):
            return None
        return Origin(self.parameters, max(self.layers - 1, 0))

    def copied(self, fresh: frozenset[str] = frozenset()) -> "Origin":
        """The origin of a shallow copy."""
        return Origin(self.parameters, max(self.layers, 1), self.fresh | fresh)

    def held(self) -> "Origin":
        """The origin of a new container that holds the value."""
        return Origin(self.parameters, self.layers + 1)

    def given(self, attribute: str, value: "Origin | None") -> "Origin":
        """The origin after an attribute or some element was replaced by ``value``."""
        if value is None:
            return replace(self, fresh=self.fresh | {attribute})
        return replace(self, layers=max(self.layers, value.layers + 1 if value.layers else 0))


Env = dict[str, Origin]
"""Origins by variable name; a missing name holds a new value."""


def merge(first: Origin | None, second: Origin | None) -> Origin | None:
    """The origin of a value that is one of two; what may belong to the caller counts as the caller's."""
    if first is None or second is None:
        return first or second
    return Origin(first.parameters | second.parameters, min(first.layers, second.layers), first.fresh & second.fresh)


def merge_env(first: Env | None, second: Env | None) -> Env | None:
    """The origins of all names after two branches; None stands for a branch that returns or raises."""
    if first is None or second is None:
        return first if second is None else second
    merged: Env = {}
    for name in {**first, **second}:
        origin = merge(first.get(name), second.get(name))
        if origin is not None:
            merged[name] = origin
    return merged


# Calls and assignments that change an object in place. Methods of the first set return nothing, so if the result of a
# call is used, it is another method, such as add() of a vector.
_METHODS_WITHOUT_RESULT = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft", "fill", "insert",
    "intersection_update", "move_to_end", "remove", "reverse", "rotate", "sort", "symmetric_difference_update",
    "update", "__delattr__", "__delitem__", "__setattr__", "__setitem__",
})  # fmt: skip
_METHODS_WITH_RESULT = frozenset({"pop", "popitem", "popleft", "setdefault"})
_FUNCTIONS = frozenset({
    "builtins.setattr", "builtins.delattr", "builtins.object.__setattr__", "builtins.object.__delattr__",
    "builtins.next", "builtins.list.append", "builtins.list.sort", "builtins.dict.update", "bisect.insort",
    "bisect.insort_left", "bisect.insort_right", "heapq.heapify", "heapq.heappop", "heapq.heappush",
    "heapq.heappushpop", "heapq.heapreplace", "operator.delitem", "operator.setitem", "random.shuffle",
    "retick.sim.random.shuffle",
})  # fmt: skip
_MUTABLE_MAKERS = frozenset({
    "builtins.list", "builtins.dict", "builtins.set", "builtins.bytearray", "collections.deque",
    "collections.defaultdict", "collections.OrderedDict", "collections.Counter", "array.array", "itertools.count",
    "itertools.cycle",
})  # fmt: skip


def what_call_changes(source: ParsedFile, call: ast.Call) -> ast.expr | None:
    """The expression whose object the call changes in place; None if the call is not known to change one."""
    if any(name in _FUNCTIONS for name in source.resolve(call.func)):
        return call.args[0] if call.args else None
    if isinstance(call.func, ast.Attribute):
        result_unused = isinstance(source.parent(call), ast.Expr)
        if call.func.attr in _METHODS_WITH_RESULT or (call.func.attr in _METHODS_WITHOUT_RESULT and result_unused):
            return call.func.value
    return None


def stored_into(target: ast.expr) -> list[ast.expr]:
    """The objects that assigning or deleting ``target`` changes; binding a name changes none."""
    if isinstance(target, ast.Attribute | ast.Subscript):
        return [target.value]
    if isinstance(target, ast.Tuple | ast.List):
        return [changed for element in target.elts for changed in stored_into(element)]
    return stored_into(target.value) if isinstance(target, ast.Starred) else []


def is_fresh_mutable(source: ParsedFile, node: ast.expr) -> bool:
    """Whether the expression makes a new list, dict, set or the like."""
    if isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    return isinstance(node, ast.Call) and source.calls(node, *_MUTABLE_MAKERS)


# The origin of each expression of a function, and the changes of arguments that expressions make.

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
    """One place where a function changes an argument, or an object inside it."""

    parameter: str
    """The parameter that holds the changed object."""
    node: ast.AST
    what: str
    """The change in words, for the report."""


class ExpressionTracer:
    """Evaluates expressions to origins; a subclass adds statements and calls of functions of the same file."""

    def __init__(self, source: ParsedFile, env: Env) -> None:
        self.source = source
        self.env = env
        self.found: dict[tuple[str, ast.AST], Change] = {}

    def enter_function(self, function: FunctionNode) -> None:
        """Follow a function that is defined inside the traced one."""
        raise NotImplementedError

    def call_own_function(self, call: ast.Call) -> None:
        """Note what the called function changes, if it is in the same file."""
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
        """The called function, if it is in this file, with its arguments; a method's object comes first."""
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
        """Follow an inner function, which sees the names around it, as if it were called where it is defined."""
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
