"""Stands beside a match with a cheat, and looks at its honest machines: whether they are held, driven, lost or split.

What it sees that may never happen is a :class:`CheatFailure`.
"""

from typing import Any

from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEnded, MatchStarted
from retick.rollback.match.alarm import AlarmState
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining.newcomer import NOT_LET_IN
from retick.rollback.session.session import Phase
from retick.testing.mesh import Mesh, MeshPeer
from tests.checkers.chaos import ChaosFailure
from tests.checkers.cheats import CHEATS, bounds
from tests.checkers.cheats.scenarios import CheatScenario

__all__ = ["CheatFailure", "Referee"]

LOOK_EVERY = 0.25
"""Seconds from one look to the next."""
WEIGH_EVERY = 4
"""Looks from one measurement of memory, of one machine, to the next."""


class CheatFailure(ChaosFailure):
    """A cheat got its way. ``kind`` is one word for how: an exception's name, "Held", "Lost", "Differ" ..."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Referee:
    """Looks at the honest machines of one match."""

    def __init__(self, mesh: Mesh, scenario: CheatScenario) -> None:
        self.longest_hold = 0.0
        """Virtual seconds for which an honest machine stood at a frame."""
        self.memory = 0
        """Bytes of the largest honest session."""
        self._looks = 0
        self._mesh = mesh
        self._scenario = scenario
        self._splits = CHEATS[scenario.cheat].splits
        self._moved: dict[str, tuple[int, int, float]] = {}
        """Of each honest machine: its match, its frame, and since when it stands there."""
        self._schedule: dict[str, tuple[Any, int, float]] = {}
        """Of each honest machine: its match, and a frame and the time at which it was there."""

    @property
    def honest(self) -> list[MeshPeer]:
        """The honest machines."""
        return [self._mesh[name] for name in self._scenario.honest]

    @property
    def is_alone(self) -> bool:
        """Whether there is one honest machine: its match may end with the cheat's."""
        return len(self._scenario.honest) == 1

    def look(self) -> None:
        """Look now, and again and again."""
        now = self._mesh.network.now
        for peer in self.honest:
            if peer.alive and peer.playing:
                self._look_at(peer, now)
            else:
                self._moved.pop(peer.name, None)
        self._looks += 1
        if self._looks % WEIGH_EVERY == 0:
            self._weigh(self.honest[self._looks // WEIGH_EVERY % len(self.honest)])
        self._mesh.at(LOOK_EVERY, self.look)

    def _look_at(self, peer: MeshPeer, now: float) -> None:
        match, frame = inside_of(peer.session).match, peer.session.frame
        number, before, since = self._moved.get(peer.name, (-1, -1, now))
        if (number, before) != (match.number, frame):
            since = now
        self._moved[peer.name] = (match.number, frame, since)
        self.longest_hold = max(self.longest_hold, now - since)
        if now - since > self.allowed_hold(peer):
            raise CheatFailure("Held", f"{peer.name} for {now - since:.1f} s; {self._mesh.describe()}")
        begun, first, at = self._schedule.get(peer.name, (None, 0, 0.0))
        if begun is not match or match.joins_at is None or first < match.joins_at:
            # One that comes in has no schedule before its own first frame: until then it runs what it is sent.
            begun, first, at = self._schedule[peer.name] = (match, frame, now)
        ahead = frame - first - (now - at) * self._scenario.config.tick_rate
        if ahead > self._scenario.config.history + bounds.AHEAD_OF_CLOCK:
            raise CheatFailure("Driven", f"{peer.name} is {ahead:.0f} frames ahead of its clock")

    def allowed_hold(self, peer: MeshPeer) -> float:
        """Seconds for which a machine may be held at a frame."""
        match = inside_of(peer.session).match
        is_reported = match is not None and match.alarm.state is AlarmState.REPORTED
        return bounds.longest_hold(self._scenario.config, after_report=is_reported)

    def _weigh(self, peer: MeshPeer) -> None:
        memory = bounds.memory_of(peer.session)
        self.memory = max(self.memory, memory)
        if memory > bounds.MOST_MEMORY:
            raise CheatFailure("Memory", f"{peer.name} holds {memory} bytes")

    def frames(self) -> dict[str, tuple[Any, int]]:
        """Where the honest machines are."""
        return {
            peer.name: (inside_of(peer.session).match, peer.final_frame)
            for peer in self.honest
            if peer.alive and peer.playing
        }

    def passed(self, goal: dict[str, tuple[Any, int]], frames: int = 1) -> bool:
        """Whether all that are still there have come further than that."""
        for name, (match, final) in goal.items():
            peer = self._mesh[name]
            is_there = inside_of(peer.session).match is not match or peer.final_frame >= final + frames
            if peer.session.phase is not Phase.ENDED and not is_there:
                return False
        return True

    def difference(self) -> str:
        """Where two honest machines differ in inputs or checksums of final states; "" if they do not."""
        players = [peer for peer in self.honest if peer.alive and peer.playing]
        for other in players[1:]:
            first = players[0]
            if inside_of(first.session).match.number != inside_of(other.session).match.number:
                continue
            for frame, row in other.rows.items():
                if first.rows.get(frame, row) != row:
                    return f"inputs of frame {frame}: {first.rows[frame]} at {first.name}, {row} at {other.name}"
            for frame, checksum in other.checksums.items():
                if first.checksums.get(frame, checksum) != checksum:
                    return f"checksums before frame {frame} at {first.name} and {other.name}"
        return ""

    def noticed(self) -> bool:
        """Whether an honest machine has raised an alarm."""
        return any(peer.events_of(kind) for peer in self.honest for kind in (DesyncDetected, InputConflictDetected))

    def together(self) -> bool:
        """Whether all honest machines play, each with all the others."""
        ids = {peer.session.peer_id for peer in self.honest}
        return all(
            peer.alive
            and (peer.playing or (self.is_alone and peer.session.phase is Phase.ENDED))
            and ids - {peer.session.peer_id} <= {other.peer_id for other in inside_of(peer.session).players_peers()}
            for peer in self.honest
        )

    def check_nobody_is_lost(self) -> None:
        """No honest machine has left, or has lost another one, but for the one that crashes and returns."""
        staying = [peer for peer in self.honest if peer.name != self._scenario.returning]
        ids = {peer.session.peer_id for peer in staying}
        for peer in self.honest:
            # A machine that asks for its seat is refused until its crash is noticed: that is no loss.
            if not self.is_alone and (peer in staying or peer.events_of(MatchStarted)):
                for ended in peer.events_of(MatchEnded):
                    if peer not in staying and ended.reason == NOT_LET_IN:
                        # Its sponsor deceived it, the others told it so, and it may ask another one.
                        continue
                    raise CheatFailure("Lost", f"{peer.name} has left: {ended.reason}; {self._mesh.describe()}")
        for peer in staying:
            lost = ids - {peer.session.peer_id} - set(inside_of(peer.session).peers)
            if lost:
                raise CheatFailure("Lost", f"{peer.name} has lost peers {sorted(lost)}; {self._mesh.describe()}")
            self._check_alarms(peer)

    def _check_alarms(self, peer: MeshPeer) -> None:
        honest = {other.session.peer_id for other in self.honest}
        for event in peer.events_of(DesyncDetected):
            if event.peer in honest and not self._splits:
                raise CheatFailure("Alarm", f"{peer.name} reports {event} about an honest peer")

    def check_costs(self, peer: MeshPeer) -> None:
        """Memory, steps of the game, and calls, for the whole match."""
        session = peer.session
        self._weigh(peer)
        match = inside_of(session).match
        if match is None:
            # It is about to come in again.
            return
        engine = match.engine
        steps = engine.frame - engine.start_frame + engine.stats.resimulated_frames
        if steps > bounds.most_steps(session.config, engine.frame - engine.start_frame):
            raise CheatFailure("Work", f"{peer.name} made {steps} steps for {engine.frame} frames")
        if isinstance(session, bounds.MeasuredSession):
            self._check_calls(peer.name, session)

    def _check_calls(self, name: str, session: bounds.MeasuredSession) -> None:
        others, seconds = len(self._scenario.peers), self._mesh.network.now
        allowed = bounds.CALLS_PER_SECOND * others * seconds + bounds.CALLS_PER_BYTE * session.bytes_received
        if session.calls > allowed:
            raise CheatFailure("Work", f"{name} made {session.calls} calls for {session.bytes_received} bytes")
        if session.most_at_once > bounds.CALLS_AT_ONCE:
            raise CheatFailure("Work", f"{name} made {session.most_at_once} calls at once")
