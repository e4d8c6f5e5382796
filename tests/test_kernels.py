"""The two forms of a kernel declare the same: every .pxd in src is compared with its .py."""

import ast
from enum import IntEnum
from importlib import import_module
from pathlib import Path

import pytest

import retick
from retick import _cython
from retick._kernels import KERNELS
from tests.declarations import differences, read_pxd
from tests.twin import Twin

SOURCE = Path(retick.__file__).parent
DECLARATIONS = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.pxd"))

# In compiled form only: what the C compiler puts in place of struct.Struct.
COMPILED_ONLY = frozenset({"load_u8", "store_le16", "store_le32"})


def texts(path: str) -> tuple[str, str]:
    pxd = SOURCE / path
    return pxd.read_text(encoding="utf-8"), pxd.with_suffix(".py").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DECLARATIONS)
def test_a_pxd_declares_what_its_module_has(path: str) -> None:
    assert differences(*texts(path), compiled_only=COMPILED_ONLY) == []


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_with_classes_declares_them_in_a_pxd(name: str) -> None:
    source = SOURCE.joinpath(*name.split(".")[1:]).with_suffix(".py")
    if "cython.cclass" in source.read_text(encoding="utf-8"):
        assert source.with_suffix(".pxd").exists()


def values_of(path: str, names: tuple[str, ...]) -> list[str]:
    """A story for the twin: constants as the sources have them, of the module or of an enum in it."""
    module = import_module("retick." + path.removesuffix(".pxd").replace("/", "."))
    known = {member.name: int(member) for kind in vars(module).values() if _is_enum(kind) for member in kind}
    known |= vars(module)
    return [f"{name} = {known.get(name, 'missing')}" for name in names]


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, IntEnum)


def test_the_constants_of_both_forms_are_equal(twin: Twin) -> None:
    for path in DECLARATIONS:
        enums = read_pxd(texts(path)[0]).enums
        if enums:
            assert twin.tells(values_of, path, tuple(enums)) == [f"{n} = {v}" for n, v in enums.items()], path


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
        source = SOURCE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        used |= names_of_cython(source.read_text(encoding="utf-8"))
    held = {name for name in vars(_cython) if name.isidentifier() and not name.startswith("_")} | {"int"}
    held -= {"Any", "Callable", "TypeVar"}
    in_branches = {"cast", "address", "NULL"}  # named in a conditional expression that only the compiler follows
    assert held - in_branches == used - in_branches


PXD = """
from retick.a cimport Table

cdef enum:
    SIZE = 0x10         # bytes

cdef class Part(Base):
    cdef readonly Table table   # what it is about
    cdef long long a, b
    cdef unsigned char* buf
    cdef double row[256]
    cdef list kept
    cdef bint done
    cdef object __weakref__

    cdef int read(self, object data, long long limit,
                  Py_ssize_t* at=*) except -1
    cpdef void stop(self) noexcept

cdef Table made(object cls)
"""
SOURCES = '''
SIZE = 16

@cython.cclass
class Part(Base):
    """Of a kernel."""

    if not cython.compiled:
        table: Table
        a: int
        b: int
        buf: Any
        row: list[float]
        kept: list[int]
        done: bool

    def __init__(self) -> None:
        self.a = 0

    def read(self, data: Any, limit: cython.longlong, at: cython.pointer(cython.Py_ssize_t) = None) -> cython.int:
        return 0

    def stop(self) -> cython.void:
        self.done = True

def made(cls: Any) -> "Table":
    return cls()
'''


def test_a_pair_that_agrees_passes() -> None:
    assert differences(PXD, SOURCES) == []
    assert read_pxd(PXD).enums == {"SIZE": 16}


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("        b: int\n", "", "Part: members differ: b"),
        ("        done: bool\n", "        done: bool\n        more: int\n", "Part: members differ: more"),
        ("        a: int\n        b: int\n", "        b: int\n        a: int\n", "Part: members differ: their order"),
        ("        done: bool\n", "        done: int\n", "Part: done is bint in the .pxd, int here"),
        ("        table: Table\n", "        table: Any\n", "Part: table is Table in the .pxd, Any here"),
        ("        kept: list[int]\n", "        kept: tuple[int]\n", "Part: kept is list in the .pxd, tuple[int] here"),
        ("        a: int\n", "        a: cython.longlong\n", "Part: a is long long in the .pxd, cython.longlong here"),
        ("        buf: Any\n", "        buf: int\n", "Part: buf is unsigned char* in the .pxd, int here"),
        ("        a: int\n", '        __slots__ = ("a",)\n        a: int\n', "Part: __slots__ are not the members"),
        ("    if not cython.compiled:\n", "    if True:\n", "Part: 0 blocks of members"),
        ("    def __init__", "    c: cython.int\n\n    def __init__", "Part: c: cython.int stands outside"),
        ("    def stop(self)", "    def halt(self)", "Part: stop() is only in the .pxd"),
        ("limit: cython.longlong", "limit: cython.int", "Part: read(limit) is long long in the .pxd, cython.int here"),
        ("data: Any, limit", "limit: Any, data", "Part: read() has other arguments in the .pxd"),
        (" = None) -> cython.int", ") -> cython.int", "Part: read() has other defaults in the .pxd"),
        ("-> cython.void", "-> int", "Part: stop() returns void in the .pxd, int here"),
        ("@cython.cclass\n", "", "class Part is in one of the two only"),
        ("def made", "def make", "made() is only in the .pxd"),
    ],
)  # fmt: skip
def test_planted_differences_are_found(right: str, wrong: str, complaint: str) -> None:
    assert right in SOURCES
    found = differences(PXD, SOURCES.replace(right, wrong))
    assert len(found) == 1
    assert found[0].startswith(complaint)


def test_a_variable_and_a_class_that_only_the_pxd_has_are_found() -> None:
    assert differences(PXD + "cdef int MOST\n", SOURCES) == ["MOST is only in the .pxd"]
    assert differences(PXD + "cdef class Other:\n    cdef int a\n", SOURCES) == [
        "class Other is in one of the two only"
    ]
