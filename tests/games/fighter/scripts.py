"""The two scripted golden runs, as functions from a 0-based frame to each player's buttons."""

from retick.games.fighter import Button

LEFT, RIGHT, JUMP, ATTACK = (int(button) for button in Button)


def pinned(f: int) -> tuple[int, int]:
    """The script behind the checksum that the reference pins."""
    if f < 200:
        first = RIGHT
    elif f < 220:
        first = JUMP
    elif f < 400:
        first = RIGHT
    elif f < 450:
        first = ATTACK if f % 15 == 0 else 0
    else:
        first = LEFT if (f // 20) % 2 == 0 else RIGHT
    if f < 300:
        second = LEFT
    elif f < 400:
        second = JUMP
    elif f < 500:
        second = ATTACK if f % 17 == 0 else 0
    else:
        second = 0
    return first, second


def documented(f: int) -> tuple[int, int]:
    """The script that the reference's document describes beside that checksum; it gives another one."""
    if f < 50 or 51 <= f < 150:
        first = RIGHT
    elif f == 50:
        first = JUMP
    elif f < 200:
        first = ATTACK if f % 20 == 0 else 0
    else:
        first = LEFT
    second = LEFT if f < 100 else JUMP if f < 120 else 0
    return first, second
