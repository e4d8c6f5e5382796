"""Tracks what one client holds of a world, and makes the deltas that bring it up to date.

Theory of operation. A delta starts from the newest snapshot that the client has acknowledged. If it exceeds the
caller's budget, everything that left the view is destroyed first, and then the most urgent entities are sent. Each
that waits adds its priority to its score at every snapshot, so that all are sent in the end: see
``retick.snapshot.interest``.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from retick.authority.compact import MOST_ENTITIES, CompactTables, KnownSnapshot
from retick.authority.deltas import carried_on, costs_of, encode_body
from retick.authority.layout import WorldLayout
from retick.authority.rows import Rows
from retick.snapshot import Snapshot
from retick.snapshot.compact.coder import Statistics
from retick.snapshot.compact.head import pick_history
from retick.snapshot.replication import BaselineRing, Replica

BASELINES: Final = 64
"""How many snapshots either end keeps: three seconds of them at twenty a second."""
FARTHEST_EARLIER: Final = 60
"""The most ticks back to an older snapshot that a delta names: less than a client keeps, even at one per tick."""
MOST_LEARNED: Final = 24
"""The most statistics that wait for an acknowledgement; beyond that, snapshots are plain until one comes."""
FARTHEST: Final = 255
"""The most ticks back that a base may be: the frame has one byte for them."""


class Delta(NamedTuple):
    """The body of a frame, and what the frame says about it."""

    back: int
    """Ticks back to the base; 0 for a full snapshot."""
    apart: int | None
    """Ticks from the base back to the snapshot it is carried on from, 0 if it is not; None for a compact body."""
    data: bytes


class _Sent(NamedTuple):
    """What a client makes of one packet."""

    tick: int
    rows: Rows
    heard: int
    """The number that the caller passed with the packet."""
    columns: Snapshot | None
    """The compact fields, for a client that reads compact snapshots."""


class _Body(NamedTuple):
    apart: int | None
    data: bytes
    rows: Rows
    """The rows that the client makes of it."""
    known: KnownSnapshot | None


class DeltaSender:
    """The server's end of one client's deltas."""

    def __init__(self, layout: WorldLayout, compact: CompactTables | None = None) -> None:
        """``compact``: given for a client that reads compact snapshots."""
        self._layout = layout
        self._compact = compact
        self._replica: Replica[_Sent] = Replica(BASELINES)
        # Statistics of the base and of what may become it: they are larger than most snapshots.
        self._learned: BaselineRing[Statistics] = BaselineRing(BASELINES)
        self._scores: dict[int, float] = {}

    @property
    def waiting(self) -> int:
        """How many entities did not fit into the last delta."""
        return len(self._scores)

    @property
    def heard(self) -> int:
        """The caller's number for the newest acknowledged snapshot; 0 before any."""
        base = self._replica.base
        return 0 if base is None else base.heard

    def acknowledge(self, tick: int) -> None:
        """Note that the client has used the snapshot of this tick. Unknown and old ticks change nothing."""
        self._replica.acknowledge(tick)
        if self._replica.base is not None:
            self._learned.drop_before(self._replica.base.tick)

    def encode(self, rows: Rows, urgent: Mapping[int, float], room: int, heard: int) -> Delta:
        """Encode a delta from what the client holds to ``rows``, or to as much of them as fits ``room`` bytes.

        ``urgent``: the priority of each entity, by default 1. ``heard`` is kept with the snapshot.
        """
        base = self._replica.base
        if base is not None and rows.tick - base.tick > FARTHEST:
            base = None
        older = [each for each in self._replica.older if rows.tick - each.tick <= FARTHEST_EARLIER]
        body = None
        if base is not None and self._compact is not None:
            body = self._compact_body(self._compact, base, older, rows, urgent, room)
        if body is None:
            body = self._plain_body(base, older, rows, urgent, room)
        kept = None if base is None else base.tick
        columns = None
        if body.known is not None:
            columns = body.known.columns
            self._learned.insert(rows.tick, body.known.statistics, keep=kept)
        self._replica.sent(_Sent(rows.tick, body.rows, heard, columns))
        return Delta(0 if base is None else rows.tick - base.tick, body.apart, body.data)

    def _plain_body(
        self, base: _Sent | None, older: list[_Sent], rows: Rows, urgent: Mapping[int, float], room: int
    ) -> _Body:
        """The plain body, which every client reads; it always fits."""
        start, apart = (Rows.none() if base is None else base.rows), 0
        earlier = None if base is None else _carried_from(rows.tick, base, older)
        if earlier is not None:
            apart = start.tick - earlier.tick
            start = carried_on(start, earlier.rows, rows.tick, self._layout)
        data = encode_body(start, rows, self._layout)
        if len(data) <= room and len(rows) <= MOST_ENTITIES:
            self._scores = {}
        else:
            rows, self._scores = self._chosen(start, rows, urgent, 8 * room)
            data = encode_body(start, rows, self._layout)
        known = None
        if self._compact is not None:
            known = self._compact.known(rows, None if base is None else self._learned.get(base.tick))
        return _Body(apart, data, rows, known)

    def _compact_body(
        self,
        compact: CompactTables,
        base: _Sent,
        older: list[_Sent],
        rows: Rows,
        urgent: Mapping[int, float],
        room: int,
    ) -> _Body | None:
        """A compact body; None if none fits."""
        statistics = self._learned.get(base.tick)
        if statistics is None or base.columns is None or len(self._learned) > MOST_LEARNED:
            return None
        start = KnownSnapshot(base.rows, base.columns, statistics)
        held = {each.tick: each.columns for each in older}
        history = [found for found in map(held.get, pick_history(base.tick, list(held))) if found is not None]
        plain, shorter = 3, 2
        if len(rows) <= MOST_ENTITIES:
            data, known = compact.encode(start, rows, history)
            if len(data) <= room:
                self._scores = {}
                return _Body(None, data, rows, known)
            plain, shorter = len(encode_body(base.rows, rows, self._layout)), len(data)
        # Entities are chosen by their plain costs. Compact costs are probably in the same ratio, but not certainly.
        for bits in (8 * room * plain * 15 // (16 * shorter), 8 * room):
            chosen, scores = self._chosen(base.rows, rows, urgent, bits)
            data, known = compact.encode(start, chosen, history)
            if len(data) <= room:
                self._scores = scores
                return _Body(None, data, chosen, known)
        return None

    def _chosen(self, base: Rows, rows: Rows, urgent: Mapping[int, float], bits: int) -> tuple[Rows, dict[int, float]]:
        """What the client has after a body of at most ``bits``, and the scores of the entities that wait.

        The world itself is always sent: new things need its ``next_id``. Then everything that is gone, then the
        entities with the highest scores.
        """
        used, costs = costs_of(base, rows, self._layout)
        world = next((size for index, size, _is_new in costs if index == 0), 0)
        used = min(used, bits - world)
        scores = {}
        for index, _size, _is_new in costs:
            entity = rows.ids[index]
            scores[entity] = self._scores.get(entity, 0.0) + urgent.get(entity, 1.0)
        chosen: set[int] = set()
        room = MOST_ENTITIES - len(base)
        order = sorted(costs, key=lambda cost: (cost[0] > 0, -scores[rows.ids[cost[0]]], cost[0]))
        for index, size, is_new in order:
            if used + size <= bits and not (is_new and room <= 0):
                used += size
                room -= is_new
                chosen.add(index)
                del scores[rows.ids[index]]
        gone = sorted(set(base.ids) - set(rows.ids))
        fitting = max(0, (bits - world - 80) // _destroy_bits(base))
        return composed(base, rows, chosen, set(gone[:fitting])), scores


def _carried_from(tick: int, base: _Sent, older: list[_Sent]) -> _Sent | None:
    """The snapshot from which to carry on the base: also acknowledged, and about as far back again.

    Rounding errors grow with the distance carried on, relative to the distance between the two.
    """
    return min(older, key=lambda each: abs(2 * base.tick - tick - each.tick), default=None)


def _destroy_bits(base: Rows) -> int:
    return 2 * len(base).bit_length() + 3


def composed(base: Rows, rows: Rows, chosen: set[int], gone: set[int]) -> Rows:
    """``base`` without ``gone``, and with the chosen entities of ``rows``."""
    kept = {entity: (kind, numbers) for entity, kind, numbers in base.entities() if entity not in gone}
    for index in chosen:
        numbers = rows.values[rows.starts[index] : rows.starts[index + 1]]
        kept[rows.ids[index]] = (rows.kinds[index], numbers)
    return Rows.of(rows.tick, kept)
