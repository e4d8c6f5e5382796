"""The peers and spectators of a mesh: each is a session with a game loop, and a record of its match."""

from collections.abc import Callable
from typing import Any

from retick.rollback.events import MatchEvent
from retick.rollback.session.inside import inside_of
from retick.rollback.spectate.spectator import SpectatorSession

__all__ = ["MeshPeer", "MeshSpectator", "Press"]

IDLE_INTERVAL = 1 / 120
"""Seconds between two turns of a loop that waits for others."""

LONGEST_SLEEP = 0.1
"""Seconds after which a loop looks again, whenever its session says that its next frame is due."""

Press = Callable[[int, Any], int]
"""Asked once a frame for each local player with the seat and the present state; returns the input."""


class MeshPeer:
    """One peer: its session with a game loop, and a record of its match."""

    def __init__(self, name: str, session: Any, press: Press) -> None:
        self.name = name
        self.session = session
        self.press = press
        self.alive = True
        """False between a crash and a restart."""
        self.events: list[MatchEvent] = []
        """All that the session reported, in order."""
        self.rows: dict[int, tuple[int, ...]] = {}
        """The final inputs of each frame of the present match."""
        self.checksums: dict[int, int] = {}
        """Checksums of final states, by the frame that follows them."""
        self.start_state: Any = None
        """The state before frame 0, if this peer was there."""
        self.paused_until = 0.0
        self._final = -1
        self._match: Any = None

    @property
    def playing(self) -> bool:
        """Whether it plays: its seats and the frame of its first own input are agreed."""
        return self.session.running and inside_of(self.session).match.joins_at is not None

    @property
    def final_frame(self) -> int:
        """The newest frame whose state can never change again; -1 before the match."""
        return self._final

    def events_of(self, kind: type) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def checksum_before(self, frame: int) -> int | None:
        """The checksum of the final state before ``frame``; None if it is neither a checkpoint nor in history."""
        if frame in self.checksums or not self.session.running:
            return self.checksums.get(frame)
        engine = inside_of(self.session).match.engine
        is_held = max(engine.start_frame, engine.frame - engine.history) <= frame <= engine.final_state_frame
        checksum: int | None = engine.checksum_at(frame) if is_held else None
        return checksum

    def turn(self, now: float, checkpoint: int) -> None:
        """Run the frames that are due."""
        session = self.session
        while session.due(now=now):
            if inside_of(session).match is not self._match:
                self._begin_record()
            state = session.state
            pressed = tuple(self.press(player, state) for player in session.local_players)
            session.advance(pressed[0] if len(pressed) == 1 else pressed, now=now)
            self._record(checkpoint)

    def next_turn(self, now: float) -> float:
        """When the loop has something to do again."""
        session = self.session
        due = session.next_frame_at if session.running else None
        return min(due, now + LONGEST_SLEEP) if due is not None and due > now else now + IDLE_INTERVAL

    def _begin_record(self) -> None:
        """A match begins, the first or another: the record is of that one."""
        self._match = inside_of(self.session).match
        self.rows, self.checksums, self._final = {}, {}, -1
        engine = self._match.engine
        self.start_state = engine.state if engine.frame == 0 else None

    def _record(self, checkpoint: int) -> None:
        engine = inside_of(self.session).match.engine
        final = engine.final_state_frame
        if final == self._final:
            return
        # A newcomer's session has run the first frames by itself: their inputs are still held, most states are not.
        first = max(self._final, engine.held_from())
        for frame in range(first, final):
            self.rows[frame] = engine.inputs_at(frame)
        for frame in range((first // checkpoint + 1) * checkpoint, final + 1, checkpoint):
            if frame >= engine.frame - engine.history:
                self.checksums[frame] = engine.checksum_at(frame)
        self._final = final


class MeshSpectator:
    """One spectator: its session, and a record of what was shown."""

    def __init__(self, name: str, session: SpectatorSession, sim: Any) -> None:
        self.name = name
        self.session = session
        self.sim = sim
        self.alive = True
        self.events: list[MatchEvent] = []
        self.rows: dict[int, tuple[int, ...]] = {}
        """The inputs of each frame that was shown."""
        self.checksums: dict[int, int] = {}
        """Checksums of states that were shown, by the frame that follows them."""
        self.paused_until = 0.0
        self._number = 0

    def checksum_before(self, frame: int) -> int | None:
        """The checksum of the state before ``frame``, if it was shown at a checkpoint."""
        return self.checksums.get(frame)

    def turn(self, now: float, checkpoint: int) -> None:
        """Show the frames that are due."""
        session = self.session
        if session.match_number != self._number:
            self._number = session.match_number
            self.rows, self.checksums = {}, {}
        while session.due(now=now):
            if session.frame % checkpoint == 0:
                self.checksums[session.frame] = self.sim.checksum(session.state)
            frame = session.frame
            session.advance(now=now)
            for row in session.drain_final_inputs():
                self.rows[frame] = row

    def next_turn(self, now: float) -> float:
        return now + IDLE_INTERVAL
