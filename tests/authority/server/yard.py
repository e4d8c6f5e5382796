"""A small world for tests of its server: players walk, shoot what they saw, and do on request what is bad."""

from collections.abc import Sequence
from typing import Annotated, Any

from retick.sim import I32, U8, U16, Dice, Most, OwnerOnly, Player, Range, ServerOnly, Thing, World

__all__ = ["BREAK", "RIGHT", "SHOOT", "TELL", "Walker", "Yard"]

RIGHT, SHOOT, TELL, BREAK = 1, 2, 4, 8


class Walker(Thing):
    player: Player
    x: Annotated[I32, Range(0, 4095, step=1)] = 0
    hits: U16 = 0
    purse: Annotated[U8, OwnerOnly] = 3
    luck: Annotated[U8, ServerOnly] = 0


class Yard(World):
    num_players = 3
    game_id, game_version = "test.yard", 4
    walkers: Annotated[list[Walker], Most(3)]
    dice: Dice
    ticks: I32

    def start(self, seed: int) -> None:
        self.dice.seed(seed)

    def join(self, player: int) -> None:
        self.walkers.append(Walker(player=player, x=100 * self.dice.below(10), luck=self.dice.below(200)))
        self.cue("came", player)

    def leave(self, player: int) -> None:
        self.walkers = [walker for walker in self.walkers if walker.player != player]
        self.cue("went", player)

    def advance(self, inputs: Sequence[int]) -> None:
        self.ticks += 1
        for walker in self.walkers:
            pressed = inputs[walker.player]
            walker.x = (walker.x + 2 * (pressed & RIGHT)) & 4095
            if pressed & SHOOT:
                seen = self.seen_by(walker.player)
                walker.hits = (walker.hits + sum(other.x for other in seen.walkers)) & 0xFFFF
                self.cue("shot", walker.player, walker.hits)
            if pressed & TELL:
                self.send(b"told %d" % walker.player, to=walker.player)
                self.send(b"note", reliable=False)
            if pressed & BREAK:
                raise ZeroDivisionError("the game divides by zero")

    def hears(self, player: int, cue: tuple[Any, ...]) -> bool:
        return cue[0] != "shot" or cue[1] == player
