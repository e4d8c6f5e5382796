"""Adaptive models: bits, and residuals by an estimate of their size, in both directions (a compiled kernel).

A model is one 32-bit number: the probability of a 1 in its upper 16 bits, and how often it was used in the lower ones.
:meth:`Coder.bit` writes a bit while encoding and reads one while decoding, so that encoder and decoder are one program
and cannot disagree on a context. docs/formats/compact.md has the numbers.

The size of a residual, how far a value lies from its prediction, is estimated before it is coded, as log2 of it, by
least mean squares over eight features that both ends know. The estimate chooses the models. Logarithms are whole
numbers in sixteenths, weights in 4096ths, and the division by the norm is a shift, so that every machine has the same
numbers.

A packet has a hundred to a thousand bits. The code for them is in one module, so that the C compiler can inline
it.
"""

from array import array
from typing import Any, NamedTuple

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.retick.snapshot.columns import doubles, ints, kept, longs, uchars, uints
    from cython.cimports.retick.snapshot.compact import numbers as n
else:
    from retick.snapshot.columns import as_signed, doubles, ints, kept, longs, uchars, uints
    from retick.snapshot.compact import numbers as n

# A compact schema as flat arrays of numbers, the form in which the kernels read it (a compiled kernel).
#
# A *group* is a list of *scalars*, which are predicted together; a scalar is one field. Groups stand in coding order.


class GroupRow(NamedTuple):
    """One group, as the plan takes it."""

    kind: int
    """HOLD, MOTION, ANGLE, INTEGRAL, ROTATION, CHOICE or REAL."""
    component: int
    """The index of its component."""
    fields: tuple[int, ...]
    """Its fields, numbered through all components, in coding order."""
    bits: int = 0
    """The bits of a CHOICE, or of each of the three numbers of a ROTATION."""
    modulus: int = 0
    """The modulus of an ANGLE."""
    source: int = 0
    """The group that an INTEGRAL integrates."""
    rate: float = 0.0
    """For an INTEGRAL: what one unit of the source adds per tick."""
    accelerated: bool = False
    """Whether an acceleration is declared."""
    doubtful: bool = False
    """Whether nobody declared the motion: it is used only if it would have held before."""


@cython.final
@cython.cclass
class CompactPlan:
    """The kernels' form of a schema and its predictors, made once."""

    group_count: cython.int  # readonly
    scalar_count: cython.int  # readonly
    model_count: cython.int  # readonly: of the statistics that go with it
    weight_count: cython.int  # readonly
    flag_group: cython.int  # the first CHOICE, whose value is a context of the entity; -1 for none
    # by group
    kind: cython.p_int
    component: cython.p_int
    first: cython.p_int  # its first scalar
    count: cython.p_int
    bits: cython.p_int
    source: cython.p_int
    accelerated: cython.p_int
    doubtful: cython.p_int
    models: cython.p_int  # its first own model
    modulus: cython.p_longlong
    rate: cython.p_double
    # by scalar
    field: cython.p_int
    # lists
    predicted: cython.p_int  # groups that are predicted before any is coded
    predicted_count: cython.int
    tracked: cython.p_int  # scalars that are in no CHOICE
    tracked_count: cython.int
    groups: tuple[Any, ...]  # readonly
    _owners: list[Any]

    def __init__(self, groups: Any) -> None:
        self.groups = tuple(groups)
        self.group_count = len(self.groups)
        self._owners = []
        self.flag_group = -1
        starts: list[int] = []
        models: list[int] = []
        fields: list[int] = []
        at = n.GROUP_MODELS
        for number, group in enumerate(self.groups):
            starts.append(len(fields))
            fields += group.fields
            models.append(at)
            if group.kind == n.HOLD:
                at += n.HOLD_MODELS
            elif group.kind == n.REAL:
                at += n.REAL_MODELS
            elif group.kind == n.CHOICE:
                at += n.CHOICE_MODELS + (1 << group.bits)
                if self.flag_group < 0:
                    self.flag_group = number
        self.scalar_count = len(fields)
        self.model_count = at
        self.weight_count = 4 * n.FEATURES * len(fields)
        self.kind = self._ints([group.kind for group in self.groups])
        self.component = self._ints([group.component for group in self.groups])
        self.first = self._ints(starts)
        self.count = self._ints([len(group.fields) for group in self.groups])
        self.bits = self._ints([group.bits for group in self.groups])
        self.source = self._ints([group.source for group in self.groups])
        self.accelerated = self._ints([group.accelerated for group in self.groups])
        self.doubtful = self._ints([group.doubtful for group in self.groups])
        self.models = self._ints(models)
        self.modulus = self._longs([group.modulus for group in self.groups])
        self.rate = self._doubles([group.rate for group in self.groups])
        self.field = self._ints(fields)
        predicted = [at for at, group in enumerate(self.groups) if group.kind in (n.MOTION, n.ANGLE, n.ROTATION)]
        self.predicted = self._ints(predicted)
        self.predicted_count = len(predicted)
        kinds = [group.kind for group in self.groups for _ in group.fields]
        tracked = [scalar for scalar, kind in enumerate(kinds) if kind != n.CHOICE]
        self.tracked = self._ints(tracked)
        self.tracked_count = len(tracked)

    @cython.cfunc
    def _ints(self, values: Any) -> cython.p_int:
        return ints(kept(self._owners, "i", values))

    @cython.cfunc
    def _longs(self, values: Any) -> cython.p_longlong:
        return longs(kept(self._owners, "q", values))

    @cython.cfunc
    def _doubles(self, values: Any) -> cython.p_double:
        return doubles(kept(self._owners, "d", values))


