"""What is pressed here, tick by tick: to predict with, and to send until the server has it."""

from typing import Final

from retick.authority.world.frames import MOST_INPUTS

__all__ = ["OwnInputs"]

HELD: Final = 6
"""Ticks in a row that a server runs on the last input that it got."""


class OwnInputs:
    """The inputs of ticks that the server may not have run yet."""

    def __init__(self) -> None:
        self._pressed: dict[int, int] = {}
        self._before = (0, 0)
        """The newest one that was dropped: tick and input."""
        self.acknowledged = 0
        """Tick of the newest one that the server has received."""

    def __len__(self) -> int:
        return len(self._pressed)

    def press(self, tick: int, pressed: int) -> None:
        """Ticks come in order; the server runs those that are left out on the input before them, and then on none."""
        self._pressed[tick] = pressed

    def at(self, tick: int) -> int:
        """The input with which the server runs a tick, as far as it is known here."""
        found = self._pressed.get(tick)
        if found is not None:
            return found
        newest = max((each for each in self._pressed if each < tick), default=None)
        last, pressed = self._before if newest is None else (newest, self._pressed[newest])
        return pressed if tick - last <= HELD else 0

    def drop_through(self, tick: int) -> None:
        """The server has run these ticks."""
        while self._pressed:
            oldest = next(iter(self._pressed))
            if oldest > tick:
                return
            self._before = (oldest, self._pressed.pop(oldest))

    def to_send(self, newest: int, last_sent: int) -> tuple[int, ...]:
        """The newest first: all that are not acknowledged, and never more than a packet holds."""
        first = max(1, newest - MOST_INPUTS + 1, min(self.acknowledged, last_sent) + 1)
        return tuple(self.at(tick) for tick in range(newest, min(first, newest) - 1, -1))
