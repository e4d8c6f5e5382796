"""Stands beside a match with cheats, and looks at its honest machines: whether they are held, driven, lost or split.

What it sees that may never happen is a :class:`CheatFailure`.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from retick.rollback.desync.equivocation import EquivocationProof
from retick.rollback.events import (
    DesyncDetected,
    EquivocationProved,
    InputConflictDetected,
    MatchEnded,
    MatchStarted,
    PeerDisconnected,
)
from retick.rollback.match.alarm import AlarmState
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining.newcomer import NOT_LET_IN
from retick.rollback.session.session import Phase
from retick.testing.mesh import Mesh, MeshPeer
from tests.checkers.chaos import ChaosFailure
from tests.checkers.cheats import bounds
from tests.checkers.cheats.scenarios import CheatScenario

__all__ = ["CheatFailure", "Referee"]

LOOK_EVERY = 0.25
"""Seconds from one look to the next."""
DECISIONS = ("STATEMENT", "CONSENT", "DECIDED", "OUTCOME")
"""The messages of the agreement: with these alone nobody is held longer than a slot takes."""
WEIGH_EVERY = 8
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
        self.away: set[str] = set()
        """Honest machines that have left, have crashed, or are cut off, until they play with the others again."""
        self.gone: set[str] = set()
        """Those of them that do not come back."""
        self.apart: set[str] = set()
        """Two honest machines that do not hear each other."""
        self.losses: set[str] = set()
        """Honest machines that colluding cheats have thrown out."""
        self.stopped: dict[str, float] = {}
        """Until when processes stand still."""
        self._looks = 0
        self._mesh = mesh
        self._scenario = scenario
        rules = [rule for each in scenario.rules for rule in each]
        self._of_inputs = any(scenario.traits) or any(rule.kind not in DECISIONS for rule in rules)
        self._slots = 1 + any(each.is_away and each.kind != "leave" for each in scenario.happenings)
        self._moved: dict[str, tuple[int, int, float]] = {}
        """Of each honest machine: its match, its frame, and since when it stands there."""
        self._schedule: dict[str, tuple[Any, int, float]] = {}
        """Of each honest machine: its match, and a frame and the time at which it was there."""
        self._histories: dict[int, tuple[bytes, str]] = {}
        """The history of each slot, and a machine that has it."""
        self._seen: dict[str, int] = {}
        """How many events of each machine were looked at."""
        self._pauses: dict[tuple[str, str, int], int] = {}
        """For a machine, the owner of a pause, and its match: the frame at which its pause counted there."""
        self._keys: set[bytes] = set()
        """All with which honest machines have signed."""

    @property
    def honest(self) -> list[MeshPeer]:
        """The honest machines that stay or come back."""
        return [self._mesh[name] for name in self._scenario.honest if name not in self.gone | self.losses]

    @property
    def present(self) -> list[MeshPeer]:
        """The honest machines that should be in the match now."""
        return [peer for peer in self.honest if peer.name not in self.away]

    @property
    def is_alone(self) -> bool:
        """Whether there is one honest machine: its match may end with the cheat's."""
        return len(self.present) <= 1

    # Looking.

    def look(self) -> None:
        """Look now, and again and again."""
        now = self._mesh.network.now
        self.note_returns()
        for peer in self.present:
            self._look_at_events(peer)
            if peer.alive and peer.playing and now > self.stopped.get(peer.name, 0.0):
                self._look_at(peer, now)
                self._look_at_history(peer)
                self._look_at_pauses(peer)
            else:
                self._moved.pop(peer.name, None)
        self._looks += 1
        if self._looks % WEIGH_EVERY == 0:
            self._weigh(self.honest[self._looks // WEIGH_EVERY % len(self.honest)])
        self._mesh.at(LOOK_EVERY, self.look)

    def note_returns(self) -> None:
        """Note who plays with the others again."""
        for name in sorted(self.away - self.gone):
            self._note_return(name)

    def _note_return(self, name: str) -> None:
        """One that was away is present again when it plays, and all that are present count it as a player."""
        peer = self._mesh[name]
        if peer.alive and peer.playing and name not in self._cut_off():
            own = peer.session.peer_id
            if all(
                other.session.phase is not Phase.ENDED
                and own in {each.peer_id for each in inside_of(other.session).players_peers()}
                and other.session.peer_id in inside_of(peer.session).peers
                for other in self.present
            ):
                self.away.discard(name)
                self._seen[name] = len(peer.events)

    def _cut_off(self) -> Iterable[str]:
        now = self._mesh.network.now
        return [name for name, until in self.stopped.items() if now < until]

    def _look_at(self, peer: MeshPeer, now: float) -> None:
        match, frame = inside_of(peer.session).match, peer.session.frame
        number, before, since = self._moved.get(peer.name, (-1, -1, now))
        if (number, before) != (match.number, frame) or self._is_paused_by_honest(peer):
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
        is_deciding = is_reported or (match is not None and inside_of(peer.session).resyncing.people_decide)
        members = len(self._scenario.peers)
        return bounds.longest_hold(
            self._scenario.config, members, slots=self._slots, of_inputs=self._of_inputs, after_report=is_deciding
        )

    def _look_at_history(self, peer: MeshPeer) -> None:
        """Honest members have the same history in the same slot: they have decided the same."""
        agreement = inside_of(peer.session).membership.agreement
        if agreement is None:
            return
        players = {other.peer_id for other in inside_of(peer.session).players_peers()} | {peer.session.peer_id}
        if any(said.author not in players for said in agreement.statements()):
            raise CheatFailure("Stranger", f"takes part in slot {agreement.slot} at {peer.name}")
        history, name = self._histories.setdefault(agreement.slot, (agreement.history, peer.name))
        if history != agreement.history:
            raise CheatFailure("Parted", f"{peer.name} and {name} in slot {agreement.slot}; {self._mesh.describe()}")

    # Pauses: only their owner withdraws them, and they begin soon after they were decided.

    def _owners(self, peer: MeshPeer) -> list[MeshPeer]:
        """Other honest machines that want a pause, of the same match."""
        number = inside_of(peer.session).match.number
        return [
            other
            for other in self.present
            if other is not peer
            and other.playing
            and inside_of(other.session).match.number == number
            and inside_of(other.session).pausing.is_wanted
        ]

    def _is_paused_by_honest(self, peer: MeshPeer) -> bool:
        inside = inside_of(peer.session)
        if inside.match.pause_at is None:
            return False
        return inside.pausing.is_wanted or any(
            other.session.peer_id in inside.pausing._wanting for other in self._owners(peer)
        )

    def _look_at_pauses(self, peer: MeshPeer) -> None:
        inside = inside_of(peer.session)
        for owner in self._owners(peer):
            key = (peer.name, owner.name, id(inside.match))
            if owner.session.peer_id in inside.pausing._wanting:
                first = self._pauses.setdefault(key, peer.session.frame)
                if peer.session.frame > first + bounds.STANDS_WITHIN * self._scenario.config.tick_rate:
                    raise CheatFailure("Ran", f"{peer.name} to {peer.session.frame}, paused at {first}")
            elif key in self._pauses:
                raise CheatFailure("Unpaused", f"{peer.name}, though {owner.name} wants the pause")

    # Events.

    def _look_at_events(self, peer: MeshPeer) -> None:
        known = {other.session.peer_id: other.name for other in self.present if other is not peer}
        self._keys.add(inside_of(peer.session).public_key)
        first, self._seen[peer.name] = self._seen.get(peer.name, 0), len(peer.events)
        for event in peer.events[first:]:
            named = known.get(getattr(event, "peer", None))
            if isinstance(event, EquivocationProved):
                proof = EquivocationProof.decode(event.proof.encode())
                proof.check()
                if named is not None or proof.key in self._keys:
                    raise CheatFailure("Framed", f"{peer.name} has a proof against {named}")
            elif isinstance(event, PeerDisconnected) and named is not None and named not in self.away:
                if not {peer.name, named} <= self.apart:
                    self._lose(f"{peer.name} accuses {named}: {event.text}", named)
            elif isinstance(event, DesyncDetected) and named is not None and not self._scenario.splits:
                raise CheatFailure("Alarm", f"{peer.name} reports {event} about an honest peer")

    def _lose(self, text: str, name: str) -> None:
        """Count an honest machine that is out; with one cheat that may not be."""
        if len(self._scenario.culprits) < 2:
            raise CheatFailure("Lost", f"{text}; {self._mesh.describe()}")
        self.losses.add(name)

    def check_nobody_is_lost(self) -> None:
        """No honest machine that should be there has left, or has lost another one."""
        for peer in list(self.present):
            ended = [event for event in peer.events_of(MatchEnded) if peer.events_of(MatchStarted)]
            if ended and not self.is_alone:
                if ended[-1].reason == NOT_LET_IN:
                    # Its sponsor deceived it, the others told it so, and it may ask another one.
                    self.away.add(peer.name)
                    continue
                self._lose(f"{peer.name} has left: {ended[-1].reason}", peer.name)
        for peer in list(self.present):
            for other in list(self.present):
                if other is not peer and other.session.peer_id not in inside_of(peer.session).peers:
                    self._lose(f"{peer.name} has lost {other.name}", other.name)

    # The end.

    def _weigh(self, peer: MeshPeer) -> None:
        memory = bounds.memory_of(peer.session)
        self.memory = max(self.memory, memory)
        if memory > bounds.MOST_MEMORY:
            raise CheatFailure("Memory", f"{peer.name} holds {memory} bytes")

    def frames(self) -> dict[str, tuple[Any, int]]:
        """Where the honest machines are."""
        return {
            peer.name: (inside_of(peer.session).match, peer.final_frame)
            for peer in self.present
            if peer.alive and peer.playing
        }

    def passed(self, goal: dict[str, tuple[Any, int]], frames: int = 1) -> bool:
        """Whether all that are still there have come further than that."""
        for name, (match, final) in goal.items():
            peer = self._mesh[name]
            is_there = inside_of(peer.session).match is not match or peer.final_frame >= final + frames
            if name not in self.losses and peer.session.phase is not Phase.ENDED and not is_there:
                return False
        return True

    def difference(self) -> str:
        """Where two honest machines differ in inputs or checksums of final states; "" if they do not."""
        # One that came in a moment ago has no record of this match yet.
        players = [
            peer
            for peer in self.present
            if peer.alive and peer.playing and peer._match is inside_of(peer.session).match
        ]
        for first, other in combinations(players, 2):
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
