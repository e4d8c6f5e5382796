"""Kernels declare themselves: every generated .pxd is current, and the script that writes them says what it should."""

import ast
import importlib.util
import re
import sys
from enum import IntEnum
from importlib import import_module
from pathlib import Path

import pytest

import retick
from retick import _cython
from retick._kernels import KERNELS
from tests.twin import Twin

SOURCE = Path(retick.__file__).parent
SCRIPT = Path(__file__).parent.parent / "scripts" / "declare_kernels.py"
PXDS = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.pxd"))

_spec = importlib.util.spec_from_file_location("declare_kernels", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
declare = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = declare  # where dataclasses look for it
_spec.loader.exec_module(declare)

# In compiled form only: what the C compiler puts in place of struct.Struct.
COMPILED_ONLY = frozenset({"load_u8", "store_le16", "store_le32"})


def path_of(kernel: str) -> Path:
    """The source of a kernel, given its dotted name."""
    return SOURCE.joinpath(*kernel.split(".")[1:]).with_suffix(".py")


def pxd_text(path: str) -> str:
    return (SOURCE / path).read_text(encoding="utf-8")


def enums_of(path: str) -> dict[str, int]:
    """The constants of a .pxd."""
    lines = re.findall(r"^    (\w+) = (-?\d+)$", pxd_text(path), flags=re.MULTILINE)
    return {name: int(value) for name, value in lines}


def test_every_pxd_is_what_the_script_writes() -> None:
    for path, text in declare.all_expected().items():
        assert (path.read_text(encoding="utf-8") if path.exists() else None) == text, path


def test_no_pxd_is_written_by_hand_alone() -> None:
    generated = {path.relative_to(SOURCE).as_posix() for path, text in declare.all_expected().items() if text}
    assert set(PXDS) == generated


def test_directives_stand_on_the_first_line_where_cython_reads_them() -> None:
    for name in KERNELS:
        lines = path_of(name).read_text(encoding="utf-8").splitlines()
        assert not [number for number, line in enumerate(lines[1:], 2) if line.startswith("# cython:")], name


# C functions whose Python form stands in a module that is no kernel.
ELSEWHERE = {"i32": "sim/fixed.py"}


def functions_of(path: str) -> dict[str, list[str]]:
    """The names and arguments of all functions of a module, those in its uncompiled branch too."""
    tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
    defined = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {node.name: [argument.arg for argument in node.args.args] for node in defined}


@pytest.mark.parametrize("path", PXDS)
def test_c_functions_with_a_body_have_a_python_form(path: str) -> None:
    for name, arguments in re.findall(r"^cdef inline .*?(\w+)\((.*)\)", pxd_text(path), flags=re.MULTILINE):
        if name not in COMPILED_ONLY:
            written = functions_of(ELSEWHERE.get(name, path.removesuffix(".pxd") + ".py"))
            assert written[name] == [part.split()[-1].lstrip("*") for part in arguments.split(",")], name


def values_of(path: str, names: tuple[str, ...]) -> list[str]:
    """A story for the twin: constants as the sources have them, of the module or of an enum in it."""
    module = import_module("retick." + path.removesuffix(".pxd").replace("/", "."))
    known = {member.name: int(member) for kind in vars(module).values() if _is_enum(kind) for member in kind}
    known |= vars(module)
    return [f"{name} = {known.get(name, 'missing')}" for name in names]


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, IntEnum)


def test_the_constants_of_both_forms_are_equal(twin: Twin) -> None:
    for path in PXDS:
        enums = enums_of(path)
        if enums:
            assert twin.tells(values_of, path, tuple(enums)) == [f"{n} = {v}" for n, v in enums.items()], path
    assert enums_of("games/fighter/kernel.pxd")["GRAVITY"] < 0


def names_of_cython(source: str) -> set[str]:
    """What a kernel uses of ``cython`` where it runs as Python."""
    found = set()
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "cython.compiled":
            waiting += [node.test, *node.orelse]
            continue
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "cython":
            found.add(node.attr)
        waiting += ast.iter_child_nodes(node)
    return found


def test_the_stand_in_for_cython_has_what_kernels_use_and_nothing_else() -> None:
    used = {"compiled"}
    for name in KERNELS:
        used |= names_of_cython(path_of(name).read_text(encoding="utf-8"))
    held = {name for name in vars(_cython) if name.isidentifier() and not name.startswith("_")} | {"int"}
    held -= {"Any", "Callable", "TypeVar"}
    in_branches = {"cast", "address", "NULL"}  # named in a conditional expression that only the compiler follows
    assert held - in_branches == used - in_branches


