"""What the kernels use of Cython's pure-Python mode, as the type checker should see it.

A C pointer or typed buffer is ``Any`` here: where a kernel runs uncompiled it is some sequence of numbers.
"""

import builtins
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

_T = TypeVar("_T")

compiled: builtins.bool

def cclass(target: _T) -> _T: ...
def cfunc(target: _T) -> _T: ...
def ccall(target: _T) -> _T: ...
def inline(target: _T) -> _T: ...
def nogil(target: _T) -> _T: ...
def final(target: _T) -> _T: ...
def annotation_typing(on: builtins.bool) -> Callable[[_T], _T]: ...
def exceptval(value: Any = ..., check: builtins.bool = ...) -> Callable[[_T], _T]: ...
@overload
def declare(kind: type[_T], value: _T) -> _T: ...
@overload
def declare(kind: Any = ..., **names: Any) -> Any: ...
def cast(kind: Any, value: Any) -> Any: ...
def address(value: Any) -> Any: ...
def sizeof(value: Any) -> builtins.int: ...

bint: TypeAlias = builtins.bool
int: TypeAlias = builtins.int
uchar: TypeAlias = builtins.int
uint: TypeAlias = builtins.int
longlong: TypeAlias = builtins.int
ulonglong: TypeAlias = builtins.int
Py_ssize_t: TypeAlias = builtins.int
size_t: TypeAlias = builtins.int
double: TypeAlias = builtins.float
p_void: TypeAlias = Any
p_char: TypeAlias = Any
p_uchar: TypeAlias = Any
p_const_uchar: TypeAlias = Any
p_short: TypeAlias = Any
p_ushort: TypeAlias = Any
p_const_ushort: TypeAlias = Any
p_int: TypeAlias = Any
p_uint: TypeAlias = Any
p_longlong: TypeAlias = Any
p_ulonglong: TypeAlias = Any
p_float: TypeAlias = Any
p_double: TypeAlias = Any
p_Py_ssize_t: TypeAlias = Any
pp_uchar: TypeAlias = Any
pp_longlong: TypeAlias = Any
void: TypeAlias = None
NULL: Any

def pointer(kind: Any) -> Any: ...
