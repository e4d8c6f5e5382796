"""The window of the arena: W A S D run, the mouse aims and fires, E opens doors.

``retick play examples/arena/game.py:Duel`` opens it. Your own fighter is always in the middle of the picture.
"""

import math
from array import array
from functools import lru_cache

import pygame
from game import SIGHT, WINS, Wish, team_of
from level import HEIGHT, SIZE, TILE, TILES, WIDTH, tile_of
from pygame import Vector2

title = "arena"
size = (800, 600)
TEAM_COLOURS = ("orange", "skyblue")
FLOOR, DARK_FLOOR, WALL, DARK_WALL = (52, 54, 60), (26, 27, 30), (120, 116, 108), (60, 58, 54)
NOTES = {"shot": (880, 40), "hit": (220, 90), "door": (330, 120), "pickup": (1320, 120), "round": (660, 500)}
"""For each cue: how high, in hertz, and how long, in milliseconds."""


def press(keys):
    """What one person wishes."""
    window = pygame.display.get_surface()
    x, y = pygame.mouse.get_pos()
    middle = window.get_rect().center if window else (x, y)
    return Wish(
        aim=math.atan2(y - middle[1], x - middle[0]),
        right=keys[pygame.K_d] - keys[pygame.K_a],
        down=keys[pygame.K_s] - keys[pygame.K_w],
        fire=pygame.mouse.get_pressed()[0] or keys[pygame.K_SPACE],
        use=keys[pygame.K_e],
    )


def draw(screen, world, me):
    """Peers have the whole world, so the fog is drawn here; a client of a server has nothing else to draw anyway."""
    mine = world.fighter_of(me[0]) if me else None
    eye = (mine.x, mine.y) if mine else (WIDTH / 2, HEIGHT / 2)
    camera = Vector2(size) / 2 - eye
    draw_map(screen, world, mine, camera)
    for thing in (*world.doors, *world.pads, *world.shots, *world.fighters):
        if mine is None or world.visible(mine.player, thing):
            DRAWN[type(thing).__name__](screen, thing, camera + Vector2(thing.x, thing.y))
    draw_state(screen, world, mine)


def draw_map(screen, world, mine, camera):
    screen.fill("black")
    here = tile_of(mine) if mine else None
    for (column, row), sign in TILES.items():
        corner = Vector2(TILE * column, TILE * row)
        lit = mine is None or (corner.distance_to((mine.x, mine.y)) < SIGHT and world.is_lit(here, (column, row)))
        colour = (WALL if lit else DARK_WALL) if sign in "#DU" else FLOOR if lit else DARK_FLOOR
        screen.fill(colour, (*(camera + corner), TILE, TILE))


def draw_door(screen, door, place):
    box = pygame.Rect(0, 0, TILE, TILE)
    box.center = place
    screen.fill(FLOOR if door.is_open else "saddlebrown" if door.needs_use else "peru", box)


def draw_pad(screen, pad, place):
    pygame.draw.circle(screen, "green" if pad.heals else "gold", place, 10, 0 if pad.is_full else 1)


def draw_shot(screen, shot, place):
    pygame.draw.circle(screen, "white", place, 3)


def draw_fighter(screen, fighter, place):
    colour = TEAM_COLOURS[team_of(fighter.player)]
    if not fighter.alive:
        pygame.draw.circle(screen, colour, place, SIZE, 2)
        return
    pygame.draw.circle(screen, colour, place, SIZE)
    pygame.draw.line(screen, "black", place, place + Vector2(SIZE, 0).rotate_rad(fighter.aim), 4)
    write(screen, f"{fighter.player + 1}", place - (4, 30), colour)


DRAWN = {"Door": draw_door, "Pad": draw_pad, "Shot": draw_shot, "Fighter": draw_fighter}


def draw_state(screen, world, mine):
    for team, colour in enumerate(TEAM_COLOURS):
        score = f"{world.points[team]}   {'*' * world.wins[team]}"
        write(screen, score, (size[0] / 2 - 80 + 120 * team, 8), colour)
    write(screen, f"{world.clock // 3600}:{world.clock // 60 % 60:02}", (size[0] / 2 - 20, 30), "white")
    if not world.is_running:
        write(screen, "the next round begins soon", (size[0] / 2 - 110, 60), "white")
    if mine is not None:
        state = f"health {mine.health}   rounds {mine.ammo}   kills {mine.kills}"
        write(screen, state if mine.alive else f"back in {mine.lying // 60 + 1}", (12, size[1] - 30), "white")


def write(screen, text, place, colour):
    screen.blit(font().render(text, True, colour), place)


@lru_cache(1)
def font():
    return pygame.font.Font(None, 24)


def result(world):
    """Who has won, None before."""
    team = world.winner()
    return None if team is None else f"{TEAM_COLOURS[team]} wins {WINS} rounds"


def hear(cue):
    """Play the sound of a cue, once."""
    note = sound(cue[0])
    if note is not None:
        note.play()


@lru_cache(len(NOTES))
def sound(name):
    """A square wave, so that there is no file to load; None where there is nothing to play it on."""
    try:
        if not pygame.mixer.get_init():
            pygame.mixer.init(22050, -16, 1)
    except pygame.error:
        return None
    pitch, length = NOTES[name]
    rate, _, channels = pygame.mixer.get_init()
    waves = (2000 if at * pitch // rate % 2 else -2000 for at in range(rate * length // 1000))
    return pygame.mixer.Sound(buffer=array("h", [value for value in waves for _ in range(channels)]))
