"""Matches with cheats, drawn from a seed: who plays, who cheats and how, and what happens to the honest ones."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any

from retick.rollback.match.config import MatchConfig
from retick.rollback.session.agreement import DELTA
from retick.testing.scenarios import SMALL_HISTORIES, limits_around
from retick.transport.conditions import Conditions
from tests.checkers.cheats.composed import DEEDS, TRAITS, UNCAUSED, WHOM, Rule
from tests.checkers.cheats.forging import DATAGRAM, INPUTS, KINDS

__all__ = ["CheatScenario", "Happening"]

QUICK: dict[str, Any] = {"disconnect_after": 2.5, "input_timeout": 3.0}
"""Settings that make time pass sooner."""
SECONDS_AFTER = 5.0
"""How long the match goes on after the last happening before it is looked at."""
LONG_SECONDS = 40.0
"""Of one match in fifty: past remembered inputs and checksums, where limits are small."""
WINDOWS = {
    "leave": 3.0, "crash": 8.0, "pause": 5.0, "rematch": 4.0, "resync": 6.0, "join": 9.0, "reconnect": 12.0,
    "stop": 4.0, "apart": 8.0,
}  # fmt: skip
"""For how many seconds after its beginning a happening is the phase of a match."""
HAPPENINGS = ("leave", "crash", "pause", "rematch", "resync", "join", "reconnect", "stop", "apart")
AGREED = ("STATEMENT", "STATEMENT", "CONSENT", "CONSENT", "DECIDED", "OUTCOME", "TAKEN")
"""Of half of the rules: the messages by which peers decide."""
OFTEN = (INPUTS, INPUTS, "RANGE", "SIGNED", "WELCOME", "MEET", "STATE", "ASK", "RETURN", "JOINED", "CANCEL", "PASS")
AWAY_SECONDS = 3.5
"""How long a machine that has crashed is away: it must be noticed first."""
CUT_SECONDS = 6.0
"""How long one is cut off that then comes back by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something that happens to honest machines, so that they have something to decide."""

    at: float
    """Seconds after the start of the match."""
    kind: str
    """One of ``HAPPENINGS``: one says goodbye; crashes; pauses the match and resumes it; all want to play again; all
    name one of them, to go on from its state; one crashes and comes back; one is cut off, and comes back by itself; one
    process stands still; two no longer hear each other."""
    who: str
    """The name of the machine; of those who name one, the one that is named."""
    other: str = ""
    """Of two that are kept apart, the other one."""
    seconds: float = 0.0
    """How long it lasts."""

    def __str__(self) -> str:
        lasts = f" for {self.seconds:.2f} s" if self.seconds else ""
        return f"{self.kind} {self.who}{' ' * bool(self.other)}{self.other} at {self.at:.2f} s{lasts}"

    @property
    def is_away(self) -> bool:
        """Whether the machine is not in the match for a while, or for good."""
        return self.kind in ("leave", "crash", "join", "reconnect")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatScenario:
    """Everything about a match with cheats but the game."""

    seed: int
    """From which it was drawn; also the seed of the match and its links."""
    peers: tuple[str, ...]
    """All machines, host first."""
    culprits: tuple[str, ...]
    """Those that cheat; a spectator has a name of its own."""
    role: str = "player"
    """As what they take part: "player", "newcomer" or "spectator"."""
    rules: tuple[tuple[Rule, ...], ...]
    """What each of them does."""
    traits: tuple[frozenset[str], ...]
    """How the sessions of each are set, as in ``TRAITS``."""
    begins: float
    """Seconds after the start of the match at which they begin to cheat."""
    seconds: float
    """How long the match goes on before it is looked at."""
    happenings: tuple[Happening, ...] = ()
    follows: bool = True
    """Whether the cheats' applications wish what the others wish."""
    watched: bool = False
    """Whether an honest spectator watches."""
    measured: bool = False
    """Whether the Python calls of honest sessions are counted."""
    links: tuple[tuple[str, str, Conditions, Conditions], ...] = ()
    config: MatchConfig

    @classmethod
    def drawn(cls, seed: int, *, peers: int | None = None, colluding: bool = False) -> "CheatScenario":
        """Draw one with a cheat; or with two colluding ones, among five machines and more."""
        dice = Random(f"cheats {seed} {peers} {colluding}")
        count = peers or dice.choice((5, 5, 6, 7, 8) if colluding else (3, 3, 4, 4, 4, 5, 5, 6, 7, 8))
        names = tuple(f"peer{number}" for number in range(count))
        role = (
            "player" if colluding or count < 4 else dice.choice(("player",) * 12 + ("newcomer",) * 2 + ("spectator",))
        )
        culprits = _draw_culprits(dice, role, names, 1 + colluding)
        honest = [name for name in names if name not in culprits]
        config = _draw_config(dice)
        happenings = _draw_happenings(dice, honest, role, config, is_alone=not colluding)
        if any(each.kind == "stop" and each.seconds > DELTA for each in happenings):
            # A process that stands still for so long keeps its seat beside a liar with the usual times.
            config = replace(config, disconnect_after=8.0, input_timeout=10.0)
        last = max((each.at + each.seconds for each in happenings), default=2.0)
        rules = tuple(_draw_rules(dice, happenings, config) for _ in culprits)
        return cls(
            seed=seed,
            peers=names,
            culprits=culprits,
            role=role,
            rules=rules,
            traits=tuple(
                frozenset(trait for trait in TRAITS if dice.random() < (0.25 if trait == "patient" else 0.02))
                for _ in culprits
            ),
            begins=0.0 if role == "newcomer" else dice.uniform(0.1, 1.0),
            seconds=LONG_SECONDS if dice.random() < 0.02 else last + SECONDS_AFTER,
            happenings=happenings,
            follows=dice.random() < 0.7,
            watched=dice.random() < 0.1,
            measured=dice.random() < 0.05 or any(rule.what == "flood" for each in rules for rule in each),
            links=tuple((a, b, *_draw_link(dice)) for a, b in combinations((*names, "cheat"), 2)),
            config=config,
        )

    @property
    def honest(self) -> tuple[str, ...]:
        """The machines that do not cheat."""
        return tuple(name for name in self.peers if name not in self.culprits)

    @property
    def splits(self) -> bool:
        """Whether the cheats may lead honest machines to different states."""
        return any(rule.splits for each in self.rules for rule in each)

    @property
    def in_lobby(self) -> bool:
        """Whether they cheat before the match, and may keep it from beginning."""
        return any(rule.during == "lobby" for each in self.rules for rule in each)

    def describe(self) -> str:
        """A line for each rule, with the cheat that has it, and for each happening."""
        lines = [f"{len(self.peers)} machines; as {self.role}: {', '.join(self.culprits)}; {self.config}"]
        for name, rules, traits in zip(self.culprits, self.rules, self.traits, strict=True):
            lines += [f"  {name}: {', '.join(sorted(traits))}"] if traits else []
            lines += [f"  {name}: {rule}" for rule in rules]
        return "\n".join([*lines, *(f"  {each}" for each in self.happenings)])


