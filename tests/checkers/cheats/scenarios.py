"""Matches with one cheat among honest machines, drawn from the name of the cheat and a seed."""

from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any

from retick.rollback.match.config import MatchConfig
from retick.testing.scenarios import SMALL_HISTORIES, limits_around
from retick.transport.conditions import Conditions
from tests.checkers.cheats import CHEATS, Cheat

__all__ = ["CheatScenario"]

QUICK: dict[str, Any] = {"disconnect_after": 2.5, "input_timeout": 3.0}
"""Settings that make time pass sooner."""
MATCH_SECONDS = 7.0
LONG_SECONDS = 40.0
"""Of one match in twenty: past remembered inputs and checksums, where limits are small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatScenario:
    """Everything about a match with a cheat but the game."""

    cheat: str
    """The name of the cheat."""
    seed: int
    """From which it was drawn; also the seed of the match and its links."""
    peers: tuple[str, ...]
    """All machines, host first."""
    culprit: str
    """The one that cheats; of a spectator a name of its own."""
    role: str
    """As what it takes part: "player", "newcomer" or "spectator"."""
    begins: float
    """Seconds after the start of its match at which it begins to cheat."""
    seconds: float
    """How long the match goes on before it is looked at."""
    returning: str
    """The honest machine that crashes and comes back meanwhile, or ""."""
    returns_twice: bool
    """Whether it crashes once more while it comes back."""
    apart: tuple[str, str] | None
    """Two honest machines whose path is broken until they do not hear each other any more."""
    watched: bool
    """Whether an honest spectator watches."""
    measured: bool
    """Whether the Python calls of honest sessions are counted."""
    links: tuple[tuple[str, str, Conditions, Conditions], ...]
    config: MatchConfig

    @classmethod
    def drawn(cls, cheat: str, seed: int, *, peers: int | None = None) -> "CheatScenario":
        """Draw one; ``peers`` from 2 to 8 are drawn too, if not given."""
        kind = CHEATS[cheat]
        dice = Random(f"cheat {cheat} {seed} {peers}")
        count = max(peers or dice.choice((2, 3, 3, 4, 4, 4, 5, 6, 8)), kind.least_peers)
        role = dice.choice(kind.roles)
        if role == "newcomer":
            # One honest machine alone would end its match before anybody comes.
            count = max(count, 3)
        names = tuple(f"peer{number}" for number in range(count))
        culprit = _draw_culprit(dice, kind, role, names)
        honest = [name for name in names if name != culprit]
        # Without the host another machine, perhaps the cheat, is the sponsor. Nobody gets in while players do not hear
        # each other, and all must be there to agree on a state.
        may_return = count >= 4 and not kind.needs_cut and not kind.needs_resync
        away = (
            dice.choice(honest[1:] if kind.never_hosts else honest)
            if may_return and (kind.needs_return or dice.random() < 0.2)
            else ""
        )
        return cls(
            cheat=cheat,
            seed=seed,
            peers=names,
            culprit=culprit,
            role=role,
            begins=dice.uniform(0.1, 2.0),
            seconds=LONG_SECONDS if dice.random() < 0.05 else MATCH_SECONDS,
            returning=away,
            returns_twice=bool(away) and dice.random() < 0.4,
            apart=_draw_pair(dice, honest) if kind.needs_cut else None,
            watched=count > 2 and dice.random() < 0.2,
            measured=cheat.startswith(("floods", "garbage", "lies-in-evidence")) or dice.random() < 0.1,
            links=tuple((a, b, *_draw_link(dice)) for a, b in combinations((*names, "cheat"), 2)),
            config=_draw_config(dice),
        )

    @property
    def honest(self) -> tuple[str, ...]:
        """The machines that do not cheat."""
        return tuple(name for name in self.peers if name != self.culprit)


def _draw_culprit(dice: Random, kind: type[Cheat], role: str, names: tuple[str, ...]) -> str:
    if role == "spectator":
        return "cheat"
    if kind.hosts:
        return names[0]
    # The host is the sponsor of newcomers, which gives a cheat more to do; a newcomer never has its place.
    return dice.choice(names[1:] if role == "newcomer" or kind.never_hosts else names)


def _draw_pair(dice: Random, names: list[str]) -> tuple[str, str]:
    first, second = dice.sample(names, 2)
    return first, second


def _draw_link(dice: Random) -> tuple[Conditions, Conditions]:
    """Bad, but not so bad that a peer would be lost on it without a cheat."""
    trip = dice.choice((0.0, 0.03, 0.1, 0.2))
    way = Conditions(
        latency=trip / 2,
        jitter=min(dice.choice((0.0, 0.005, 0.02)), trip / 2),
        loss=dice.choice((0.0, 0.02, 0.1)),
        duplicate=dice.choice((0.0, 0.05)),
        reorder=dice.choice((0.0, 0.1)),
    )
    return way, replace(way, loss=dice.choice((0.0, 0.02, 0.1)))


def _draw_config(dice: Random) -> MatchConfig:
    quick = QUICK
    if dice.random() < 0.5:
        quick = QUICK | limits_around(dice.choice(SMALL_HISTORIES))
    return MatchConfig(input_delay=dice.choice((0, 1, 2)), prediction_window=dice.choice((6, 8, 12)), **quick)
