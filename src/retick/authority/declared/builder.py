"""Commands of a declared game, made from what is held at the controls."""

from collections.abc import Mapping
from typing import Any

from retick.authority.declared.fields import Flag, Kind, clamp
from retick.authority.profile import Command, Intent, State

__all__ = ["DeclaredBuilder"]


class DeclaredBuilder:
    """One client's builder. An intent is any object with the declared names as attributes."""

    def __init__(self, command: type[Any], kinds: Mapping[str, Kind]) -> None:
        self._command = command
        self._kinds = kinds
        self._presses = {name: False for name, kind in kinds.items() if isinstance(kind, Flag) and kind.press}
        self._were_held = dict(self._presses)

    def clear(self) -> None:
        self._presses = dict.fromkeys(self._presses, False)

    def sample(self, intent: Intent, state: State | None) -> None:
        for name, was_held in self._were_held.items():
            held = bool(getattr(intent, name))
            self._presses[name] = self._presses[name] or (held and not was_held)
            self._were_held[name] = held

    def build(self, intent: Intent, *, seq: int, tick: int, epoch: int) -> Command:
        values: list[float] = []
        for name, kind in self._kinds.items():
            if name in self._presses:
                values.append(self._presses[name])
                self._presses[name] = False
            else:
                values.append(clamp(kind, getattr(intent, name)))
        return self._command(seq, tick, epoch, *values)
