"""Plays matches of honest machines with one cheat among them, and checks that the honest ones end as one.

Theory of operation. A referee stands beside the match. It looks at the honest machines four times a virtual second, and
it plays the part of their applications: when honest machines have come to different states, or when somebody is kept
out, all of them show the cheat out with ``session.drop`` and, where states differ, name one honest peer to go on from.
What may never happen is a :class:`CheatFailure`: an exception, an honest machine that is lost, held or driven, honest
machines that differ without having noticed, or more memory or work than ``bounds`` allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEnded, MatchStarted
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing import bounds
from retick.testing.arenas import arena_for
from retick.testing.chaos import ChaosFailure
from retick.testing.cheat_scenarios import CheatScenario
from retick.testing.cheats import CHEATS, CheatingSession, CheatingSpectator
from retick.testing.mesh import Mesh, MeshHung, MeshPeer

__all__ = ["CheatFailure", "CheatOutcome", "play_cheat"]

LOBBY_SECONDS = 20.0
"""Virtual seconds after which applications give up a lobby that does not begin its match."""
LOOK_EVERY = 0.25
"""Seconds from one look of the referee to the next."""
AWAY_SECONDS = 3.5
"""How long a machine that crashes is away: it must be noticed first."""
RECOVERY_SECONDS = 45.0
"""Seconds after the cheat was shown out in which all honest machines must play together again."""
NOTICE_SECONDS = 5.0
"""Seconds in which machines whose states differ must notice it."""
FRAMES_AFTER = 45
"""Frames that honest machines must play in the end."""


class CheatFailure(ChaosFailure):
    """A cheat got its way. ``kind`` is one word for how: an exception's name, "Held", "Lost", "Differ" ..."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


@dataclass(slots=True, kw_only=True)
class CheatOutcome:
    """What one match showed."""

    broken: int
    """How often the cheat broke its rule."""
    with_cheat: bool
    """Whether it still took part in the end."""
    shown_out: bool
    """Whether the applications had to show it out."""
    resynced: bool
    """Whether honest machines had come to different states, noticed it, and went on from one of them."""
    begun: bool
    """False where the cheat kept the match from beginning."""
    longest_hold: float
    """Virtual seconds for which an honest machine stood at a frame."""
    memory: int
    """Bytes of the largest honest session."""
    calls_at_once: int
    """The most Python calls within one call of an honest session; 0 if not measured."""
    seconds: float
    """Virtual seconds."""


