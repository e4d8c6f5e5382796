"""The map of the arena: which tiles are walls and doors, and what stands between two of them."""
# retick: floats -- only + - * / and comparisons, which give the same bits wherever CPython runs

from functools import lru_cache

# Walls, doors that open by themselves (D) or when used (U), starts, and pads with health (+) or rounds (*).
# The lower half is the upper one turned around.
UPPER = (
    "##############################",
    "#s......#............#......+#",
    "#s......D....####....U.......#",
    "#s......#............#.......#",
    "#s......######.*######...##..#",
    "#.......#............#...##..#",
    "####D####....#..#....#.......#",
    "#............#..#....###D#####",
    "#....##....................*.#",
    "#....##........##............#",
)
ROWS = UPPER + tuple(row[::-1] for row in reversed(UPPER))
TILES = {(column, row): sign for row, line in enumerate(ROWS) for column, sign in enumerate(line)}
TILE = 32
WIDTH, HEIGHT = TILE * len(ROWS[0]), TILE * len(ROWS)
WALLS = frozenset(tile for tile, sign in TILES.items() if sign == "#")
DOORS = frozenset(tile for tile, sign in TILES.items() if sign in "DU")
SIZE = 12
"""Of a fighter, from its middle to its edge."""


def places(signs):
    """The middles of all tiles with one of these signs, and their signs."""
    return [((TILE * x + TILE / 2, TILE * y + TILE / 2), sign) for (x, y), sign in TILES.items() if sign in signs]


STARTS = [[place for place, _ in places("s") if (place[0] > WIDTH / 2) == team] for team in (0, 1)]


def tile_of(thing):
    return int(thing.x) // TILE, int(thing.y) // TILE


def is_solid(x, y, opened):
    tile = int(x) // TILE, int(y) // TILE
    return tile in WALLS or (tile in DOORS and tile not in opened)


def is_free(x, y, opened):
    """Whether a fighter has room there."""
    return not any(is_solid(x + dx, y + dy, opened) for dx in (-SIZE, SIZE) for dy in (-SIZE, SIZE))


def is_near(one, other, distance):
    dx, dy = one.x - other.x, one.y - other.y
    return dx * dx + dy * dy < distance * distance


@lru_cache(1 << 17)
def doors_between(here, there):
    """The doors on the straight line between two tiles; None if there is a wall."""
    steps = 2 * max(abs(there[0] - here[0]), abs(there[1] - here[1]), 1)
    line = {
        tuple(int(a + (b - a) * step / steps + 0.5) for a, b in zip(here, there, strict=True))
        for step in range(1, steps)
    } - {here, there}
    return None if line & WALLS else line & DOORS
