"""Plays matches of honest machines with cheats among them, and checks that the honest ones end as one.

Theory of operation. A referee looks at the honest machines while the match is played. Here is also what happens to
them (``scenarios``), and what their applications do: when honest machines have come to different states, when somebody
is kept out, or when a cheat keeps all of them waiting, all show the cheats out with ``session.drop`` and, where states
differ, name one honest peer to go on from. What may never happen is a :class:`CheatFailure`: an exception, an honest
machine that is lost, accused, held or driven, honest machines that differ without having noticed, or more memory or
work than ``bounds`` allows.
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from retick.errors import RetickError
from retick.rollback.events import FramesTakenBack
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh, MeshHung, MeshPeer
from tests.checkers.arenas import arena_for
from tests.checkers.cheats import bounds
from tests.checkers.cheats.cheat import CheatingSession
from tests.checkers.cheats.composed import CheatingSpectator, ComposedCheat
from tests.checkers.cheats.referee import CheatFailure, Referee
from tests.checkers.cheats.scenarios import AWAY_SECONDS, WINDOWS, CheatScenario, Happening

__all__ = ["CheatFailure", "CheatOutcome", "play_cheats"]

LOBBY_SECONDS = 20.0
"""Virtual seconds after which applications give up a lobby that does not begin its match."""
RECOVERY_SECONDS = 60.0
"""Seconds after the cheats were shown out in which all honest machines must play together again."""
NOTICE_SECONDS = 5.0
"""Seconds in which machines whose states differ must notice it."""
FRAMES_AFTER = 45
"""Frames that honest machines must play in the end."""
PATIENCE_SECONDS = 4.0
"""How long people wait for one that pauses, or does not go on from a state, before they show it out."""
LOOK_EVERY = 0.5
"""Seconds from one look of the people at their screens to the next."""
BEFORE = 0.2
"""Seconds before a happening from which on it is the phase of the match."""


@dataclass(slots=True, kw_only=True)
class CheatOutcome:
    """What one match showed."""

    broken: int
    """How often rules were broken."""
    with_cheat: bool
    """Whether a cheat still took part in the end."""
    shown_out: bool
    """Whether the applications had to show the cheats out."""
    resynced: bool
    """Whether honest machines had come to different states, noticed it, and went on from one of them."""
    begun: bool
    """False where a cheat kept the match from beginning."""
    losses: int
    """How many honest machines colluding cheats have thrown out."""
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


def play_cheats(scenario: CheatScenario) -> CheatOutcome:
    """Run one match; CheatFailure if a cheat gets its way."""
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
        self.arena = arena_for(len(scenario.peers))
        self._honest: Callable[..., Any] = bounds.MeasuredSession if scenario.measured else RollbackSession
        self._cheats: list[Any] = []
        self._sessions: dict[str, Callable[..., Any]] = dict.fromkeys(scenario.peers, self._honest)
        for happening in scenario.happenings:
            if happening.kind == "reconnect":
                self._sessions[happening.who] = partial(self._honest, reconnect=True)
        if scenario.role == "player":
            self._sessions |= {name: self._maker(name) for name in scenario.culprits}
        self.mesh = Mesh(
            self.arena.game,
            seats=dict.fromkeys(scenario.peers, 1),
            seed=scenario.seed,
            config=scenario.config,
            press=press,
            make_session=self._sessions,
        )
        self.referee = Referee(self.mesh, scenario)
        self._begun_at = 0.0
        self._resyncs = 0
        self._waits_since: float | None = None
        """Since when people wait for a cheat alone."""
        self._shown_out = self._resynced = False

    def _maker(self, name: str) -> Callable[..., CheatingSession]:
        """Makes the session of a cheat; a spectator's is made otherwise."""
        scenario, number = self.scenario, self.scenario.culprits.index(name)
        traits = scenario.traits[number] | ({"newcomer"} if scenario.role == "newcomer" else set())

        def make(sim: Any, **details: Any) -> CheatingSession:
            cheat = partial(
                ComposedCheat,
                rules=scenario.rules[number],
                traits=traits,
                friends=set(scenario.culprits) - {name},
                phases=self._phases,
                spied=self._slot,
            )
            session = CheatingSession(
                sim, cheat=cheat, dice=Random(f"{name} {scenario.seed}"), begins=scenario.begins, **details
            )
            session.cheat.in_lobby |= scenario.role == "newcomer"
            self._cheats.append(session)
            return session

        return make

    def _slot(self) -> tuple[int, bytes]:
        """The present slot of the honest machines, and its history."""
        agreement = inside_of(self.referee.present[0].session).membership.agreement
        return (0, bytes(32)) if agreement is None else (agreement.slot, agreement.history)

    def _phases(self) -> Collection[str]:
        """What happens to honest machines now."""
        now = self.mesh.network.now - self._begun_at
        return {
            each.kind
            for each in self.scenario.happenings
            if each.at - BEFORE <= now <= each.at + each.seconds + WINDOWS[each.kind]
        }

    # The match.

    def play(self) -> CheatOutcome:
        mesh, scenario = self.mesh, self.scenario
        for first, second, there, back in scenario.links:
            mesh.link(first, second, there, back)
        if not self._begin():
            return self._outcome(begun=False)
        self._begun_at = mesh.network.now
        self._plan()
        self.referee.look()
        mesh.run(scenario.seconds)
        self._let_them_go_on()
        self._judge()
        self._check_the_end()
        return self._outcome(begun=True)

    def _begin(self) -> bool:
        """Let the match begin; False when a cheat did not let it."""
        mesh = self.mesh
        mesh.network.run_while(lambda: not self._is_decided(), limit=LOBBY_SECONDS)
        if all(peer.session.running for peer in self.referee.honest):
            return True
        if not self.scenario.in_lobby:
            raise CheatFailure("Hung", f"the match does not begin; {mesh.describe()}")
        for peer in self.referee.honest:
            peer.session.close("nobody begins")
        mesh.run(2.0)
        return False

    def _is_decided(self) -> bool:
        phases = {peer.session.phase for peer in self.referee.honest}
        return phases == {Phase.RUNNING} or Phase.ENDED in phases

    def _plan(self) -> None:
        """What happens besides: to honest machines, a cheat that comes later, a spectator."""
        mesh, scenario = self.mesh, self.scenario
        for happening in scenario.happenings:
            mesh.at(happening.at, partial(getattr(self, f"_{happening.kind}"), happening))
        if scenario.role == "newcomer":
            mesh.at(0.5, lambda: mesh.crash(scenario.culprits[0]))
            mesh.at(0.5 + AWAY_SECONDS, self._come_as_newcomer)
        if scenario.role == "spectator":
            maker = partial(CheatingSpectator, rules=scenario.rules[0], dice=Random(scenario.seed))
            helper = self._helper()
            mesh.at(0.3, lambda: self._cheats.append(mesh.watch("cheat", helper, make_session=maker).session))
        if scenario.watched:
            mesh.at(1.0, lambda: mesh.watch("watcher", self._helper()))
        self._watch_screens()

    def _helper(self, name: str = "") -> str:
        """An honest machine that stays."""
        away = {each.who for each in self.scenario.happenings if each.is_away}
        return next(other for other in self.scenario.honest if other not in away | {name})

    def _come_as_newcomer(self) -> None:
        [culprit] = self.scenario.culprits
        self._sessions[culprit] = self._maker(culprit)
        self.mesh.restart(culprit, through=self._helper())

    # What happens to honest machines; each is planned by its name.

    def _is_there(self, name: str) -> bool:
        peer = self.mesh[name]
        return name not in self.referee.away and peer.alive and peer.playing

    def _leave(self, happening: Happening) -> None:
        if self._is_there(happening.who):
            self._note_away(happening.who, for_good=True)
            self.mesh[happening.who].session.close("dinner")

    def _crash(self, happening: Happening) -> None:
        if self._is_there(happening.who):
            self._note_away(happening.who, for_good=True)
            self.mesh.crash(happening.who)

    def _note_away(self, name: str, *, for_good: bool = False) -> None:
        self.referee.away.add(name)
        if for_good:
            self.referee.gone.add(name)

    def _join(self, happening: Happening) -> None:
        """One crashes and comes back: with its seat token before the others have noticed, or later without."""
        if not self._is_there(happening.who):
            return
        name, mesh = happening.who, self.mesh
        self._note_away(name)
        token = mesh[name].session.seat_token
        helper = self._helper(name)
        mesh.crash(name)
        is_late = happening.seconds >= AWAY_SECONDS
        details = {} if is_late else {"seat_token": token}
        mesh.at(happening.seconds, lambda: mesh.restart(name, through=helper, **details))
        mesh.at(happening.seconds + LOOK_EVERY, lambda: self._try_again(name, helper))

    def _try_again(self, name: str, through: str) -> None:
        """The machine that returns asks again when it was not let in, as a person would."""
        mesh, peer = self.mesh, self.mesh[name]
        if peer.alive and peer.session.phase is Phase.ENDED:
            mesh.crash(name)
            mesh.restart(name, through=through)
        if name in self.referee.away:
            mesh.at(LOOK_EVERY, lambda: self._try_again(name, through))

    def _reconnect(self, happening: Happening) -> None:
        if self._is_there(happening.who):
            self._note_away(happening.who)
            self.referee.stopped[happening.who] = self.mesh.network.now + happening.seconds
            for other in self.mesh.peers:
                if other != happening.who:
                    self.mesh.cut(happening.who, other, happening.seconds)
            self.mesh.at(happening.seconds + LOOK_EVERY, lambda: self._try_again(happening.who, self._helper()))

    def _pause(self, happening: Happening) -> None:
        peer = self.mesh[happening.who]
        if self._is_there(happening.who):
            session = peer.session
            session.pause()
            self.mesh.at(happening.seconds, lambda: session.resume() if session.running else None)

    def _rematch(self, happening: Happening) -> None:
        for peer in self.referee.present:
            if peer.playing:
                peer.session.rematch()
        for session in self._followers():
            session.rematch()

    def _resync(self, happening: Happening) -> None:
        """All applications name one peer; who keeps them waiting is shown out."""
        if not self._is_there(happening.who):
            return
        named = self.mesh[happening.who].session.peer_id
        self._resyncs += 1
        for peer in self.referee.present:
            if peer.playing:
                self._name(peer.session, named)
        for session in self._followers():
            self._name(session, named)

    @staticmethod
    def _name(session: Any, named: int) -> None:
        with suppress(RetickError):  # one has named another peer meanwhile, or does not hear this one
            session.resync(named)

    def _followers(self) -> list[Any]:
        """The cheats whose applications wish what the others wish."""
        sessions = [each for each in self._cheats if isinstance(each, CheatingSession)]
        return [
            each
            for each in sessions
            if self.scenario.follows
            and not each.is_gone
            and each.running
            and inside_of(each).match.joins_at is not None
        ]

    def _stop(self, happening: Happening) -> None:
        if self._is_there(happening.who):
            self.mesh.pause(happening.who, happening.seconds)
            self.referee.stopped[happening.who] = self.mesh.network.now + happening.seconds + 1.0

    def _apart(self, happening: Happening) -> None:
        if self._is_there(happening.who) and self._is_there(happening.other):
            self.referee.apart |= {happening.who, happening.other}
            self.mesh.cut(happening.who, happening.other, happening.seconds)

    # What people do.

    def _watch_screens(self) -> None:
        """Show the cheats out when they alone keep a pause, or keep all from going on from a state."""
        now = self.mesh.network.now
        self._name_who_is_waited_for()
        is_waiting = any(self._waits_for_cheats(peer) for peer in self.referee.present if peer.playing)
        self._waits_since = (self._waits_since or now) if is_waiting else None
        if self._waits_since is not None and now > self._waits_since + PATIENCE_SECONDS:
            self._show_out()
            self._waits_since = None
        self.mesh.at(LOOK_EVERY, self._watch_screens)

    def _name_who_is_waited_for(self) -> None:
        """Name the peer that others have named, where another match had begun meanwhile, or had not yet."""
        playing = [peer for peer in self.referee.present if peer.playing]
        for peer in playing:
            named = inside_of(peer.session).resyncing._source
            number = inside_of(peer.session).match.number
            for other in playing:
                inside = inside_of(other.session)
                if named is not None and inside.resyncing._source is None and inside.match.number == number:
                    self._name(other.session, named)

    def _waits_for_cheats(self, peer: MeshPeer) -> bool:
        inside, culprits = inside_of(peer.session), self._culprits()
        wanting = set(inside.pausing._wanting)
        is_paused = bool(wanting) and wanting <= culprits and not inside.pausing.is_wanted
        return is_paused or inside.resyncing._source is not None

    def _let_them_go_on(self) -> None:
        """Wait as long as honest machines stand still: that ends by itself, or the referee sees that it does not."""
        limit = max(self.referee.allowed_hold(peer) for peer in self.referee.present) + 1.0
        goal = self.referee.frames()
        self.mesh.run_until(lambda: self.referee.passed(goal), limit=limit, what="honest machines go on")

    def _judge(self) -> None:
        """As the applications: show the cheats out where they keep somebody out or have split the others."""
        mesh, referee = self.mesh, self.referee
        if referee.is_alone and referee.present[0].session.phase is Phase.ENDED:
            return
        referee.check_nobody_is_lost()
        difference = self._noticed_difference()
        if difference or self.scenario.splits or self.scenario.seed % 2:
            self._show_out()
        if not referee.together():
            self._show_out()
            self._call_back()
        try:
            mesh.run_until(referee.together, limit=RECOVERY_SECONDS, what="all honest machines play together")
        except MeshHung:
            referee.check_nobody_is_lost()
            raise
        referee.note_returns()
        if not referee.difference():
            self._play_on()
        # What a cheat did last may have come to light only now; or they have begun another match meanwhile.
        if self._noticed_difference():
            self._go_on_from_one_state()
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
        if difference and not self.scenario.splits:
            raise CheatFailure("Differ", difference)
        if difference:
            self.mesh.network.run_while(lambda: not self.referee.noticed(), limit=NOTICE_SECONDS)
            difference = self.referee.difference()
        if difference and not self.referee.noticed():
            raise CheatFailure("Unnoticed", difference)
        return difference

    def _show_out(self) -> None:
        """All honest applications drop the cheats."""
        self._shown_out = True
        for peer in self.referee.present:
            for culprit in sorted(self._culprits() & set(inside_of(peer.session).peers)):
                if peer.session.running:
                    peer.session.drop(culprit, ban=True)
        if self.scenario.role != "player":
            # It comes again and again from its address, which somebody now blocks.
            self._end_of_cheats()

    def _call_back(self) -> None:
        """Those that came back to a match of the cheats are told so, and come to the others."""
        self._end_of_cheats()
        present = {peer.session.peer_id for peer in self.referee.present}
        for name in sorted(self.referee.away - self.referee.gone):
            peer = self.mesh[name]
            if peer.alive and peer.playing and not present & set(inside_of(peer.session).peers):
                self.mesh.crash(name)
                self.mesh.restart(name, through=self._helper(name))

    def _culprits(self) -> set[int]:
        """The peer ids that the cheats have had; one that asks for a seat does not know its own yet."""
        players = [session for session in self._cheats if isinstance(session, CheatingSession)]
        return {session.peer_id for session in players if inside_of(session).match is not None}

    def _end_of_cheats(self) -> None:
        for culprit in self.scenario.culprits:
            if culprit in self.mesh.spectators:
                self.mesh.spectators.pop(culprit).alive = False
                self.mesh.network.detach(culprit)
            elif culprit in self.mesh.peers and self.mesh[culprit].alive:
                self.mesh.crash(culprit)

    def _go_on_from_one_state(self) -> None:
        """All honest applications name the same honest peer."""
        self._resynced = True
        honest = self.referee.honest
        numbers = {peer.name: inside_of(peer.session).match.number for peer in honest}
        named: int = min(
            (peer.session.peer_id for peer in honest if all(_hears(other, peer) for other in honest)),
            default=honest[0].session.peer_id,
        )
        for peer in honest:
            self._name(peer.session, named)
        self.mesh.run_until(
            lambda: all(inside_of(peer.session).match.number != numbers[peer.name] for peer in honest),
            limit=RECOVERY_SECONDS,
            what="all go on from one state",
        )

    # The end.

    def _check_the_end(self) -> None:
        self.referee.check_nobody_is_lost()
        for peer in self.referee.present:
            self.referee.check_costs(peer)
        self._end_of_cheats()
        numbers = {inside_of(peer.session).match_count for peer in self.referee.present}
        shown = {spectator.session.match_number for spectator in self.mesh.spectators.values()}
        if any(peer.events_of(FramesTakenBack) for peer in self.referee.honest) or numbers != shown:
            # What a spectator has seen before that stays as it was; or it still sees the match before.
            self.mesh.spectators.clear()
        for name in self.referee.losses | self.referee.gone:
            if self.mesh[name].alive:
                self.mesh.crash(name)
        if any(peer.playing for peer in self.referee.present):
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
            losses=len(self.referee.losses),
            longest_hold=self.referee.longest_hold,
            memory=self.referee.memory,
            calls_at_once=max((session.most_at_once for session in measured), default=0),
            seconds=self.mesh.network.now,
        )


def _hears(machine: MeshPeer, other: MeshPeer) -> bool:
    known = inside_of(machine.session).peers.get(other.session.peer_id)
    return machine is other or (known is not None and known.is_heard)
