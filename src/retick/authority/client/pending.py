"""A client's commands that the server has not run yet, as far as the client knows."""

from collections import deque
from collections.abc import Iterator

from retick.authority.profile import Command

__all__ = ["CAPACITY", "PendingCommands"]

CAPACITY = 256


class PendingCommands:
    """Commands in the order of their seq, oldest first. 256 of them mean that the server no longer receives from us."""

    __slots__ = ("_commands",)

    def __init__(self) -> None:
        self._commands: deque[Command] = deque()

    def __len__(self) -> int:
        return len(self._commands)

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands)

    @property
    def is_full(self) -> bool:
        return len(self._commands) >= CAPACITY

    def add(self, command: Command) -> None:
        self._commands.append(command)

    def clear(self) -> None:
        self._commands.clear()

    def drop_through(self, seq: int) -> None:
        """Drop the command with this seq and all before it: the server has run them."""
        commands = self._commands
        while commands and commands[0].seq <= seq:
            commands.popleft()

    def drop_stale(self, tick: int) -> int:
        """Drop commands for this tick and before: the server will never run them. Returns how many."""
        commands = self._commands
        kept = [command for command in commands if command.tick > tick]
        dropped = len(commands) - len(kept)
        if dropped:
            self._commands = deque(kept)
        return dropped

    def newest(self, count: int) -> list[Command]:
        """The last ``count`` commands, newest first: the order of a bundle."""
        commands = self._commands
        return [commands[-1 - index] for index in range(min(count, len(commands)))]
