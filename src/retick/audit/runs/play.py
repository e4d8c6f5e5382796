"""The match that the dynamic checks play: seeded inputs, and what is compared of each state.

Runs inside the worker processes. Inputs stay the same for a few frames, as those of people do. Values are compared as
text in which sets are sorted and no addresses occur, so that equal values have equal texts in every process.
"""

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from retick.sim.contract import input_size_of
from retick.sim.prng import XorShift32

__all__ = ["Observation", "inputs_for", "observe"]


class Observation(NamedTuple):
    """What is compared of one state."""

    checksum: int
    fields: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for all fields."""
        return hashlib.blake2b(repr(self.fields).encode(), digest_size=8).hexdigest()

    def differences(self, other: "Observation") -> list[tuple[str, str, str]]:
        """Name and both values of each field that differs."""
        ours, theirs = dict(self.fields), dict(other.fields)
        absent = "absent"
        return [
            (name, ours.get(name, absent), theirs.get(name, absent))
            for name in {**ours, **theirs}
            if ours.get(name, absent) != theirs.get(name, absent)
        ]


def observe(game: Any, state: Any) -> Observation:
    """What is compared of ``state``."""
    return Observation(game.checksum(state), tuple((str(name), as_text(value)) for name, value in game.fields(state)))


def as_text(value: Any) -> str:
    """``value`` as text that equal values share across processes."""
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}({', '.join(sorted(as_text(one) for one in value))})"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(as_text(one) for one in value)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_text(key)}: {as_text(one)}" for key, one in value.items()) + "}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    elif repr(value) == object.__repr__(value):
        parts = ((name, one) for name, one in sorted(getattr(value, "__dict__", {}).items()))
    else:
        return repr(value)
    return f"{type(value).__name__}({', '.join(f'{name}={as_text(one)}' for name, one in parts)})"


def inputs_for(game: Any, *, seed: int, frames: int, mask: int | None) -> Iterator[tuple[int, ...]]:
    """The inputs of each frame. ``mask`` keeps only some bits, for games that refuse the others."""
    rng = XorShift32(seed)
    kept = (1 << (8 * input_size_of(game))) - 1 if mask is None else mask
    held = [0] * game.num_players
    for frame in range(frames):
        for player in range(game.num_players):
            change, rng = rng.below(4)
            if change == 0 or frame == 0:
                low, rng = rng.next()
                high, rng = rng.next()
                held[player] = (high << 32 | low) & kept
        yield tuple(held)
