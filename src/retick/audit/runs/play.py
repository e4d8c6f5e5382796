"""What the dynamic checks compare of each state.

Runs wherever the game does. Values are compared as canonical text, so that equal values look equal in every
process.
"""

import hashlib
from typing import Any, NamedTuple

from retick.sim.fields import FieldDifference, canonical_text, field_differences

__all__ = ["Observation", "observe"]


class Observation(NamedTuple):
    """What is compared of one state."""

    checksum: int
    fields: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for all fields."""
        return hashlib.blake2b(repr(self.fields).encode(), digest_size=8).hexdigest()

    def differences(self, other: "Observation") -> tuple[FieldDifference, ...]:
        """The fields that differ, their values as text."""
        return field_differences(self.fields, other.fields)


def observe(game: Any, state: Any) -> Observation:
    """What is compared of ``state``."""
    fields = ((str(name), canonical_text(value)) for name, value in game.fields(state))
    return Observation(game.checksum(state), tuple(fields))
