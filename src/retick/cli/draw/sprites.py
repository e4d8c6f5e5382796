"""The fighters as drawn in a terminal: one little picture for each pose, in two sizes.

Pictures face right and are plain ASCII, so that every terminal shows them; the left-facing ones are mirrored here.
All of one size have the same height and width, so that a fighter does not jump about when its pose changes.
"""

from typing import NamedTuple

from retick.games.fighter import Action, PlayerState
from retick.games.fighter.rules import ATTACK_COOLDOWN_FRAMES

__all__ = ["LARGE", "SMALL", "Sprites", "picture"]

_MIRROR = str.maketrans("/\\<>()", "\\/><)(")
_STRIDE = 5
"""Frames that a running fighter keeps each of its two poses."""
_FOLLOW_THROUGH = 12
"""Frames that a striking fighter keeps its pose: the strike itself is too short to be seen."""


class Sprites(NamedTuple):
    """The poses of one size; each picture is its rows from the head down."""

    idle: tuple[str, ...]
    run: tuple[tuple[str, ...], tuple[str, ...]]
    jump: tuple[str, ...]
    attack: tuple[str, ...]
    stunned: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.idle)

    @property
    def width(self) -> int:
        return len(self.idle[0])


SMALL = Sprites(
    idle=(" O ", "/|>", "/ \\"),
    run=((" O ", "<|>", "/ >"), (" O ", "/|-", " |\\")),
    jump=("\\O/", " | ", "< >"),
    attack=(" O ", "<|=", "/ \\"),
    stunned=("\\O ", " |\\", "/ /"),
)

LARGE = Sprites(
    idle=("  O  ", " /|\\_", " \\|  ", " / \\ ", "/   \\"),
    run=(
        ("  O  ", " /|\\>", "/ |  ", " / \\_", "/    "),
        ("  O  ", " /|_>", " \\|  ", "  |\\ ", " /  >"),
    ),
    jump=(" \\O/ ", "  |  ", "  |  ", " < > ", " / \\ "),
    attack=("  O  ", " /|==", "/ |  ", " / \\ ", "/   \\"),
    stunned=("\\ O/ ", " \\|  ", "  |\\ ", " / / ", "/ /  "),
)


def picture(sprites: Sprites, player: PlayerState, frame: int) -> tuple[str, ...]:
    """The rows that show ``player``; ``frame`` moves the legs."""
    rows = _pose(sprites, player, frame)
    if player.facing < 0:
        return tuple(row[::-1].translate(_MIRROR) for row in rows)
    return rows


def _pose(sprites: Sprites, player: PlayerState, frame: int) -> tuple[str, ...]:
    if player.state == Action.HITSTUN:
        return sprites.stunned
    if player.attack_cooldown_frames > ATTACK_COOLDOWN_FRAMES - _FOLLOW_THROUGH:
        return sprites.attack
    if player.y > 0:
        return sprites.jump
    if player.state == Action.RUN:
        return sprites.run[frame // _STRIDE % 2]
    return sprites.idle
