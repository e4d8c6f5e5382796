"""Tanks for two, declared: the same game as in before/tanks.py, and every value that decides anything has a type."""

from typing import Annotated

from retick.sim import F64, U8, U16, Dice, Most, Ref, Thing, World
from retick.sim import maths as math

WIDTH, HEIGHT = 640, 480
LEFT, RIGHT, FORWARD, FIRE = 1, 2, 4, 8


class Tank(Thing):
    x: F64
    y: F64
    angle: F64
    reload: U8 = 0
    score: U16 = 0


class Bullet(Thing):
    shooter: Ref[Tank]
    x: F64
    y: F64
    vx: F64
    vy: F64
    life: U8 = 90


class Tanks(World):
    num_players = 2
    game_id, game_version = "tutorial.tanks", 1
    tanks: Annotated[list[Tank], Most(2)]
    bullets: Annotated[list[Bullet], Most(32)]
    dice: Dice

    def start(self, seed):
        self.dice.seed(seed)
        self.tanks = [Tank(x=100, y=240, angle=0.0), Tank(x=540, y=240, angle=math.pi)]

    def advance(self, inputs):
        for tank, keys in zip(self.tanks, inputs, strict=True):
            self.drive(tank, keys)
            if keys & FIRE and tank.reload == 0:
                self.fire(tank)
        for bullet in list(self.bullets):
            self.fly(bullet)

    def drive(self, tank, keys):
        tank.angle += 0.06 * (bool(keys & RIGHT) - bool(keys & LEFT))
        if keys & FORWARD:
            tank.x = min(max(tank.x + 2 * math.cos(tank.angle), 0), WIDTH)
            tank.y = min(max(tank.y + 2 * math.sin(tank.angle), 0), HEIGHT)
        tank.reload = max(tank.reload - 1, 0)

    def fire(self, tank):
        vx, vy = 6 * math.cos(tank.angle), 6 * math.sin(tank.angle)
        self.bullets.append(Bullet(shooter=tank, x=tank.x, y=tank.y, vx=vx, vy=vy))
        tank.reload = 15

    def fly(self, bullet):
        bullet.x += bullet.vx
        bullet.y += bullet.vy
        bullet.life -= 1
        for tank in self.tanks:
            if tank is not bullet.shooter and math.hypot(tank.x - bullet.x, tank.y - bullet.y) < 15:
                bullet.shooter.score += 1
                bullet.life = 0
                tank.x, tank.y = self.dice.uniform(20, WIDTH - 20), self.dice.uniform(20, HEIGHT - 20)
        if bullet.life == 0:
            self.bullets.remove(bullet)
