"""A game as people write it for pygame, after the change to a world: docs/concepts/worlds.md shows what it was before.

Run it with ``python examples/gunfight.py`` for a window (``pip install 'retick[pygame]'``).
"""

import pygame

from retick.integrations.pygame import Keyboard, play
from retick.sim import Dice, Rect, Ref, Thing, Vector2, World, random
from retick.sim import maths as math

WALLS = [
    Rect(0, 0, 640, 10),
    Rect(0, 470, 640, 10),
    Rect(0, 0, 10, 480),
    Rect(630, 0, 10, 480),
    Rect(300, 160, 40, 160),
]
KEYS = [
    {"left": pygame.K_a, "right": pygame.K_d, "walk": pygame.K_w, "fire": pygame.K_SPACE},
    {"left": pygame.K_LEFT, "right": pygame.K_RIGHT, "walk": pygame.K_UP, "fire": pygame.K_RETURN},
]
KEYBOARD = Keyboard(*KEYS)


class Gunner(Thing):
    name: str
    pos: Vector2
    facing: Vector2
    hp: int
    reload: float

    def __init__(self, name, pos):
        self.name = name
        self.pos = Vector2(pos)
        self.facing = Vector2(1, 0)
        self.hp = 3
        self.reload = 0.0

    @property
    def rect(self):
        return Rect(self.pos.x - 12, self.pos.y - 12, 24, 24)

    def update(self, dt, keys, k, game):
        self.facing.rotate_ip(180 * dt * (keys[k["right"]] - keys[k["left"]]))
        if keys[k["walk"]]:
            old = self.pos
            self.pos = self.pos + self.facing * 150 * dt
            if self.rect.collidelist(WALLS) >= 0:
                self.pos = old
        self.reload = max(0.0, self.reload - dt)
        if keys[k["fire"]] and self.reload <= 0:
            self.reload = 0.5
            aim = self.facing.rotate_rad(math.radians(random.uniform(-4, 4)))
            game.bullets.append(Bullet(self.pos + aim * 20, aim * 400, self))


class Bullet(Thing):
    pos: Vector2
    vel: Vector2
    owner: Ref[Gunner]
    alive: bool = True

    def update(self, dt, game):
        self.pos += self.vel * dt
        for wall in WALLS:
            if wall.collidepoint(self.pos):
                self.alive = False
        for gunner in game.gunners:
            if gunner is not self.owner and gunner.rect.collidepoint(self.pos):
                gunner.hp -= 1
                self.alive = False


class Gunfight(World):
    num_players = 2
    gunners: list[Gunner]
    bullets: list[Bullet]
    dice: Dice

    def start(self, seed):
        self.gunners = [Gunner("Ann", (80, random.randint(60, 420))), Gunner("Bob", (560, 240))]
        self.bullets = []

    def advance(self, inputs):
        self.update(1 / 60, KEYBOARD.held(inputs))

    def update(self, dt, keys):
        for gunner, k in zip(self.gunners, KEYS, strict=True):
            if gunner.hp > 0:
                gunner.update(dt, keys, k, self)
        for bullet in self.bullets:
            bullet.update(dt, self)
        self.bullets = [b for b in self.bullets if b.alive]


def draw(screen, world, me):
    screen.fill("tan")
    for wall in WALLS:
        pygame.draw.rect(screen, "brown", wall)
    for bullet in world.bullets:
        pygame.draw.circle(screen, "black", bullet.pos, 3)
    for seat, gunner in enumerate(world.gunners):
        pygame.draw.circle(screen, "blue" if seat in me else "red", gunner.pos, 12)
        pygame.draw.line(screen, "black", gunner.pos, gunner.pos + gunner.facing * 20, 3)


def result(world):
    alive = [gunner.name for gunner in world.gunners if gunner.hp > 0]
    return f"{alive[0]} wins" if len(alive) == 1 else None


if __name__ == "__main__":
    play(Gunfight, draw, KEYBOARD, title="gunfight", size=(640, 480), result=result)
