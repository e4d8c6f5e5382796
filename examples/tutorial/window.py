"""The window of the declared tank game: arrow keys and Return for one player, W, A, D and Space for the other."""

import math

import pygame
from tanks import FIRE, FORWARD, HEIGHT, LEFT, RIGHT, WIDTH, Tanks

ARROWS = {pygame.K_LEFT: LEFT, pygame.K_RIGHT: RIGHT, pygame.K_UP: FORWARD, pygame.K_RETURN: FIRE}
LETTERS = {pygame.K_a: LEFT, pygame.K_d: RIGHT, pygame.K_w: FORWARD, pygame.K_SPACE: FIRE}
COLOURS = ["orange", "skyblue"]


def pressed(buttons):
    """One integer for one player: a bit for each button that is down."""
    keys = pygame.key.get_pressed()
    return sum(button for key, button in buttons.items() if keys[key])


def draw(screen, game):
    screen.fill("black")
    for tank, colour in zip(game.tanks, COLOURS, strict=True):
        ahead = tank.x + 20 * math.cos(tank.angle), tank.y + 20 * math.sin(tank.angle)
        pygame.draw.circle(screen, colour, (tank.x, tank.y), 12)
        pygame.draw.line(screen, colour, (tank.x, tank.y), ahead, 5)
    for bullet in game.bullets:
        pygame.draw.circle(screen, "white", (bullet.x, bullet.y), 3)
    pygame.display.set_caption(" : ".join(str(tank.score) for tank in game.tanks))
    pygame.display.flip()


def main():
    pygame.init()
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    clock = pygame.time.Clock()
    game = Tanks()
    game.reset(1)
    while not pygame.event.get(pygame.QUIT):
        game.advance((pressed(ARROWS), pressed(LETTERS)))
        draw(screen, game)
        clock.tick(60)


if __name__ == "__main__":
    main()
