"""Plays matches under the troubles of a scenario, on virtual time, and checks that nothing goes wrong.

``play`` runs one match. What must never happen is a :class:`ChaosFailure`: a match that hangs, peers that diverge, a
run of the game without a network that ends differently, an alarm without a cause, a planted error that is not found.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import combinations
from typing import Any

from retick.errors import RetickError
from retick.link.request import NO_SEAT_TOKEN
from retick.rollback.desync.report import DesyncReport
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    InputConflictDetected,
    MatchEnded,
    MatchPaused,
    PlayersDropped,
    PlayersReturned,
    Reconnecting,
)
from retick.rollback.match.stats import SessionStats
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.sim.contract import PacksState
from retick.sim.fields import field_differences
from retick.testing.mesh import Mesh, MeshHung, Press
from retick.testing.scenarios import PATIENCE, Scenario, Trouble
from tests.checkers.arenas import Arena

__all__ = ["ChaosFailure", "Outcome", "play", "play_planted", "pressed_by_bots", "start"]

SECOND_MATCH = 120
"""Frames of a second match."""
FEW_PEERS = 4
"""Up to so many peers lobbies have the links of the match."""
MOST_LOSS = 0.15
"""Share of datagrams that are lost in the lobbies of more."""


class ChaosFailure(RetickError):
    """A match hung, diverged, or raised a false alarm."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The figures of one match, or of many added up."""

    matches: int = 0
    """Matches that were played."""
    frames: int = 0
    """Frames that were asked for."""
    seconds: float = 0.0
    """Virtual seconds."""
    rollbacks: int = 0
    """Rollbacks of all peers."""
    resimulated: int = 0
    """Frames that were resimulated, on all peers."""
    depths: Counter[int] = field(default_factory=Counter)
    """How many rollbacks had how many frames."""
    stalls: int = 0
    """Times that a peer waited for inputs."""
    hits: int = 0
    """How much happened in the game, as the arena counts it."""
    idle_matches: int = 0
    """Matches in which nobody hit anybody."""
    packets: int = 0
    """Datagrams that were sent."""
    bytes: int = 0
    """Their bytes."""
    compared: int = 0
    """Checksums that were compared with another peer's."""
    crashes: int = 0
    """Peers that crashed."""
    drops: int = 0
    """Players dropped by agreement."""
    returns: int = 0
    """Players who took their seats again."""
    comings: int = 0
    """Sessions that came back by themselves, or were come back to after they had been alone."""
    holds: int = 0
    """Pauses by applications."""
    rematches: int = 0
    """Second matches, with seats in another order."""
    watched: int = 0
    """Frames that spectators were shown."""
    planted: int = 0
    """Errors that were planted, and found by everyone."""
    both_forms: int = 0
    """Matches that were played over sealed and over plain links, with the same end."""
    moves: int = 0
    """Of online matches: how often a peer was reached another way."""
    direct: int = 0
    """Of online matches: ways that were direct at the end, of both sides."""

    def count(self, stats: SessionStats) -> None:
        """Add the figures of one peer's session."""
        self.rollbacks += stats.rollbacks
        self.resimulated += stats.resimulated_frames
        self.depths.update(stats.rollback_depths)
        self.stalls += stats.stalls
        self.compared += stats.compared_frames
        self.packets += sum(way.packets_out for way in stats.peers.values())
        self.bytes += sum(way.bytes_out for way in stats.peers.values())

    def add(self, other: "Outcome") -> None:
        for each in fields(self):
            if each.name == "depths":
                self.depths.update(other.depths)
            else:
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def play(scenario: Scenario, arena: Arena, *, make_mesh: Callable[..., Mesh] = Mesh) -> Outcome:
    """Run one match; ChaosFailure if it hangs, diverges or raises a false alarm.

    To a game whose state cannot be sent nobody comes back: it is played without what would need that.
    """
    if not isinstance(arena.game(), PacksState):
        troubles = tuple(trouble for trouble in scenario.troubles if trouble.kind in ("cut", "pause", "hold"))
        scenario = replace(scenario, troubles=troubles)
    mesh = _mesh(scenario, arena, arena.game, make_mesh)
    try:
        start(mesh, scenario)
        # While peers are apart each has its own final frames.
        mesh.run(max((trouble.at + trouble.seconds for trouble in scenario.troubles), default=0.0))
        mesh.run_until(lambda: _everyone_is_back(mesh, scenario), limit=scenario.limit, what="everyone is back")
        mesh.play(scenario.frames, limit=scenario.limit)
        mesh.play(max(peer.final_frame for peer in mesh.alive) + 60)
        _check_events(mesh)
        mesh.verify()
        outcome = _outcome(mesh, scenario, arena)
        if scenario.rematch:
            _play_again(mesh, scenario)
    except (MeshHung, AssertionError) as error:
        raise ChaosFailure(str(error)) from error
    return outcome


