"""Compact payloads: the head, the entropy-coded body, and the parts in plain form."""

from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from retick.errors import BaselineMissing, EncodeError, InvalidValue, UsageError, with_code
from retick.snapshot import layout
from retick.snapshot.columns import gather
from retick.snapshot.compact.body import Body, Encoded, Usual
from retick.snapshot.compact.coder import CompactPlan, Statistics
from retick.snapshot.compact.defaults import FieldPrediction
from retick.snapshot.compact.head import (
    CHECK_BYTES,
    Head,
    check_of,
    compare_checks,
    fault_error,
    read_head,
    split_check,
    with_check,
)
from retick.snapshot.compact.motion import all_in_order, first_disorder, same_shape
from retick.snapshot.compact.numbers import FARTHEST, FRAMES, OLDEST, TERMS
from retick.snapshot.compact.prior import Prior
from retick.snapshot.errors import decode_error, encode_error, invalid_error, limit_error
from retick.snapshot.fields import Group
from retick.snapshot.layout import DELTA
from retick.snapshot.model import Snapshot
from retick.wire.varint import encode_varuint

__all__ = [
    "Encoded",
    "Gains",
    "PayloadCodec",
    "gains_of",
]


# How far a motion goes: the factors of one packet, from the ticks between its frames.
#
# A motion with damping d and acceleration a goes on by ``v = d * v + a; x = x + v`` each tick. So a window of m ticks
# that ends at the baseline gives the velocity there, and the velocity gives the position n ticks later::
#
#     predicted = x0 + (x0 - xm) * gain + a * lift
#
# with x0 the value in the baseline and xm the one in the window's oldest frame. For a rotation they are q0 and qm.
#
# For each pair of a window and a history frame inside of it, the same two numbers say where the frame should lie on the
# line. A rotation turns along a great circle: ``A * q0 - B * qm``, with A and B as power series in ``|q0 - qm|**2 /
# 4``. The numbers are doubles; only additions, products and quotients make them, so that all machines have the same
# bits.


class Gains(NamedTuple):
    """The factors of one damping, by window; pairs are numbered window * 3 + frame."""

    ahead: "array[float]"
    """For each window: gain and lift."""
    back: "array[float]"
    """For each pair: the share of ``x0 - xm`` at the frame, and its lift."""
    turns: "array[float]"
    """For each window: the series A and B forwards; then for each pair: those of the frame."""


def _sums(damping: float, ticks: int) -> tuple[float, float, float, float]:
    """The factors of velocity and acceleration, forwards and then backwards."""
    forward = lifted = 0.0
    power, pushed = 1.0, 0.0
    for _ in range(ticks):
        pushed = pushed * damping + 1.0
        power *= damping
        forward += power
        lifted += pushed
    backward = sunk = 0.0
    power, pushed = 1.0, 0.0
    for _ in range(ticks):
        backward += power
        sunk += pushed
        power /= damping
        pushed += power
    return forward, lifted, backward, sunk


def _series(a: float) -> list[float]:
    """sin(a t) / sin(t) as a power series in sin(t / 2)**2."""
    terms = [a]
    for k in range(TERMS - 1):
        terms.append(terms[-1] * (1.0 + a + k) * (1.0 - a + k) / ((1.5 + k) * (k + 1.0)))
    return terms


def gains_of(damping: float, ahead: int, ages: tuple[int, ...]) -> Gains:
    """The factors for a packet ``ahead`` ticks after its baseline; history frames are ``ages`` ticks older."""
    forward, lifted, _backward, _sunk = _sums(damping, min(ahead, FARTHEST))
    factors = array("d", bytes(8 * 2 * FRAMES))
    back = array("d", bytes(8 * 2 * FRAMES * FRAMES))
    turns = array("d", bytes(8 * 2 * TERMS * (FRAMES + FRAMES * FRAMES)))
    for window, age in enumerate(ages):
        _f, _l, whole, sunk = _sums(damping, age)
        gain = forward / whole
        factors[2 * window] = gain
        factors[2 * window + 1] = lifted + sunk * gain
        turns[2 * TERMS * window : 2 * TERMS * (window + 1)] = array("d", _series(1.0 + gain) + _series(gain))
        for frame, inner in enumerate(ages):
            _f, _l, part, bent = _sums(damping, inner)
            pair = window * FRAMES + frame
            share = part / whole
            back[2 * pair] = share
            back[2 * pair + 1] = sunk * share - bent
            at = 2 * TERMS * (FRAMES + pair)
            turns[at : at + 2 * TERMS] = array("d", _series(1.0 - share) + [-term for term in _series(share)])
    return Gains(factors, back, turns)


_EVERYTHING = 1 << 30
_FLUSHED = 4
"""How many bytes a body may grow after its last entity."""
MOST_FACTORS = 64
"""How many spacings of frames have their factors kept."""


