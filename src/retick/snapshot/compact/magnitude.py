"""Residuals: how far a value lies from its prediction (a compiled kernel).

The size of a residual is estimated before it is coded, as log2 of it, by least mean squares over a dozen features that
both ends know. The estimate chooses the models. Logarithms are whole numbers in sixteenths, weights in 4096ths, and the
division by the norm is a shift, so that every machine has the same numbers.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.coder import Coder
    from cython.cimports.retick.snapshot.compact.logs import length_of, log_of
    from cython.cimports.retick.snapshot.compact.numbers import (
        CONTEXTS,
        FEATURES,
        MAGNITUDE_MODELS,
        MANTISSA_MODELS,
        NODES,
        SIGN_MODELS,
    )
    from cython.cimports.retick.snapshot.kernels.arrays import ints
else:
    from retick.snapshot.compact.coder import Coder
    from retick.snapshot.compact.logs import length_of, log_of
    from retick.snapshot.compact.numbers import (
        CONTEXTS,
        FEATURES,
        MAGNITUDE_MODELS,
        MANTISSA_MODELS,
        NODES,
        SIGN_MODELS,
    )
    from retick.snapshot.kernels.arrays import ints
    from retick.snapshot.kernels.columns import as_signed

    SLOWNESS, HEAVIEST = 3, 65536

__all__ = ["Magnitude"]


@cython.cclass
class Magnitude:
    """Codes residuals; see the .pxd for what each member holds."""

    if not cython.compiled:
        coder: Coder
        weights: Any
        features: Any
        size: int
        _features_owner: Any
        _weights_owner: Any

    def __init__(self, coder: Coder) -> None:
        self.coder = coder
        self._features_owner = array("i", bytes(4 * FEATURES))
        self.features = ints(self._features_owner)

    def use(self, weights: Any) -> cython.void:
        """The weights to estimate with; they are changed."""
        self._weights_owner = weights
        self.weights = ints(weights)

    def residual(
        self, scalar: cython.int, slot: cython.int, sort: cython.int, signs: cython.int, value: cython.longlong
    ) -> cython.longlong:
        """Code one residual. ``slot`` is its set of magnitude models, ``sort`` that of the other two."""
        coder: Coder = self.coder
        estimate: cython.int = self.estimate(scalar)
        context: cython.int = self.context_of(estimate)
        expected: cython.int = self.expected_of(context)
        models: cython.Py_ssize_t = MAGNITUDE_MODELS + (slot * CONTEXTS + context) * NODES
        size: cython.int = 0
        away: cython.int = 0
        negative: cython.int = value < 0
        rest: cython.ulonglong = 0
        if coder.encoding:
            rest = value
            if negative:
                rest = -value
            size = length_of(rest)
        found: cython.int = expected
        if coder.bit(models, size > found):
            found += 1
            while found < 64 and coder.bit(models + (found - expected if found - expected < 7 else 7), size > found):
                found += 1
        else:
            while found > 0 and coder.bit(models + 8 + (away if away < 7 else 7), size < found):
                found -= 1
                away += 1
        self.size = 0
        if found:
            negative = coder.bit(SIGN_MODELS + 32 * sort + signs, negative)
            rest = self.mantissa(sort, found, found - expected, rest)
            value = self.with_sign(rest, negative)
        else:
            value = 0
        self.size = log_of(value)
        self.learn(scalar, self.size - estimate)
        return value

    def with_sign(self, rest: cython.ulonglong, negative: cython.int) -> cython.longlong:
        """The residual as 64 bits hold it."""
        value: cython.longlong = rest
        if negative:
            value = -value
        if not cython.compiled:
            value = as_signed(value & 0xFFFFFFFFFFFFFFFF)
        return value

    def mantissa(
        self, sort: cython.int, size: cython.int, more: cython.int, rest: cython.ulonglong
    ) -> cython.ulonglong:
        """What follows the highest one of a number of ``size`` bits: two bits by models, the others as they are."""
        coder: Coder = self.coder
        below: cython.int = size - 2
        found: cython.ulonglong = 1
        one: cython.ulonglong = 1
        if size < 2:
            return found
        # 0 less than expected, 1 as much, 2 one or two more, 3 more than that.
        more = 0 if more < 0 else 3 if more > 2 else 2 if more else 1
        at: cython.Py_ssize_t = MANTISSA_MODELS + 128 * sort + 4 * (size if size < 16 else 15) + more
        found = 2 | coder.bit(at, (rest >> below) & 1)
        if below:
            below -= 1
            at = MANTISSA_MODELS + 128 * sort + 64 + 4 * (size if size < 16 else 15) + (found & 1)
            found = (found << 1) | coder.bit(at, (rest >> below) & 1)
        if below:
            found = (found << below) | coder.raw(rest & ((one << below) - 1), below)
        return found

    def estimate(self, scalar: cython.int) -> cython.int:
        """What the log of the residual should be."""
        total: cython.int = 0
        index: cython.int
        at: cython.Py_ssize_t = FEATURES * scalar
        weights: cython.p_int = self.weights
        features: cython.p_int = self.features
        for index in range(FEATURES):
            total += weights[at + index] * features[index]
        total >>= 12
        if total < -64:
            return -64
        return total if total < 1024 else 1023

    def context_of(self, estimate: cython.int) -> cython.int:
        """Quarters up to log 2, then halves."""
        context: cython.int
        if estimate < 0:
            return 0
        context = estimate >> 2 if estimate < 32 else 8 + ((estimate - 32) >> 3)
        return context if context < CONTEXTS else CONTEXTS - 1

    def expected_of(self, context: cython.int) -> cython.int:
        """The number of bits that is likely in a context."""
        middle: cython.int = context * 4 + 2 if context < 8 else (context - 8) * 8 + 36
        return (middle + 6) >> 4

    def learn(self, scalar: cython.int, error: cython.int) -> cython.void:
        """Move the weights towards what would have been right."""
        norm: cython.int = 0
        shift: cython.int
        index: cython.int
        weight: cython.int
        at: cython.Py_ssize_t = FEATURES * scalar
        weights: cython.p_int = self.weights
        features: cython.p_int = self.features
        if error == 0:
            return
        for index in range(FEATURES):
            norm += features[index] * features[index]
        shift = length_of(norm)
        for index in range(FEATURES):
            weight = weights[at + index] + (((error * features[index]) << (12 - SLOWNESS)) >> shift)
            if weight > HEAVIEST:
                weight = HEAVIEST
            elif weight < -HEAVIEST:
                weight = -HEAVIEST
            weights[at + index] = weight