def _draw_culprits(dice: Random, role: str, names: tuple[str, ...], count: int) -> tuple[str, ...]:
    if role == "spectator":
        return ("cheat",)
    # The host is the sponsor of newcomers, which gives a cheat more to do; a newcomer never has its place.
    if role == "newcomer":
        return (dice.choice(names[1:]),)
    chosen = {names[0]} if dice.random() < 0.3 else set()
    while len(chosen) < count:
        chosen.add(dice.choice(names))
    return tuple(sorted(chosen))


def _draw_rules(dice: Random, happenings: tuple[Happening, ...], config: MatchConfig) -> tuple[Rule, ...]:
    phases = [each.kind for each in happenings]
    seed = dice.randrange(77)
    count = dice.choice((1, 1, 2, 2, 2, 3, 3, 4))
    return tuple(_draw_rule(dice, phases, config, seed if dice.random() < 0.8 else seed + 1) for _ in range(count))


def _draw_rule(dice: Random, phases: list[str], config: MatchConfig, seed: int) -> Rule:
    often = DEEDS[: DEEDS.index("unasked") + 1]
    what = dice.choice(often if dice.random() < 0.8 else DEEDS)
    half = dice.random()
    kind = dice.choice(AGREED if half < 0.5 else OFTEN if half < 0.75 else KINDS)
    kind = "STATEMENT" if what == "stand-by" else kind
    if what == "flood" and kind in (DATAGRAM, "CONTROL"):
        kind = "APPLICATION"
    during = dice.choice([*phases, *phases, "always"]) if dice.random() < 0.96 else "lobby"
    return Rule(
        what=what,
        kind=kind if what not in ("again", "goodbye", "knock", "restless") else DATAGRAM,
        whom=dice.choice(WHOM),
        during=during,
        seconds=_draw_delay(dice, config),
        share=1.0 if what in UNCAUSED or dice.random() < 0.6 else dice.choice((0.2, 0.5, 0.9)),
        seed=seed,
    )


