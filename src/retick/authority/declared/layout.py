"""The rows of a declared game's delta snapshots."""

from collections.abc import Mapping
from typing import Any

from retick.authority.declared.fields import Kind, clamp, fits, is_public, quantise, span_of, unquantise
from retick.authority.profile import State
from retick.errors import InvalidValue, UsageError

__all__ = ["DeclaredLayout"]


class DeclaredLayout:
    """A state as rows: exact for its own player, and what is public for the others."""

    def __init__(self, state: type[Any], kinds: Mapping[str, Kind]) -> None:
        self._state = state
        self._kinds = list(kinds.values())
        self._shown = [(index, kind) for index, kind in enumerate(self._kinds) if is_public(kind)]
        names = list(kinds)
        self.exact = [span_of(name, kind, exact=True) for name, kind in kinds.items()]
        self.public = [span_of(names[index], kind, exact=False) for index, kind in self._shown]
        if not self.public:
            raise UsageError("others see nothing of a player: give at least one number steps, or make it public")

    def exact_row(self, state: State) -> tuple[int, ...]:
        return tuple(quantise(kind, value, exact=True) for kind, value in zip(self._kinds, state, strict=True))

    def exact_state(self, row: tuple[int, ...]) -> State:
        values = [unquantise(kind, number, exact=True) for kind, number in zip(self._kinds, row, strict=True)]
        if not all(map(fits, self._kinds, values)):
            raise InvalidValue("a player's own row has a value that is not a finite number")
        return self._state._make(values)

    def public_row(self, state: State) -> tuple[int, ...]:
        return tuple(quantise(kind, state[index], exact=False) for index, kind in self._shown)

    def public_state(self, row: tuple[int, ...]) -> State:
        """What is not public is 0, or as near to it as its bounds allow."""
        values = [clamp(kind, 0) for kind in self._kinds]
        for (index, kind), number in zip(self._shown, row, strict=True):
            values[index] = unquantise(kind, number, exact=False)
        return self._state._make(values)
