"""Reads the two halves of a kernel, its .pxd and its .py, and says where they differ.

Only the part of Cython that this project writes is understood: enums, classes with members and methods, functions and
variables, one declaration a line or split inside parentheses.
"""

import ast
import re
from dataclasses import dataclass, field

__all__ = ["Declared", "differences", "read_pxd"]

# What a C type is called in a kernel's annotations.
C_TYPES = {
    "void": "cython.void",
    "bint": "cython.bint",
    "int": "cython.int",
    "unsigned int": "cython.uint",
    "long long": "cython.longlong",
    "unsigned long long": "cython.ulonglong",
    "Py_ssize_t": "cython.Py_ssize_t",
    "double": "cython.double",
    "unsigned char*": "cython.p_uchar",
    "short*": "cython.p_short",
    "unsigned short*": "cython.p_ushort",
    "int*": "cython.p_int",
    "unsigned int*": "cython.p_uint",
    "long long*": "cython.p_longlong",
    "unsigned long long*": "cython.p_ulonglong",
    "double*": "cython.p_double",
    "Py_ssize_t*": "cython.pointer(cython.Py_ssize_t)",
}
# What a member of a C type is called where the kernel runs as Python.
PYTHON_TYPES = {
    "bint": "bool",
    "int": "int",
    "unsigned int": "int",
    "long long": "int",
    "unsigned long long": "int",
    "Py_ssize_t": "int",
    "double": "float",
}
NUMBERS = {"int", "bool", "float"}


CONTAINERS = {"bytes", "dict", "list", "set", "tuple"}


@dataclass
class Method:
    returns: str
    arguments: list[tuple[str, str, bool]]
    """Type, name, and whether there is a default."""
    for_python: bool
    """Whether Python calls it too (cpdef); then it may be annotated as Python is."""
    in_pxd: bool
    """Whether its body is in the .pxd; then the .py has a function of its own, for Python values."""


@dataclass
class Declared:
    """What a .pxd declares: of a module, or of one class in it."""

    members: list[tuple[str, str]] = field(default_factory=list)
    """Type and name, in order."""
    methods: dict[str, Method] = field(default_factory=dict)
    enums: dict[str, int] = field(default_factory=dict)
    classes: dict[str, "Declared"] = field(default_factory=dict)


def _lines(text: str) -> list[tuple[int, str]]:
    """Indent and text of each declaration, without comments, and with open parentheses joined."""
    found: list[tuple[int, str]] = []
    waiting = ""
    for raw in text.splitlines():
        line = raw.split("#")[0].rstrip()
        if not line:
            continue
        waiting = f"{waiting} {line.strip()}" if waiting else line
        if waiting.count("(") == waiting.count(")"):
            found.append((len(waiting) - len(waiting.lstrip()), waiting.strip()))
            waiting = ""
    return found


def _typed(text: str) -> tuple[str, str]:
    """Type and name of ``unsigned long long* masks`` and the like; an array is told as a pointer."""
    text = re.sub(r"\[[^\]]*\]$", "", text.replace("const ", "")) + ("*" if text.endswith("]") else "")
    words = text.replace("*", " * ").split()
    stars = "*" * words.count("*")
    words = [word for word in words if word != "*"]
    return " ".join(words[:-1]) + stars, words[-1]


def _method(line: str) -> tuple[str, Method]:
    head, _, rest = line.partition("(")
    returns, name = _typed(re.sub(r"^(cdef|cpdef) (inline )?", "", head))
    arguments = []
    for part in rest.rpartition(")")[0].split(","):
        part = part.strip()
        if part and part != "self":
            arguments.append((*_typed(part.removesuffix("=*")), part.endswith("=*")))
    return name, Method(returns or "object", arguments, line.startswith("cpdef"), line.endswith(":"))


def read_pxd(text: str) -> Declared:
    module = here = Declared()
    inside = ""
    for indent, line in _lines(text):
        if indent == 0:
            inside, here = "", module
        if line.startswith("cdef extern"):
            inside = "body"  # C, which the .py does not have
        elif line == "cdef enum:":
            inside = "enum"
        elif match := re.match(r"cdef class (\w+)", line):
            inside, here = "class", module.classes.setdefault(match[1], Declared())
        elif inside == "enum":
            name, _, value = line.partition(" = ")
            here.enums[name] = int(value, 0)
        elif inside == "body" or not re.match(r"c(p)?def ", line):
            continue
        elif "(" in line:
            name, method = _method(line)
            here.methods[name] = method
            inside = "body" if line.endswith(":") else inside
        else:
            kind, _, names = re.sub(r"^cdef (readonly |public )?", "", line).partition(",")
            first_type, first = _typed(kind)
            here.members += [(first_type, name) for name in (first, *names.replace(" ", "").split(",")) if name]
    return module


