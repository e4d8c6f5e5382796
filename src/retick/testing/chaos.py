"""Matches under conditions drawn from a seed: loss, bursts, duplicates, disorder, cuts and stopped processes.

``Scenario.drawn(seed)`` is the same on every machine, so a seed is a whole bug report. ``play`` runs one scenario on
virtual time and says what came of it; whatever must never happen is a :class:`ChaosFailure`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random
from typing import Any

from retick.errors import RetickError
from retick.rollback.config import MatchConfig
from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEnded
from retick.testing.mesh import Mesh, MeshHung, Press
from retick.transport.conditions import Conditions

__all__ = ["Arena", "ChaosFailure", "Outcome", "Scenario", "Trouble", "play"]

LONGEST_PAUSE = 5.0
LONGEST_CUT = 3.0
PATIENCE = 60.0
"""Virtual seconds beyond the troubles after which a match counts as hung."""


class ChaosFailure(RetickError):
    """A match did what no match may do: hung, parted, or cried wolf."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """What is played: a game, who plays it, and how to see that something happens."""

    game: Callable[[], Any]
    """Class or factory."""
    bots: Callable[[int, int], Callable[[Any], int]]
    """Given a seed and a seat: what presses the buttons, asked once a frame with the state."""
    hits: Callable[[Any, Any], int]
    """How much happened between two successive states: 0 all along means that nobody played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that happens to a machine or a link in mid-match."""

    at: float
    """Seconds after the start of the match."""
    seconds: float
    machine: str
    other: str = ""
    """The other end of the link that is cut; empty when the machine itself is stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Everything about a match but the game."""

    seed: int
    frames: int
    machines: tuple[str, ...]
    links: tuple[tuple[str, str, Conditions, Conditions], ...]
    """Two machines, and the conditions there and back."""
    troubles: tuple[Trouble, ...]
    config: MatchConfig = field(default_factory=MatchConfig)

    @classmethod
    def drawn(cls, seed: int, *, machines: int = 2, frames: int = 600) -> "Scenario":
        """Draw one: half of all links are bad, some are terrible, a few are perfect."""
        dice = Random(f"chaos {seed} {machines}")
        names = tuple(f"peer{number}" for number in range(machines))
        links = tuple((a, b, *_draw_link(dice)) for a, b in combinations(names, 2))
        troubles = tuple(_draw_trouble(dice, names, frames / 60) for _ in range(dice.choice((0, 0, 1, 1, 2, 3))))
        config = MatchConfig(
            input_delay=dice.choice((0, 1, 2, 2, 3)), prediction_window=dice.choice((4, 8, 12, 12, 12))
        )
        return cls(seed=seed, frames=frames, machines=names, links=links, troubles=troubles, config=config)

    @property
    def limit(self) -> float:
        """Virtual seconds that the match may take."""
        return PATIENCE + 3 * self.frames / self.config.tick_rate + sum(trouble.seconds for trouble in self.troubles)


def _draw_link(dice: Random) -> tuple[Conditions, Conditions]:
    """Round trips up to 300 ms, split unevenly; loss up to 30 %, each way its own."""
    round_trip = dice.choice((0.0, 0.02, 0.1, dice.uniform(0.0, 0.3), 0.3))
    share = dice.uniform(0.2, 0.8)
    jitter = dice.choice((0.0, 0.005, dice.uniform(0.0, 0.04)))
    return (_draw_way(dice, round_trip * share, jitter), _draw_way(dice, round_trip * (1 - share), jitter))


def _draw_way(dice: Random, latency: float, jitter: float) -> Conditions:
    bursts = dice.random() < 0.4
    return Conditions(
        latency=latency,
        jitter=min(jitter, latency),
        loss=dice.choice((0.0, 0.05, dice.uniform(0.0, 0.3), 0.3)),
        burst_enter=dice.uniform(0.0, 0.03) if bursts else 0.0,
        burst_leave=dice.uniform(0.05, 0.5),
        duplicate=dice.choice((0.0, dice.uniform(0.0, 0.3))),
        reorder=dice.choice((0.0, dice.uniform(0.0, 0.3))),
        reorder_delay=dice.uniform(0.005, 0.1),
        in_order=dice.random() < 0.2,
    )


def _draw_trouble(dice: Random, names: tuple[str, ...], length: float) -> Trouble:
    at = dice.uniform(0.0, length)
    first, second = dice.sample(names, 2)
    if dice.random() < 0.5:
        return Trouble(at=at, seconds=dice.uniform(0.05, LONGEST_CUT), machine=first, other=second)
    return Trouble(at=at, seconds=dice.uniform(0.05, LONGEST_PAUSE), machine=first)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came of one match, or of many added up."""

    matches: int = 0
    frames: int = 0
    seconds: float = 0.0
    """Virtual."""
    rollbacks: int = 0
    resimulated: int = 0
    depths: Counter[int] = field(default_factory=Counter)
    stalls: int = 0
    hits: int = 0
    idle_matches: int = 0
    """Matches in which nobody hit anybody."""
    packets: int = 0
    bytes: int = 0
    compared: int = 0
    """Checksums that were compared with another machine's."""

    def add(self, other: "Outcome") -> None:
        for name in ("matches", "frames", "seconds", "rollbacks", "resimulated", "stalls", "hits", "idle_matches"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("packets", "bytes", "compared"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.depths.update(other.depths)


def play(scenario: Scenario, arena: Arena, *, make_mesh: Callable[..., Mesh] = Mesh) -> Outcome:
    """Run one match; ChaosFailure when it hangs, parts or raises a false alarm."""
    mesh = make_mesh(
        arena.game,
        seats=dict.fromkeys(scenario.machines, 1),
        seed=scenario.seed,
        config=scenario.config,
        press=pressed_by_bots(arena, scenario.seed),
    )
    # Bursts are counted in datagrams, of which a lobby sends a few a second: there, one would outlast any time-out.
    for first, second, there, back in scenario.links:
        mesh.link(first, second, replace(there, burst_enter=0.0), replace(back, burst_enter=0.0))
    try:
        mesh.start(limit=PATIENCE)
        for first, second, there, back in scenario.links:
            mesh.link(first, second, there, back)
        for trouble in scenario.troubles:
            mesh.at(trouble.at, _happening(mesh, trouble))
        mesh.play(scenario.frames, limit=scenario.limit)
        _check_events(mesh)
        mesh.verify(scenario.frames)
    except (MeshHung, AssertionError) as error:
        raise ChaosFailure(str(error)) from error
    return _outcome(mesh, scenario, arena)


def pressed_by_bots(arena: Arena, seed: int) -> Press:
    """One bot for each seat, whichever machine it is at."""
    bots: dict[int, Callable[[Any], int]] = {}

    def press(player: int, state: Any) -> int:
        bot = bots.get(player)
        if bot is None:
            bot = bots[player] = arena.bots(seed % 0xFFFFFFFF + 1, player)
        return bot(state)

    return press


def _happening(mesh: Mesh, trouble: Trouble) -> Callable[[], None]:
    if trouble.other:
        return lambda: mesh.cut(trouble.machine, trouble.other, trouble.seconds)
    return lambda: mesh.pause(trouble.machine, trouble.seconds)


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
    outcome.hits = _count_hits(mesh, scenario.frames, arena)
    outcome.idle_matches = int(outcome.hits == 0)
    return outcome


def _count_hits(mesh: Mesh, frames: int, arena: Arena) -> int:
    peer = mesh[mesh.host]
    sim = arena.game()
    state = sim.initial_state(peer.session.match.seed)
    hits = 0
    for frame in range(frames):
        after = sim.step(state, peer.rows[frame])
        hits += arena.hits(state, after)
        state = after
    return hits
