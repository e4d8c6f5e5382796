"""The range coder without its models: the interval, and the bytes that leave or enter it (a compiled kernel).

``low`` may be one bit too long until the next byte is written: a carry is added to the bytes before it only then, so
that no bit has to look for one. The numbers are those of docs/formats/compact.md.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.retick.snapshot.kernels.arrays import uchars
else:
    from retick.snapshot.kernels.arrays import uchars

__all__ = ["RangeCoder"]

_EVERY = array("Q", [0xFFFFFFFF])


@cython.cclass
class RangeCoder:
    """One stream of bytes; see the .pxd for what each member holds."""

    if not cython.compiled:
        encoding: bool
        overrun: bool
        low: int
        range: int
        code: int
        every: int
        buf: Any
        at: int
        size: int
        _out: Any
        _data: Any

    def __init__(self) -> None:
        self.every = _EVERY[0]
        self._out = array("B", bytes(4096))
        self.size = 4096

    def begin_encoding(self, head: bytes) -> cython.void:
        """Write after these bytes."""
        index: cython.Py_ssize_t
        self.encoding = True
        self.overrun = False
        self.low = 0
        self.range = self.every
        self.at = 0
        self.size = len(self._out)
        self.buf = uchars(self._out)
        self.make_room(len(head))
        for index in range(len(head)):
            self.buf[index] = head[index]
        self.at = len(head)

    def begin_decoding(self, data: bytes, start: cython.Py_ssize_t) -> cython.void:
        """Read from byte ``start`` on."""
        index: cython.int
        self.encoding = False
        self.overrun = False
        self.range = self.every
        self.code = 0
        self.at = start
        self.size = len(data)
        self._data = data
        if cython.compiled:
            self.buf = cython.cast(cython.p_uchar, PyBytes_AS_STRING(data))
        else:
            self.buf = data
        for index in range(4):  # noqa: B007 - a typed loop variable makes it a C loop
            self.code = (self.code << 8) | self.next_byte()

    def make_room(self, more: cython.Py_ssize_t) -> cython.void:
        """Space for so many more bytes."""
        if self.at + more + 16 > self.size:
            self._out.extend(bytes(self.size + more))
            self.size = len(self._out)
            self.buf = uchars(self._out)

    def next_byte(self) -> cython.int:
        """The next byte; zero for four bytes after the end, and then ``overrun``."""
        found: cython.int = 0
        if self.at < self.size:
            found = self.buf[self.at]
        elif self.at >= self.size + 4:
            self.overrun = True
        self.at += 1
        return found

    def carry(self) -> cython.void:
        """Add one to the bytes already written, if ``low`` is too long."""
        back: cython.Py_ssize_t = self.at - 1
        if self.low <= self.every:
            return
        self.low &= self.every
        while self.buf[back] == 255:
            self.buf[back] = 0
            back -= 1
        self.buf[back] += 1

    def shift(self) -> cython.void:
        """Eight bits out of the coder, or into it; the caller widens the range."""
        if self.encoding:
            self.carry()
            self.buf[self.at] = self.low >> 24
            self.at += 1
            self.low = (self.low << 8) & self.every
        else:
            self.code = (self.code << 8) | self.next_byte()

    def raw(self, value: cython.ulonglong, bits: cython.int) -> cython.ulonglong:
        """A number of up to 64 bits, each as likely 0 as 1."""
        found: cython.ulonglong = 0
        part: cython.ulonglong
        size: cython.int
        while bits > 0:
            size = bits if bits < 8 else 8
            bits -= size
            self.range >>= size
            if self.encoding:
                part = (value >> bits) & ((1 << size) - 1)
                self.low += part * self.range
            else:
                part = self.code // self.range
                if part > 255 >> (8 - size):
                    part = 255 >> (8 - size)
                self.code -= part * self.range
            found = (found << size) | part
            while self.range < 16777216:
                self.range <<= 8
                self.shift()
        return found

    def finish(self) -> bytes:
        """All bytes written: the end is the shortest that lies in the last range."""
        keep: cython.int
        top: cython.ulonglong
        cut: cython.ulonglong
        self.make_room(8)
        self.carry()
        top = self.low + self.range
        for keep in range(5):
            cut = (self.every >> (8 * keep)) if keep < 4 else 0
            if ((self.low + cut) & ~cut) < top:
                break
        self.low = (self.low + cut) & ~cut
        self.carry()
        for _ in range(keep):
            self.buf[self.at] = self.low >> 24
            self.at += 1
            self.low = (self.low << 8) & self.every
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.buf), self.at)
        made: bytes = self._out[: self.at].tobytes()
        return made

    def bits_written(self) -> cython.double:
        """How many bits of information are written, for reports."""
        from math import log2

        return 8.0 * self.at + 32.0 - log2(self.range)