def _annotation(node: ast.expr | None) -> str:
    if node is None:
        return ""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _type_differs(declared: str, annotated: str, *, for_python: bool) -> bool:
    """Of an argument or a result: C types are named as such, and nothing else is."""
    if for_python and annotated == ("None" if declared == "void" else PYTHON_TYPES.get(declared)):
        return False
    if declared in C_TYPES:
        return annotated != C_TYPES[declared]
    if declared.endswith("**"):
        return not annotated.startswith("cython.pointer(")
    return annotated.startswith("cython.") or _class_name_differs(declared, annotated)


def _class_name_differs(declared: str, annotated: str) -> bool:
    bare = re.split(r"[\[ |]", annotated)[0]
    if declared in CONTAINERS:  # an alias may stand for a container
        return bare in CONTAINERS | NUMBERS and bare != declared
    return declared != "object" and bare != declared


def _member_differs(declared: str, annotated: str) -> bool:
    if declared in PYTHON_TYPES:
        return annotated != PYTHON_TYPES[declared]
    if declared.endswith("*"):
        return annotated in NUMBERS
    return annotated.startswith("cython.") or _class_name_differs(declared, annotated)


def _is_uncompiled(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "not cython.compiled"


def _methods_differ(declared: dict[str, Method], body: list[ast.stmt]) -> list[str]:
    found = []
    written = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    for name, method in declared.items():
        node = written.get(name)
        if node is None:
            found.append(f"{name}() is only in the .pxd")
            continue
        arguments = [argument for argument in node.args.args if argument.arg != "self"]
        names = [argument.arg for argument in arguments]
        if names != [name for _, name, _ in method.arguments]:
            found.append(f"{name}() has other arguments in the .pxd")
            continue
        optional = [at >= len(names) - len(node.args.defaults) for at in range(len(names))]
        if optional != [default for _, _, default in method.arguments]:
            found.append(f"{name}() has other defaults in the .pxd")
        if method.in_pxd:
            continue
        for argument, (kind, _, _) in zip(arguments, method.arguments, strict=True):
            if _type_differs(kind, _annotation(argument.annotation), for_python=method.for_python):
                found.append(f"{name}({argument.arg}) is {kind} in the .pxd, {_annotation(argument.annotation)} here")
        if _type_differs(method.returns, _annotation(node.returns), for_python=method.for_python):
            found.append(f"{name}() returns {method.returns} in the .pxd, {_annotation(node.returns)} here")
    return found


def _class_differs(declared: Declared, node: ast.ClassDef, *, compiled_only: bool) -> list[str]:
    found = _methods_differ(declared.methods, node.body)
    blocks = [part for part in node.body if _is_uncompiled(part)]
    members = [(kind, name) for kind, name in declared.members if name != "__weakref__"]
    found += [
        f"{ast.unparse(part)} stands outside of the block" for part in node.body if isinstance(part, ast.AnnAssign)
    ]
    if not members or compiled_only:
        return found + ["a block without members in the .pxd"] * len(blocks)
    if len(blocks) != 1:
        return [*found, f"{len(blocks)} blocks of members"]
    written = []
    for part in blocks[0].body:  # type: ignore[attr-defined]  # _is_uncompiled has seen that it is an If
        if isinstance(part, ast.AnnAssign) and part.value is None:
            written.append((_annotation(part.annotation), ast.unparse(part.target)))
        elif isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "__slots__":
            if sorted(ast.literal_eval(part.value)) != sorted(name for _, name in declared.members):
                found.append("__slots__ are not the members of the .pxd")
        else:
            found.append(f"{ast.unparse(part)} is no declaration")
    if [name for _, name in written] != [name for _, name in members]:
        missing = {name for _, name in members} ^ {name for _, name in written}
        return [*found, f"members differ: {', '.join(sorted(missing)) or 'their order'}"]
    for (annotated, name), (kind, _) in zip(written, members, strict=True):
        if _member_differs(kind, annotated):
            found.append(f"{name} is {kind} in the .pxd, {annotated} here")
    return found


def differences(pxd: str, source: str, *, compiled_only: frozenset[str] = frozenset()) -> list[str]:
    """Where a .pxd and its .py do not declare the same; values of enums are for the caller to compare.

    ``compiled_only``: functions and classes that exist in compiled form only.
    """
    declared, tree = read_pxd(pxd), ast.parse(source)
    functions = {name: method for name, method in declared.methods.items() if name not in compiled_only}
    found = _methods_differ(functions, tree.body)
    assigned = {ast.unparse(target) for node in tree.body if isinstance(node, ast.Assign) for target in node.targets}
    found += [f"{name} is only in the .pxd" for _, name in declared.members if name not in assigned]
    classes = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and any(ast.unparse(mark) == "cython.cclass" for mark in node.decorator_list)
    }
    found += [f"class {name} is in one of the two only" for name in sorted(classes.keys() ^ declared.classes.keys())]
    for name in classes.keys() & declared.classes.keys():
        differing = _class_differs(declared.classes[name], classes[name], compiled_only=name in compiled_only)
        found += [f"{name}: {complaint}" for complaint in differing]
    return found
