"""The buttons that a page holds."""

from typing import Any

__all__ = ["Pressed"]


class Pressed:
    """A controller of ``retick.playing``: a press between two frames counts for one frame, however short it was."""

    def __init__(self, bits: int) -> None:
        """``bits`` are those of the game's input; others are passed over."""
        self._mask = (1 << bits) - 1
        self._held = 0
        self._tapped = 0

    def set(self, buttons: int) -> None:
        """All that is held now."""
        buttons &= self._mask
        self._tapped |= buttons & ~self._held
        self._held = buttons

    def release(self) -> None:
        """Nothing is held any more."""
        self._held = self._tapped = 0

    def __call__(self, state: Any, now: float, /) -> int:
        pressed, self._tapped = self._held | self._tapped, 0
        return pressed
