"""Plays matches under the troubles of a scenario, on virtual time, and checks that nothing goes wrong.

``play`` runs one match. What must never happen is a :class:`ChaosFailure`: a match that hangs, peers that diverge, a
run of the game without a network that ends differently, an alarm without a cause, a planted error that is not found.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from retick.errors import RetickError
from retick.rollback.desync.report import DesyncReport
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    InputConflictDetected,
    MatchEnded,
    PlayersDropped,
    PlayersReturned,
)
from retick.rollback.session.inside import inside_of
from retick.sim.fields import field_differences
from retick.testing.arenas import Arena
from retick.testing.mesh import Mesh, MeshHung, Press
from retick.testing.scenarios import PATIENCE, Scenario, Trouble

__all__ = ["ChaosFailure", "Outcome", "play", "play_planted"]


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
    watched: int = 0
    """Frames that spectators were shown."""
    planted: int = 0
    """Errors that were planted, and found by everyone."""

    def add(self, other: "Outcome") -> None:
        for each in fields(self):
            if each.name == "depths":
                self.depths.update(other.depths)
            else:
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def play(scenario: Scenario, arena: Arena, *, make_mesh: Callable[..., Mesh] = Mesh) -> Outcome:
    """Run one match; ChaosFailure if it hangs, diverges or raises a false alarm."""
    mesh = _mesh(scenario, arena, arena.game, make_mesh)
    try:
        _start(mesh, scenario)
        mesh.play(scenario.frames, limit=scenario.limit)
        mesh.run_until(lambda: _everyone_is_back(mesh, scenario), limit=scenario.limit, what="everyone is back")
        mesh.play(max(peer.final_frame for peer in mesh.alive) + 60)
        _check_events(mesh)
        mesh.verify()
    except (MeshHung, AssertionError) as error:
        raise ChaosFailure(str(error)) from error
    return _outcome(mesh, scenario, arena)


def play_planted(scenario: Scenario, arena: Arena) -> Outcome:
    """Run one match in which the last peer's game goes wrong at a frame; every peer must find it."""
    frame = 60 + scenario.seed % max(scenario.frames - 120, 1)
    scenario = replace(scenario, troubles=tuple(each for each in scenario.troubles if each.kind in ("cut", "pause")))
    culprit = scenario.peers[-1]
    games: dict[str, Callable[[], Any]] = dict.fromkeys(scenario.peers, arena.game)
    games[culprit] = lambda: arena.tampered(frame)
    mesh = _mesh(scenario, arena, games, Mesh)
    try:
        _start(mesh, scenario)
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
    )


def _start(mesh: Mesh, scenario: Scenario) -> None:
    # Bursts are counted in datagrams, and a lobby sends a few a second: a burst there would outlast any timeout.
    for first, second, there, back in scenario.links:
        mesh.link(first, second, replace(there, burst_enter=0.0), replace(back, burst_enter=0.0))
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
    return lambda: _crash(mesh, trouble)


def _crash(mesh: Mesh, trouble: Trouble) -> None:
    mesh.crash(trouble.peer)
    mesh.at(trouble.seconds, lambda: mesh.restart(trouble.peer))


def _everyone_is_back(mesh: Mesh, scenario: Scenario) -> bool:
    return all(mesh[name].alive and mesh[name].playing for name in scenario.peers)


def _check_events(mesh: Mesh) -> None:
    for peer in mesh.alive:
        for kind in (DesyncDetected, InputConflictDetected, MatchEnded):
            for event in peer.events_of(kind):
                raise ChaosFailure(f"{peer.name} reports {event}")


def _outcome(mesh: Mesh, scenario: Scenario, arena: Arena) -> Outcome:
    outcome = Outcome(matches=1, frames=scenario.frames, seconds=mesh.network.now)
    for peer in mesh.alive:
        stats = peer.session.stats(now=mesh.network.now)
        outcome.rollbacks += stats.rollbacks
        outcome.resimulated += stats.resimulated_frames
        outcome.depths.update(stats.rollback_depths)
        outcome.stalls += stats.stalls
        outcome.compared += stats.compared_frames
        outcome.packets += sum(way.packets_out for way in stats.peers.values())
        outcome.bytes += sum(way.bytes_out for way in stats.peers.values())
        outcome.drops = max(outcome.drops, len(peer.events_of(PlayersDropped)))
        outcome.returns = max(outcome.returns, len(peer.events_of(PlayersReturned)))
    outcome.crashes = sum(trouble.kind == "crash" for trouble in scenario.troubles)
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
