# cython: nonecheck=True
"""A position in saved bytes: what the loading of a world reads its numbers from (a compiled kernel)."""
# retick: floats -- they are kept as their bits; only exact operations are done with them

from typing import Any

from retick.errors import Truncated

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.world.saving import IS_LITTLE

__all__ = ["Position"]


@cython.cclass
class Position:
    """Where the next number begins."""

    if not cython.compiled:
        data: bytes
        bytes_at: Any
        at: int
        size: int

    def begin(self, data: bytes, at: cython.Py_ssize_t) -> cython.int:
        """Be at a byte of these."""
        self.data = data
        self.at = at
        self.size = len(data)
        if cython.compiled:
            self.bytes_at = cython.cast(cython.p_uchar, PyBytes_AS_STRING(data))
        return 0

    def need(self, count: cython.Py_ssize_t, what: Any) -> cython.int:
        """Refuse bytes that end before the next ``count``."""
        if count > self.size - self.at:
            raise Truncated(
                f"{what} takes {count} bytes at byte {self.at} of {self.size}",
                needed=self.at + count,
                available=self.size,
            )
        return 0

    def take(self, size: cython.Py_ssize_t) -> cython.ulonglong:
        """The next number; there are enough bytes for it."""
        value: cython.ulonglong = 0
        if cython.compiled:
            if IS_LITTLE and size == 8:
                memcpy(cython.address(value), self.bytes_at + self.at, 8)
            else:
                index: cython.Py_ssize_t = size
                while index > 0:
                    index -= 1
                    value = (value << 8) | self.bytes_at[self.at + index]
        else:
            value = int.from_bytes(self.data[self.at : self.at + size], "little")
        self.at += size
        return value

    def take_number(self, is_real: cython.bint) -> cython.double:
        """The next number of a shape, compiled: a float, or an integer of 32 bits."""
        value: cython.double = 0.0
        bits: cython.ulonglong = self.take(8 if is_real else 4)
        if cython.compiled:
            if is_real:
                memcpy(cython.address(value), cython.address(bits), 8)
            else:
                value = cython.cast(cython.double, cython.cast(cython.longlong, bits << 32) >> 32)
        return value
