"""The rooms of a server: opened, ended, and what is remembered of those that have ended."""

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, Protocol, TypeVar

from retick.errors import UsageError
from retick.host.config import HostConfig
from retick.host.joining import LONGEST_ROOM
from retick.host.stats import REFUSALS, InputStats, RoomStats
from retick.link import Connection
from retick.tokens import Pass

__all__ = ["HostedPlayer", "HostedRoom", "Rooms"]

ENDED_REMEMBERED: Final = 256
"""Names of ended rooms for which a request to join is told why; after that, the oldest is unknown."""


class HostedPlayer(Protocol):
    """Who has a seat in a room."""

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
    """Rooms by name, and the counters that belong to no room that is open."""

    def __init__(self, config: HostConfig, make: Callable[[str, int], R]) -> None:
        """``make`` makes a room of a name; it is told how many were made before."""
        self.by_name: dict[str, R] = {}
        self.refused = dict.fromkeys(REFUSALS, 0)
        """Reason to how often, without a room or in rooms that have ended."""
        self._config = config
        self._make = make
        self._opened = 0
        self._ended: dict[str, str] = {}
        for name in config.rooms:
            self.open(name)

    def open(self, name: str, make: Callable[[str, int], R] | None = None) -> R:
        """A new room, also one that is made in another way; a UsageError when there can be none of this name now."""
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
        """The room is over; ``text`` says why to those who ask for it."""
        del self.by_name[room.name]
        for reason, count in room.stats.refused.items():
            self.refused[reason] += count
        if len(self._ended) >= ENDED_REMEMBERED:
            del self._ended[next(iter(self._ended))]
        self._ended[room.name] = text

    def why_not(self, name: str) -> str:
        """Why there is no such room, for the player who asked for it."""
        if name in self._ended:
            return f"the room {name!r} has ended: {self._ended[name]}"
        return f"there is no room {name!r}"

    def refusals(self) -> dict[str, int]:
        """Reason to how often, in all rooms that there were."""
        total = dict(self.refused)
        for room in self.by_name.values():
            for reason, count in room.stats.refused.items():
                total[reason] += count
        return total
