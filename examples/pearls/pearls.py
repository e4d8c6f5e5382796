"""Pearls: divers gather what they see and bring it to the surface. ``docs/tutorials/server.md`` builds it."""

from typing import Annotated

from retick.sim import F64, NOBODY, U8, U16, Dice, Most, OwnerOnly, Player, Range, ServerOnly, Thing, World

WIDTH, HEIGHT, SURFACE, SIGHT = 640, 480, 40, 150
SPEED, FULL, MOST_PEARLS, GROWTH = 2.5, 5, 12, 60
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8

Across = Annotated[F64, Range(0, WIDTH, step=1 / 8)]
Deep = Annotated[F64, Range(0, HEIGHT, step=1 / 8)]


class Diver(Thing):
    player: Player
    x: Across
    y: Deep
    score: U16 = 0
    cargo: Annotated[U8, OwnerOnly] = 0  # others do not get it: there it is 0


class Pearl(Thing):
    x: Across
    y: Deep


class Pearls(World):
    num_players = 4
    game_id, game_version = "tutorial.pearls", 1
    divers: Annotated[list[Diver], Most(4)]
    pearls: Annotated[list[Pearl], Most(MOST_PEARLS)]
    growth: Annotated[U8, ServerOnly] = 0  # no client gets it: none expects the next pearl
    dice: Dice

    def start(self, seed):
        for _ in range(MOST_PEARLS):
            self.grow()

    def grow(self):
        self.pearls.append(Pearl(x=float(self.dice.below(WIDTH)), y=float(SURFACE + self.dice.below(HEIGHT - SURFACE))))

    def join(self, player):
        self.divers.append(Diver(player=player, x=100.0 + 140 * player, y=20.0))

    def leave(self, player):
        self.divers = [diver for diver in self.divers if diver.player != player]

    def advance(self, inputs):
        for diver in self.divers:
            self.swim(diver, inputs[diver.player])
        self.growth = self.growth + 1 if len(self.pearls) < MOST_PEARLS else 0
        if self.growth == GROWTH:
            self.growth = 0
            self.grow()

    def swim(self, diver, pressed):
        right = bool(pressed & RIGHT) - bool(pressed & LEFT)
        down = bool(pressed & DOWN) - bool(pressed & UP)
        diver.x = min(max(diver.x + SPEED * right, 0.0), float(WIDTH))
        diver.y = min(max(diver.y + SPEED * down, 0.0), float(HEIGHT))
        for pearl in list(self.pearls):
            if diver.cargo < FULL and is_near(diver, pearl, 16):
                self.pearls.remove(pearl)
                diver.cargo += 1
                self.cue("taken", diver.player)
        if diver.y < SURFACE and diver.cargo:
            diver.score = min(diver.score + diver.cargo, 65535)
            diver.cargo = 0
            self.cue("landed", diver.player)

    # Who sees what: only a server asks.

    def visible(self, player, thing):
        if player == NOBODY:
            return True  # a spectator sees everything
        return any(is_near(diver, thing, SIGHT) for diver in self.divers if diver.player == player)


def is_near(one, other, distance):
    dx, dy = one.x - other.x, one.y - other.y
    return dx * dx + dy * dy < distance * distance
