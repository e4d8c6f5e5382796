"""Priors: what a coder knows before its first packet, and the file that contains it.

The library's own prior was trained on the seeded generators in ``benchmarks/``, for any schema.
"""

import struct
import zlib
from array import array
from base64 import b85decode
from functools import cache
from sys import byteorder

from retick.errors import InvalidValue
from retick.snapshot.compact import numbers as n
from retick.snapshot.compact.coder import FRESH, CompactPlan, GroupRow, Statistics

KINDS = 6
"""Rows of weights: one per kind of group, the last for doubtful groups. CHOICE and REAL have none."""
WINDOWS = 4
PLACES = 4
"""How many places in a group have their own weights; later places share the last."""
CAP = 16
"""The most uses that a model of a prior counts as."""
MAGIC = b"RTKP\x03"
SHARED = n.GROUP_MODELS + n.HOLD_MODELS + n.CHOICE_MODELS
_WEIGHTS = KINDS * WINDOWS * PLACES * n.FEATURES
MOST_OWN = 1 << 20


class Prior:
    """Statistics to begin with, for any plan; for the plan that trained them, also those of its groups.

    ``shared`` has the models that all plans have, then those of a HOLD and of a CHOICE; ``weights`` are by row (see
    KINDS), window, and place in the group. ``own`` is for one plan: its models and weights, exactly.
    """

    def __init__(
        self,
        shared: "array[int]",
        weights: "array[int]",
        own: tuple["array[int]", "array[int]"] | None = None,
        key: int = 0,
    ) -> None:
        """``key`` identifies the plan of ``own``: see :func:`key_of`."""
        self.shared = shared
        self.weights = weights
        self.own = own
        self.key = key
        # Over the content, not the packed bytes: those differ between versions of zlib.
        self.digest = zlib.crc32(self._numbers())

    def start(self, plan: CompactPlan) -> Statistics:
        """The statistics of a coder of this plan before its first packet."""
        if self.own is not None and self.is_for(plan):
            return Statistics(self.own[0][:], self.own[1][:], self.digest)
        hold = self.shared[n.GROUP_MODELS : n.GROUP_MODELS + n.HOLD_MODELS]
        choice = self.shared[n.GROUP_MODELS + n.HOLD_MODELS :]
        models = self.shared[: n.GROUP_MODELS]
        for group in plan.groups:
            if group.kind == n.HOLD:
                models.extend(hold)
            elif group.kind == n.CHOICE:
                models.extend(choice)
                models.extend([FRESH] * (1 << group.bits))
            elif group.kind == n.REAL:
                models.extend([FRESH] * n.REAL_MODELS)
        weights = array("i")
        for window in range(WINDOWS):
            for group in plan.groups:
                for place in range(len(group.fields)):
                    at = _weights_at(_row_of(group), window, place)
                    weights.extend(self.weights[at : at + n.FEATURES])
        return Statistics(models, weights, self.digest)

    def is_for(self, plan: CompactPlan) -> bool:
        """Whether the prior was trained with exactly these groups."""
        sizes = (plan.model_count, plan.weight_count)
        own = self.own
        return own is not None and self.key == key_of(plan) and (len(own[0]), len(own[1])) == sizes

    @classmethod
    def learned(cls, plan: CompactPlan, statistics: Statistics, *, before: "Prior", own: bool) -> "Prior":
        """A prior of what was learned since ``before``; with ``own`` also for exactly this plan."""
        models = array("I", [(model & 0xFFFF0000) | min(model & 0xFF, CAP) for model in statistics.models])
        shared = models[: n.GROUP_MODELS] + before.shared[n.GROUP_MODELS :]
        at = n.GROUP_MODELS
        for group in plan.groups:
            if group.kind == n.HOLD:
                shared[n.GROUP_MODELS : n.GROUP_MODELS + n.HOLD_MODELS] = models[at : at + n.HOLD_MODELS]
                at += n.HOLD_MODELS
            elif group.kind == n.CHOICE:
                shared[n.GROUP_MODELS + n.HOLD_MODELS :] = models[at : at + n.CHOICE_MODELS]
                at += n.CHOICE_MODELS + (1 << group.bits)
            elif group.kind == n.REAL:
                at += n.REAL_MODELS
        weights = before.weights[:]
        for window in range(WINDOWS):
            for row in range(KINDS):
                for place in range(PLACES):
                    _average(plan, statistics.weights, weights, row, window, place)
        return cls(shared, weights, (models, statistics.weights[:]) if own else None, key_of(plan) if own else 0)

    def to_bytes(self) -> bytes:
        """Write the prior as a file: see docs/formats/compact.md."""
        return MAGIC + zlib.compress(self._numbers(), 9)

    def _numbers(self) -> bytes:
        own = self.own or (array("I"), array("i"))
        parts = [self.shared, self.weights, *own]
        sizes = array("I", [len(own[0]), len(own[1]), self.key])
        if byteorder == "big":
            parts, sizes = [part[:] for part in parts], sizes[:]
            for part in (*parts, sizes):
                part.byteswap()
        return sizes.tobytes() + b"".join(part.tobytes() for part in parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Prior":
        """Read a prior from a file, or raise DecodeError."""
        if len(data) > 4 and data[:4] == MAGIC[:4] and data[4] != MAGIC[4]:
            raise InvalidValue(f"this is a prior of version {data[4]}, and version {MAGIC[4]} is read: train it again")
        if data[: len(MAGIC)] != MAGIC:
            raise InvalidValue("not a prior of compact snapshots")
        most = 4 * (3 + SHARED + _WEIGHTS + 2 * MOST_OWN)
        unpacker = zlib.decompressobj()
        try:
            raw = unpacker.decompress(data[len(MAGIC) :], most)
        except zlib.error as error:
            raise InvalidValue(f"the prior is damaged: {error}") from None
        if not unpacker.eof or unpacker.unused_data or len(raw) % 4 or len(raw) < 4 * (3 + SHARED + _WEIGHTS):
            raise InvalidValue("the prior is cut short or goes on after its end")
        words = array("I", raw)
        if byteorder == "big":
            words.byteswap()
        models, weights = words[0], words[1]
        if len(words) != 3 + SHARED + _WEIGHTS + models + weights:
            raise InvalidValue("the prior does not have the numbers that it says")
        at = 3 + SHARED + _WEIGHTS
        shared, own_models = words[3 : 3 + SHARED], words[at : at + models]
        for model in (*shared, *own_models):
            if not 48 <= model >> 16 <= 65488 or model & 0xFF00:
                raise InvalidValue("a model of the prior is out of range")
        first, second = (array("i", part.tobytes()) for part in (words[3 + SHARED : at], words[at + models :]))
        for weight in (*first, *second):
            if not -65536 <= weight <= 65536:
                raise InvalidValue("a weight of the prior is out of range")
        return cls(shared, first, (own_models, second) if models else None, words[2])


def key_of(plan: CompactPlan) -> int:
    """A number that two plans share only if their groups are the same."""
    numbers = [
        number
        for group in plan.groups
        for number in (group.kind, group.bits, group.component, len(group.fields), *group.fields)
    ]
    return zlib.crc32(struct.pack(f"<{len(numbers)}I", *numbers))


def _row_of(group: GroupRow) -> int:
    """The row of weights that a group starts with; those of a CHOICE and a REAL are never used."""
    return KINDS - 1 if group.doubtful or group.kind in (n.CHOICE, n.REAL) else group.kind


def _weights_at(row: int, window: int, place: int) -> int:
    return ((row * WINDOWS + window) * PLACES + min(place, PLACES - 1)) * n.FEATURES


def _average(
    plan: CompactPlan, learned: "array[int]", weights: "array[int]", row: int, window: int, place: int
) -> None:
    """Average the weights of one place in a row over all groups that start with it."""
    scalars: list[int] = []
    at = 0
    for group in plan.groups:
        if group.kind not in (n.CHOICE, n.REAL) and _row_of(group) == row:
            scalars += [at + index for index in range(len(group.fields)) if min(index, PLACES - 1) == place]
        at += len(group.fields)
    for feature in range(n.FEATURES):
        values = [learned[(window * plan.scalar_count + scalar) * n.FEATURES + feature] for scalar in scalars]
        if values:
            weights[_weights_at(row, window, place) + feature] = sum(values) // len(values)


def empty_prior() -> Prior:
    """A prior without training: a residual is like its step, its bend and its neighbours."""
    weights = array("i", [0] * _WEIGHTS)
    for at in range(0, _WEIGHTS, n.FEATURES):
        weights[at + 1] = weights[at + 2] = weights[at + 5] = 1024
    return Prior(array("I", [FRESH] * SHARED), weights)


@cache
def generic_prior() -> Prior:
    """The prior that comes with the library, made by benchmarks/generic_prior.py."""
    from importlib.resources import files  # it brings archives, and few programs need a prior

    text = files("retick.snapshot.compact").joinpath("generic_prior.txt").read_text(encoding="ascii")
    return Prior.from_bytes(b85decode(text.replace("\n", "")))
