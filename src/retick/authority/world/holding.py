"""A client's end of snapshots: what it holds, and the world that follows from it.

A snapshot changes this only after every check has passed, those of the world included. So one that is acknowledged is
one that was used.
"""

from typing import NamedTuple

from retick.authority.world.bodies import decode_body
from retick.authority.world.deltas import carried_on
from retick.authority.world.frames import Cue, SnapshotFrame, decode_snapshot
from retick.authority.world.layout import Layout
from retick.authority.world.restore import Restorer, Seat
from retick.authority.world.rows import Rows
from retick.authority.world.views import BASELINES
from retick.sim.world.loading import check_state
from retick.snapshot.baseline import BaselineRing

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


class Holding:
    """What a client holds."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._restorer = Restorer(layout)
        self._held: BaselineRing[Rows] = BaselineRing(BASELINES)
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
        base = self._held.require(frame.tick - frame.back) if frame.back else Rows.none()
        if frame.apart:
            earlier = self._held.require(base.tick - frame.apart)
            base = carried_on(base, earlier, frame.tick, self._layout)
        rows = decode_body(base, frame.tick, frame.body, self._layout)
        saved = self._restorer.saved(rows)
        seats = self._restorer.seats(rows)
        world = self._layout.world
        check_state(saved, world._declared, world._stamp)
        self._held.insert(frame.tick, rows)
        return Held(frame, saved, seats, self._new_cues(frame))

    def _new_cues(self, frame: SnapshotFrame) -> tuple[Cue, ...]:
        known = max(0, self._next_cue - frame.serial)
        self._next_cue = max(self._next_cue, frame.serial + len(frame.cues))
        return frame.cues[known:]
