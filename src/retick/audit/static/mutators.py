"""What changes an object in place: which calls do, and what they change."""

import ast

from retick.audit.static.source import Source

__all__ = ["is_fresh_mutable", "stored_into", "what_call_changes"]

# These return nothing, so a call whose result is used is some other method, such as a vector's add().
_SILENT_METHODS = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft", "fill", "insert",
    "intersection_update", "move_to_end", "remove", "reverse", "rotate", "sort", "symmetric_difference_update",
    "update", "__delattr__", "__delitem__", "__setattr__", "__setitem__",
})  # fmt: skip
_ANSWERING_METHODS = frozenset({"pop", "popitem", "popleft", "setdefault"})
_FUNCTIONS = frozenset({
    "builtins.setattr", "builtins.delattr", "builtins.object.__setattr__", "builtins.object.__delattr__",
    "builtins.next", "builtins.list.append", "builtins.list.sort", "builtins.dict.update", "bisect.insort",
    "bisect.insort_left", "bisect.insort_right", "heapq.heapify", "heapq.heappop", "heapq.heappush",
    "heapq.heappushpop", "heapq.heapreplace", "operator.delitem", "operator.setitem", "random.shuffle",
})  # fmt: skip
_MUTABLE_MAKERS = frozenset({
    "builtins.list", "builtins.dict", "builtins.set", "builtins.bytearray", "collections.deque",
    "collections.defaultdict", "collections.OrderedDict", "collections.Counter", "array.array", "itertools.count",
    "itertools.cycle",
})  # fmt: skip


def what_call_changes(source: Source, call: ast.Call) -> ast.expr | None:
    """The expression whose object the call changes in place, if it is a call that is known to."""
    if any(name in _FUNCTIONS for name in source.resolve(call.func)):
        return call.args[0] if call.args else None
    if isinstance(call.func, ast.Attribute):
        result_unused = isinstance(source.parent(call), ast.Expr)
        if call.func.attr in _ANSWERING_METHODS or (call.func.attr in _SILENT_METHODS and result_unused):
            return call.func.value
    return None


def stored_into(target: ast.expr) -> list[ast.expr]:
    """The objects that an assignment to ``target``, or its deletion, changes; binding a name changes none."""
    if isinstance(target, ast.Attribute | ast.Subscript):
        return [target.value]
    if isinstance(target, ast.Tuple | ast.List):
        return [changed for element in target.elts for changed in stored_into(element)]
    return stored_into(target.value) if isinstance(target, ast.Starred) else []


def is_fresh_mutable(source: Source, node: ast.expr) -> bool:
    """Whether the expression makes a new list, dict, set or the like."""
    if isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    return isinstance(node, ast.Call) and source.calls(node, *_MUTABLE_MAKERS)