# The range coder without its models: the interval, and the bytes that leave or enter it (a compiled kernel).
#
# ``low`` may be one bit too long until the next byte is written: only then is a carry added to the bytes before it, so
# that coding a bit need not check for one. docs/formats/compact.md has the numbers.

_EVERY = array("Q", [0xFFFFFFFF])


@cython.cclass
class RangeCoder:
    """Codes one stream of bytes."""

    encoding: cython.bint  # readonly
    overrun: cython.bint  # readonly: more was read than was there
    low: cython.ulonglong  # at most 33 bits
    range: cython.ulonglong
    code: cython.ulonglong
    every: cython.ulonglong  # 32 ones
    buf: cython.p_uchar
    at: cython.Py_ssize_t  # readonly
    size: cython.Py_ssize_t
    _out: Any  # the encoder's own space
    _data: Any  # what is decoded

    def __init__(self) -> None:
        self.every = _EVERY[0]
        self._out = array("B", bytes(4096))
        self.size = 4096

    @cython.cfunc
    def begin_encoding(self, head: bytes) -> cython.void:
        """Start encoding after these bytes."""
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

    @cython.cfunc
    def begin_decoding(self, data: bytes, start: cython.Py_ssize_t) -> cython.void:
        """Start decoding at byte ``start``."""
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

    @cython.cfunc
    def make_room(self, more: cython.Py_ssize_t) -> cython.void:
        """Make room for ``more`` bytes."""
        if self.at + more + 16 > self.size:
            self._out.extend(bytes(self.size + more))
            self.size = len(self._out)
            self.buf = uchars(self._out)

    @cython.cfunc
    @cython.exceptval(check=False)
    def next_byte(self) -> cython.int:
        """Read the next byte; zero for up to four bytes after the end, and then set ``overrun``."""
        found: cython.int = 0
        if self.at < self.size:
            found = self.buf[self.at]
        elif self.at >= self.size + 4:
            self.overrun = True
        self.at += 1
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def shift(self) -> cython.void:
        """Move eight bits out of the coder, or into it; the caller widens the range."""
        if self.encoding:
            self.carry()
            self.buf[self.at] = self.low >> 24
            self.at += 1
            self.low = (self.low << 8) & self.every
        else:
            self.code = (self.code << 8) | self.next_byte()

    @cython.cfunc
    @cython.exceptval(check=False)
    def raw(self, value: cython.ulonglong, bits: cython.int) -> cython.ulonglong:
        """Code a number of up to 64 bits, each equally likely 0 or 1."""
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

    @cython.ccall
    def finish(self) -> bytes:
        """All bytes written: the shortest end within the last range is chosen."""
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

    @cython.ccall
    def bits_written(self) -> cython.double:
        """How many bits of information were written, for reports."""
        from math import log2

        return 8.0 * self.at + 32.0 - log2(self.range)


# What a coder has learned: models, weights, and the lineage of packets that taught it (a compiled kernel).


