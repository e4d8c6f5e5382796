"""Tanks for two, at one keyboard or online: before/tanks.py with what a match online needs."""

import pygame

from retick.integrations.pygame import Keyboard, play
from retick.sim import Dice, Ref, Thing, Vector2, World, random
from retick.sim import maths as math

WIDTH, HEIGHT = 640, 480
COLOURS = ["orange", "skyblue"]
KEYS = [
    {"left": pygame.K_a, "right": pygame.K_d, "forward": pygame.K_w, "fire": pygame.K_SPACE},
    {"left": pygame.K_LEFT, "right": pygame.K_RIGHT, "forward": pygame.K_UP, "fire": pygame.K_RETURN},
]
press = Keyboard(*KEYS)
sounds = {"shot": "shot.wav"}
pygame.font.init()
FONT = pygame.font.Font(None, 36)


class Tank(Thing):
    number: int
    pos: Vector2
    angle: float
    reload: float
    score: int

    def __init__(self, number, x, angle):
        self.number = number
        self.pos = Vector2(x, HEIGHT / 2)
        self.angle = angle
        self.reload = 0.0
        self.score = 0

    def update(self, dt, keys, game):
        k = KEYS[self.number]
        self.angle += 3.5 * dt * (keys[k["right"]] - keys[k["left"]])
        if keys[k["forward"]]:
            self.pos += 120 * dt * Vector2(math.cos(self.angle), math.sin(self.angle))
            self.pos.x = min(max(self.pos.x, 0), WIDTH)
            self.pos.y = min(max(self.pos.y, 0), HEIGHT)
        self.reload = max(self.reload - dt, 0.0)
        if keys[k["fire"]] and self.reload == 0:
            self.reload = 0.25
            game.fire(self)

    def draw(self, screen):
        ahead = self.pos + 20 * Vector2(math.cos(self.angle), math.sin(self.angle))
        pygame.draw.circle(screen, COLOURS[self.number], self.pos, 12)
        pygame.draw.line(screen, COLOURS[self.number], self.pos, ahead, 5)


class Bullet(Thing):
    shooter: Ref[Tank]
    pos: Vector2
    speed: Vector2
    life: float = 1.5

    def update(self, dt, game):
        self.pos += self.speed * dt
        self.life -= dt
        for tank in game.tanks:
            if tank is not self.shooter and (tank.pos - self.pos).length() < 15:
                self.shooter.score += 1
                self.life = 0.0
                tank.pos = Vector2(random.uniform(20, WIDTH - 20), random.uniform(20, HEIGHT - 20))


class Tanks(World):
    num_players = 2
    game_id, game_version = "tutorial.tanks", 1
    tanks: list[Tank]
    bullets: list[Bullet]
    dice: Dice

    def start(self, seed):
        self.tanks = [Tank(0, 100, 0.0), Tank(1, 540, math.pi)]
        self.bullets = []

    def advance(self, inputs):
        self.update(1 / 60, press.held(inputs))

    def update(self, dt, keys):
        for tank in self.tanks:
            tank.update(dt, keys, self)
        for bullet in self.bullets:
            bullet.update(dt, self)
        self.bullets = [bullet for bullet in self.bullets if bullet.life > 0]

    def fire(self, tank):
        aim = Vector2(math.cos(tank.angle), math.sin(tank.angle))
        self.bullets.append(Bullet(tank, Vector2(tank.pos), 360 * aim))
        self.cue("shot")

    def draw(self, screen):
        screen.fill("black")
        for tank in self.tanks:
            tank.draw(screen)
        for bullet in self.bullets:
            pygame.draw.circle(screen, "white", bullet.pos, 3)
        score = " : ".join(str(tank.score) for tank in self.tanks)
        screen.blit(FONT.render(score, True, "white"), (20, 20))


if __name__ == "__main__":
    play(Tanks)
