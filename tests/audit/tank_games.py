"""A tank game as people write it: mutable objects, floats, a list of bullets; and versions of it that cheat."""

import copy
import math
import random
from typing import Any
from zlib import crc32

WIDTH, HEIGHT = 640.0, 480.0
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16


class Tank:
    def __init__(self, x: float, y: float, angle: float) -> None:
        self.x, self.y, self.angle = x, y, angle
        self.reload = 0
        self.lives = 3


class Bullet:
    def __init__(self, owner: int, x: float, y: float, angle: float) -> None:
        self.owner, self.x, self.y = owner, x, y
        self.vx, self.vy = 6 * math.cos(angle), 6 * math.sin(angle)


class World:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.tanks = [Tank(80.0, 240.0, 0.0), Tank(560.0, 240.0, math.pi)]
        self.bullets: list[Bullet] = []


class Tanks:
    """Honest: a tank that was hit starts again at its own side."""

    num_players = 2

    def initial_state(self, seed: int) -> World:
        return World(seed)

    def step(self, state: World, inputs: Any) -> World:
        world = copy.deepcopy(state)
        self.advance(world, inputs)
        return world

    def advance(self, world: World, inputs: Any) -> None:
        for number, (tank, pressed) in enumerate(zip(world.tanks, inputs, strict=True)):
            self.drive(world, tank, number, pressed)
        for bullet in list(world.bullets):
            bullet.x += bullet.vx
            bullet.y += bullet.vy
            if not (0 <= bullet.x <= WIDTH and 0 <= bullet.y <= HEIGHT):
                world.bullets.remove(bullet)
                continue
            target = world.tanks[1 - bullet.owner]
            if math.hypot(bullet.x - target.x, bullet.y - target.y) < 14:
                world.bullets.remove(bullet)
                self.hit(world, target, 1 - bullet.owner)

    def drive(self, world: World, tank: Tank, number: int, pressed: int) -> None:
        if pressed & LEFT:
            tank.angle -= 0.06
        if pressed & RIGHT:
            tank.angle += 0.06
        speed = 2.5 if pressed & UP else -1.5 if pressed & DOWN else 0.0
        tank.x = min(max(tank.x + speed * math.cos(tank.angle), 0.0), WIDTH)
        tank.y = min(max(tank.y + speed * math.sin(tank.angle), 0.0), HEIGHT)
        tank.reload = max(tank.reload - 1, 0)
        if pressed & FIRE and tank.reload == 0:
            world.bullets.append(Bullet(number, tank.x, tank.y, tank.angle))
            tank.reload = 25

    def hit(self, world: World, tank: Tank, number: int) -> None:
        tank.lives -= 1
        if tank.lives == 0:
            tank.lives = 3
        self.respawn(tank, number)

    def respawn(self, tank: Tank, number: int) -> None:
        tank.x, tank.y = (80.0, 240.0) if number == 0 else (560.0, 240.0)

    def checksum(self, state: World) -> int:
        return crc32(repr(list(self.fields(state))).encode())

    def fields(self, state: World) -> Any:
        for number, tank in enumerate(state.tanks):
            for name, value in vars(tank).items():
                yield f"tanks[{number}].{name}", value
        for number, bullet in enumerate(state.bullets):
            for name, value in vars(bullet).items():
                yield f"bullets[{number}].{name}", value


class RandomRespawn(Tanks):
    """Starts again anywhere, drawn from the generator of the process."""

    def respawn(self, tank: Tank, number: int) -> None:
        tank.x = random.uniform(40, WIDTH - 40)
        tank.y = random.uniform(40, HEIGHT - 40)


class RandomRematch(Tanks):
    """The same, but only when the last life is lost."""

    def hit(self, world: World, tank: Tank, number: int) -> None:
        tank.lives -= 1
        if tank.lives == 0:
            tank.lives = 3
            tank.x = random.uniform(40, WIDTH - 40)


class RandomStart(Tanks):
    def initial_state(self, seed: int) -> World:
        world = World(seed)
        world.tanks[0].x = random.uniform(40, 200)
        return world


class InPlace(Tanks):
    """Changes the state that it is given, and returns it."""

    def step(self, state: World, inputs: Any) -> World:
        self.advance(state, inputs)
        return state


class WithBot(Tanks):
    """Brings a bot that drives and never fires."""

    def bot(self, player: int, state: World) -> int:
        return UP if state.tanks[player].x < 300 else LEFT


class WithKeyboard(Tanks):
    """Has a press function that is no bot."""

    def press(self, keys: Any) -> int:
        raise AssertionError("nobody has a keyboard here")