KERNEL = '''
if cython.compiled:
    from cython.cimports.retick.a import Base, Table
    from cython.cimports.retick.b import unused
else:
    from retick.a import Base, Table

    SIZE = 0x10  # C constant: bytes
    ONE, TWO = 1, 2  # C constants
    NOT_ONE = 3

SMOOTHING = cython.declare(cython.double, 0.5)
_private = cython.declare(cython.double, 0.5)

@cython.final
@cython.cclass
class Part(Base):
    """A part."""

    if not cython.compiled:
        __slots__ = ("a",)

    table: Table | None  # readonly: what it is about
    a: cython.longlong
    buf: cython.p_const_uchar
    cells: cython.pp_longlong
    kept: list[int]
    mood: Mood  # public
    text: "bytes"
    __weakref__: object
    if cython.compiled:
        row: cython.double[SIZE]
    else:
        row: list[float]

    def __init__(self) -> None:
        self.a = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read(self, data: Any, limit: cython.longlong, at: cython.p_Py_ssize_t = cython.NULL) -> cython.int:
        return 0

    @cython.ccall
    @cython.exceptval(check=False)
    def stop(self) -> cython.void:
        pass

    @cython.cfunc
    @cython.exceptval(-1.0)
    @cython.nogil
    def length(self) -> cython.double:
        return 0.0

@cython.cfunc
def made(cls: Any, name: "str | None") -> Table:
    return cls()

@cython.cfunc
@cython.inline
def short() -> cython.int:
    return 0

@cython.cfunc
def _own() -> cython.int:
    return 0
'''
PXD = """# Everything below is generated by scripts/declare_kernels.py.

cimport cython
from retick.a cimport Base, Table

cdef enum:
    SIZE = 16
    ONE = 1
    TWO = 2

cdef double SMOOTHING

@cython.final
cdef class Part(Base):
    cdef readonly Table table
    cdef long long a
    cdef const unsigned char* buf
    cdef long long** cells
    cdef list kept
    cdef public object mood
    cdef object text
    cdef object __weakref__
    cdef double row[SIZE]

    cdef int read(self, object data, long long limit, Py_ssize_t* at=*) except -1
    cpdef void stop(self) noexcept
    cdef double length(self) except? -1.0 nogil

cdef Table made(object cls, object name)
"""


def written(source: str, pxd: str | None = None, *, is_cimported: bool = False) -> str | None:
    text: str | None = declare.expected(declare.read("retick.part", source), pxd, is_cimported=is_cimported)
    return text


def test_a_kernel_becomes_declarations() -> None:
    assert written(KERNEL) == PXD


@pytest.mark.parametrize(
    ("right", "wrong", "gone", "there"),
    [
        ("    a: cython.longlong\n", "", "    cdef long long a\n", ""),
        ("    a: cython.longlong\n", "    a: cython.int\n", "cdef long long a\n", "cdef int a\n"),
        ("  # readonly: what it is about", "  # what it is about", "cdef readonly Table", "cdef Table"),
        ("table: Table | None", "table: Any", "cdef readonly Table", "cdef readonly object"),
        ("    @cython.exceptval(-1, check=False)\n", "", " except -1\n", "\n"),
        ("    @cython.nogil\n", "", " nogil\n", "\n"),
        ("    @cython.ccall\n", "    @cython.cfunc\n", "cpdef void stop", "cdef void stop"),
        ("@cython.final\n", "", "cimport cython\n", ""),
        ("SIZE = 0x10", "SIZE = 17", "SIZE = 16", "SIZE = 17"),
        ("@cython.cfunc\ndef made", "def made", "\ncdef Table made(object cls, object name)\n", ""),
    ],
)  # fmt: skip
def test_a_planted_difference_is_found(right: str, wrong: str, gone: str, there: str) -> None:
    assert right in KERNEL
    assert gone in PXD
    found = written(KERNEL.replace(right, wrong))
    assert found is not None
    assert found != PXD
    assert there in found
    assert len(found.splitlines()) <= len(PXD.splitlines())


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("a: cython.longlong", "a: int", "int is a Python number"),
        ("a: cython.longlong", "a: cython.quad", r"cython\.quad is not known"),
        ('name: "str | None"', 'name: "str"', r"made\(name\): str must not be in quotes"),
        ("SIZE = 0x10", "SIZE = unknown()", "a C constant must be an integer"),
    ],
)
def test_what_has_no_meaning_is_refused(right: str, wrong: str, complaint: str) -> None:
    assert right in KERNEL
    with pytest.raises(declare.DeclarationError, match=complaint):
        written(KERNEL.replace(right, wrong))


PLAIN = "@cython.cclass\nclass Part:\n    a: cython.int\n"


def test_only_a_kernel_that_others_need_has_a_pxd() -> None:
    assert written(PLAIN) is None
    assert written(PLAIN, is_cimported=True) == f"{declare.MARKER}\n\ncdef class Part:\n    cdef int a\n"
    assert written(PLAIN.replace("int\n", "int  # readonly\n")) is not None
    assert written(PLAIN, declare.MARKER + "\n\ncdef class Part:\n    cdef int a\n") is None


def test_what_stands_above_the_marker_stays() -> None:
    c = 'cdef extern from *:\n    "int one(void);"\n    int one() noexcept'
    first = written(PLAIN, c)
    assert first == f"{c}\n\n{declare.MARKER}\n\ncdef class Part:\n    cdef int a\n"
    assert written(PLAIN, first) == first
