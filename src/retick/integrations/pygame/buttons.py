"""Keys as the bits of an input, for games that read ``keys[pygame.K_w]``."""

from retick.errors import UsageError
from retick.integrations.pygame.keys import Keys

__all__ = ["Buttons", "Held"]

MOST_KEYS = 64
"""Bits of the widest input."""


class Held:
    """``held[pygame.K_w]`` is True if that key is held in this input."""

    __slots__ = ("_bits", "_pressed")

    def __init__(self, bits: dict[int, int], pressed: int) -> None:
        self._bits = bits
        self._pressed = pressed

    def __getitem__(self, key: int) -> bool:
        try:
            return self._pressed & self._bits[key] != 0
        except KeyError:
            raise UsageError(f"key {key} is none of the keys of these Buttons: add it there") from None


class Buttons:
    """The keys of one person: the first is bit 0 of the input, the next bit 1, and so on.

    It is a ``press`` function for ``play``, and ``held(pressed)`` reads an input by the keys again::

        BUTTONS = Buttons(pygame.K_a, pygame.K_d, pygame.K_SPACE)

        def advance(self, inputs):
            for tank, pressed in zip(self.tanks, inputs):
                tank.update(BUTTONS.held(pressed))   # in which keys[pygame.K_a] is what it was

        play(Tanks, draw, BUTTONS)

    A second person at the same keyboard has other keys in the same order: ``play(Tanks, draw, (BUTTONS, ARROWS))``. The
    game goes on reading by the first ones, whoever pressed.
    """

    def __init__(self, *keys: int) -> None:
        if not 1 <= len(set(keys)) == len(keys) <= MOST_KEYS:
            raise UsageError(f"Buttons takes 1 to {MOST_KEYS} different keys, not {keys!r}")
        self._bits = {key: 1 << index for index, key in enumerate(keys)}

    def __call__(self, keys: Keys) -> int:
        """The input: the bits of all keys that are held."""
        return sum(bit for key, bit in self._bits.items() if keys[key])

    def held(self, pressed: int) -> Held:
        """What an input says about each key."""
        return Held(self._bits, pressed)
