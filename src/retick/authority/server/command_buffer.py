"""Commands that wait at the server for their tick, in a ring of 512 slots."""

from typing import Final

from retick.authority.profile import Command

__all__ = ["CAPACITY", "CommandBuffer"]

CAPACITY: Final = 512


class CommandBuffer:
    """At most one command for each tick, found by its tick without a search."""

    __slots__ = ("_pruned", "_slots", "waiting")

    def __init__(self) -> None:
        self._slots: list[Command | None] = [None] * CAPACITY
        self._pruned = 0
        self.waiting = 0
        """Commands held."""

    def clear(self) -> None:
        self._slots = [None] * CAPACITY
        self.waiting = 0

    def has(self, tick: int, seq: int) -> bool:
        """Whether this very command is held: true of most commands in a bundle, which repeats older ones."""
        held = self._slots[tick % CAPACITY]
        return held is not None and held.tick == tick and held.seq == seq

    def store(self, command: Command) -> bool:
        """Keep a command, unless its slot holds a later tick, or the same tick with a higher seq."""
        index = command.tick % CAPACITY
        held = self._slots[index]
        if held is None:
            self.waiting += 1
        elif held.tick > command.tick or (held.tick == command.tick and held.seq > command.seq):
            return False
        self._slots[index] = command
        return True

    def prune(self, tick: int) -> None:
        """Drop commands for ticks before this one."""
        slots = self._slots
        for passed in range(max(self._pruned, tick - CAPACITY), tick):
            held = slots[passed % CAPACITY]
            if held is not None and held.tick < tick:
                slots[passed % CAPACITY] = None
                self.waiting -= 1
        self._pruned = max(self._pruned, tick)

    def command_for(self, tick: int) -> Command | None:
        """The command for a tick. It stays until it is pruned, since another copy of it may still arrive."""
        held = self._slots[tick % CAPACITY]
        return held if held is not None and held.tick == tick else None
