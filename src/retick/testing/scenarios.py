"""What may happen to a match, drawn from a seed: links, cuts, stopped processes, crashes, returns and spectators.

In some scenarios peers come back, either with their seat tokens or by reconnecting after they were cut off from all
others. Applications may pause the match, resume it, and play a rematch with other seats.

``Scenario.drawn(seed)`` is the same on every computer, so a seed is a whole bug report.
"""

from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from random import Random
from typing import Any

from retick.rollback.match.config import MatchConfig
from retick.transport.conditions import Conditions

__all__ = ["PATIENCE", "SMALL_HISTORIES", "Scenario", "Trouble", "limits_around"]

SMALL_HISTORIES = (32, 40, 64)
"""Frames of history that a match of ten seconds passes many times."""
LONGEST_PAUSE = 5.0
"""Seconds for which a process may be stopped."""
LONGEST_CUT = 3.0
"""Seconds for which a link may be cut."""
DISCONNECT_AFTER = 12.0
"""Timeout in seconds for matches without crashes: longer than a pause and a cut together."""
CRASH_AFTER = 4.0
"""Timeout in seconds for matches with crashes; pauses and cuts are shorter there, so that no live peer is dropped."""
MOST_CRASHES = 2
SMALL_SHARE = 0.3
"""Share of scenarios with small limits."""
LONG_SHARE = 0.04
"""Share of scenarios that are long."""
LONG_TIMES = 5
"""Factor by which long scenarios are longer than the others."""
RETURN_SHARE = 0.2
"""Share of scenarios in which crashed peers return with their seat tokens, before or after the others notice."""
ALONE_SHARE = 0.2
"""Share of scenarios in which peers are cut off for longer than the timeout, then reconnect by themselves."""
HOLD_SHARE = 0.25
"""Share of scenarios in which applications pause the match."""
REMATCH_SHARE = 0.25
"""Share of scenarios that end with a rematch, with seats in another order."""
LONGEST_HOLD = 3.0
"""Seconds for which an application may pause the match."""
LONGEST_ALONE = 7.0
"""Seconds for which a peer is cut off beyond the timeout."""
PATIENCE = 60.0
"""Virtual seconds beyond the troubles after which a match counts as hung."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that happens to a peer or a link during the match."""

    at: float
    """Seconds after the start of the match."""
    kind: str
    """"cut" a link, "pause" a process, "crash" a peer and let it rejoin later, "return" (a crash after which the peer
    comes back with its seat token), "watch" through a peer, "hold" the match by its application, or "alone": the peer
    is cut off from all others; with an empty name, all peers are cut off from each other."""
    seconds: float
    """How long the cut or pause lasts, or the peer is away."""
    peer: str
    """The name of the peer; for a cut, the name of one end."""
    other: str = ""
    """The other end of the link that is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Everything about a match but the game."""

    seed: int
    """The seed from which the scenario was drawn; also the seed of the match and its links."""
    frames: int
    """The frame that every peer must reach."""
    peers: tuple[str, ...]
    """Names of the peers, host first."""
    links: tuple[tuple[str, str, Conditions, Conditions], ...]
    """Two peers, and the conditions there and back."""
    troubles: tuple[Trouble, ...]
    """What happens during the match."""
    config: MatchConfig = field(default_factory=MatchConfig)
    """The configuration that all peers have."""
    reconnect: bool = False
    """Whether sessions reconnect by themselves."""
    rematch: tuple[int, ...] = ()
    """For each seat, the seat that its player has in the rematch; empty if there is no rematch."""

    @classmethod
    def drawn(cls, seed: int, *, peers: int = 2, frames: int = 600) -> "Scenario":
        """Draw a scenario: half of all links are bad, some are terrible, a few are perfect.

        Some scenarios have small limits, which they pass within seconds; some are longer than ``frames``.
        """
        dice = Random(f"chaos {seed} {peers}")
        names = tuple(f"peer{number}" for number in range(peers))
        # Bursts are counted in datagrams, and peers that connect send a few a second: where peers come and go, long
        # bursts would be cuts of many seconds.
        shortest = 0.05 if peers == 2 else 0.3
        links = tuple((a, b, *_draw_link(dice, shortest)) for a, b in combinations(names, 2))
        crashes = dice.randint(0, min(MOST_CRASHES, peers - 2))
        count = dice.choice((0, 0, 1, 1, 2, 3))
        troubles = [_draw_trouble(dice, names, frames / 60, crashes > 0) for _ in range(count)]
        troubles += [_draw_crash(dice, name, frames / 60) for name in dice.sample(names, crashes)]
        if peers > 2 and dice.random() < 0.5:
            troubles.append(Trouble(at=dice.uniform(0.0, 5.0), kind="watch", seconds=0.0, peer=dice.choice(names)))
        config = MatchConfig(
            input_delay=dice.choice((0, 1, 2, 2, 3)),
            prediction_window=dice.choice((4, 8, 12, 12, 12)),
            disconnect_after=CRASH_AFTER if crashes else DISCONNECT_AFTER,
        )
        if dice.random() < SMALL_SHARE:
            config = replace(config, **limits_around(dice.choice(SMALL_HISTORIES)))
        if dice.random() < LONG_SHARE:
            frames *= LONG_TIMES
        scenario = cls(seed=seed, frames=frames, peers=names, links=links, troubles=tuple(troubles), config=config)
        return _with_comings(scenario, Random(f"comings {seed} {peers}"))

    @property
    def limit(self) -> float:
        """Virtual seconds that the match may take."""
        return PATIENCE + 3 * self.frames / self.config.tick_rate + sum(trouble.seconds for trouble in self.troubles)


