"""Adaptive models: bits, and residuals by an estimate of their size, in both directions (a compiled kernel).

A model is one 32-bit number: the probability of a 1 in its upper 16 bits, and in the lower ones how often it was used.
:meth:`Coder.bit` writes a bit while encoding and reads one while decoding, so that encoder and decoder are one program
and cannot disagree on a context. The numbers are those of docs/formats/compact.md.

The size of a residual, how far a value lies from its prediction, is estimated before it is coded, as log2 of it, by
least mean squares over eight features that both ends know. The estimate chooses the models. Logarithms are whole
numbers in sixteenths, weights in 4096ths, and the division by the norm is a shift, so that every machine has the same
numbers.

A packet has some hundred bits to a thousand. What codes them stands in one module, where the C compiler can put it in
line.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.logs import length_of, log_of
    from cython.cimports.retick.snapshot.compact.numbers import (
        CHANGED_MODELS,
        CLASSES,
        CONTEXTS,
        FEATURES,
        MAGNITUDE_MODELS,
        MANTISSA_MODELS,
        NODES,
        RATIOS,
        SIGN_MODELS,
        SIGNS,
    )
    from cython.cimports.retick.snapshot.compact.range_coder import RangeCoder
    from cython.cimports.retick.snapshot.kernels.arrays import ints, longs, uints
else:
    from retick.snapshot.compact.logs import length_of, log_of
    from retick.snapshot.compact.numbers import (
        CHANGED_MODELS,
        CLASSES,
        CONTEXTS,
        FEATURES,
        MAGNITUDE_MODELS,
        MANTISSA_MODELS,
        NODES,
        RATIOS,
        SIGN_MODELS,
        SIGNS,
    )
    from retick.snapshot.compact.range_coder import RangeCoder
    from retick.snapshot.kernels.arrays import ints, longs, uints
    from retick.snapshot.kernels.columns import as_signed

    MOST_USES, LEAST, SLOWNESS, HEAVIEST, STEEP, FAST = 255, 48, 3, 65536, 32, 48

__all__ = ["FRESH", "IS_COMPILED", "Coder"]

IS_COMPILED = bool(cython.compiled)
"""Whether a packet takes microseconds, and not milliseconds."""
FRESH = 32768 << 16
"""A model that was never used: both bits are equally likely."""
_RATES = array("I", [655360 // (10 * uses + 16) for uses in range(256)])


@cython.cclass
class Coder(RangeCoder):
    """One packet's bits; see the .pxd for what each member holds."""

    if not cython.compiled:
        models: Any
        weights: Any
        features: Any
        values: Any
        steps: Any
        bends: Any
        neighbours: int
        rates: Any
        _features_owner: Any
        _models_owner: Any
        _weights_owner: Any

    def __init__(self, values: Any, steps: Any, bends: Any) -> None:
        """By scalar: the residuals, and what is known of them; the caller keeps the arrays alive."""
        RangeCoder.__init__(self)
        self.values, self.steps, self.bends = longs(values), longs(steps), longs(bends)
        self._features_owner = array("i", bytes(4 * FEATURES))
        self.features = ints(self._features_owner)
        self.rates = uints(_RATES)

    def use(self, models: Any, weights: Any) -> cython.void:
        """The statistics of a packet that begins; they are changed."""
        self._models_owner = models
        self._weights_owner = weights
        self.models = uints(models)
        self.weights = ints(weights)
        self.neighbours = 0

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

    def residuals(
        self,
        scalar: cython.int,
        last: cython.int,
        at: cython.Py_ssize_t,
        slot: cython.int,
        sort: cython.int,
        later: cython.int,
    ) -> cython.int:
        """Code the values of scalars up to ``last``; the log of the largest. Their weights stand from ``at`` on.

        The caller has set the features of their group. ``slot`` is the set of magnitude models, ``sort`` that of signs
        and mantissas; ``later`` is 1 for the magnitude models that the second and later scalars have.
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
            features[1] = log_of(self.steps[scalar])
            features[2] = log_of(self.bends[scalar])
            features[5] = strayed
            features[7] = features[1] - FAST if features[1] > FAST else 0
            side = _sign(self.steps[scalar])
            sign = 9 * before + 3 * _sign(self.bends[scalar])
            estimate = _estimate(self.weights, at, features)
            # Halves of an octave: two contexts expect the same number of bits.
            context = estimate >> 3 if estimate > 0 else 0
            context = context if context < CONTEXTS else CONTEXTS - 1
            models = CLASSES * slot + CLASSES // 2 * later + (features[1] >= estimate + STEEP)
            models = MAGNITUDE_MODELS + (models * CONTEXTS + context) * NODES
            self.values[scalar] = _number(
                self, models, (context + 1) >> 1, sort, sign, side, features[1], self.values[scalar]
            )
            size = log_of(self.values[scalar])
            if size != estimate:
                self.learn(at, size - estimate)
            # Whether it went with its step (1) or against it (2): the next one mostly does the same.
            sign = _sign(self.values[scalar])
            before = 1 + (sign != side) if sign and side else 0
            strayed = size if size > strayed else strayed
            later = 1
            scalar += 1
            at += FEATURES
        return strayed

    def learn(self, at: cython.Py_ssize_t, error: cython.int) -> cython.void:
        """Move the weights from ``at`` on towards what would have been right."""
        weights: cython.p_int = self.weights
        features: cython.p_int = self.features
        norm: cython.int = 0
        shift: cython.int
        half: cython.int
        index: cython.int
        weight: cython.int
        for index in range(FEATURES):
            norm += features[index] * features[index]
        shift = length_of(norm)
        # Rounding down would draw every weight down a little, whatever is right.
        half = 1 << (shift - 1)
        for index in range(FEATURES):
            weight = weights[at + index] + ((((error * features[index]) << (12 - SLOWNESS)) + half) >> shift)
            weight = HEAVIEST if weight > HEAVIEST else weight
            weights[at + index] = -HEAVIEST if weight < -HEAVIEST else weight


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bit(coder: Coder, index: cython.Py_ssize_t, value: cython.int) -> cython.int:
    """See :meth:`Coder.bit`."""
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
    """The same for a bit that is often as likely 0 as 1, and that nothing else depends on: without any jump by it.

    What holds for a zero only is masked: ``zero`` has no bits set for a one, and all for a zero.
    Signs and mantissas coded so save a sixth of the time of the cubes; for bits that can be foreseen, jumps are faster.
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
    """A signed number: its size from the expected one outwards, its sign, its bits.

    ``models`` are those of the size; ``sort``, ``signs``, and ``side`` and log of the predicted ``step`` choose those
    of the sign. What goes against the step is often about as large: then the thing stands still.
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
        size = length_of(rest)
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
    ratio = ratio if ratio < RATIOS else RATIOS - 1
    negative = _open_bit(coder, SIGN_MODELS + SIGNS * (RATIOS * sort + ratio) + signs + side, negative)
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
    """A number of ``size`` bits, at least 2, without its highest one: two bits by models, the others as they are."""
    below: cython.int = size - 2
    found: cython.ulonglong
    one: cython.ulonglong = 1
    at: cython.Py_ssize_t = MANTISSA_MODELS + 128 * sort + 8 * (size if size < 16 else 15)
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
    """What the log of the residual should be."""
    total: cython.int = 0
    index: cython.int
    for index in range(FEATURES):
        total += weights[at + index] * features[index]
    total >>= 12
    if total < -64:
        return -64
    return total if total < 1024 else 1023
