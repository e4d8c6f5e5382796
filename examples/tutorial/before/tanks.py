"""Tanks for two at one keyboard, in one file, as pygame games are written: W, A, D and Space; arrow keys and Return."""

import math
import random
from dataclasses import dataclass

import pygame
from pygame import Vector2

WIDTH, HEIGHT = 640, 480
COLOURS = ["orange", "skyblue"]
KEYS = [
    {"left": pygame.K_a, "right": pygame.K_d, "forward": pygame.K_w, "fire": pygame.K_SPACE},
    {"left": pygame.K_LEFT, "right": pygame.K_RIGHT, "forward": pygame.K_UP, "fire": pygame.K_RETURN},
]


class Tank:
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


@dataclass
class Bullet:
    shooter: Tank
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


class Tanks:
    def __init__(self):
        self.tanks = [Tank(0, 100, 0.0), Tank(1, 540, math.pi)]
        self.bullets = []
        self.font = pygame.font.Font(None, 36)
        self.shot = pygame.mixer.Sound("shot.wav")

    def update(self, dt, keys):
        for tank in self.tanks:
            tank.update(dt, keys, self)
        for bullet in self.bullets:
            bullet.update(dt, self)
        self.bullets = [bullet for bullet in self.bullets if bullet.life > 0]

    def fire(self, tank):
        aim = Vector2(math.cos(tank.angle), math.sin(tank.angle))
        self.bullets.append(Bullet(tank, Vector2(tank.pos), 360 * aim))
        self.shot.play()

    def draw(self, screen):
        screen.fill("black")
        for tank in self.tanks:
            tank.draw(screen)
        for bullet in self.bullets:
            pygame.draw.circle(screen, "white", bullet.pos, 3)
        score = " : ".join(str(tank.score) for tank in self.tanks)
        screen.blit(self.font.render(score, True, "white"), (20, 20))


def main():
    pygame.init()
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    clock = pygame.time.Clock()
    game = Tanks()
    while not pygame.event.get(pygame.QUIT):
        dt = clock.tick(60) / 1000
        game.update(dt, pygame.key.get_pressed())
        game.draw(screen)
        pygame.display.flip()


if __name__ == "__main__":
    main()