def _draw_delay(dice: Random, config: MatchConfig) -> float:
    """Short, or near one of the deadlines of a slot."""
    deadlines = [max(config.disconnect_after, 2.0) + 2.0 * step for step in range(6)]
    near = dice.choice(deadlines) + dice.choice((-0.4, -0.1, -0.02, 0.02))
    return near if dice.random() < 0.5 else dice.choice((0.05, 0.2, 0.35, 1.0, 1.9))


def _draw_happenings(
    dice: Random, honest: list[str], role: str, config: MatchConfig, *, is_alone: bool
) -> tuple[Happening, ...]:
    """One to three, so that at least two honest machines always stay; few of those that keep others out."""
    found: list[Happening] = []
    at = dice.uniform(0.8, 2.0)
    for _ in range(dice.choice((1, 2, 2, 3))):
        kind = dice.choice(HAPPENINGS)
        kinds = {each.kind for each in found}
        if kind in kinds or (kind == "apart" and kinds & {"join", "reconnect", "resync"}):
            continue
        if kind in ("join", "reconnect", "resync") and "apart" in kinds:
            continue
        away = {each.who for each in found if each.is_away or each.kind == "stop"}
        there = [name for name in honest if name not in away]
        is_away = kind in ("leave", "crash", "join", "reconnect", "stop")
        if len(there) < 2 + is_away or (is_away and role == "newcomer" and len(there) < 4):
            continue
        if kind == "stop" and len(honest) + is_alone < 4:
            continue
        who, other = dice.sample(there, 2)
        if kind == "apart" and (len(there) < 3 or role != "player"):
            continue
        found.append(
            Happening(
                at=at, kind=kind, who=who, other=other if kind == "apart" else "", seconds=_LASTS[kind](dice, config)
            )
        )
        at += dice.choice((0.0, 0.05, 0.3, 1.0, 3.0))
    # Two that do not hear each other need an honest one between them: else they know of each other what a cheat says.
    busy = {name for each in found for name in (each.who, each.other) if each.is_away or each.kind in ("stop", "apart")}
    found = [each for each in found if each.kind != "apart" or len(set(honest) - busy) > 0]
    is_more = any(each.is_away or each.kind == "apart" for each in found)
    return tuple(
        replace(each, seconds=min(each.seconds, 0.9)) if each.kind == "stop" and is_more else each for each in found
    )


_LASTS: dict[str, Callable[[Random, MatchConfig], float]] = {
    "leave": lambda dice, config: 0.0,
    "crash": lambda dice, config: 0.0,
    "pause": lambda dice, config: dice.choice((0.1, 0.5, 2.0, 4.0)),
    "rematch": lambda dice, config: 0.0,
    "resync": lambda dice, config: 0.0,
    "join": lambda dice, config: AWAY_SECONDS if dice.random() < 0.6 else 0.3,
    "reconnect": lambda dice, config: CUT_SECONDS,
    "stop": lambda dice, config: dice.choice((0.2, 0.9, 3.0)),
    "apart": lambda dice, config: 2.0 * config.disconnect_after,
}


def _draw_link(dice: Random) -> tuple[Conditions, Conditions]:
    """Bad, but not so bad that a peer would be lost on it without a cheat."""
    trip = dice.choice((0.0, 0.03, 0.1, 0.2))
    way = Conditions(
        latency=trip / 2,
        jitter=min(dice.choice((0.0, 0.005, 0.02)), trip / 2),
        loss=dice.choice((0.0, 0.02, 0.05)),
        duplicate=dice.choice((0.0, 0.05)),
        reorder=dice.choice((0.0, 0.1)),
    )
    return way, replace(way, loss=dice.choice((0.0, 0.02, 0.05)))


def _draw_config(dice: Random) -> MatchConfig:
    quick = QUICK
    if dice.random() < 0.4:
        quick = QUICK | limits_around(dice.choice(SMALL_HISTORIES))
    return MatchConfig(
        tick_rate=dice.choice((30, 30, 60)),
        input_delay=dice.choice((0, 1, 2)),
        prediction_window=dice.choice((6, 8, 12)),
        **quick,
    )
