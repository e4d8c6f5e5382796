"""What one client holds of a world, and the deltas that bring it up to date.

Theory of operation. A delta starts from the newest snapshot that the client has acknowledged. If it is larger than the
caller's budget, all that left the view is destroyed, and then the most urgent entities are sent. Each that waits adds
its priority to its score at every snapshot, so that all are sent in the end: see ``retick.snapshot.interest``.
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

__all__ = ["BASELINES", "Delta", "DeltaSender", "composed"]

BASELINES: Final = 64
"""Snapshots kept at either end: three seconds of them at twenty a second."""
FARTHEST_EARLIER: Final = 60
"""Ticks back to the older snapshots that a delta names: less than a client keeps, even if it gets one every tick."""
MOST_LEARNED: Final = 24
"""Statistics of snapshots that wait for an acknowledgement; after so many, snapshots are plain until one comes."""
FARTHEST: Final = 255
"""Ticks back that a base may be: the frame has one byte for them."""


class Delta(NamedTuple):
    """The body of a frame, and what the frame says of it."""

    back: int
    """Ticks back to the base; 0 for a full snapshot."""
    apart: int | None
    """Ticks from the base to the snapshot from which it is carried on, 0 if it is not; None if the body is compact."""
    data: bytes


class _Sent(NamedTuple):
    """What a client made of one packet."""

    tick: int
    rows: Rows
    heard: int
    """The caller's number that went with it."""
    columns: Snapshot | None
    """Of a client that reads compact snapshots."""


class _Body(NamedTuple):
    apart: int | None
    data: bytes
    rows: Rows
    """What the client makes of it."""
    known: KnownSnapshot | None


class DeltaSender:
    """One client's deltas at the server."""

    def __init__(self, layout: WorldLayout, compact: CompactTables | None = None) -> None:
        """``compact``: for a client that reads compact snapshots."""
        self._layout = layout
        self._compact = compact
        self._replica: Replica[_Sent] = Replica(BASELINES)
        # Of the base and of what may become it: statistics are larger than most snapshots.
        self._learned: BaselineRing[Statistics] = BaselineRing(BASELINES)
        self._scores: dict[int, float] = {}

    @property
    def waiting(self) -> int:
        """Entities that did not fit into the last delta."""
        return len(self._scores)

    @property
    def heard(self) -> int:
        """What the caller gave with the newest snapshot that was acknowledged; 0 before that."""
        base = self._replica.base
        return 0 if base is None else base.heard

    def acknowledge(self, tick: int) -> None:
        """The client has used the snapshot of this tick. Unknown and old ticks change nothing."""
        self._replica.acknowledge(tick)
        if self._replica.base is not None:
            self._learned.drop_before(self._replica.base.tick)

    def encode(self, rows: Rows, urgent: Mapping[int, float], room: int, heard: int) -> Delta:
        """The delta that makes ``rows`` of what the client holds, or as much of it as fits into ``room`` bytes.

        ``urgent``: the priority of each entity, 1 where it has none. ``heard`` is kept with the snapshot.
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
        """The body that every client reads; it always fits."""
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
        """A compact body, or None if none fits."""
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
        # Entities are chosen by their plain costs. That compact ones are in the same ratio is likely, and no promise.
        for bits in (8 * room * plain * 15 // (16 * shorter), 8 * room):
            chosen, scores = self._chosen(base.rows, rows, urgent, bits)
            data, known = compact.encode(start, chosen, history)
            if len(data) <= room:
                self._scores = scores
                return _Body(None, data, chosen, known)
        return None

    def _chosen(self, base: Rows, rows: Rows, urgent: Mapping[int, float], bits: int) -> tuple[Rows, dict[int, float]]:
        """What the client has after a body of so many bits, and the scores of the entities that wait.

        The world itself is sent, whatever waits: new things need its ``next_id``. Then all that is gone, and then the
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
    """The snapshot from which the base is carried on: acknowledged too, and about as far back again.

    Rounding errors grow with the distance that is carried on, measured in that between the two.
    """
    return min(older, key=lambda each: abs(2 * base.tick - tick - each.tick), default=None)


def _destroy_bits(base: Rows) -> int:
    return 2 * len(base).bit_length() + 3


def composed(base: Rows, rows: Rows, chosen: set[int], gone: set[int]) -> Rows:
    """``base`` without what is gone, and with the chosen entities of ``rows``."""
    kept = {entity: (kind, numbers) for entity, kind, numbers in base.entities() if entity not in gone}
    for index in chosen:
        numbers = rows.values[rows.starts[index] : rows.starts[index + 1]]
        kept[rows.ids[index]] = (rows.kinds[index], numbers)
    return Rows.of(rows.tick, kept)
