"""Calls and assignments that change an object in place, and which object they change."""

import ast

from retick.audit.static.parsed_file import ParsedFile

__all__ = ["is_fresh_mutable", "stored_into", "what_call_changes"]

# These return nothing. So if the result of a call is used, it is another method, such as add() of a vector.
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
    """The objects that an assignment to ``target``, or its deletion, changes; binding a name changes none."""
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
