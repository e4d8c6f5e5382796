"""Plays matches of honest machines with one cheat among them, and checks that the honest ones end as one.

Theory of operation. A referee looks at the honest machines while the match is played. Here is also what their
applications do: when honest machines have come to different states, or when somebody is kept out, all of them show the
cheat out with ``session.drop`` and, where states differ, name one honest peer to go on from. What may never happen is a
:class:`CheatFailure`: an exception, an honest machine that is lost, held or driven, honest machines that differ without
having noticed, or more memory or work than ``bounds`` allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from retick.rollback.events import MatchEnded
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining.newcomer import NOT_LET_IN
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh, MeshHung, MeshPeer
from tests.checkers.arenas import arena_for
from tests.checkers.cheats import CHEATS, CheatingSession, CheatingSpectator, bounds
from tests.checkers.cheats.referee import CheatFailure, Referee
from tests.checkers.cheats.scenarios import CheatScenario

__all__ = ["CheatFailure", "CheatOutcome", "play_cheat"]

LOBBY_SECONDS = 20.0
"""Virtual seconds after which applications give up a lobby that does not begin its match."""
AWAY_SECONDS = 3.5
"""How long a machine that crashes is away: it must be noticed first."""
RECOVERY_SECONDS = 45.0
"""Seconds after the cheat was shown out in which all honest machines must play together again."""
NOTICE_SECONDS = 5.0
"""Seconds in which machines whose states differ must notice it."""
FRAMES_AFTER = 45
"""Frames that honest machines must play in the end."""
WISH_AFTER = 2.5
"""When the applications wish to go on from one state: by then every cheat has begun."""
PATIENCE_SECONDS = 4.0
"""How long they wait for one that does not answer to that, before they show it out."""


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
        self.referee = Referee(self.mesh, scenario)
        self._shown_out = self._resynced = False

    def _make_cheat(self, sim: Any, **details: Any) -> CheatingSession:
        begins = self.scenario.begins if self.scenario.role == "player" else 0.0
        session = CheatingSession(sim, cheat=self.cheat, dice=self._dice, begins=begins, **details)
        self._cheats.append(session)
        return session

    # The match.

    def play(self) -> CheatOutcome:
        mesh, scenario = self.mesh, self.scenario
        for first, second, there, back in scenario.links:
            mesh.link(first, second, there, back)
        if not self._begin():
            return self._outcome(begun=False)
        self._plan()
        self.referee.look()
        mesh.run(scenario.seconds)
        self._let_them_go_on()
        self._judge()
        self._check_the_end()
        return self._outcome(begun=True)

    def _begin(self) -> bool:
        """Let the match begin; False when the cheat did not let it: before a match, or between two machines."""
        mesh = self.mesh
        mesh.network.run_while(lambda: not self._is_decided(), limit=LOBBY_SECONDS)
        if all(peer.session.running for peer in self.referee.honest):
            return True
        if not self.cheat.in_lobby and not self.referee.is_alone:
            raise CheatFailure("Hung", f"the match does not begin; {mesh.describe()}")
        for peer in self.referee.honest:
            peer.session.close("nobody begins")
        mesh.run(2.0)
        return False

    def _is_decided(self) -> bool:
        phases = {peer.session.phase for peer in self.referee.honest}
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
            mesh.at(1.0 + AWAY_SECONDS, lambda: self._try_again(helper))
        if scenario.returns_twice:
            mesh.at(1.2 + AWAY_SECONDS, lambda: mesh.crash(scenario.returning))
            mesh.at(1.5 + AWAY_SECONDS, lambda: mesh.restart(scenario.returning, through=helper))
        if scenario.watched:
            mesh.at(1.0, lambda: mesh.watch("watcher", helper))
        if scenario.apart is not None:
            mesh.at(1.0, partial(mesh.cut, *scenario.apart, AWAY_SECONDS))
        if self.cheat.needs_resync:
            mesh.at(WISH_AFTER, self._wish_for_one_state)

    def _come_as_newcomer(self) -> None:
        self._sessions[self.scenario.culprit] = self._make_cheat
        self.mesh.restart(self.scenario.culprit, through=self.scenario.honest[0])

    def _wish_for_one_state(self) -> None:
        """All applications, the cheat's too, name one honest peer; who keeps them waiting is shown out."""
        match = inside_of(self.referee.honest[0].session).match
        named = self._name_one_peer()
        for session in self._cheats:
            if session.running and named in inside_of(session).peers:
                session.resync(named)
        self.mesh.at(PATIENCE_SECONDS, lambda: self._show_out() if self._still_plays(match) else None)

    def _still_plays(self, match: Any) -> bool:
        return inside_of(self.referee.honest[0].session).match is match

    def _let_them_go_on(self) -> None:
        """Wait as long as honest machines stand still: that ends by itself, or `_look` sees that it does not."""
        limit = max(self.referee.allowed_hold(peer) for peer in self.referee.honest) + 1.0
        goal = self.referee.frames()
        self.mesh.run_until(lambda: self.referee.passed(goal), limit=limit, what="honest machines go on")

    def _try_again(self, through: str) -> None:
        """The machine that returns asks another one when it was not let in, as a person would."""
        mesh, peer = self.mesh, self.mesh[self.scenario.returning]
        reasons = [event.reason for event in peer.events_of(MatchEnded)]
        if peer.alive and peer.session.phase is Phase.ENDED and NOT_LET_IN in reasons:
            mesh.crash(peer.name)
            mesh.restart(peer.name, through=through)
        mesh.at(0.5, lambda: self._try_again(through))

    def _judge(self) -> None:
        """As the applications: show the cheat out where it keeps somebody out or has split the others."""
        mesh = self.mesh
        if self.referee.is_alone and self.referee.honest[0].session.phase is Phase.ENDED:
            return
        self.referee.check_nobody_is_lost()
        difference = self._noticed_difference()
        if difference or self.cheat.splits or not self.referee.together() or self.scenario.seed % 2:
            self._show_out()
        try:
            mesh.run_until(self.referee.together, limit=RECOVERY_SECONDS, what="all honest machines play together")
        except MeshHung:
            self.referee.check_nobody_is_lost()
            raise
        if not difference:
            self._play_on()
            # What the cheat did last may have come to light only now.
            difference = self._noticed_difference()
        if difference:
            self._resync()
            self._play_on()

    def _play_on(self) -> None:
        goal = self.referee.frames()
        self.mesh.run_until(
            lambda: self.referee.passed(goal, FRAMES_AFTER), limit=RECOVERY_SECONDS, what="honest machines play on"
        )

    def _noticed_difference(self) -> str:
        """Where honest machines differ, which they must notice; "" if they do not.

        A newcomer that was not let in after all had other inputs for a moment, and comes again without them.
        """
        difference = self.referee.difference()
        if difference and not self.cheat.splits:
            raise CheatFailure("Differ", difference)
        if difference:
            self.mesh.network.run_while(lambda: not self.referee.noticed(), limit=NOTICE_SECONDS)
            difference = self.referee.difference()
        if difference and not self.referee.noticed():
            raise CheatFailure("Unnoticed", difference)
        return difference

    def _show_out(self) -> None:
        """All honest applications drop the cheat."""
        self._shown_out = True
        for peer in self.referee.honest:
            for culprit in self._culprits() & set(inside_of(peer.session).peers):
                if peer.session.running:
                    peer.session.drop(culprit, ban=True)
        if self.scenario.role != "player":
            # It comes again and again from its address, which somebody now blocks.
            self._end_of_cheat()

    def _culprits(self) -> set[int]:
        """The peer ids that the cheat has had; one that asks for a seat does not know its own yet."""
        players = [session for session in self._cheats if isinstance(session, CheatingSession)]
        return {session.peer_id for session in players if inside_of(session).match is not None}

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
        numbers = {peer.name: inside_of(peer.session).match.number for peer in self.referee.honest}
        self._name_one_peer()
        self.mesh.run_until(
            lambda: all(inside_of(peer.session).match.number != numbers[peer.name] for peer in self.referee.honest),
            limit=RECOVERY_SECONDS,
            what="all go on from one state",
        )

    def _name_one_peer(self) -> int:
        honest = self.referee.honest
        named: int = min(
            (peer.session.peer_id for peer in honest if all(_hears(other, peer) for other in honest)),
            default=honest[0].session.peer_id,
        )
        for peer in honest:
            peer.session.resync(named)
        return named

    # The end.

    def _check_the_end(self) -> None:
        self.referee.check_nobody_is_lost()
        for peer in self.referee.honest:
            self.referee.check_costs(peer)
        self._end_of_cheat()
        if any(peer.playing for peer in self.referee.honest):
            self.mesh.verify()

    def _outcome(self, *, begun: bool) -> CheatOutcome:
        culprits = self._culprits()
        measured = [peer.session for peer in self.referee.honest if isinstance(peer.session, bounds.MeasuredSession)]
        return CheatOutcome(
            broken=sum(session.cheat.broken for session in self._cheats),
            with_cheat=any(culprits & set(inside_of(peer.session).peers) for peer in self.referee.honest),
            shown_out=self._shown_out,
            resynced=self._resynced,
            begun=begun,
            longest_hold=self.referee.longest_hold,
            memory=self.referee.memory,
            calls_at_once=max((session.most_at_once for session in measured), default=0),
            seconds=self.mesh.network.now,
        )


def _hears(machine: MeshPeer, other: MeshPeer) -> bool:
    known = inside_of(machine.session).peers.get(other.session.peer_id)
    return machine is other or (known is not None and known.is_heard)
