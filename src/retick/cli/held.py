"""Buttons from a terminal, which tells when a key is pressed and never when it is let go.

Theory of operation. A terminal repeats a key that is held, after half a second, about thirty times a second. So a press
of a direction is a step of a few frames; each repeat carries it on until a moment after the last one, which is
running; the other direction, or the stop key, ends it at once. Jump and strike last for one frame, and are kept
until a frame has seen them: what was pressed between two frames is not lost.
"""

from retick.games.fighter import Button, FighterState

__all__ = ["KEYS_HELP", "HeldKeys"]

KEYS_HELP = "a d, arrows: step, hold: run; w: jump; s: stop; j, space: strike; q: leave"

STEP_SECONDS = 0.1
"""How long one press of a direction lasts."""
REPEAT_WITHIN = 0.8
"""A press this soon after the last of the same key may be its repeat: terminals begin to repeat after 0.2 to 0.7 s."""
REPEAT_SECONDS = 0.12
"""How long a repeat lasts: longer than the time between two of them."""

_LEFT, _RIGHT, _JUMP, _STRIKE = (int(button) for button in (Button.LEFT, Button.RIGHT, Button.JUMP, Button.ATTACK))
_DIRECTIONS = {"a": _LEFT, "left": _LEFT, "d": _RIGHT, "right": _RIGHT}
_MOMENTS = {"w": _JUMP, "up": _JUMP, "j": _STRIKE, " ": _STRIKE, "k": _STRIKE, "\n": _STRIKE, "\r": _STRIKE}
_STOPS = {"s", "down"}


class HeldKeys:
    """Key presses in, the buttons of each frame out. A brain like any other."""

    def __init__(self) -> None:
        self._direction = 0
        self._until = 0.0
        self._pressed_at = 0.0
        self._seen = True
        self._moments = 0

    def press(self, key: str, now: float) -> None:
        """A key as :class:`retick.cli.keys.Keys` names it; others than ours do nothing."""
        key = key.lower()
        if key in _DIRECTIONS:
            direction = _DIRECTIONS[key]
            repeats = direction == self._direction and now - self._pressed_at < REPEAT_WITHIN
            self._direction, self._pressed_at, self._seen = direction, now, False
            self._until = now + (REPEAT_SECONDS if repeats else STEP_SECONDS)
        elif key in _MOMENTS:
            self._moments |= _MOMENTS[key]
        elif key in _STOPS:
            self._until, self._seen = now, True

    def __call__(self, state: FighterState, now: float, /) -> int:
        moving = now < self._until or not self._seen
        self._seen = True
        pressed = self._moments | (self._direction if moving else 0)
        self._moments = 0
        return pressed
