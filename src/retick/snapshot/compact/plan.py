"""A compact schema as flat arrays of numbers, the form in which the kernels read it (a compiled kernel).

A *group* is a list of *scalars*, which are predicted together; a scalar is one field. Groups stand in coding order.
"""

from typing import Any, NamedTuple

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.numbers import (
        ANGLE,
        CHOICE,
        CHOICE_MODELS,
        FEATURES,
        GROUP_MODELS,
        HOLD,
        HOLD_MODELS,
        MOTION,
        REAL,
        REAL_MODELS,
        ROTATION,
    )
    from cython.cimports.retick.snapshot.kernels.arrays import doubles, ints, kept, longs
else:
    from retick.snapshot.compact.numbers import (
        ANGLE,
        CHOICE,
        CHOICE_MODELS,
        FEATURES,
        GROUP_MODELS,
        HOLD,
        HOLD_MODELS,
        MOTION,
        REAL,
        REAL_MODELS,
        ROTATION,
    )
    from retick.snapshot.kernels.arrays import doubles, ints, kept, longs

__all__ = ["GroupRow", "Plan"]


class GroupRow(NamedTuple):
    """One group, as it is given to the plan."""

    kind: int
    """HOLD, MOTION, ANGLE, INTEGRAL, ROTATION, CHOICE or REAL."""
    component: int
    """Index of its component."""
    fields: tuple[int, ...]
    """Its fields, numbered through all components, in coding order."""
    bits: int = 0
    """Of a CHOICE, or of each of the three of a ROTATION."""
    modulus: int = 0
    """Of an ANGLE."""
    source: int = 0
    """The group that an INTEGRAL is of."""
    rate: float = 0.0
    """Of an INTEGRAL: what one unit of the source adds in one tick."""
    accelerated: bool = False
    """Whether an acceleration is declared."""
    doubtful: bool = False
    """Whether no one declared it: the motion is used only where it would have held before."""


@cython.cclass
class Plan:
    """Made once from a schema and its predictors; see the .pxd for what each array holds."""

    if not cython.compiled:
        group_count: int
        scalar_count: int
        model_count: int
        weight_count: int
        flag_group: int
        kind: Any
        component: Any
        first: Any
        count: Any
        bits: Any
        source: Any
        accelerated: Any
        doubtful: Any
        models: Any
        modulus: Any
        rate: Any
        field: Any
        predicted: Any
        predicted_count: int
        tracked: Any
        tracked_count: int
        groups: Any
        _owners: list[Any]

    def __init__(self, groups: Any) -> None:
        self.groups = tuple(groups)
        self.group_count = len(self.groups)
        self._owners = []
        self.flag_group = -1
        starts: list[int] = []
        models: list[int] = []
        fields: list[int] = []
        at = GROUP_MODELS
        for number, group in enumerate(self.groups):
            starts.append(len(fields))
            fields += group.fields
            models.append(at)
            if group.kind == HOLD:
                at += HOLD_MODELS
            elif group.kind == REAL:
                at += REAL_MODELS
            elif group.kind == CHOICE:
                at += CHOICE_MODELS + (1 << group.bits)
                if self.flag_group < 0:
                    self.flag_group = number
        self.scalar_count = len(fields)
        self.model_count = at
        self.weight_count = 4 * FEATURES * len(fields)
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
        predicted = [at for at, group in enumerate(self.groups) if group.kind in (MOTION, ANGLE, ROTATION)]
        self.predicted = self._ints(predicted)
        self.predicted_count = len(predicted)
        kinds = [group.kind for group in self.groups for _ in group.fields]
        tracked = [scalar for scalar, kind in enumerate(kinds) if kind != CHOICE]
        self.tracked = self._ints(tracked)
        self.tracked_count = len(tracked)

    def _ints(self, values: Any) -> cython.p_int:
        return ints(kept(self._owners, "i", values))

    def _longs(self, values: Any) -> cython.p_longlong:
        return longs(kept(self._owners, "q", values))

    def _doubles(self, values: Any) -> cython.p_double:
        return doubles(kept(self._owners, "d", values))
