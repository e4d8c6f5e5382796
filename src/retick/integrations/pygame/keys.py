"""Which keys are held, from the events of the window."""

import pygame
from pygame.event import Event

__all__ = ["Keys"]


class Keys:
    """``keys[pygame.K_LEFT]`` is True while the key is held, and for one frame after a tap between two frames."""

    def __init__(self) -> None:
        self._held: set[int] = set()
        self._tapped: set[int] = set()
        self._asked: set[int] = set()

    def __getitem__(self, key: int) -> bool:
        self._asked.add(key)
        return key in self._held or key in self._tapped

    def is_used(self, key: int) -> bool:
        """Whether the game has ever asked for this key: then it means nothing else."""
        return key in self._asked

    def handle(self, event: Event) -> None:
        """Note an event of the keyboard. A window that is no longer in front hears of no key that is released."""
        if event.type == pygame.KEYDOWN:
            self._held.add(event.key)
            self._tapped.add(event.key)
        elif event.type == pygame.KEYUP:
            self._held.discard(event.key)
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.release_all()

    def frame_read(self) -> None:
        """A frame has read the keys: what was only tapped is over."""
        self._tapped.clear()

    def release_all(self) -> None:
        """No key is held any more."""
        self._held.clear()
        self._tapped.clear()
