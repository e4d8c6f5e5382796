"""Rules about numbers: floats, true division, floats in integer fields, and functions whose last bits differ.

IEEE 754 requires the exactly rounded result of + - * / and square root, and of nothing else. So a file whose state
declares floats, or that has a ``retick: floats`` comment, may use those, but not sin, exp or ``**``, whose results
differ between C libraries. Functions of ``math`` are in three classes: over integers (no finding), exactly rounded over
floats (rule ``float``), and the rest (rule ``inexact-math``), most of which ``retick.sim.maths`` replaces.
"""

import ast
import re
from collections.abc import Iterator

from retick.audit.static.declared_fields import DeclaredFields
from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.value_types import ValueTypes
from retick.sim import maths

__all__ = [
    "MATH_EXACTLY_ROUNDED",
    "check",
    "inexact_function",
    "is_numpy_float",
    "makes_floats_by_default",
]


# Functions of floats that give the same bits everywhere are exactly rounded by IEEE 754 (+ - * /, remainder and square
# root), or computed by CPython from these or in integers: comparisons, abs, min, max, round, floor, conversions, fsum.

_MATH_ON_INTEGERS = frozenset({
    "ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "prod", "trunc",
})  # fmt: skip
MATH_EXACTLY_ROUNDED = frozenset({
    "copysign", "degrees", "e", "fabs", "fma", "fmod", "frexp", "fsum", "inf", "isclose", "isfinite", "isinf",
    "isnan", "ldexp", "modf", "nan", "nextafter", "pi", "radians", "remainder", "sqrt", "tau", "ulp",
})  # fmt: skip
_WIDER = frozenset({
    "builtins.complex", "cython.longdouble", "cython.doublecomplex", "cython.floatcomplex", "ctypes.c_longdouble",
    "numpy.longdouble", "numpy.clongdouble",
})  # fmt: skip
_NUMPY_FLOATS = frozenset({
    "average", "cdouble", "csingle", "double", "e", "euler_gamma", "half", "inf", "linspace", "longdouble", "mean",
    "median", "nan", "nanmean", "nanstd", "nanvar", "percentile", "pi", "quantile", "single", "sqrt", "std", "var",
})  # fmt: skip
_NUMPY_INEXACT = frozenset({
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
    "atan", "atan2", "atanh", "cbrt", "convolve", "cos", "cosh", "exp", "exp2", "expm1", "float_power", "geomspace",
    "hypot", "interp", "log", "log10", "log1p", "log2", "logaddexp", "logspace", "sin", "sinc", "sinh", "tan", "tanh",
})  # fmt: skip
_NUMPY_REDUCTIONS = frozenset({
    "average", "dot", "einsum", "inner", "matmul", "mean", "nanmean", "nanstd", "nansum", "nanvar",
    "std", "sum", "tensordot", "trapezoid", "var", "vdot",
})  # fmt: skip
_NUMPY_INEXACT_MODULES = ("numpy.fft.", "numpy.linalg.", "numpy.polynomial.")
_NUMPY_FLOAT_UNLESS_TYPED = frozenset({
    "numpy.empty", "numpy.eye", "numpy.identity", "numpy.ones", "numpy.zeros",
})  # fmt: skip
_REPLACED_BY = {
    "cbrt": "pow", "exp2": "pow", "norm": "hypot", "float_power": "pow", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
}  # fmt: skip
"""Functions whose replacement has another name."""


def inexact_function(name: str, *, floats: bool) -> str | None:
    """The report's text for an inexact dotted name; None for others. With ``floats``, the file may use floats."""
    module, _, function = name.partition(".")
    if module == "math" and function:
        known = function in _MATH_ON_INTEGERS or function in MATH_EXACTLY_ROUNDED
        return None if known else f"`{name}`{_replacement(name)}"
    if module == "cmath" or _is_numpy_inexact(name):
        return f"`{name}`{_replacement(name)}"
    if floats and _is_numpy_reduction(name):
        return f"`{name}`, which adds in the order that suits the processor: add in a loop"
    if floats and module == "statistics":
        return f"`{name}`, whose steps differ between versions of Python: add in a loop, and divide"
    if floats and name in _WIDER:
        return f"`{name}`, which is computed differently from system to system: use `float`"
    return None


