"""Replaces the ``cython`` module where Cython is not installed and a kernel runs as plain Python.

It has only what the kernels use: decorators that change nothing, and names for C types in annotations, which
Python never acts on. ``typings/cython.pyi`` describes the same names to the type checker.
"""

from collections.abc import Callable
from typing import Any, TypeVar

compiled = False

_T = TypeVar("_T")


def _identity(target: _T) -> _T:
    return target


def _configured(*_args: Any, **_options: Any) -> Callable[[_T], _T]:
    return _identity


cclass = cfunc = ccall = inline = nogil = final = _identity
annotation_typing = exceptval = _configured

bint = int
uint = longlong = ulonglong = Py_ssize_t = int
double = float  # retick: allow float -- the name of a type; modules that compute with it are audited themselves
p_uchar = p_short = p_ushort = p_int = p_uint = p_longlong = p_ulonglong = p_float = p_double = object
p_const_uchar = p_const_ushort = p_Py_ssize_t = pp_uchar = pp_longlong = object
void = NULL = None


def pointer(_type: object) -> object:
    return object


def declare(_type: object, value: _T) -> _T:
    return value


def __getattr__(name: str) -> Any:
    if name == "int":
        return int
    raise AttributeError(f"the kernels' cython stand-in has no {name!r}: add it to retick._cython")
