"""A game for tests of clients: walkers that are predicted, drones in the past, doors, bullets, teleports, cues."""

from collections.abc import Sequence
from typing import Annotated, Any

from retick.sim import F64, U8, U16, Angle, Dice, Jumps, Most, OwnerOnly, Player, Range, Ref, Thing, World, jump

__all__ = [
    "BODY",
    "DOWN",
    "FIRE",
    "LEFT",
    "RIGHT",
    "SPEED",
    "STEP",
    "TELEPORT",
    "UP",
    "Bullet",
    "Drone",
    "Walker",
    "Yard",
]

RIGHT, LEFT, DOWN, UP, FIRE, TELEPORT = 1, 2, 4, 8, 16, 32
STEP = 1 / 16
SPEED = 3.1
BODY = 24.0
X = Annotated[F64, Range(0, 640, step=STEP)]
Y = Annotated[F64, Range(0, 480, step=STEP)]


class Walker(Thing):
    player: Player
    x: X
    y: Y
    heading: Angle = 0.0
    reload: U8 = 0
    ammo: Annotated[U8, OwnerOnly] = 200
    jumps: Jumps


class Bullet(Thing):
    shooter: Ref[Walker]
    x: X
    y: Y
    life: U8 = 40


class Drone(Thing):
    predicted = False
    x: X
    y: Y
    turn: Angle = 0.0
    age: U16 = 0
    target: Ref[Walker]
    jumps: Jumps


class Yard(World):
    num_players = 4
    game_id, game_version = "test.yard", 1
    walkers: Annotated[list[Walker], Most(4)]
    bullets: Annotated[list[Bullet], Most(32)]
    drones: Annotated[list[Drone], Most(8)]
    dice: Dice
    ticks: U16
    door: bool

    def start(self, seed: int) -> None:
        self.dice.seed(seed)
        self.drones = [Drone(x=100.0 * number, y=20.0, target=None) for number in range(3)]

    def join(self, player: int) -> None:
        self.walkers.append(Walker(player=player, x=100.03 + 120 * player, y=200.02))

    def leave(self, player: int) -> None:
        self.walkers = [each for each in self.walkers if each.player != player]

    def advance(self, inputs: Sequence[int]) -> None:
        self.ticks = (self.ticks + 1) & 0xFFFF
        for walker in self.walkers:
            self.walk(walker, inputs[walker.player])
        for bullet in list(self.bullets):
            bullet.x += 8.0
            bullet.life -= 1
            if bullet.life == 0 or bullet.x > 640:
                self.bullets.remove(bullet)
        for drone in self.drones:
            self.fly(drone)

    def walk(self, walker: Walker, pressed: int) -> None:
        walker.x = min(max(walker.x + SPEED * (bool(pressed & RIGHT) - bool(pressed & LEFT)), 0.0), 640.0)
        walker.y = min(max(walker.y + SPEED * (bool(pressed & DOWN) - bool(pressed & UP)), 0.0), 480.0)
        walker.heading += 0.05
        walker.reload = max(0, walker.reload - 1)
        if pressed & FIRE and not walker.reload and walker.ammo and len(self.bullets) < 32:
            walker.reload, walker.ammo = 12, walker.ammo - 1
            self.bullets.append(Bullet(shooter=walker, x=walker.x, y=walker.y))
            self.cue("shot", walker.player, walker.x, walker.y)
        if pressed & TELEPORT and not walker.reload:
            walker.reload = 30
            walker.x = 600.0 - walker.x
            jump(walker)
            self.door = not self.door

    def fly(self, drone: Drone) -> None:
        drone.age = (drone.age + 1) & 0xFFFF
        drone.turn += 0.1
        drone.x += 2.0
        if drone.x > 600:
            drone.x = 10.0
            jump(drone)
            self.cue("drone", drone.id)

    def things(self) -> list[Any]:
        return [*self.walkers, *self.bullets, *self.drones]