def _replacement(name: str) -> str:
    last = name.rpartition(".")[2]
    found = _REPLACED_BY.get(last, last)
    known = found in maths.__all__ and not name.startswith("cmath.")
    return f": use `retick.sim.maths.{found}`" if known else ""


def _numpy_function(name: str) -> str:
    package, _, rest = name.partition(".")
    return rest if package == "numpy" else ""


def is_numpy_float(name: str) -> bool:
    """Whether a dotted name of NumPy is a float type, a float constant or a function that returns floats."""
    function = _numpy_function(name)
    return (function.startswith(("float", "complex")) and function != "float_power") or function in _NUMPY_FLOATS


def _is_numpy_inexact(name: str) -> bool:
    """Whether a dotted name is a NumPy function whose last bits differ between systems."""
    return _numpy_function(name) in _NUMPY_INEXACT or name.startswith(_NUMPY_INEXACT_MODULES)


def _is_numpy_reduction(name: str) -> bool:
    """Whether a dotted name is a NumPy function that adds many numbers, floats in no fixed order."""
    return _numpy_function(name) in _NUMPY_REDUCTIONS


def makes_floats_by_default(name: str, call: ast.Call) -> bool:
    """Whether the call makes an array without a dtype, which then is float64."""
    typed = len(call.args) > 1 or any(keyword.arg == "dtype" for keyword in call.keywords)
    return name in _NUMPY_FLOAT_UNLESS_TYPED and not typed


_FLOAT_NAMES = frozenset({
    "builtins.float", "builtins.complex", "cython.double", "cython.float", "cython.longdouble",
    "cython.doublecomplex", "cython.floatcomplex", "ctypes.c_float", "ctypes.c_double", "ctypes.c_longdouble",
})  # fmt: skip
_FLOAT_MODULES = ("decimal", "statistics")
_DIVIDING = frozenset({
    "operator.truediv", "operator.itruediv", "numpy.divide", "numpy.true_divide",
})  # fmt: skip
_PACKING = frozenset({
    "struct.Struct", "struct.pack", "struct.pack_into", "struct.unpack", "struct.unpack_from", "struct.iter_unpack",
    "array.array",
})  # fmt: skip
_FLOAT_DTYPE = re.compile(r"[<>=|]?(float|complex|f\d|c\d|[efdgFDG]$)")
_GIVES_OTHERS = frozenset({
    "ceil", "comb", "factorial", "floor", "gcd", "isclose", "isfinite", "isinf", "isnan", "isqrt", "modf", "prod",
    "trunc",
})  # fmt: skip
"""Functions of ``retick.sim.maths`` that do not always return floats."""
_DRAWS_FLOATS = frozenset({"retick.sim.random." + name for name in ("gauss", "random", "uniform")})
_POWERS = ("builtins.pow", "operator.pow", "operator.ipow")


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rules float, division, float-field and inexact-math."""
    values = ValueTypes(source)
    for node in source.walk():
        match node:
            case ast.Constant(value=float() | complex()):
                yield Hit(node, "float", f"the literal {ast.unparse(node)}")
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                if not (_is_text(left) or _is_text(right)):
                    yield Hit(node, "division", f"`{_short(node)}`")
            case ast.AugAssign(op=ast.Div()):
                yield Hit(node, "division", f"`{_short(node)}`")
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                yield from _power(source, values, node, base, exponent)
            case ast.AugAssign(op=ast.Pow(), target=base, value=exponent):
                yield from _power(source, values, node, base, exponent)
            case ast.BinOp(op=ast.MatMult()) if source.floats:
                yield Hit(node, "inexact-math", f"`{_short(node)}`, which adds in the order that suits the processor")
            case ast.Call():
                yield from _call(source, values, node)
            case ast.arg() | ast.AnnAssign() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _text_annotation(node)
    for reference, names in source.references():
        yield from _reference(source, reference, names)
    yield from _integer_fields(source, values.fields)


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_text(node: ast.expr) -> bool:
    """Whether a node is text, which shows that ``/`` joins a path."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _power(source: ParsedFile, values: ValueTypes, node: ast.AST, base: ast.expr, exponent: ast.expr) -> Iterator[Hit]:
    what = f"the power `{_short(node)}`: use a product, or `retick.sim.maths.pow`"
    match exponent:
        case ast.Constant(value=float()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float())):
            yield Hit(node, "inexact-math", what)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            if source.floats:
                yield Hit(node, "inexact-math", what)
            else:
                yield Hit(node, "division", f"`{_short(node)}`, a negative power")
        case _ if source.floats and not (values.is_int(base) and values.is_int(exponent)):
            yield Hit(node, "inexact-math", what)


