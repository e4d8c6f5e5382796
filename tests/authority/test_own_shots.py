"""Players that fire at the same time: each sees the own shots fly straight, whatever ids the server gives them."""

import itertools
from collections.abc import Sequence
from math import hypot
from random import Random
from typing import Annotated, Any

import pytest

from retick.authority.client import WorldClient
from retick.sim import F64, U8, Cooldown, Jumps, Most, Player, Range, Ref, Thing, World
from tests.authority.meeting import Meeting

BODY = 24.0
FIRE, RIGHT = 1, 2
Place = Annotated[F64, Range(0, 4000, step=1 / 16)]


class Archer(Thing):
    player: Player
    x: Place
    y: Place
    bow: Cooldown
    jumps: Jumps


class Arrow(Thing):
    player: Player
    x: Place
    y: Place
    life: U8 = 30


class Stone(Thing):
    """Like an arrow; but only a reference says whose it is."""

    thrower: Ref[Archer]
    x: Place
    y: Place
    life: U8 = 30


class Butts(World):
    """Everybody has a lane, and nobody is ever hit."""

    num_players = 8
    game_id, game_version = "test.butts", 1
    archers: Annotated[list[Archer], Most(8)]
    arrows: Annotated[list[Arrow], Most(200)]
    stones: Annotated[list[Stone], Most(200)]

    def join(self, player: int) -> None:
        self.archers.append(Archer(player=player, x=100.03, y=100.02 + 30 * player))

    def leave(self, player: int) -> None:
        self.archers = [each for each in self.archers if each.player != player]

    def advance(self, inputs: Sequence[int]) -> None:
        for archer in self.archers:
            archer.bow.rest()
            archer.x += 3.1 * bool(inputs[archer.player] & RIGHT)
            if inputs[archer.player] & FIRE and archer.bow.use(every=7, burst=2):
                self.arrows.append(Arrow(player=archer.player, x=archer.x, y=archer.y))
                self.stones.append(Stone(thrower=archer, x=archer.x, y=archer.y))
        for shots, speed in ((self.arrows, 9.3), (self.stones, 7.1)):
            for shot in list(shots):
                shot.x += speed
                shot.life -= 1
                if not shot.life:
                    shots.remove(shot)


def trigger(seed: int) -> Any:
    """Fires in bursts."""
    dice, held = Random(seed), 0

    def press(_client: WorldClient) -> int:
        nonlocal held
        if dice.random() < 0.15:
            held = dice.choice([0, FIRE, FIRE | RIGHT])
        return held

    return press


class Film:
    """Where the own shots were in each picture."""

    def __init__(self) -> None:
        self.pictures: list[tuple[int, dict[str, list[tuple[float, float]]]]] = []

    def __call__(self, client: WorldClient) -> None:
        seat, world = client.local_players[0], client.world
        arrows = [(each.x, each.y) for each in world.arrows if each.player == seat]
        stones = [(each.x, each.y) for each in world.stones if each.thrower is not None and each.thrower.player == seat]
        self.pictures.append((client.frame, {"arrows": arrows, "stones": stones}))

    def strays(self, shots: str, speed: float) -> int:
        """Shots that are not where one was in the picture before, flown on; apart from those that are new."""
        found = 0
        for (frame, before), (after_frame, after) in itertools.pairwise(self.pictures):
            way = speed * (after_frame - frame)
            for x, y in after[shots]:
                near = min((hypot(x - a - way, y - b) for a, b in before[shots]), default=0.0)
                # A new one begins in front of the archer, who has been where all of them began.
                found += near > 0.1 * BODY and x > min(a for a, _ in after[shots]) + 1
        return found


@pytest.mark.long
def test_no_shot_of_ones_own_is_corrected_by_a_tenth_of_a_body_and_none_is_smeared() -> None:
    meeting = Meeting(Butts, seed=3, latency=0.06, loss=0.05)
    films = [Film() for _ in range(4)]
    visitors = [meeting.join(f"{number}", trigger(number), film) for number, film in enumerate(films)]
    meeting.run(6.0)
    for visitor, film in zip(visitors, films, strict=True):
        stats = visitor.client.stats
        assert stats.failures == 0
        assert stats.largest_correction < 0.1 * BODY
        assert stats.snaps == 0
        assert film.strays("arrows", 9.3) == film.strays("stones", 7.1) == 0
        assert sum(len(shots["arrows"]) for _, shots in film.pictures) > 500