def _play_again(mesh: Mesh, scenario: Scenario) -> None:
    """A second match, with the seats of the scenario."""
    wanted = {peer.name: scenario.rematch[peer.session.local_players[0]] for peer in mesh.alive}
    for peer in mesh.alive:
        peer.session.rematch(scenario.rematch)
    mesh.run_until(
        lambda: all(peer.playing and inside_of(peer.session).match.number == 1 for peer in mesh.alive),
        limit=PATIENCE,
        what="another match",
    )
    mesh.play(SECOND_MATCH)
    # Spectators are late: some still show the first match, which was compared.
    mesh.spectators = {name: each for name, each in mesh.spectators.items() if each.session.match_number == 1}
    _check_events(mesh)
    mesh.verify()
    seats = {peer.name: peer.session.local_players[0] for peer in mesh.alive}
    if seats != wanted:
        raise ChaosFailure(f"the seats of the second match are {seats}, not {wanted}")


def play_planted(scenario: Scenario, arena: Arena) -> Outcome:
    """Run one match in which the last peer's game goes wrong at a frame; every peer must find it."""
    frame = 60 + scenario.seed % max(scenario.frames - 120, 1)
    scenario = replace(scenario, troubles=tuple(each for each in scenario.troubles if each.kind in ("cut", "pause")))
    culprit = scenario.peers[-1]
    games: dict[str, Callable[[], Any]] = dict.fromkeys(scenario.peers, arena.game)
    games[culprit] = lambda: arena.tampered(frame)
    mesh = _mesh(scenario, arena, games, Mesh)
    try:
        start(mesh, scenario)
        mesh.play(scenario.frames, limit=scenario.limit)
        mesh.run_until(lambda: all(_alarms(mesh, name) for name in mesh.peers), limit=PATIENCE, what="the alarm")
    except MeshHung as error:
        raise ChaosFailure(f"an error planted at frame {frame} was not found by all: {error}") from error
    for peer in mesh.alive:
        for alarm in _alarms(mesh, peer.name):
            if not alarm.last_agreed <= frame < alarm.frame:
                raise ChaosFailure(f"an error planted at frame {frame} was found at {alarm}")
    planted = _changed_fields(mesh, arena, frame) if arena.tampered_field is None else [arena.tampered_field]
    _check_reports(mesh, frame, planted)
    return Outcome(planted=1)


def _changed_fields(mesh: Mesh, arena: Arena, frame: int) -> list[str]:
    """The fields that the tampered game changes at ``frame``, by a straight run over the inputs of the match."""
    peer = max(mesh.peers.values(), key=lambda peer: len(peer.rows))
    sim, wrong = arena.game(), arena.tampered(frame)
    state = sim.initial_state(inside_of(peer.session).match.seed)
    for number in range(frame):
        state = sim.step(state, peer.rows[number])
    after, wrong_after = sim.step(state, peer.rows[frame]), wrong.step(state, peer.rows[frame])
    changed = [difference.name for difference in field_differences(sim.fields(after), sim.fields(wrong_after))]
    if not changed:
        raise ChaosFailure(f"the tampered game changes no field at frame {frame}: nothing was planted")
    return changed


def _check_reports(mesh: Mesh, frame: int, planted: list[str]) -> None:
    """All peers must report the exact frame and the fields, in the same words, if all answered in time.

    An investigation does not wait for ever: a peer that is stopped meanwhile may be missing from it.
    """
    try:
        wanted = "a report everywhere"
        mesh.run_until(lambda: all(_reports(mesh, name) for name in mesh.peers), limit=PATIENCE, what=wanted)
    except MeshHung as error:
        raise ChaosFailure(f"an error planted at frame {frame}: {error}") from error
    reports = [_reports(mesh, name)[0] for name in mesh.peers]
    if any(report.silent for report in reports):
        return
    if any(report != reports[0] for report in reports):
        raise ChaosFailure(f"an error planted at frame {frame} was reported in different words: {reports}")
    for report in reports:
        if report.first_differing != frame + 1 or sorted(field.name for field in report.fields) != sorted(planted):
            raise ChaosFailure(f"an error planted at frame {frame} in {', '.join(planted)} was reported as {report}")


def _reports(mesh: Mesh, name: str) -> list[DesyncReport]:
    return [event.report for event in mesh[name].events_of(DesyncReported)]


def _alarms(mesh: Mesh, name: str) -> list[DesyncDetected]:
    return mesh[name].events_of(DesyncDetected)


def _mesh(scenario: Scenario, arena: Arena, game: Any, make_mesh: Callable[..., Mesh]) -> Mesh:
    return make_mesh(
        game,
        seats=dict.fromkeys(scenario.peers, 1),
        seed=scenario.seed,
        config=scenario.config,
        press=pressed_by_bots(arena, scenario.seed),
        make_session=partial(RollbackSession, reconnect=scenario.reconnect),
    )


