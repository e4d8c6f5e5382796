"""What a coder has learned: models, weights, and the line of packets that taught it (a compiled kernel)."""

from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray

__all__ = ["Statistics"]


@cython.cclass
class Statistics:
    """Models and weights of one plan; coding changes them. See the .pxd for what each member holds."""

    if not cython.compiled:
        __slots__ = ("lineage", "models", "weights")
        models: Any
        weights: Any
        lineage: Any

    def __init__(self, models: Any, weights: Any, lineage: Any) -> None:
        # The kernels read them where they lie.
        if models.typecode != "I" or weights.typecode != "i":
            raise UsageError(
                f'statistics are arrays of "I" and "i", not of {models.typecode!r} and {weights.typecode!r}'
            )
        self.models = models
        self.weights = weights
        self.lineage = lineage

    def copy(self) -> "Statistics":
        if cython.compiled and len(self.weights):  # C forbids to copy even nothing from nowhere
            return Statistics(carray.copy(self.models), carray.copy(self.weights), self.lineage)
        return Statistics(self.models[:], self.weights[:], self.lineage)
