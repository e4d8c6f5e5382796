"""What the dynamic checks compare of each state, and where a game failed.

Runs wherever the game does. Values are compared as canonical text, so that equal values look equal in every
process.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from retick.sim.fields import FieldDifference, canonical_text, field_differences

__all__ = ["Observation", "located", "observe"]


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


@contextmanager
def located(frame: int, seed: int, inputs: Sequence[int]) -> Iterator[None]:
    """Add to what the game raises in which frame that was, and with which inputs."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in frame {frame} of the run with seed {seed}, with the inputs {tuple(inputs)}")
        raise