def _call(source: ParsedFile, values: ValueTypes, node: ast.Call) -> Iterator[Hit]:
    called = source.resolve(node.func)
    if source.calls(node, *_POWERS) and len(node.args) == 2:
        yield from _power(source, values, node, *node.args)
    elif source.calls(node, *_PACKING) and node.args and _packs_floats(node.args[0]):
        yield Hit(node, "float", f"`{_short(node)}`, with a float code")
    elif source.floats and source.calls(node, "builtins.sum") and not _sums_integers(values, node):
        yield Hit(
            node, "inexact-math", "`sum()` of floats, which Python 3.12 rounds differently from 3.11: use `math.fsum`"
        )
    elif any(makes_floats_by_default(name, node) for name in called):
        yield Hit(node, "float", f"`{_short(node)}`, float by default")
    for keyword in node.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "dtype" and isinstance(value, str) and _FLOAT_DTYPE.match(value):
            yield Hit(keyword.value, "float", f"dtype {value!r}")


def _packs_floats(code: ast.expr) -> bool:
    return isinstance(code, ast.Constant) and isinstance(code.value, str) and bool(re.search("[efd]", code.value))


def _sums_integers(values: ValueTypes, node: ast.Call) -> bool:
    if not node.args:
        return False
    added = node.args[0]
    if isinstance(added, ast.GeneratorExp | ast.ListComp):
        return values.is_int(added.elt)
    if isinstance(added, ast.List | ast.Tuple):
        return all(values.is_int(one) for one in added.elts)
    return False


def _reference(source: ParsedFile, node: ast.expr, names: tuple[str, ...]) -> Iterator[Hit]:
    for name in names:
        if name in _DIVIDING:
            yield Hit(node, "division", f"`{name}`")
        elif _is_float_name(name) and not _is_type_test(source, node):
            yield Hit(node, "float", f"`{name.removeprefix('builtins.')}`")
        if (what := inexact_function(name, floats=source.floats)) and not _is_type_test(source, node):
            yield Hit(node, "inexact-math", what)


def _is_float_name(name: str) -> bool:
    module, _, rest = name.partition(".")
    if module == "math":
        return rest.split(".")[0] in MATH_EXACTLY_ROUNDED
    known = any(name == one or name.startswith(f"{one}.") for one in _FLOAT_NAMES)
    return known or module in _FLOAT_MODULES or is_numpy_float(name)


def _is_type_test(source: ParsedFile, node: ast.expr) -> bool:
    """Whether the node only tests a type, as ``isinstance(x, float)`` or ``case float()``, and makes no float."""
    above = source.parent(node)
    while isinstance(above, ast.Tuple | ast.BinOp):
        node, above = above, source.parent(above)
    if isinstance(above, ast.Compare):
        return all(isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) for op in above.ops)
    if isinstance(above, ast.MatchClass):
        return True
    tests = ("builtins.isinstance", "builtins.issubclass")
    return isinstance(above, ast.Call) and source.calls(above, *tests) and node in above.args[1:]


def _text_annotation(
    node: ast.arg | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[Hit]:
    annotation = node.returns if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else node.annotation
    for part in ast.walk(annotation) if annotation else ():
        text = part.value if isinstance(part, ast.Constant) else None
        if isinstance(text, str) and re.search(r"\b(float|complex|Decimal)\b", text):
            yield Hit(part, "float", f"the annotation {text!r}")


def _integer_fields(source: ParsedFile, fields: DeclaredFields) -> Iterator[Hit]:
    """Find floats in integer fields; without float fields, the rule float finds every float already."""
    if not (source.floats and fields.states):
        return
    for node in source.walk():
        for name, value in _written(fields, node):
            if fields.is_integer(name) and _is_float(source, fields, value):
                yield Hit(node, "float-field", f"a float in the integer field {name!r}")


def _written(fields: DeclaredFields, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Name and value of each field that the node declares with a default, passes to a new state, or sets."""
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
    if name in ("builtins.float", "math.sqrt") or name in _DRAWS_FLOATS:
        return True
    return module == "retick.sim.maths" and function.islower() and function not in _GIVES_OTHERS
