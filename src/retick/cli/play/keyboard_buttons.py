"""Turns key presses into buttons. A terminal reports when a key is pressed, and never when it is released.

Theory of operation. A terminal repeats a key that is held, after half a second, about thirty times a second. So one
press of a direction moves for a few frames. Each repeat prolongs the movement, so a held key runs; it ends a moment
after the last repeat, or at once by the other direction or the stop key. Jump and strike last for one frame. They are
kept until a frame has read them, so a press between two frames is not lost.
"""

from collections.abc import Mapping
from typing import Any

__all__ = ["KeyboardButtons"]

STEP_SECONDS = 0.1
"""How long one press of a direction moves."""
REPEAT_WITHIN = 0.8
"""A press this soon after the last one of the same key counts as its repeat: terminals begin after 0.2 to 0.7 s."""
REPEAT_SECONDS = 0.12
"""How long one repeat moves: longer than the time between two repeats."""


class _Axis:
    """Two directions that exclude each other."""

    def __init__(self) -> None:
        self._button = 0
        self._until = 0.0
        self._pressed_at = 0.0
        self._seen = True

    def press(self, button: int, now: float) -> None:
        repeats = button == self._button and now - self._pressed_at < REPEAT_WITHIN
        self._button, self._pressed_at, self._seen = button, now, False
        self._until = now + (REPEAT_SECONDS if repeats else STEP_SECONDS)

    def stop(self) -> None:
        self._until, self._seen = 0.0, True

    def held(self, now: float) -> int:
        moving = now < self._until or not self._seen
        self._seen = True
        return self._button if moving else 0


class KeyboardButtons:
    """The controller of a person: key presses in, the buttons of each frame out."""

    def __init__(
        self, *, axes: tuple[Mapping[str, int], ...], moments: Mapping[str, int], stops: frozenset[str] = frozenset()
    ) -> None:
        """Keys for the directions of each axis, for buttons that last one frame, and to stop all movement."""
        self._axes = [(keys, _Axis()) for keys in axes]
        self._momentary = moments
        self._stops = stops
        self._moments = 0

    def press(self, key: str, now: float) -> None:
        """A key as :class:`retick.cli.play.terminal_keys.TerminalKeys` names it; keys without a meaning do nothing."""
        key = key.lower()
        for keys, axis in self._axes:
            if key in keys:
                axis.press(keys[key], now)
            elif key in self._stops:
                axis.stop()
        self._moments |= self._momentary.get(key, 0)

    def __call__(self, state: Any, now: float, /) -> int:
        pressed, self._moments = self._moments, 0
        for _, axis in self._axes:
            pressed |= axis.held(now)
        return pressed