@cython.final
@cython.cclass
class Statistics:
    """Models and weights of one plan; coding changes them."""

    if not cython.compiled:
        __slots__ = ("lineage", "models", "weights")

    models: Any  # readonly: array("I"): see coder.py
    weights: Any  # readonly: array("i")
    lineage: Any  # public: a number that both ends have in common only if they learned from the same packets

    def __init__(self, models: Any, weights: Any, lineage: Any) -> None:
        # The kernels read them in place.
        if models.typecode != "I" or weights.typecode != "i":
            raise UsageError(
                f'statistics are arrays of "I" and "i", not of {models.typecode!r} and {weights.typecode!r}'
            )
        self.models = models
        self.weights = weights
        self.lineage = lineage

    @cython.ccall
    def copy(self) -> Any:
        if cython.compiled and len(self.weights):  # C forbids to copy even nothing from nowhere
            return Statistics(carray.copy(self.models), carray.copy(self.weights), self.lineage)
        return Statistics(self.models[:], self.weights[:], self.lineage)


if not cython.compiled:
    MOST_USES = 255  # C constant: after so many, a model learns no slower
    LEAST = 48  # C constant: bound of a probability, from both sides
    SLOWNESS = 3  # C constant: an error moves the estimate by about one part in 2**SLOWNESS
    HEAVIEST = 65536  # C constant: bound of a weight, on both sides of 0
    STEEP = 32  # C constant: a predicted step is so much above the estimate: four times the residual
    FAST = 48  # C constant: from this log on, a step is counted twice


