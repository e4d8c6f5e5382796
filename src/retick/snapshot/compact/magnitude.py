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
        NODES,
    )
    from cython.cimports.retick.snapshot.kernels.arrays import ints
else:
    from retick.snapshot.compact.coder import Coder
    from retick.snapshot.compact.logs import length_of, log_of
    from retick.snapshot.compact.numbers import (
        CONTEXTS,
        FEATURES,
        MAGNITUDE_MODELS,
        NODES,
    )
    from retick.snapshot.kernels.arrays import ints

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
        at: cython.Py_ssize_t = FEATURES * scalar
        estimate: cython.int = _estimate(self.weights, at, self.features)
        context: cython.int = self.context_of(estimate)
        value = self.coder.number(
            MAGNITUDE_MODELS + (slot * CONTEXTS + context) * NODES, self.expected_of(context), sort, signs, value
        )
        self.size = log_of(value)
        if self.size != estimate:
            _learn(self.weights, at, self.features, self.size - estimate)
        return value

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


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _learn(weights: cython.p_int, at: cython.Py_ssize_t, features: cython.p_int, error: cython.int) -> cython.void:
    """Move the weights towards what would have been right."""
    norm: cython.int = 0
    shift: cython.int
    index: cython.int
    weight: cython.int
    for index in range(FEATURES):
        norm += features[index] * features[index]
    shift = length_of(norm)
    for index in range(FEATURES):
        weight = weights[at + index] + (((error * features[index]) << (12 - SLOWNESS)) >> shift)
        weight = HEAVIEST if weight > HEAVIEST else weight
        weights[at + index] = -HEAVIEST if weight < -HEAVIEST else weight
