"""Rules about order and identity: hashes, addresses, and the order of sets.

A set may be stored, tested, compared and sorted, but nothing may depend on its order. Sorting by a key does not help,
since elements with equal keys stay in the set's order.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.value_types import ValueTypes

_TAKES_ORDER = frozenset({
    "builtins.list", "builtins.tuple", "builtins.iter", "builtins.enumerate", "builtins.zip", "builtins.map",
    "builtins.filter", "builtins.str", "builtins.repr", "builtins.format", "builtins.dict.fromkeys",
    "collections.deque", "collections.OrderedDict.fromkeys", "collections.Counter", "array.array",
    "functools.reduce", "numpy.array", "numpy.fromiter", "heapq.merge",
})  # fmt: skip
_TAKES_ORDER_WITH_KEY = frozenset({
    "builtins.sorted", "builtins.min", "builtins.max", "heapq.nlargest", "heapq.nsmallest",
})  # fmt: skip
_FREE_OF_ORDER = frozenset({
    "builtins.sorted", "builtins.sum", "builtins.any", "builtins.all", "builtins.len", "builtins.set",
    "builtins.frozenset", "builtins.min", "builtins.max", "math.gcd", "math.prod",
})  # fmt: skip
_EXTENDING = frozenset({"extend", "extendleft", "join"})


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rules identity and set-order."""
    values = ValueTypes(source)
    for node in source.walk():
        if isinstance(node, ast.expr) and source.in_annotation(node):
            continue
        yield from _identity(source, values, node)
        yield from _set_order(source, values, node)


def _identity(source: ParsedFile, values: ValueTypes, node: ast.AST) -> Iterator[Hit]:
    if isinstance(node, ast.Attribute) and node.attr == "__hash__" and isinstance(node.ctx, ast.Load):
        yield Hit(node, "identity", f"`{ast.unparse(node)}`")
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    names = source.resolve(node)
    call = source.parent(node)
    called = isinstance(call, ast.Call) and call.func is node
    if "builtins.id" in names:
        yield Hit(call if called and call else node, "identity", "`id()`, an address")
    elif "builtins.hash" in names and not _is_in_hash_method(source, node):
        if isinstance(call, ast.Call) and called:
            if not (call.args and values.is_int(call.args[0])):
                yield Hit(call, "identity", f"`{ast.unparse(call)}`, not certainly of an integer")
        else:
            yield Hit(node, "identity", "`hash` as a function")


def _is_in_hash_method(source: ParsedFile, node: ast.AST) -> bool:
    """Whether the node is in a ``__hash__`` method, which needs ``hash()``; only using its result is a finding."""
    function = source.function_of(node)
    return isinstance(function, ast.FunctionDef) and function.name == "__hash__"


def _set_order(source: ParsedFile, values: ValueTypes, node: ast.AST) -> Iterator[Hit]:
    match node:
        case ast.For(iter=iterated) if values.is_set(iterated):
            yield Hit(iterated, "set-order", f"a loop over {_named(iterated)}")
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _comprehension(source, values, node)
        case ast.Call():
            yield from _call(source, values, node)
        case ast.Starred(value=value, ctx=ast.Load()) if values.is_set(value):
            if not isinstance(source.parent(node), ast.Set):
                yield Hit(node, "set-order", f"unpacking {_named(value)}")
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value) if values.is_set(value):
            yield Hit(value, "set-order", f"unpacking {_named(value)}")
        case ast.YieldFrom(value=value) | ast.FormattedValue(value=value) if values.is_set(value):
            yield Hit(value, "set-order", f"the order of {_named(value)}")


def _named(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"the set `{text}`" if len(text) <= 40 else "a set"


def _comprehension(
    source: ParsedFile, values: ValueTypes, node: ast.ListComp | ast.GeneratorExp | ast.DictComp
) -> Iterator[Hit]:
    above = source.parent(node)
    order_is_lost = (
        isinstance(above, ast.Call)
        and node in above.args
        and source.calls(above, *_FREE_OF_ORDER)
        and not any(keyword.arg == "key" for keyword in above.keywords)
    )
    if order_is_lost and not isinstance(node, ast.DictComp):
        return
    for generator in node.generators:
        if values.is_set(generator.iter):
            yield Hit(generator.iter, "set-order", f"a comprehension over {_named(generator.iter)}")


def _call(source: ParsedFile, values: ValueTypes, node: ast.Call) -> Iterator[Hit]:
    func = node.func
    if isinstance(func, ast.Attribute):
        if func.attr == "pop" and not node.args and values.is_set(func.value):
            yield Hit(node, "set-order", f"`.pop()` of {_named(func.value)}, an arbitrary element")
        if func.attr in _EXTENDING and node.args and values.is_set(node.args[0]):
            yield Hit(node, "set-order", f"`.{func.attr}()` with {_named(node.args[0])}")
    names = set(source.resolve(func))
    keyed = names & _TAKES_ORDER_WITH_KEY and any(keyword.arg == "key" for keyword in node.keywords)
    if keyed or names & _TAKES_ORDER or any(name.startswith("itertools.") for name in names):
        for argument in node.args:
            if values.is_set(argument):
                name = ast.unparse(func)
                why = ", where equal keys keep the set's order" if keyed else ""
                yield Hit(node, "set-order", f"`{name}()` of {_named(argument)}{why}")
