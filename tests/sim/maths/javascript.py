"""Translates the kernels of ``retick.sim.maths`` to JavaScript, to run them on another implementation of floats.

Only what the kernels use is understood: typed variables, arithmetic, ``if``, ``for`` over a range, calls and tuples.
Integers (``cython.longlong``) become BigInt, because they need more than 53 bits; everything else is a Number. The
compiled branches are left out, so this is the source as Python runs it.
"""

import ast
import json
import textwrap
from itertools import takewhile
from pathlib import Path

from retick.sim import maths
from retick.sim.maths import kernel

__all__ = ["translated"]

SOURCE = Path(maths.__file__).with_name("kernel.py")
LEFT_OUT = ("as_float", "refuse", "overflow", "summed_product")
"""Functions about Python's objects. PRELUDE has another form of those that refuse an argument."""
CALLS = {"abs": "Math.abs", "sqrt": "Math.sqrt", "exact_sqrt": "Math.sqrt", "floor": "Math.floor"}
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|", ast.LShift: "<<",
    ast.RShift: ">>", ast.Mod: "%", ast.FloorDiv: "/", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "===", ast.NotEq: "!==", ast.And: "&&", ast.Or: "||", ast.USub: "-", ast.Not: "!",
}  # fmt: skip
PRELUDE = """
const copysign = (a, b) => (Object.is(b, -0) || b < 0) ? -Math.abs(a) : Math.abs(a);
const view = new DataView(new ArrayBuffer(8));
function ldexp(x, exponent) {  // the kernels ask only for normal powers of two
  view.setBigUint64(0, (1023n + BigInt(exponent)) << 52n);
  return x * view.getFloat64(0);
}
function frexp(x) {
  let scaled = 0n;
  if (x < 2.2250738585072014e-308) { x *= 18014398509481984; scaled = 54n; }
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  view.setBigUint64(0, (bits & 0x800fffffffffffffn) | (1022n << 52n));
  return [view.getFloat64(0), ((bits >> 52n) & 2047n) - 1022n - scaled];
}
const refuse = (name, ...values) => { throw new Error("ValueError"); };
const overflow = (name, ...values) => { throw new Error("OverflowError"); };
"""
DRIVER = """
const fs = require("fs");
const lines = fs.readFileSync(0, "utf8").trim().split("\\n");
const read = (text) => { view.setBigUint64(0, BigInt("0x" + text)); return view.getFloat64(0); };
for (const line of lines) {
  const [name, ...words] = line.split(" ");
  let told;
  try {
    view.setFloat64(0, kernels[name](...words.map(read)));
    told = view.getBigUint64(0).toString(16).padStart(16, "0");
  } catch (error) { told = error.message; }
  console.log(told);
}
"""


