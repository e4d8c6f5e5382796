"""Buttons from a terminal, which tells when a key is pressed and never when it is let go.

Theory of operation. A terminal repeats a key that is held, after half a second, about thirty times a second. So a press
of a direction is a step of a few frames; each repeat carries it on until a moment after the last one, which is
running; the other direction, or the stop key, ends it at once. Jump and strike last for one frame, and are kept
until a frame has seen them: what was pressed between two frames is not lost.
"""

from collections.abc import Mapping
from typing import Any

__all__ = ["HeldKeys"]

STEP_SECONDS = 0.1
"""How long one press of a direction lasts."""
REPEAT_WITHIN = 0.8
"""A press this soon after the last of the same key may be its repeat: terminals begin to repeat after 0.2 to 0.7 s."""
REPEAT_SECONDS = 0.12
"""How long a repeat lasts: longer than the time between two of them."""


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


class HeldKeys:
    """Key presses in, the buttons of each frame out. A brain like any other."""

    def __init__(
        self, *, axes: tuple[Mapping[str, int], ...], moments: Mapping[str, int], stops: frozenset[str] = frozenset()
    ) -> None:
        """Directions by axis, buttons that last for one frame, and keys that end every movement."""
        self._axes = [(keys, _Axis()) for keys in axes]
        self._momentary = moments
        self._stops = stops
        self._moments = 0

    def press(self, key: str, now: float) -> None:
        """A key as :class:`retick.cli.play.keys.Keys` names it; others than ours do nothing."""
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
