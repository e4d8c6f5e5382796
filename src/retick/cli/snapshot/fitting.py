"""Searches for what a game did not declare: damping and acceleration, by what they save.

Every candidate is tried on the snapshots themselves: the one with the fewest bytes is taken. Candidates of an
acceleration are those second differences of a field that occur most often while it moves.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from retick.cli.snapshot.scoring import train
from retick.snapshot import Angle, Group, Motion, Prior, Rotation, Schema, Snapshot
from retick.snapshot.compact.defaults import prediction_of
from retick.snapshot.predictors import Predictor

__all__ = ["fit"]

_MOVING = (Motion, Rotation, Angle)
DAMPINGS = (0.999, 0.995, 0.99, 0.98, 0.95, 0.9)
SAMPLE = 300
"""Snapshots that candidates are tried on."""
SCALES = (0.9, 0.95, 1.05, 1.1, 1.15)
"""Of an acceleration that was found."""
APART = 3
"""Snapshots between those that an acceleration is seen in, at most: many falls are short."""
LEAST_GAIN = 0.002
"""Share of the bytes that a candidate must save."""


def fit(schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior) -> Schema:
    """The schema with groups for all of its fields, and the dampings and accelerations that save most."""
    middle = max(0, (len(snapshots) - SAMPLE) // 2)
    sample = snapshots[middle : middle + SAMPLE]
    groups = list(prediction_of(schema).groups)
    best = _cost(schema, groups, sample, lag, prior)
    for number, group in enumerate(groups):
        for candidates in (_accelerated, _damped, _accelerated, _scaled):
            for candidate in candidates(groups[number], sample, lag):
                tried = [*groups]
                tried[number] = Group(group.component, group.fields, candidate)
                cost = _cost(schema, tried, sample, lag, prior)
                if cost < best * (1 - LEAST_GAIN):
                    best, groups = cost, tried
    return Schema(schema.components, groups)


def _cost(schema: Schema, groups: Sequence[Group], sample: Sequence[Snapshot], lag: int, prior: Prior) -> float:
    return train(Schema(schema.components, groups), sample, lag=lag, before=prior, own=False)[1]


def _damped(group: Group, sample: Sequence[Snapshot], lag: int) -> list[Predictor]:
    """The group with each of the dampings."""
    given = group.predictor
    return [replace(given, damping=damping) for damping in DAMPINGS] if isinstance(given, _MOVING) else []


def _scaled(group: Group, sample: Sequence[Snapshot], lag: int) -> list[Predictor]:
    """The group with its acceleration somewhat smaller and larger: damping hides a part of it from the differences."""
    given = group.predictor
    if not isinstance(given, Motion):
        return []
    return [replace(given, acceleration=tuple(scale * a for a in given.acceleration)) for scale in SCALES]


def _accelerated(group: Group, sample: Sequence[Snapshot], lag: int) -> list[Predictor]:
    """The group with the most frequent acceleration of each field, if any stands out and none is there yet."""
    if not isinstance(group.predictor, Motion) or any(group.predictor.acceleration):
        return []
    found = [_acceleration(group.component, field, sample, min(lag, APART)) for field in group.fields]
    single = [tuple(a if at == index else 0.0 for at in range(len(found))) for index, a in enumerate(found) if a]
    return [replace(group.predictor, acceleration=acceleration) for acceleration in single]


def _acceleration(component: int, field: int, sample: Sequence[Snapshot], lag: int) -> float:
    seen: Counter[int] = Counter()
    for at in range(2 * lag, len(sample), 3):
        three = sample[at - 2 * lag], sample[at - lag], sample[at]
        if three[0].ids != three[2].ids or three[0].ids != three[1].ids:
            continue
        for a, b, c in zip(*(snapshot.column(component, field) for snapshot in three), strict=False):
            if abs(c - b) > lag and abs(c - 2 * b + a) > lag:
                seen[round((c - 2 * b + a) / 2)] += 1
    if not seen:
        return 0.0
    # The peak, and the mean of what lies around it.
    peak = max(seen, key=lambda value: sum(seen[value + near] for near in range(-3, 4)))
    near = range(peak - 3, peak + 4)
    weight = sum(seen[value] for value in near)
    if 10 * weight < sum(seen.values()):
        return 0.0
    return 2.0 * sum(value * seen[value] for value in near) / weight / (lag * lag)