def _with_comings(scenario: Scenario, dice: Random) -> Scenario:
    """Add returns, pauses by applications and rematches, with dice of their own, so that the other draws stay."""
    names, length = scenario.peers, 10.0
    chance = dice.random()
    if chance < RETURN_SHARE:
        scenario = _with_returns(scenario, dice, length)
    elif chance < RETURN_SHARE + ALONE_SHARE:
        who = dice.choice((*names, "")) if len(names) > 2 else ""
        seconds = CRASH_AFTER + dice.uniform(1.5, LONGEST_ALONE)
        alone = Trouble(at=dice.uniform(0.0, length), kind="alone", seconds=seconds, peer=who)
        # A cut of the same link would end the longer one.
        scenario = _short(scenario, ("pause",), dice)
        scenario = replace(scenario, troubles=(*scenario.troubles, alone), reconnect=True)
    if dice.random() < HOLD_SHARE:
        held = [
            Trouble(
                at=dice.uniform(0.0, length),
                kind="hold",
                seconds=dice.uniform(0.1, LONGEST_HOLD),
                peer=dice.choice(names),
            )
            for _ in range(dice.randint(1, 3))
        ]
        scenario = replace(scenario, troubles=(*scenario.troubles, *held))
    if dice.random() < REMATCH_SHARE:
        seats = list(range(len(names)))
        dice.shuffle(seats)
        scenario = replace(scenario, rematch=tuple(seats))
    return scenario


def _with_returns(scenario: Scenario, dice: Random, length: float) -> Scenario:
    """Let every crashed peer return with its token; at least one crashes. With two peers, the other one waits."""
    scenario = _short(scenario, ("cut", "pause", "crash", "watch"), dice)
    troubles = [
        replace(trouble, kind="return") if trouble.kind == "crash" else trouble for trouble in scenario.troubles
    ]
    if all(trouble.kind != "return" for trouble in troubles):
        crash = _draw_crash(dice, dice.choice(scenario.peers), length)
        troubles.append(replace(crash, kind="return"))
    return replace(scenario, troubles=tuple(troubles), reconnect=len(scenario.peers) == 2)


def _short(scenario: Scenario, kinds: tuple[str, ...], dice: Random) -> Scenario:
    """Keep only troubles of these kinds, too short for anybody to be dropped."""
    troubles = tuple(
        replace(trouble, seconds=min(trouble.seconds, dice.uniform(0.05, 0.25 * CRASH_AFTER)))
        if trouble.kind in ("cut", "pause")
        else trouble
        for trouble in scenario.troubles
        if trouble.kind in kinds
    )
    return replace(scenario, troubles=troubles, config=replace(scenario.config, disconnect_after=CRASH_AFTER))


def limits_around(history: int) -> dict[str, Any]:
    """The smallest limits that a match with this history can have."""
    backlog = 2 * history
    least = {"history": history, "max_backlog": backlog, "inputs_remembered": backlog + max(backlog, 128)}
    known = {each.name for each in fields(MatchConfig)}
    return {name: value for name, value in least.items() if name in known}


def _draw_link(dice: Random, burst_leave: float) -> tuple[Conditions, Conditions]:
    """Draw a round trip of up to 300 ms, split unevenly, and a loss of up to 30 % for each direction."""
    round_trip = dice.choice((0.0, 0.02, 0.1, dice.uniform(0.0, 0.3), 0.3))
    share = dice.uniform(0.2, 0.8)
    jitter = dice.choice((0.0, 0.005, dice.uniform(0.0, 0.04)))
    there = _draw_way(dice, round_trip * share, jitter, burst_leave)
    return there, _draw_way(dice, round_trip * (1 - share), jitter, burst_leave)


def _draw_way(dice: Random, latency: float, jitter: float, burst_leave: float) -> Conditions:
    bursts = dice.random() < 0.4
    return Conditions(
        latency=latency,
        jitter=min(jitter, latency),
        loss=dice.choice((0.0, 0.05, dice.uniform(0.0, 0.3), 0.3)),
        burst_enter=dice.uniform(0.0, 0.03) if bursts else 0.0,
        burst_leave=dice.uniform(burst_leave, 0.6),
        duplicate=dice.choice((0.0, dice.uniform(0.0, 0.3))),
        reorder=dice.choice((0.0, dice.uniform(0.0, 0.3))),
        reorder_delay=dice.uniform(0.005, 0.1),
        in_order=dice.random() < 0.2,
    )


def _draw_trouble(dice: Random, names: tuple[str, ...], length: float, short: bool) -> Trouble:
    at = dice.uniform(0.0, length)
    first, second = dice.sample(names, 2)
    if dice.random() < 0.5:
        seconds = dice.uniform(0.05, 0.25 * CRASH_AFTER if short else LONGEST_CUT)
        return Trouble(at=at, kind="cut", seconds=seconds, peer=first, other=second)
    seconds = dice.uniform(0.05, 0.25 * CRASH_AFTER if short else LONGEST_PAUSE)
    return Trouble(at=at, kind="pause", seconds=seconds, peer=first)


def _draw_crash(dice: Random, name: str, length: float) -> Trouble:
    return Trouble(at=dice.uniform(0.0, length), kind="crash", seconds=dice.uniform(0.0, 6.0), peer=name)