class Factors(NamedTuple):
    """The factors of one spacing of frames, for all groups."""

    ahead: "array[float]"
    back: "array[float]"
    turns: "array[float]"
    ticks: float


class PayloadCodec:
    """Writes and reads compact payloads of one schema and prior; it keeps working space, but no state."""

    def __init__(self, plain: Any, prediction: FieldPrediction, prior: Prior, sealed: bool) -> None:
        """``plain``: a codec of version 2 for the rest. ``sealed``: no check is written or required."""
        self._plain = plain
        self._schema = plain.schema
        self._table = plain.schema.table
        self._limits = plain.limits
        self._prediction = prediction
        self._sealed = sealed
        self._start = prior.start(prediction.plan)
        self._sizes = len(self._start.models), len(self._start.weights)
        self._body = Body(prediction.plan, plain.schema.table, prediction.acceleration)
        self._body.most_changes = plain.limits.max_entities_update
        self._factors: dict[tuple[int, tuple[int, ...]], Factors] = {}
        self._entity_bits = sum(item.codec.bits or 8 for _owner, item in plain.schema.fields) * 3 // 4
        self._thresholds = any(item.threshold for _owner, item in plain.schema.fields)
        self._usual = Usual(
            self._body,
            self._table,
            self._start,
            plain.limits,
            sealed,
            self._entity_bits,
            self._factors_of,
            self._or_plain,
        )

    @property
    def inexact(self) -> bool:
        """Whether thresholds can make the receiver's values differ from the sender's."""
        return self._thresholds

    @property
    def plan(self) -> CompactPlan:
        """The groups in the kernels' form."""
        return self._prediction.plan

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups in coding order."""
        return self._prediction.groups

    def prior_statistics(self) -> Statistics:
        """What both ends know before the first packet; copy it, do not change it."""
        return self._start

    def note_costs(self, costs: list[float] | None) -> None:
        """From now on, add the bits of each group to this list, with those of entity flags at its end."""
        if costs is not None and len(costs) != len(self.groups) + 1:
            raise UsageError(f"costs are of {len(self.groups)} groups and of the flags, not {len(costs)} numbers")
        self._body.note_costs(costs)

    def encode(
        self,
        base: Snapshot,
        current: Snapshot,
        history: Sequence[Snapshot] = (),
        carried: Statistics | None = None,
        most_bytes: int | None = None,
        structure: bytes = b"",
    ) -> Encoded:
        """Encode the changes from ``base`` to ``current``; ``history``: older snapshots of the receiver, newest first.

        ``carried`` are the statistics of the baseline, which do not change; without them the prior is used. With
        ``most_bytes`` the payload is at most that long, and leaves out changes of the last entities. ``structure``, in
        the caller's own form, turns the receiver's snapshot of that tick into ``base``, which then has the entities of
        ``current``.
        """
        if most_bytes is None and not self._thresholds:
            usual: Encoded | None = self._usual.encode(base, current, history, carried, structure)
            if usual is not None:
                return usual
        if not all_in_order(self._table, base, current, *history):
            self._check_order(base, current, *history)
        if carried is not None:
            self._check_statistics(carried)
        tick = base.tick
        is_own = bool(structure)
        if tick == 0:
            raise invalid_error(layout.INVALID_BASELINE_TICK, found=0, flags=DELTA)
        middle = base
        if not same_shape(base, current):
            if structure:
                raise UsageError("a caller's structure must make exactly the entities of the new snapshot")
            middle, structure = self._structure(base, current)
        target = self._plain_result(middle, current) if self._thresholds else current
        ages = tuple([tick - snapshot.tick for snapshot in history])
        if len(ages) > FRAMES or any(not 0 < age <= OLDEST for age in ages) or list(ages) != sorted(set(ages)):
            raise UsageError(f"history goes back from the baseline, newest first, up to {OLDEST} ticks, not {ages}")
        start = carried if carried is not None else self._start
        statistics = start.copy()
        made = Head(ages, carried is not None, None, structure).to_bytes()
        room = _EVERYTHING
        if most_bytes is not None:
            room = most_bytes - (0 if self._sealed else CHECK_BYTES) - len(made)
        # A cut is announced in a few bytes.
        cut_room = room - len(encode_varuint(middle.count)) if most_bytes is not None else room
        payload = self._run(statistics, middle, history, ages, target, _EVERYTHING, cut_room, made)
        most = self._limits.max_entities_update
        is_over = self._body.changes > most
        if is_over and most_bytes is None:
            raise limit_error(layout.LIMIT_UPDATE, most, self._body.changes)
        cut = self._body.fitting
        # If that saves next to nothing, the plain form may be shorter.
        if not (is_over or is_own) and (
            (len(payload) - len(made)) * 8 > self._body.changes * self._entity_bits
            or len(payload) > self._limits.max_section_len
        ):
            payload, statistics = self._or_plain(base, current, carried, payload, statistics)
        if not is_over and len(payload) <= room + len(made):
            return Encoded(self._checked(payload, start, base, current, statistics), statistics, False)
        if cut_room < 0:
            raise EncodeError(f"{most_bytes} bytes are too few for what stands before the changes, {len(made)} bytes")
        statistics = start.copy()
        made = Head(ages, carried is not None, cut, structure).to_bytes()
        payload = self._run(statistics, middle, history, ages, target, cut, cut_room, made)
        return Encoded(self._checked(payload, start, base, current, statistics), statistics, True)

    def decode(
        self,
        base: Snapshot,
        tick: int,
        data: bytes,
        held: Callable[[int], Snapshot | None],
        carried: Statistics | None = None,
        restructure: Callable[[bytes], Snapshot] | None = None,
    ) -> tuple[Snapshot, Statistics]:
        """Decode the snapshot of ``tick``, and what was learned; ``held`` gives the older snapshot of a tick, or None.

        ``restructure`` rebuilds ``base`` from a structure in the caller's own form.
        """
        usual: tuple[Snapshot, Statistics] | None = self._usual.decode(base, tick, data, held, carried)
        if usual is not None:
            return usual
        limit = self._limits.max_section_bytes
        if len(data) > limit:
            raise fault_error(self._schema, layout.LIMIT_SECTION_BYTES, limit=limit, actual=len(data))
        data = bytes(data)
        if type(base) is not Snapshot or base.table is not self._table:
            self._check_schema(base)
        if tick >> 32:
            raise InvalidValue(f"the tick {tick} is not of 32 bits")
        payload, check = split_check(data, not self._sealed)
        head, at = read_head(payload)
        if head.carried and carried is None:
            raise _missing(base.tick, f"the statistics of tick {base.tick} are not held: ask for a full snapshot")
        start = carried if head.carried and carried is not None else self._start
        self._check_statistics(start)
        made = check_of(payload, start.lineage, tick, base.tick)
        compare_checks(made, check)
        statistics = start.copy()
        statistics.lineage = made
        if head.plain:
            return self._plain.decode_payload(base, tick, payload[at:]), statistics
        history = []
        for age in head.ages:
            older = held(base.tick - age)
            if older is None:
                raise _missing(base.tick - age, f"the snapshot of tick {base.tick - age} is not held")
            if type(older) is not Snapshot or older.table is not self._table:
                self._check_schema(older)
            history.append(older)
        middle = base
        if head.structure:
            middle = restructure(head.structure) if restructure else self._middle(base, tick, head.structure)
        most = self._limits.max_total_entities_after_apply
        if middle.count > most:
            raise fault_error(self._schema, layout.LIMIT_TOTAL, limit=most, actual=middle.count)
        disorder = first_disorder(middle)
        if disorder:
            raise fault_error(
                self._schema, layout.ENTITY_ORDER, previous=middle.ids[disorder - 1], current=middle.ids[disorder]
            )
        target = middle.copy(tick=tick)
        ticks = tick - base.tick
        factors = self._factors.get((ticks, head.ages)) or self._factors_of(ticks, head.ages)
        cut = _EVERYTHING if head.cut is None else head.cut
        body = self._body
        status = body.decode(statistics, middle, history, factors, target, min(cut, _EVERYTHING), payload, at)
        if status != layout.OK:
            raise decode_error(status, body.fault, self._schema)
        if body.changes > self._limits.max_entities_update:
            raise fault_error(
                self._schema, layout.LIMIT_UPDATE, limit=self._limits.max_entities_update, actual=body.changes
            )
        return target, statistics

    def _run(
        self,
        statistics: Statistics,
        middle: Snapshot,
        history: Sequence[Snapshot],
        ages: tuple[int, ...],
        target: Snapshot,
        cut: int,
        room: int,
        head: bytes,
    ) -> bytes:
        body = self._body
        body.budget = len(head) + room - _FLUSHED
        ticks = target.tick - middle.tick
        factors = self._factors.get((ticks, ages)) or self._factors_of(ticks, ages)
        made: bytes = body.encode(statistics, middle, history, factors, target, cut, head)
        if body.fault.status != layout.OK:
            raise (
                self._misfit(body.fault)
                if body.fault.status == layout.VALUE_RANGE
                else encode_error(body.fault.status, body.fault, self._schema)
            )
        return made

    def plain_form(self, base: Snapshot, current: Snapshot, sections: bytes) -> bytes:
        """The payload with these sections of version 2 in place of a body; it starts from the prior."""
        payload = Head((), False, None, b"", True).to_bytes() + sections
        return self._checked(payload, self._start, base, current, self._start.copy())

    def _or_plain(
        self, base: Snapshot, current: Snapshot, carried: Statistics | None, payload: bytes, statistics: Statistics
    ) -> tuple[bytes, Statistics]:
        """The plain form, from which nothing is learned, if it is shorter than ``payload``."""
        plain = Head((), carried is not None, None, b"", True).to_bytes() + self._plain.encode_payload(base, current)
        if len(plain) >= len(payload):
            return payload, statistics
        return plain, (carried if carried is not None else self._start).copy()

    def _misfit(self, fault: Any) -> EncodeError:
        """The error for a value that its field or its Angle cannot hold."""
        owner, item = self._schema.fields[fault.field]
        above = fault.value - item.codec.lowest
        for group in self._prediction.plan.groups:
            if group.modulus and fault.field in group.fields and group.modulus <= above:
                message = (
                    f"entity {fault.entity}, component {owner.id}, field {item.id}{owner.named(item)}: {fault.value} "
                    f"is {above} above its lowest value, and its Angle has a modulus of {group.modulus}"
                )
                return EncodeError(message, entity=fault.entity, component=owner.id, field=item.id, value=fault.value)
        return encode_error(layout.VALUE_RANGE, fault, self._schema)

    def _checked(
        self, payload: bytes, start: Statistics, base: Snapshot, current: Snapshot, statistics: Statistics
    ) -> bytes:
        statistics.lineage = check_of(payload, start.lineage, current.tick, base.tick)
        made = payload if self._sealed else with_check(payload, statistics.lineage)
        if len(made) > self._limits.max_section_bytes:
            raise limit_error(layout.LIMIT_SECTION_BYTES, self._limits.max_section_bytes, len(made))
        return made

    def _factors_of(self, ticks: int, ages: tuple[int, ...]) -> Factors:
        # Beyond the farthest look ahead all are the same, and before the baseline nothing is predicted.
        key = (ticks if 0 <= ticks <= 255 else 255 if ticks > 0 else 0, ages)
        found = self._factors.get(key)
        if found is None:
            by_damping = {damping: gains_of(damping, key[0], ages) for damping in set(self._prediction.dampings)}
            ahead, back, turns = array("d"), array("d"), array("d")
            for damping in self._prediction.dampings:
                gains = by_damping[damping]
                ahead.extend(gains.ahead)
                back.extend(gains.back)
                turns.extend(gains.turns)
            if len(self._factors) >= MOST_FACTORS:
                self._factors.clear()
            found = self._factors[key] = Factors(ahead, back, turns, float(key[0]))
        return found

    def _structure(self, base: Snapshot, current: Snapshot) -> tuple[Snapshot, bytes]:
        """The baseline with entities destroyed and created as needed, and the sections that do so."""
        places = {identity: at for at, identity in enumerate(base.ids)}
        sources = array("q", [places.get(identity, ~at) for at, identity in enumerate(current.ids)])
        middle = gather(Snapshot, base, current, sources, current.tick)
        structure = self._plain.encode_payload(base, middle)
        if not same_shape(middle, current):
            self._plain.encode_payload(base, current)  # raises what is wrong: a component came or went
        return middle.copy(tick=base.tick), structure

    def _middle(self, base: Snapshot, tick: int, structure: bytes) -> Snapshot:
        made: Snapshot = self._plain.decode_payload(base, tick, structure)
        return made

    def _plain_result(self, middle: Snapshot, current: Snapshot) -> Snapshot:
        """What a receiver makes of a plain delta: changes below a threshold are held back."""
        packet = self._plain.encode_payload(middle, current)
        result: Snapshot = self._plain.decode_payload(middle, current.tick, packet)
        return result

    def _check_order(self, *snapshots: Snapshot) -> None:
        for snapshot in snapshots:
            self._check_schema(snapshot)
            disorder = first_disorder(snapshot)
            if disorder:
                ids = snapshot.ids
                raise invalid_error(layout.ENTITY_ORDER, previous=ids[disorder - 1], current=ids[disorder])

    def _check_schema(self, snapshot: Snapshot) -> None:
        if not isinstance(snapshot, Snapshot):
            raise UsageError(f"a codec takes a Snapshot, not a {type(snapshot).__name__}")
        # Comparing whole schemas takes longer than encoding; most are the very same object.
        if snapshot.table is not self._table and snapshot.schema != self._schema:
            raise UsageError("the snapshot has another schema than the codec")

    def _check_statistics(self, statistics: Statistics) -> None:
        if len(statistics.models) != self._sizes[0] or len(statistics.weights) != self._sizes[1]:
            raise UsageError("the statistics are of another schema than the codec")


def _missing(tick: int, message: str) -> BaselineMissing:
    return with_code(BaselineMissing(message, tick=tick), "BaselineNotFound")