def press(player: int, state: Any) -> int:
    """Something else every few frames, so that predictions are often wrong."""
    frame: int = state.frame
    return (frame // 5 * 2654435761 + player * 40503) >> 7 & 0x3F


def play_cheat(scenario: CheatScenario) -> CheatOutcome:
    """Run one match; CheatFailure if the cheat gets its way."""
    match = _CheatMatch(scenario)
    try:
        return match.play()
    except CheatFailure:
        raise
    except (MeshHung, AssertionError) as error:
        raise CheatFailure("Hung" if isinstance(error, MeshHung) else "Differ", str(error)) from error
    except Exception as error:  # whatever escapes from an honest session is what we look for
        raise CheatFailure(type(error).__name__, f"{error}; {match.mesh.describe()}") from error


class _CheatMatch:
    """One match, and the referee beside it."""

    def __init__(self, scenario: CheatScenario) -> None:
        self.scenario = scenario
        self.cheat = CHEATS[scenario.cheat]
        self.arena = arena_for(len(scenario.peers))
        honest: Callable[..., Any] = bounds.MeasuredSession if scenario.measured else RollbackSession
        self._dice = Random(f"{scenario.cheat} {scenario.seed}")
        self._cheats: list[Any] = []
        self._sessions = dict.fromkeys(scenario.peers, honest)
        if scenario.role == "player":
            self._sessions[scenario.culprit] = self._make_cheat
        self.mesh = Mesh(
            self.arena.game,
            seats=dict.fromkeys(scenario.peers, 1),
            seed=scenario.seed,
            config=scenario.config,
            press=press,
            make_session=self._sessions,
        )
        self._moved: dict[str, tuple[int, int, float]] = {}
        """Of each honest machine: its match, its frame, and since when it stands there."""
        self._schedule: dict[str, tuple[Any, int, float]] = {}
        """Of each honest machine: its match, and a frame and the time at which it was there."""
        self._longest_hold = 0.0
        self._memory = 0
        self._shown_out = self._resynced = False

    def _make_cheat(self, sim: Any, **details: Any) -> CheatingSession:
        begins = self.scenario.begins if self.scenario.role == "player" else 0.0
        session = CheatingSession(sim, cheat=self.cheat, dice=self._dice, begins=begins, **details)
        self._cheats.append(session)
        return session

    @property
    def _honest(self) -> list[MeshPeer]:
        return [self.mesh[name] for name in self.scenario.honest]

    @property
    def _alone(self) -> bool:
        """Whether there is one honest machine: its match may end with the cheat's."""
        return len(self.scenario.honest) == 1

    # The match.

    def play(self) -> CheatOutcome:
        mesh, scenario = self.mesh, self.scenario
        for first, second, there, back in scenario.links:
            mesh.link(first, second, there, back)
        if not self._begin():
            return self._outcome(begun=False)
        self._plan()
        self._look()
        mesh.run(scenario.seconds)
        self._let_them_go_on()
        self._judge()
        self._check_the_end()
        return self._outcome(begun=True)

    def _begin(self) -> bool:
        """Let the match begin; False when the cheat did not let it, which it may before there is a match."""
        mesh = self.mesh
        mesh.network.run_while(lambda: not self._is_decided(), limit=LOBBY_SECONDS)
        if all(peer.session.running for peer in self._honest):
            return True
        if not self.cheat.in_lobby:
            raise CheatFailure("Hung", f"the match does not begin; {mesh.describe()}")
        for peer in self._honest:
            peer.session.close("nobody begins")
        mesh.run(2.0)
        return False

    def _is_decided(self) -> bool:
        phases = {peer.session.phase for peer in self._honest}
        return phases == {Phase.RUNNING} or Phase.ENDED in phases

    def _plan(self) -> None:
        """What happens besides: a cheat that comes later, an honest machine that crashes and returns, a spectator."""
        mesh, scenario = self.mesh, self.scenario
        helper = next(name for name in scenario.honest if name != scenario.returning)
        if scenario.role == "newcomer":
            mesh.at(0.5, lambda: mesh.crash(scenario.culprit))
            mesh.at(0.5 + AWAY_SECONDS, self._come_as_newcomer)
        if scenario.role == "spectator":
            maker = partial(CheatingSpectator, cheat=self.cheat, dice=self._dice)
            mesh.at(0.3, lambda: self._cheats.append(mesh.watch("cheat", helper, make_session=maker).session))
        if scenario.returning:
            mesh.at(1.0, lambda: mesh.crash(scenario.returning))
            mesh.at(1.0 + AWAY_SECONDS, lambda: mesh.restart(scenario.returning, through=helper))
        if scenario.returns_twice:
            mesh.at(1.2 + AWAY_SECONDS, lambda: mesh.crash(scenario.returning))
            mesh.at(1.5 + AWAY_SECONDS, lambda: mesh.restart(scenario.returning, through=helper))
        if scenario.watched:
            mesh.at(1.0, lambda: mesh.watch("watcher", helper))

    def _come_as_newcomer(self) -> None:
        self._sessions[self.scenario.culprit] = self._make_cheat
        self.mesh.restart(self.scenario.culprit, through=self.scenario.honest[0])

    # The referee.

    def _look(self) -> None:
        now = self.mesh.network.now
        for peer in self._honest:
            if peer.alive and peer.playing:
                self._look_at(peer, now)
            else:
                self._moved.pop(peer.name, None)
        self.mesh.at(LOOK_EVERY, self._look)

    def _look_at(self, peer: MeshPeer, now: float) -> None:
        match, frame = peer.session.match, peer.session.frame
        number, before, since = self._moved.get(peer.name, (-1, -1, now))
        if (number, before) != (match.number, frame):
            since = now
        self._moved[peer.name] = (match.number, frame, since)
        self._longest_hold = max(self._longest_hold, now - since)
        if now - since > bounds.longest_hold(self.scenario.config):
            raise CheatFailure("Held", f"{peer.name} for {now - since:.1f} s; {self.mesh.describe()}")
        begun, first, at = self._schedule.get(peer.name, (None, 0, 0.0))
        if begun is not match:
            begun, first, at = self._schedule[peer.name] = (match, frame, now)
        ahead = frame - first - (now - at) * self.scenario.config.tick_rate
        if ahead > bounds.AHEAD_OF_CLOCK:
            raise CheatFailure("Driven", f"{peer.name} is {ahead:.0f} frames ahead of its clock")

    def _let_them_go_on(self) -> None:
        """Wait as long as honest machines stand still: that ends by itself, or `_look` sees that it does not."""
        limit = bounds.longest_hold(self.scenario.config) + 1.0
        goal = self._frames()
        self.mesh.run_until(lambda: self._passed(goal), limit=limit, what="honest machines go on")

    def _frames(self) -> dict[str, tuple[Any, int]]:
        return {
            peer.name: (peer.session.match, peer.final_frame) for peer in self._honest if peer.alive and peer.playing
        }

    def _passed(self, goal: dict[str, tuple[Any, int]], frames: int = 1) -> bool:
        for name, (match, final) in goal.items():
            peer = self.mesh[name]
            is_there = peer.session.match is not match or peer.final_frame >= final + frames
            if peer.session.phase is not Phase.ENDED and not is_there:
                return False
        return True

    def _judge(self) -> None:
        """As the applications: show the cheat out where it keeps somebody out or has split the others."""
        mesh = self.mesh
        if self._alone and self._honest[0].session.phase is Phase.ENDED:
            return
        self._check_nobody_is_lost()
        difference = self._difference()
        if difference:
            self._check_it_was_noticed(difference)
        if difference or not self._together() or self.scenario.seed % 2:
            self._show_out()
        try:
            mesh.run_until(self._together, limit=RECOVERY_SECONDS, what="all honest machines play together")
        except MeshHung:
            self._check_nobody_is_lost()
            raise
        if difference:
            self._resync()
        goal = self._frames()
        mesh.run_until(lambda: self._passed(goal, FRAMES_AFTER), limit=RECOVERY_SECONDS, what="honest machines play on")

    def _difference(self) -> str:
        """Where two honest machines differ in inputs or checksums of final states; "" if they do not."""
        players = [peer for peer in self._honest if peer.alive and peer.playing]
        for other in players[1:]:
            first = players[0]
            if first.session.match.number != other.session.match.number:
                continue
            for frame, row in other.rows.items():
                if first.rows.get(frame, row) != row:
                    return f"inputs of frame {frame}: {first.rows[frame]} at {first.name}, {row} at {other.name}"
            for frame, checksum in other.checksums.items():
                if first.checksums.get(frame, checksum) != checksum:
                    return f"checksums before frame {frame} at {first.name} and {other.name}"
        return ""

    def _check_it_was_noticed(self, difference: str) -> None:
        if not self.cheat.splits:
            raise CheatFailure("Differ", difference)
        try:
            self.mesh.run_until(self._noticed, limit=NOTICE_SECONDS, what="an alarm")
        except MeshHung as error:
            raise CheatFailure("Unnoticed", difference) from error

    def _noticed(self) -> bool:
        return any(peer.events_of(kind) for peer in self._honest for kind in (DesyncDetected, InputConflictDetected))

    def _together(self) -> bool:
        """Whether all honest machines play, each with all the others."""
        ids = {peer.session.peer_id for peer in self._honest}
        return all(
            peer.alive
            and (peer.playing or (self._alone and peer.session.phase is Phase.ENDED))
            and ids - {peer.session.peer_id} <= {other.peer_id for other in peer.session.players_peers()}
            for peer in self._honest
        )

    def _show_out(self) -> None:
        """All honest applications drop the cheat."""
        self._shown_out = True
        for peer in self._honest:
            for culprit in self._culprits() & set(peer.session.peers):
                if peer.session.running:
                    _show_out(peer.session, culprit)
        if self.scenario.role != "player":
            # It comes again and again from its address, which somebody now blocks.
            self._end_of_cheat()

    def _culprits(self) -> set[int]:
        """The peer ids that the cheat has had; one that asks for a seat does not know its own yet."""
        players = [session for session in self._cheats if isinstance(session, CheatingSession)]
        return {session.peer_id for session in players if session.match is not None}

    def _end_of_cheat(self) -> None:
        culprit = self.scenario.culprit
        if culprit in self.mesh.spectators:
            self.mesh.spectators.pop(culprit).alive = False
            self.mesh.network.detach(culprit)
        elif culprit in self.mesh.peers and self.mesh[culprit].alive:
            self.mesh.crash(culprit)

    def _resync(self) -> None:
        """All honest applications name the same honest peer."""
        self._resynced = True
        named = min(peer.session.peer_id for peer in self._honest)
        numbers = {peer.name: peer.session.match.number for peer in self._honest}
        for peer in self._honest:
            peer.session.resync(named)
        self.mesh.run_until(
            lambda: all(peer.session.match.number != numbers[peer.name] for peer in self._honest),
            limit=RECOVERY_SECONDS,
            what="all go on from one state",
        )

    # The end.

    def _check_nobody_is_lost(self) -> None:
        """No honest machine has left, or has lost another one, but for the one that crashes and returns."""
        staying = [peer for peer in self._honest if peer.name != self.scenario.returning]
        ids = {peer.session.peer_id for peer in staying}
        for peer in self._honest:
            # A machine that asks for its seat is refused until its crash is noticed: that is no loss.
            if not self._alone and (peer in staying or peer.events_of(MatchStarted)):
                for ended in peer.events_of(MatchEnded):
                    raise CheatFailure("Lost", f"{peer.name} has left: {ended.reason}; {self.mesh.describe()}")
        for peer in staying:
            lost = ids - {peer.session.peer_id} - set(peer.session.peers)
            if lost:
                raise CheatFailure("Lost", f"{peer.name} has lost peers {sorted(lost)}; {self.mesh.describe()}")
            self._check_alarms(peer)

    def _check_alarms(self, peer: MeshPeer) -> None:
        honest = {other.session.peer_id for other in self._honest}
        for event in peer.events_of(DesyncDetected):
            if event.peer in honest and not self.cheat.splits:
                raise CheatFailure("Alarm", f"{peer.name} reports {event} about an honest peer")

    def _check_the_end(self) -> None:
        self._check_nobody_is_lost()
        for peer in self._honest:
            self._check_costs(peer)
        self._end_of_cheat()
        if any(peer.playing for peer in self._honest):
            self.mesh.verify()

    def _check_costs(self, peer: MeshPeer) -> None:
        session = peer.session
        memory = bounds.memory_of(session)
        self._memory = max(self._memory, memory)
        if memory > bounds.MOST_MEMORY:
            raise CheatFailure("Memory", f"{peer.name} holds {memory} bytes")
        engine = session.match.engine
        steps = engine.frame - engine.start_frame + engine.stats.resimulated_frames
        if steps > bounds.most_steps(session.config, engine.frame - engine.start_frame):
            raise CheatFailure("Work", f"{peer.name} made {steps} steps for {engine.frame} frames")
        if isinstance(session, bounds.MeasuredSession):
            self._check_calls(peer.name, session)

    def _check_calls(self, name: str, session: bounds.MeasuredSession) -> None:
        others, seconds = len(self.scenario.peers), self.mesh.network.now
        allowed = bounds.CALLS_PER_SECOND * others * seconds + bounds.CALLS_PER_BYTE * session.bytes_received
        if session.calls > allowed:
            raise CheatFailure("Work", f"{name} made {session.calls} calls for {session.bytes_received} bytes")
        if session.most_at_once > bounds.CALLS_AT_ONCE:
            raise CheatFailure("Work", f"{name} made {session.most_at_once} calls at once")

    def _outcome(self, *, begun: bool) -> CheatOutcome:
        culprits = self._culprits()
        measured = [peer.session for peer in self._honest if isinstance(peer.session, bounds.MeasuredSession)]
        return CheatOutcome(
            broken=sum(session.cheat.broken for session in self._cheats),
            with_cheat=any(culprits & set(peer.session.peers) for peer in self._honest),
            shown_out=self._shown_out,
            resynced=self._resynced,
            begun=begun,
            longest_hold=self._longest_hold,
            memory=self._memory,
            calls_at_once=max((session.most_at_once for session in measured), default=0),
            seconds=self.mesh.network.now,
        )


def _show_out(session: Any, peer_id: int) -> None:
    if hasattr(session, "drop"):
        session.drop(peer_id, ban=True)
    else:
        session.expel(session.peers[peer_id], "shown out")
