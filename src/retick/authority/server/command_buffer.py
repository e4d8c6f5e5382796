"""Commands that wait for their tick at the server: a ring of 512 slots, found by tick."""

from typing import Final

from retick.authority.shapes import Command

__all__ = ["CAPACITY", "CommandBuffer"]

CAPACITY: Final = 512


class CommandBuffer:
    """At most one command for each tick. Nothing is ever scanned but the ticks that pass."""

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
        """Whether this very command is held already: most of what a bundle repeats."""
        held = self._slots[tick % CAPACITY]
        return held is not None and held.tick == tick and held.seq == seq

    def store(self, command: Command) -> bool:
        """Keep it, unless its slot has a later tick, or the same tick with a higher seq."""
        index = command.tick % CAPACITY
        held = self._slots[index]
        if held is None:
            self.waiting += 1
        elif held.tick > command.tick or (held.tick == command.tick and held.seq > command.seq):
            return False
        self._slots[index] = command
        return True

    def prune(self, tick: int) -> None:
        """Forget what was meant for ticks before this one."""
        slots = self._slots
        for passed in range(max(self._pruned, tick - CAPACITY), tick):
            held = slots[passed % CAPACITY]
            if held is not None and held.tick < tick:
                slots[passed % CAPACITY] = None
                self.waiting -= 1
        self._pruned = max(self._pruned, tick)

    def take(self, tick: int) -> Command | None:
        """The command for a tick; it stays until it is pruned, as a spare copy may still come."""
        held = self._slots[tick % CAPACITY]
        return held if held is not None and held.tick == tick else None
