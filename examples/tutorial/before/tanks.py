"""Tanks for two, as an ordinary pygame game has it: objects that change, floats, and a list of bullets."""

import math
import random

WIDTH, HEIGHT = 640, 480
LEFT, RIGHT, FORWARD, FIRE = 1, 2, 4, 8


class Tank:
    def __init__(self, x, y, angle):
        self.x = x
        self.y = y
        self.angle = angle
        self.reload = 0
        self.score = 0


class Bullet:
    def __init__(self, shooter, x, y, vx, vy):
        self.shooter = shooter
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.life = 90


class Tanks:
    def __init__(self):
        self.tanks = [Tank(x=100, y=240, angle=0.0), Tank(x=540, y=240, angle=math.pi)]
        self.bullets = []

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
                tank.x, tank.y = random.uniform(20, WIDTH - 20), random.uniform(20, HEIGHT - 20)
        if bullet.life == 0:
            self.bullets.remove(bullet)
