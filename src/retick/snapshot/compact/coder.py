"""The binary range coder and its adaptive models, in both directions (a compiled kernel).

A model is one 32-bit number: the probability of a 1 in its upper 16 bits, and in the lower ones how often it was used.
:meth:`Coder.bit` writes a bit while encoding and reads one while decoding, so that encoder and decoder are one program
and cannot disagree on a context. The numbers are those of docs/formats/compact.md.

A packet has some thousand bits. Those of runs and of numbers are coded in here, where the C compiler can put the code
of a bit in line.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.retick.snapshot.compact.logs import length_of
    from cython.cimports.retick.snapshot.compact.numbers import CHANGED_MODELS, MANTISSA_MODELS, SIGN_MODELS
    from cython.cimports.retick.snapshot.kernels.arrays import uchars, uints
else:
    from retick.snapshot.compact.logs import length_of
    from retick.snapshot.compact.numbers import CHANGED_MODELS, MANTISSA_MODELS, SIGN_MODELS
    from retick.snapshot.kernels.arrays import uchars, uints
    from retick.snapshot.kernels.columns import as_signed

    MOST_USES, LEAST, MOST = 255, 48, 65488

__all__ = ["FRESH", "Coder"]

FRESH = 32768 << 16
"""A model that was never used: both bits are equally likely."""
_RATES = array("I", [655360 // (10 * uses + 16) for uses in range(256)])
_EVERY = array("Q", [0xFFFFFFFF])


@cython.cclass
class Coder:
    """One stream of bits; see the .pxd for what each member holds."""

    if not cython.compiled:
        encoding: bool
        overrun: bool
        models: Any
        rates: Any
        low: int
        range: int
        code: int
        every: int
        buf: Any
        at: int
        size: int
        neighbours: int
        _out: Any
        _seen: Any
        _models_owner: Any

    def __init__(self) -> None:
        self.every = _EVERY[0]
        self._out = array("B", bytes(4096))
        self.size = 4096
        self.rates = uints(_RATES)

    def use(self, models: Any) -> cython.void:
        """The models to code with; they are changed."""
        self._models_owner = models
        self.models = uints(models)

    def begin_encoding(self) -> cython.void:
        self.encoding = True
        self.overrun = False
        self.neighbours = 0
        self.low = 0
        self.range = self.every
        self.at = 0
        self.size = len(self._out)
        self._look_at(self._out)

    def begin_decoding(self, data: Any, start: cython.Py_ssize_t) -> cython.void:
        """Read from byte ``start`` of an ``array("B")``."""
        index: cython.int
        self.encoding = False
        self.overrun = False
        self.neighbours = 0
        self.range = self.every
        self.code = 0
        self.at = start
        self.size = len(data)
        self._look_at(data)
        for index in range(4):  # noqa: B007 - a typed loop variable makes it a C loop
            self.code = (self.code << 8) | self.next_byte()

    def _look_at(self, data: Any) -> cython.void:
        self._seen = data
        self.buf = uchars(data)

    def make_room(self, more: cython.Py_ssize_t) -> cython.void:
        """Space for so many more bytes."""
        if self.at + more + 16 > self.size:
            self._out.extend(bytes(self.size + more))
            self.size = len(self._out)
            self._look_at(self._out)

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
        """Add one to the bytes already written."""
        back: cython.Py_ssize_t = self.at - 1
        self.low &= self.every
        while self.buf[back] == 255:
            self.buf[back] = 0
            back -= 1
        self.buf[back] += 1

    def bit(self, index: cython.Py_ssize_t, value: cython.int) -> cython.int:
        """Write ``value``, or read and return it; the model learns."""
        return _bit(self, index, value)

    def until_changed(
        self, levels: cython.p_uchar, ways: cython.p_longlong, at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Code for entities from ``at`` on whether they have changed; the index of the first that has, or ``end``.

        ``levels`` are the contexts of the entities, ``ways`` what has changed, while encoding.
        """
        changed: cython.int = 0
        while at < end:
            if self.encoding:
                changed = ways[at] != 0
            changed = _bit(self, CHANGED_MODELS + 4 * levels[at] + self.neighbours, changed)
            self.neighbours = ((self.neighbours << 1) | changed) & 3
            if changed:
                return at
            at += 1
        return end

    def number(
        self,
        models: cython.Py_ssize_t,
        expected: cython.int,
        sort: cython.int,
        signs: cython.int,
        value: cython.longlong,
    ) -> cython.longlong:
        """A signed number: its size from the expected one outwards, its sign, its bits.

        ``models`` are those of the size, ``sort`` and ``signs`` choose those of the sign.
        """
        size: cython.int = 0
        away: cython.int = 0
        negative: cython.int = value < 0
        rest: cython.ulonglong = 0
        if self.encoding:
            rest = value
            if negative:
                rest = -value
            size = length_of(rest)
        found: cython.int = expected
        if _bit(self, models, size > found):
            found += 1
            away = 1
            while found < 64 and _bit(self, models + (away if away < 7 else 7), size > found):
                found += 1
                away += 1
        else:
            while found > 0 and _bit(self, models + 8 + (away if away < 7 else 7), size < found):
                found -= 1
                away += 1
        if not found:
            return 0
        negative = _bit(self, SIGN_MODELS + 32 * sort + signs, negative)
        value = self.mantissa(sort, found, found - expected, rest)
        if negative:
            value = -value
        if not cython.compiled:
            value = as_signed(value & 0xFFFFFFFFFFFFFFFF)
        return value

    def mantissa(
        self, sort: cython.int, size: cython.int, more: cython.int, rest: cython.ulonglong
    ) -> cython.ulonglong:
        """A number of ``size`` bits without its highest one: two bits by models, the others as they are."""
        below: cython.int = size - 2
        found: cython.ulonglong = 1
        one: cython.ulonglong = 1
        if size < 2:
            return found
        # 0 less than expected, 1 as much, 2 one or two more, 3 more than that.
        more = (more >= 0) + (more > 0) + (more > 2)
        at: cython.Py_ssize_t = MANTISSA_MODELS + 128 * sort + 4 * (size if size < 16 else 15)
        found = 2 | _bit(self, at + more, (rest >> below) & 1)
        if below:
            below -= 1
            found = (found << 1) | _bit(self, at + 64 + (found & 1), (rest >> below) & 1)
        if below:
            found = (found << below) | self.raw(rest & ((one << below) - 1), below)
        return found

    def shift(self) -> cython.void:
        """Eight bits out of the coder, or into it; the caller widens the range."""
        if self.encoding:
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
                if self.low >> 32:
                    self.carry()
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
        top: cython.ulonglong = self.low + self.range
        cut: cython.ulonglong
        self.make_room(8)
        for keep in range(5):
            cut = (self.every >> (8 * keep)) if keep < 4 else 0
            if ((self.low + cut) & ~cut) < top:
                break
        self.low = (self.low + cut) & ~cut
        if self.low >> 32:
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


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bit(coder: Coder, index: cython.Py_ssize_t, value: cython.int) -> cython.int:
    """See :meth:`Coder.bit`. Which value it is cannot be foreseen, so that choices cost less than jumps."""
    model: cython.uint = coder.models[index]
    p: cython.uint = model >> 16
    uses: cython.uint = model & 255
    rate: cython.uint = coder.rates[uses]
    span: cython.ulonglong = coder.range
    bound: cython.ulonglong = (span >> 16) * p
    move: cython.uint
    if coder.encoding:
        coder.low += 0 if value else bound
        if coder.low >> 32:
            coder.carry()
    else:
        value = coder.code < bound
        coder.code -= 0 if value else bound
    span = bound if value else span - bound
    move = ((65536 - p if value else p) * rate) >> 16
    p = p + move if value else p - move
    p = MOST if p > MOST else p
    p = LEAST if p < LEAST else p
    coder.models[index] = (p << 16) | (uses + (uses < MOST_USES))
    while span < 16777216:
        span <<= 8
        coder.shift()
    coder.range = span
    return value
