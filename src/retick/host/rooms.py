"""The rooms of a server: opening, ending, and what is remembered of ended ones."""

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, Protocol, TypeVar

from retick.errors import UsageError
from retick.host.config import HostConfig
from retick.host.joining import LONGEST_ROOM
from retick.host.stats import REFUSALS, InputStats, RoomStats
from retick.link import Connection
from retick.tokens import Pass

ENDED_REMEMBERED: Final = 256
"""How many ended rooms are remembered, to tell a request to join why; beyond that, the oldest is forgotten."""


class HostedPlayer(Protocol):
    """A player with a seat in a room, as the host uses it."""

    @property
    def peer_id(self) -> int: ...
    @property
    def token(self) -> bytes: ...
    @property
    def stats(self) -> InputStats: ...

    connection: Connection | None
    address: Hashable
    admitted: Pass
    lost_at: float | None


P = TypeVar("P", bound=HostedPlayer)


class HostedRoom(Protocol[P]):
    """A room, as its host uses it."""

    name: str
    players: dict[int, P]

    @property
    def stats(self) -> RoomStats: ...
    def advance(self, now: float) -> None: ...
    def seat_of(self, token: bytes) -> P | None: ...
    def disconnect(self, player: P) -> None: ...
    def remove(self, player: P) -> None: ...


R = TypeVar("R", bound=HostedRoom[Any])


class Rooms(Generic[R]):
    """Rooms by name, and the counters that belong to no open room."""

    def __init__(self, config: HostConfig, make: Callable[[str, int], R]) -> None:
        """``make(name, number)`` makes a room; ``number`` rooms were made before it."""
        self.by_name: dict[str, R] = {}
        self.refused = dict.fromkeys(REFUSALS, 0)
        """How often each reason occurred without a room, or in rooms that have ended."""
        self._config = config
        self._make = make
        self._opened = 0
        self._ended: dict[str, str] = {}
        for name in config.rooms:
            self.open(name)

    def open(self, name: str, make: Callable[[str, int], R] | None = None) -> R:
        """Open a room, optionally made by ``make``; raises UsageError if the name or the limit does not allow it."""
        if name in self.by_name:
            raise UsageError(f"there is a room {name!r} already")
        if len(self.by_name) >= self._config.room_limit:
            raise UsageError(f"there are {len(self.by_name)} rooms already: max_rooms is the limit")
        if len(name.encode()) > LONGEST_ROOM or not (name.isprintable()):
            raise UsageError(f"a room's name must be printable and have at most {LONGEST_ROOM} bytes, not {name!r}")
        room = (make or self._make)(name, self._opened)
        self._opened += 1
        self._ended.pop(name, None)
        self.by_name[name] = room
        return room

    def end(self, room: R, text: str) -> None:
        """End a room; ``text`` gives the reason to clients that ask for it."""
        del self.by_name[room.name]
        for reason, count in room.stats.refused.items():
            self.refused[reason] += count
        if len(self._ended) >= ENDED_REMEMBERED:
            del self._ended[next(iter(self._ended))]
        self._ended[room.name] = text

    def why_not(self, name: str) -> str:
        """The reason, for the player who asked, why there is no such room."""
        if name in self._ended:
            return f"the room {name!r} has ended: {self._ended[name]}"
        return f"there is no room {name!r}"

    def refusals(self) -> dict[str, int]:
        """How often each reason occurred, in all rooms so far."""
        total = dict(self.refused)
        for room in self.by_name.values():
            for reason, count in room.stats.refused.items():
                total[reason] += count
        return total