IS_COMPILED = bool(cython.compiled)
"""Whether a packet takes microseconds, and not milliseconds."""
FRESH = 32768 << 16
"""A model that was never used: both bits are equally likely."""
_RATES = array("I", [655360 // (10 * uses + 16) for uses in range(256)])


@cython.final
@cython.cclass
class Coder(RangeCoder):
    """Codes the bits of one packet."""

    models: cython.p_uint
    weights: cython.p_int  # by window, scalar and feature
    features: cython.p_int  # of the residual at hand
    values: cython.p_longlong  # by scalar: its residual, to be written or as it was read
    steps: cython.p_longlong  # by scalar: how far it should move
    bends: cython.p_longlong  # by scalar: how much two windows differ on that
    neighbours: cython.int  # whether the two entities before have changed, the nearer in bit 0
    rates: cython.p_uint  # by uses: how far a model moves, of 65536
    _features_owner: Any
    _models_owner: Any
    _weights_owner: Any

    def __init__(self, values: Any, steps: Any, bends: Any) -> None:
        """Takes the residuals, and what is known of them, by scalar; the caller keeps the arrays alive."""
        RangeCoder.__init__(self)
        self.values, self.steps, self.bends = longs(values), longs(steps), longs(bends)
        self._features_owner = array("i", bytes(4 * n.FEATURES))
        self.features = ints(self._features_owner)
        self.rates = uints(_RATES)

    @cython.cfunc
    def use(self, models: Any, weights: Any) -> cython.void:
        """Start a packet with these statistics, which coding changes."""
        self._models_owner = models
        self._weights_owner = weights
        self.models = uints(models)
        self.weights = ints(weights)
        self.neighbours = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def bit(self, index: cython.Py_ssize_t, value: cython.int) -> cython.int:
        """Write ``value``, or read and return it; the model learns from it."""
        return _bit(self, index, value)

    @cython.cfunc
    @cython.exceptval(check=False)
    def until_changed(
        self, levels: cython.p_uchar, ways: cython.p_longlong, at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Code whether entities from ``at`` on have changed; returns the index of the first that has, or ``end``.

        ``levels`` are the contexts of the entities; ``ways`` says, while encoding, what has changed.
        """
        changed: cython.int = 0
        while at < end:
            if self.encoding:
                changed = ways[at] != 0
            changed = _bit(self, n.CHANGED_MODELS + 4 * levels[at] + self.neighbours, changed)
            self.neighbours = ((self.neighbours << 1) | changed) & 3
            if changed:
                return at
            at += 1
        return end

    @cython.cfunc
    @cython.exceptval(check=False)
    def residuals(
        self,
        scalar: cython.int,
        last: cython.int,
        at: cython.Py_ssize_t,
        slot: cython.int,
        sort: cython.int,
        later: cython.int,
    ) -> cython.int:
        """Code the values of scalars up to ``last``; returns the log of the largest. Their weights start at ``at``.

        The caller has set the features of their group. ``slot`` is the set of magnitude models, ``sort`` that of signs
        and mantissas; ``later`` is 1 for the magnitude models of the second and later scalars.
        """
        features: cython.p_int = self.features
        strayed: cython.int = 0
        before: cython.int = 0
        side: cython.int
        sign: cython.int
        size: cython.int
        estimate: cython.int
        context: cython.int
        models: cython.Py_ssize_t
        while scalar < last:
            features[1] = n.log_of(self.steps[scalar])
            features[2] = n.log_of(self.bends[scalar])
            features[5] = strayed
            features[7] = features[1] - FAST if features[1] > FAST else 0
            side = _sign(self.steps[scalar])
            sign = 9 * before + 3 * _sign(self.bends[scalar])
            estimate = _estimate(self.weights, at, features)
            # Halves of an octave: two contexts expect the same number of bits.
            context = estimate >> 3 if estimate > 0 else 0
            context = context if context < n.CONTEXTS else n.CONTEXTS - 1
            models = n.CLASSES * slot + n.CLASSES // 2 * later + (features[1] >= estimate + STEEP)
            models = n.MAGNITUDE_MODELS + (models * n.CONTEXTS + context) * n.NODES
            self.values[scalar] = _number(
                self, models, (context + 1) >> 1, sort, sign, side, features[1], self.values[scalar]
            )
            size = n.log_of(self.values[scalar])
            if size != estimate:
                self.learn(at, size - estimate)
            # Whether it moved with its step (1) or against it (2): the next one mostly does the same.
            sign = _sign(self.values[scalar])
            before = 1 + (sign != side) if sign and side else 0
            strayed = size if size > strayed else strayed
            later = 1
            scalar += 1
            at += n.FEATURES
        return strayed

    @cython.cfunc
    @cython.exceptval(check=False)
    def learn(self, at: cython.Py_ssize_t, error: cython.int) -> cython.void:
        """Move the weights from ``at`` on towards the correct estimate."""
        weights: cython.p_int = self.weights
        features: cython.p_int = self.features
        norm: cython.int = 0
        shift: cython.int
        half: cython.int
        index: cython.int
        weight: cython.int
        for index in range(n.FEATURES):
            norm += features[index] * features[index]
        shift = n.length_of(norm)
        # Rounding down would draw every weight down a little, whatever is right.
        half = 1 << (shift - 1)
        for index in range(n.FEATURES):
            weight = weights[at + index] + ((((error * features[index]) << (12 - SLOWNESS)) + half) >> shift)
            weight = HEAVIEST if weight > HEAVIEST else weight
            weights[at + index] = -HEAVIEST if weight < -HEAVIEST else weight


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bit(coder: Coder, index: cython.Py_ssize_t, value: cython.int) -> cython.int:
    """Does the work of :meth:`Coder.bit`."""
    model: cython.uint = coder.models[index]
    uses: cython.uint = model & 255
    rate: cython.uint = coder.rates[uses]
    p: cython.uint = model >> 16
    span: cython.ulonglong = coder.range
    bound: cython.ulonglong = (span >> 16) * p
    other: cython.uint
    if coder.encoding:
        coder.low += 0 if value else bound
    else:
        value = coder.code < bound
        coder.code -= 0 if value else bound
    span = bound if value else span - bound
    # The probability of the other value shrinks.
    other = 65536 - p if value else p
    other -= (other * rate) >> 16
    other = other if other > LEAST else LEAST
    p = 65536 - other if value else other
    coder.models[index] = (p << 16) | (uses + (uses < MOST_USES))
    while span < 16777216:
        span <<= 8
        coder.shift()
    coder.range = span
    return value


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _open_bit(coder: Coder, index: cython.Py_ssize_t, value: cython.int) -> cython.int:
    """Code a bit that is often equally likely 0 or 1, and that nothing else depends on, without branching on it.

    Values that apply to a zero only are masked: ``zero`` is all zeros for a one, and all ones for a zero. Signs and
    mantissas coded this way save a sixth of the time for the cubes; for predictable bits, branches are faster.
    """
    model: cython.uint = coder.models[index]
    uses: cython.uint = model & 255
    p: cython.uint = model >> 16
    span: cython.ulonglong = coder.range
    bound: cython.ulonglong = (span >> 16) * p
    other: cython.uint
    if not coder.encoding:
        value = coder.code < bound
    zero: cython.ulonglong = value - 1
    if coder.encoding:
        coder.low += bound & zero
    else:
        coder.code -= bound & zero
    span = bound + ((span - 2 * bound) & zero)
    other = 65536 - p + ((2 * p - 65536) & zero)
    other -= (other * coder.rates[uses]) >> 16
    other = other if other > LEAST else LEAST
    p = 65536 - other + ((2 * other - 65536) & zero)
    coder.models[index] = (p << 16) | (uses + (uses < MOST_USES))
    while span < 16777216:
        span <<= 8
        coder.shift()
    coder.range = span
    return value


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _number(
    coder: Coder,
    models: cython.Py_ssize_t,
    expected: cython.int,
    sort: cython.int,
    signs: cython.int,
    side: cython.int,
    step: cython.int,
    value: cython.longlong,
) -> cython.longlong:
    """Code a signed number: its size outwards from the expected one, its sign, its bits.

    ``models`` are those of the size; ``sort``, ``signs``, and the side and log of the predicted ``step`` choose those
    of the sign. If a thing stops, the residual has the opposite sign of the predicted step and about its size; such
    residuals have contexts of their own.
    """
    size: cython.int = 0
    away: cython.int = 0
    ratio: cython.int
    negative: cython.int = value < 0
    rest: cython.ulonglong = 0
    if coder.encoding:
        rest = value
        if negative:
            rest = -value
        size = n.length_of(rest)
    found: cython.int = expected
    if _bit(coder, models, size > found):
        found += 1
        away = 1
        while found < 64 and _bit(coder, models + (away if away < 3 else 3), size > found):
            found += 1
            away += 1
    else:
        while found > 0 and _bit(coder, models + 4 + (away if away < 3 else 3), size < found):
            found -= 1
            away += 1
    if not found:
        return 0
    away = found - (step >> 4)
    ratio = away + 4 if away > -4 else 0
    ratio = ratio if ratio < n.RATIOS else n.RATIOS - 1
    negative = _open_bit(coder, n.SIGN_MODELS + n.SIGNS * (n.RATIOS * sort + ratio) + signs + side, negative)
    if found == 1:
        value = 1
    else:
        # 0 less than expected, 1 as much, 2 one or two more, 3 more than that.
        expected = found - expected
        expected = (expected >= 0) + (expected > 0) + (expected > 2)
        if away == 1 and negative + side == 2:  # 4 and 5: against the step, and as large
            expected = 4 + ((step >> 3) & 1)
        value = _mantissa(coder, sort, found, expected, rest)
    value = (value ^ -negative) + negative
    if not cython.compiled:
        value = as_signed(value & 0xFFFFFFFFFFFFFFFF)
    return value


@cython.cfunc
@cython.exceptval(check=False)
def _mantissa(
    coder: Coder, sort: cython.int, size: cython.int, context: cython.int, rest: cython.ulonglong
) -> cython.ulonglong:
    """Code a number of ``size`` bits, at least 2, without its highest: two bits by models, the others as they are."""
    below: cython.int = size - 2
    found: cython.ulonglong
    one: cython.ulonglong = 1
    at: cython.Py_ssize_t = n.MANTISSA_MODELS + 128 * sort + 8 * (size if size < 16 else 15)
    found = 2 | _open_bit(coder, at + context, (rest >> below) & 1)
    if below:
        below -= 1
        found = (found << 1) | _open_bit(coder, at + 6 + (found & 1), (rest >> below) & 1)
    if below:
        found = (found << below) | coder.raw(rest & ((one << below) - 1), below)
    return found


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _sign(value: cython.longlong) -> cython.int:
    """0 for zero, 1 above it, 2 below."""
    return (value > 0) + 2 * (value < 0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _estimate(weights: cython.p_int, at: cython.Py_ssize_t, features: cython.p_int) -> cython.int:
    """Estimate the log of the residual."""
    total: cython.int = 0
    index: cython.int
    for index in range(n.FEATURES):
        total += weights[at + index] * features[index]
    total >>= 12
    if total < -64:
        return -64
    return total if total < 1024 else 1023
