"""Players that nobody plays: ``bot(player, world)`` says what a seat wishes. A server calls it once a tick.

A bot is outside of the game. It reads the world, never changes it, and asks ``visible`` as the fog of war does.
"""

from functools import lru_cache
from math import atan2

from game import Wish, team_of
from level import TILE, TILES, WALLS, is_near, places, tile_of

HEALTH, AMMO = places("+"), places("*")


def bot(player, world):
    me = world.fighter_of(player)
    if me is None or not me.alive:
        return Wish()
    enemies = [
        fighter
        for fighter in world.fighters
        if team_of(fighter.player) != team_of(player) and fighter.alive and world.visible(player, fighter)
    ]
    right, down = towards(me, goal_of(world, me))
    if not enemies:
        return Wish(aim=atan2(down, right), right=right, down=down, use=True)
    target = min(enemies, key=lambda enemy: (enemy.x - me.x) ** 2 + (enemy.y - me.y) ** 2)
    if is_near(me, target, 120):  # near enough: step aside instead
        side = 1 if world.clock // 40 + player & 1 else -1
        right, down = side * (abs(target.y - me.y) > 60), side * (abs(target.x - me.x) > 60)
    aim = atan2(target.y - me.y, target.x - me.x)
    return Wish(aim=aim, right=right, down=down, fire=me.ammo > 0, use=True)


def goal_of(world, me):
    """The tile where a bot goes: a pad, and every five seconds another one. It knows the map, not what lies there."""
    pads = HEALTH if me.health < 50 else AMMO
    (x, y), _ = pads[(me.player * 5 + world.clock // 300) % len(pads)]
    return int(x) // TILE, int(y) // TILE


def towards(me, goal):
    """Which way to run: right and down, each -1, 0 or 1. First into the middle of the lane, then along it."""
    here = tile_of(me)
    x, y = ways_to(goal).get(here, here)
    dx, dy = TILE * x + TILE / 2 - me.x, TILE * y + TILE / 2 - me.y
    return (dx > 3) - (dx < -3), (dy > 3) - (dy < -3)


@lru_cache(256)
def ways_to(goal):
    """For every tile the next one on a shortest way to the goal."""
    following, border = {goal: goal}, [goal]
    for tile in border:  # it grows meanwhile
        x, y = tile
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if near in TILES and near not in WALLS and near not in following:
                following[near] = tile
                border.append(near)
    return following
