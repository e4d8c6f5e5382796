"""A game that draws with pygame: its off-screen picture as a JPEG, and its keys under a browser's names.

The studio runs without pygame, so this module is imported only for a game that has a window.
"""

import io
from collections.abc import Callable, Iterable
from typing import Any

import pygame

from retick.integrations.pygame import WindowGame
from retick.playing.names import Seats

SPECIAL = {
    pygame.K_LEFT: "ArrowLeft", pygame.K_RIGHT: "ArrowRight", pygame.K_UP: "ArrowUp", pygame.K_DOWN: "ArrowDown",
    pygame.K_SPACE: "Space", pygame.K_RETURN: "Enter", pygame.K_LSHIFT: "ShiftLeft", pygame.K_RSHIFT: "ShiftRight",
    pygame.K_LCTRL: "ControlLeft", pygame.K_RCTRL: "ControlRight", pygame.K_TAB: "Tab", pygame.K_COMMA: "Comma",
    pygame.K_PERIOD: "Period", pygame.K_SLASH: "Slash", pygame.K_MINUS: "Minus", pygame.K_BACKSPACE: "Backspace",
}  # fmt: skip
MOST_ROUNDS = 8


class SurfacePicture:
    """Draws a pygame game without a window."""

    def __init__(self, window: WindowGame) -> None:
        pygame.font.init()
        self._window = window
        self._screen = pygame.Surface(window.size)

    def jpeg(self, world: Any, here: Iterable[int], players: int) -> bytes:
        """Draw the picture that one peer sees."""
        self._window.draw(self._screen, world, Seats.named(here, players, {}))
        written = io.BytesIO()
        pygame.image.save(self._screen, written, "picture.jpg")
        return written.getvalue()


class _Probe:
    """Stands in for the keyboard: some keys are held, and the keys that the game reads are noted."""

    def __init__(self, held: frozenset[int] = frozenset()) -> None:
        self.asked: set[int] = set()
        self._held = held

    def __getitem__(self, key: int) -> bool:
        self.asked.add(key)
        return key in self._held


def buttons_of(press: tuple[Callable[[Any], int], ...]) -> list[dict[str, Any]]:
    """Find which key presses which bits, by calling the game's ``press`` with one key held at a time."""
    found: dict[int, int] = {}
    for one in press:
        first = _Probe()
        nothing = one(first)
        asked, done = set(first.asked), set[int]()
        for _ in range(MOST_ROUNDS):  # the game may read a key only while another one is held
            for key in sorted(asked - done):
                probe = _Probe(frozenset({key}))
                found[key] = found.get(key, 0) | (one(probe) & ~nothing)
                done.add(key)
                asked |= probe.asked
            if asked == done:
                break
    by_bits: dict[int, list[int]] = {}
    for key, bits in found.items():
        if bits and _code(key):
            by_bits.setdefault(bits, []).append(key)
    return [
        {"bit": bits, "label": f"button {number}", "keys": [_code(key) for key in keys]}
        for number, (bits, keys) in enumerate(sorted(by_bits.items()), 1)
    ]


def _code(key: int) -> str:
    """The ``KeyboardEvent.code`` of a key; "" if unknown."""
    if key in SPECIAL:
        return SPECIAL[key]
    letter = chr(key) if 0 < key < 128 else ""
    if letter.isalpha():
        return f"Key{letter.upper()}"
    return f"Digit{letter}" if letter.isdigit() else ""