def start(mesh: Mesh, scenario: Scenario) -> None:
    """Begin the match over the links of the scenario; its troubles come later, by themselves."""
    # Bursts are counted in datagrams, and a lobby sends a few a second: a burst there would outlast any timeout. And of
    # dozens of links at the highest loss one may not come up in the ten seconds that a lobby waits for it.
    most = MOST_LOSS if len(scenario.peers) > FEW_PEERS else 1.0
    for first, second, *ways in scenario.links:
        mesh.link(first, second, *(replace(way, burst_enter=0.0, loss=min(way.loss, most)) for way in ways))
    mesh.start(limit=PATIENCE)
    for first, second, there, back in scenario.links:
        mesh.link(first, second, there, back)
    for trouble in scenario.troubles:
        mesh.at(trouble.at, _happening(mesh, trouble))


def pressed_by_bots(arena: Arena, seed: int) -> Press:
    """One bot for each seat, whichever peer plays it."""
    bots: dict[int, Callable[[Any], int]] = {}

    def press(player: int, state: Any) -> int:
        bot = bots.get(player)
        if bot is None:
            bot = bots[player] = arena.bot(seed % 0xFFFFFFFF + 1, player)
        return bot(state)

    return press


def _happening(mesh: Mesh, trouble: Trouble) -> Callable[[], object]:
    if trouble.kind == "cut":
        return lambda: mesh.cut(trouble.peer, trouble.other, trouble.seconds)
    if trouble.kind == "pause":
        return lambda: mesh.pause(trouble.peer, trouble.seconds) if mesh[trouble.peer].alive else None
    if trouble.kind == "watch":
        return lambda: mesh[trouble.peer].playing and mesh.watch("watcher", trouble.peer)
    if trouble.kind == "hold":
        return lambda: _hold(mesh, trouble)
    if trouble.kind == "alone":
        return lambda: _leave_alone(mesh, trouble)
    return lambda: _crash(mesh, trouble)


def _crash(mesh: Mesh, trouble: Trouble) -> None:
    token = mesh[trouble.peer].session.seat_token if trouble.kind == "return" else NO_SEAT_TOKEN
    mesh.crash(trouble.peer)
    mesh.at(trouble.seconds, lambda: mesh.restart(trouble.peer, seat_token=token))


def _hold(mesh: Mesh, trouble: Trouble) -> None:
    """The application pauses the match, and goes on later, whatever happened meanwhile."""
    peer = mesh[trouble.peer]
    if peer.alive and peer.playing:
        peer.session.pause()
        mesh.at(trouble.seconds, peer.session.resume)


def _leave_alone(mesh: Mesh, trouble: Trouble) -> None:
    """Cut one off from all others, or all from each other."""
    for first, second in combinations(mesh.peers, 2):
        if trouble.peer in ("", first, second):
            mesh.cut(first, second, trouble.seconds)


def _everyone_is_back(mesh: Mesh, scenario: Scenario) -> bool:
    """Everybody plays, with everybody else."""
    return all(
        mesh[name].alive
        and mesh[name].playing
        and not mesh[name].session.reconnecting
        and len(inside_of(mesh[name].session).players_peers()) == len(scenario.peers) - 1
        for name in scenario.peers
    )


def _check_events(mesh: Mesh) -> None:
    for peer in mesh.alive:
        for kind in (DesyncDetected, InputConflictDetected, MatchEnded):
            for event in peer.events_of(kind):
                raise ChaosFailure(f"{peer.name} reports {event}")


def _outcome(mesh: Mesh, scenario: Scenario, arena: Arena) -> Outcome:
    outcome = Outcome(matches=1, frames=scenario.frames, seconds=mesh.network.now)
    for peer in mesh.alive:
        outcome.count(peer.session.stats(now=mesh.network.now))
        outcome.drops = max(outcome.drops, len(peer.events_of(PlayersDropped)))
        outcome.returns = max(outcome.returns, len(peer.events_of(PlayersReturned)))
        outcome.comings += len(peer.events_of(Reconnecting))
        outcome.holds = max(outcome.holds, len(peer.events_of(MatchPaused)))
    outcome.crashes = sum(trouble.kind in ("crash", "return") for trouble in scenario.troubles)
    outcome.rematches = int(bool(scenario.rematch))
    outcome.watched = sum(len(spectator.rows) for spectator in mesh.spectators.values())
    outcome.hits = _count_hits(mesh, scenario.frames, arena)
    outcome.idle_matches = int(outcome.hits == 0)
    return outcome


def _count_hits(mesh: Mesh, frames: int, arena: Arena) -> int:
    peer = max(mesh.alive, key=lambda peer: len(peer.rows))
    sim = arena.game()
    state = sim.initial_state(inside_of(peer.session).match.seed)
    hits = 0
    for frame in range(frames):
        after = sim.step(state, peer.rows[frame])
        hits += arena.hits(state, after)
        state = after
    return hits
