"""A client's end of snapshots: what it holds, and the world that follows from it.

A snapshot changes this only after every check has passed, those of the world included. So one that is acknowledged is
one that was used.
"""

from typing import NamedTuple

from retick.authority.world.bodies import decode_body
from retick.authority.world.compact import CompactTables, Known
from retick.authority.world.delta_sender import BASELINES
from retick.authority.world.deltas import carried_on
from retick.authority.world.frames import Cue, SnapshotFrame, decode_snapshot
from retick.authority.world.layout import Layout
from retick.authority.world.restore import Restorer, Seat
from retick.authority.world.rows import Rows
from retick.errors import InvalidValue
from retick.sim.world.loading import check_state
from retick.snapshot import Snapshot
from retick.snapshot.baseline import BaselineRing
from retick.snapshot.compact.statistics import Statistics

__all__ = ["Held", "Holding"]


class Held(NamedTuple):
    """A snapshot that was used."""

    frame: SnapshotFrame
    saved: bytes
    """The saved bytes of the world as this client knows it: ``world.load`` takes them."""
    seats: dict[int, Seat]
    """The players that it knows of."""
    cues: tuple[Cue, ...]
    """Those that no earlier snapshot brought."""


class _Kept(NamedTuple):
    rows: Rows
    columns: Snapshot | None
    """Where compact snapshots may follow: what they are predicted from."""


class Holding:
    """What a client holds."""

    def __init__(self, layout: Layout, compact: CompactTables | None = None) -> None:
        """``compact``: what the server makes compact snapshots with, if it does."""
        self._layout = layout
        self._compact = compact
        self._restorer = Restorer(layout)
        self._held: BaselineRing[_Kept] = BaselineRing(BASELINES)
        self._learned: BaselineRing[Statistics] = BaselineRing(BASELINES)
        """Of snapshots from the newest base on: no other can be the next one."""
        self._next_cue = 0

    @property
    def newest_tick(self) -> int:
        """Of the newest snapshot that was used, to be acknowledged; 0 before the first."""
        return self._held.last_tick or 0

    def read_snapshot(self, payload: bytes) -> Held | None:
        """Use a snapshot; None for one that is not newer than the newest.

        A DecodeError if it is wrong; BaselineMissing, which is one, if its base is not held.
        """
        frame = decode_snapshot(payload)
        if frame.tick <= self.newest_tick:
            return None
        kept, learned = self._read_compact(frame) if frame.is_compact else self._read_plain(frame)
        saved = self._restorer.saved(kept.rows)
        seats = self._restorer.seats(kept.rows)
        world = self._layout.world
        check_state(saved, world._declared, world._stamp)
        # The server goes on from this base until it knows of a newer one.
        base = frame.tick - frame.back
        self._held.insert(frame.tick, kept, keep=base)
        if learned is not None:
            self._learned.insert(frame.tick, learned, keep=base)
            if frame.back:
                self._learned.drop_before(base)
        return Held(frame, saved, seats, self._new_cues(frame))

    def _read_plain(self, frame: SnapshotFrame) -> tuple[_Kept, Statistics | None]:
        rows = self._held.require(frame.tick - frame.back).rows if frame.back else Rows.none()
        if frame.apart:
            earlier = self._held.require(rows.tick - frame.apart).rows
            rows = carried_on(rows, earlier, frame.tick, self._layout)
        rows = decode_body(rows, frame.tick, frame.body, self._layout)
        if self._compact is None:
            return _Kept(rows, None), None
        learned = self._learned.require(frame.tick - frame.back) if frame.back else None
        known = self._compact.known(rows, learned)
        return _Kept(rows, known.columns), known.statistics

    def _read_compact(self, frame: SnapshotFrame) -> tuple[_Kept, Statistics]:
        tick = frame.tick - frame.back
        base = self._held.require(tick)
        if self._compact is None or base.columns is None:
            raise InvalidValue("a compact snapshot came, and none was asked for")
        start = Known(base.rows, base.columns, self._learned.require(tick))
        known = self._compact.decode(start, frame.tick, frame.body, self._older)
        return _Kept(known.rows, known.columns), known.statistics

    def _older(self, tick: int) -> Snapshot | None:
        kept = self._held.get(tick)
        return None if kept is None else kept.columns

    def _new_cues(self, frame: SnapshotFrame) -> tuple[Cue, ...]:
        known = max(0, self._next_cue - frame.serial)
        self._next_cue = max(self._next_cue, frame.serial + len(frame.cues))
        return frame.cues[known:]