class Function:
    """One function as JavaScript; ``integers`` are its variables that are BigInt."""

    def __init__(self, node: ast.FunctionDef, returns_integer_first: bool) -> None:
        self.integers: set[str] = set()
        self.returns_integer_first = returns_integer_first
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        body = "\n".join(map(self.statement, node.body))
        self.text = f"function {prefixed(node.name)}({', '.join(names)}) {{\n{textwrap.indent(body, '  ')}\n}}"

    def block(self, body: list[ast.stmt]) -> str:
        return "{\n" + textwrap.indent("\n".join(map(self.statement, body)), "  ") + "\n}"

    def statement(self, node: ast.stmt) -> str:
        match node:
            case ast.Expr(value=ast.Constant()):
                return ""
            case ast.Expr(value=value):
                return self.number(value) + ";"
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
                if ast.unparse(kind) in ("cython.longlong", "cython.int"):
                    self.integers.add(name)
                return f"let {name}" + (f" = {self.value(name, value)};" if value else ";")
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return f"{name} = {self.value(name, value)};"
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                return f"[{', '.join(ast.unparse(one) for one in targets)}] = {self.number(value)};"
            case ast.Return(value=ast.Tuple(elts=[first, *rest])):
                head = self.integer(first) if self.returns_integer_first else self.number(first)
                return f"return [{', '.join([head, *map(self.number, rest)])}];"
            case ast.Return(value=ast.expr() as value):
                return f"return {self.number(value)};"
            case ast.If(test=test, body=body, orelse=orelse):
                if ast.unparse(test) == "cython.compiled":
                    return "\n".join(map(self.statement, orelse))
                other = f" else {self.block(orelse)}" if orelse else ""
                return f"if ({self.number(test)}) {self.block(body)}{other}"
            case ast.For(target=ast.Name(id=name), body=body):
                assert ast.unparse(node.iter) == "range(5, -1, -1)"
                return f"for ({name} = 5n; {name} >= 0n; {name}--) {self.block(body)}"
        raise NotImplementedError(ast.unparse(node))

    def value(self, name: str, node: ast.expr) -> str:
        return self.integer(node) if name in self.integers else self.number(node)

    def is_integer(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.Name(id=name):
                return name in self.integers
            case ast.Subscript(value=ast.Name(id="WORDS")):
                return True
            case ast.BinOp(left=left, right=right, op=op):
                return not isinstance(op, ast.Div) and self.is_integer(left) and self.is_integer(right)
        return False

    def integer(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value):
                return f"{value}n"
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self.integer(left)} {OPERATORS[type(op)]} {self.integer(right)})"
            case ast.IfExp(orelse=orelse):
                return self.integer(orelse)
            case ast.Call(func=ast.Name(id="int"), args=[value]):
                return f"BigInt(Math.trunc({self.number(value)}))"
            case ast.Subscript(value=table, slice=index):
                return f"{ast.unparse(table)}[{self.number(index)}]"
        return ast.unparse(node)

    def number(self, node: ast.expr) -> str:
        if self.is_integer(node) and not isinstance(node, ast.Constant):
            return f"Number({self.integer(node)})"
        match node:
            case ast.Constant(value=value):
                return json.dumps(value)
            case ast.Name(id=name):
                return {"_INFINITY": "Infinity"}.get(name, name)
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self.number(left)} {OPERATORS[type(op)]} {self.number(right)})"
            case ast.UnaryOp(op=op, operand=operand):
                return f"({OPERATORS[type(op)]}{self.number(operand)})"
            case ast.BoolOp(op=op, values=values):
                return "(" + f" {OPERATORS[type(op)]} ".join(map(self.number, values)) + ")"
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [left, *others]
                parts = [
                    f"({self.number(a)} {OPERATORS[type(op)]} {self.number(b)})"
                    for a, op, b in zip(sides, ops, others, strict=False)
                ]
                return "(" + " && ".join(parts) + ")"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                if ast.unparse(test).startswith("type("):
                    return self.number(body)
                if ast.unparse(test) == "cython.compiled":
                    return self.number(orelse)
                return f"({self.number(test)} ? {self.number(body)} : {self.number(orelse)})"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                called = CALLS.get(name) or prefixed(name)
                return f"{called}({', '.join(map(self.number, arguments))})"
            case ast.Tuple(elts=values):
                return f"[{', '.join(map(self.number, values))}]"
            case ast.Subscript(value=table, slice=index):
                return f"{ast.unparse(table)}[{self.number(index)}]"
        raise NotImplementedError(ast.unparse(node))


def prefixed(name: str) -> str:
    """``pow`` and ``log`` are no reserved words, but a game's own names are safer apart."""
    return name if name in ("copysign", "frexp", "ldexp", "refuse", "overflow") else f"k_{name}"


def translated() -> str:
    """A program that reads lines of a function and the bits of its arguments, and prints the bits of the results."""
    parts = [PRELUDE, "const _SPLITTER = 134217729.0;"]
    names = []
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    scalars = list(takewhile(lambda node: not isinstance(node, ast.ClassDef), tree.body))  # what follows is Vec2's
    uncompiled = [part for node in scalars if isinstance(node, ast.If) for part in node.orelse]
    for node in (*uncompiled, *scalars):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=table)):
                entries = getattr(kernel, table)
                suffix = "n" if table == "TWO_OVER_PI" else ""
                parts.append(f"const {name} = [{', '.join(f'{entry!r}{suffix}' for entry in entries)}];")
            case ast.FunctionDef(name=name) if name not in LEFT_OUT:
                whole = name in ("_reduce", "_reduce_large")
                parts.append(Function(node, whole).text)
                names.append(name)
    exported = ", ".join(f"{name}: {prefixed(name)}" for name in names if name in maths.__all__ or name == "atan")
    return "\n".join([*parts, f"const kernels = {{{exported}}};", DRIVER])
