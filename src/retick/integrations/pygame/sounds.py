"""Sounds of a game's cues, from files."""

from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

import pygame

from retick.errors import UsageError

__all__ = ["Sounds"]


class Sounds:
    """``sounds(cue)`` plays the sound that has the cue's name: ``self.cue("hit", 3)`` plays ``hit``.

    A file is looked for in the working directory, as pygame does, and then in ``folder``. Without a device for
    sound nothing is heard.
    """

    def __init__(
        self, sounds: Mapping[str, Any], folder: Path, *, also: Callable[[Hashable], object] | None = None
    ) -> None:
        """``sounds`` has files, pygame's sounds or functions that make one, by name; ``also`` is called with every cue.

        A function is called once, when the mixer is open.

        UsageError for a file that is missing or cannot be read.
        """
        if not isinstance(sounds, Mapping):
            raise UsageError(f"sounds must be files by the names of cues, such as {{'hit': 'hit.wav'}}, not {sounds!r}")
        self._also = also
        self._sounds: dict[str, Any] = {}
        files = {name: _found(sound, folder) for name, sound in sounds.items() if isinstance(sound, (str, Path))}
        try:
            pygame.mixer.init()
        except pygame.error:
            return
        try:
            self._sounds = {
                name: pygame.mixer.Sound(files[name]) if name in files else sound() if callable(sound) else sound
                for name, sound in sounds.items()
            }
        except pygame.error as error:
            raise UsageError(f"a sound cannot be read: {error}") from None

    def __call__(self, cue: Hashable) -> None:
        name = cue[0] if isinstance(cue, tuple) and cue else cue
        if sound := self._sounds.get(str(name)):
            sound.play()
        if self._also is not None:
            self._also(cue)


def _found(name: str | Path, folder: Path) -> Path:
    for path in (Path(name), folder / name):
        if path.is_file():
            return path
    raise UsageError(f"there is no sound file {name}, neither in the working directory nor in {folder}")
