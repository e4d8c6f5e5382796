"""The base of games whose state is one record: they write ``num_players``, ``initial_state`` and ``step``."""

from collections.abc import Iterable, Sequence
from typing import Any

from retick.errors import UsageError
from retick.sim.record import Record

__all__ = ["RecordGame"]


class RecordGame:
    """A Simulation over a record: checksum, fields and bytes follow from the declaration of the state."""

    num_players: int
    """How many players there are."""

    def initial_state(self, seed: int) -> Any:
        """The state before frame 0; games override this."""
        raise UsageError(f"{type(self).__name__} has no initial_state(self, seed)")

    def step(self, state: Any, inputs: Sequence[int], /) -> Any:
        """The state one frame later; games override this."""
        raise UsageError(f"{type(self).__name__} has no step(self, state, inputs)")

    def checksum(self, state: Record) -> int:
        return state.checksum()

    def fields(self, state: Record) -> Iterable[tuple[str, Any]]:
        return state.fields()

    def pack_state(self, state: Record) -> bytes:
        return state.to_bytes()

    def unpack_state(self, data: bytes) -> Record:
        # Every state of a game is a record of the same class, and so the first one has it.
        first: Record = self.initial_state(1)
        return type(first).from_bytes(data)
