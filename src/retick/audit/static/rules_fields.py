"""The rule about floats in integer fields, for a state that declares both kinds.

In a file without float fields every float is found by the rule ``float``, so this one has nothing to add there.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.declared_fields import DeclaredFields
from retick.audit.static.parsed_file import Hit, ParsedFile

__all__ = ["check"]

_GIVES_INTEGERS = frozenset({"ceil", "floor", "trunc"})


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rule float-field."""
    fields = DeclaredFields(source)
    if not (source.floats and fields.states):
        return
    for node in source.walk():
        for name, value in _written(fields, node):
            if fields.is_integer(name) and _is_float(source, fields, value):
                yield Hit(node, "float-field", f"a float in the integer field {name!r}")
        if isinstance(node, ast.AnnAssign) and fields.is_float_field(node):
            yield Hit(node, "float-field", f"`{ast.unparse(node)}`, a field without a kind")


def _written(fields: DeclaredFields, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Name and value of each field that the node declares with a default, gives to a new state, or sets."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if fields.is_field(node):
            yield name, value
        case ast.Call(func=ast.Name(id=called), keywords=keywords) if called in fields.states:
            yield from ((one.arg, one.value) for one in keywords if one.arg)
        case ast.Call(func=ast.Attribute(attr="replace"), keywords=keywords):
            yield from ((one.arg, one.value) for one in keywords if one.arg)
        case ast.Assign(targets=targets, value=value):
            yield from ((one.attr, value) for one in targets if isinstance(one, ast.Attribute))
        case ast.AugAssign(target=ast.Attribute(attr=name) as target, op=op, value=value):
            yield name, ast.BinOp(left=target, op=op, right=value)


def _is_float(source: ParsedFile, fields: DeclaredFields, value: ast.expr) -> bool:
    """Whether the value is certainly a float."""
    match value:
        case ast.Constant(value=float()) | ast.BinOp(op=ast.Div()):
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_float(source, fields, operand)
        case ast.BinOp(left=left, right=right):
            return _is_float(source, fields, left) or _is_float(source, fields, right)
        case ast.Attribute(attr=name):
            return fields.is_float(name)
        case ast.Call(func=func):
            return any(_gives_float(name) for name in source.resolve(func))
    return False


def _gives_float(name: str) -> bool:
    module, _, function = name.rpartition(".")
    return name in ("builtins.float", "math.sqrt") or (
        module == "retick.sim.maths" and function.islower() and function not in _GIVES_INTEGERS
    )
