"""Who may come into the rooms of a declared world: players, while a seat is free, and spectators."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from retick.authority.config import COMPACT_SNAPSHOTS
from retick.authority.joining import JoinRequest
from retick.authority.server.admission import Admission, Guest
from retick.authority.server.gate import Gate
from retick.authority.server.rooms import Rooms
from retick.authority.world.server.player import WorldPlayer
from retick.authority.world.server.room import WorldRoom
from retick.link import Reason, Refuse, Request

__all__ = ["WorldAdmission", "WorldGuest"]


@dataclass(slots=True)
class WorldGuest(Guest[WorldRoom, WorldPlayer]):
    """One that says its name."""

    name: str = ""
    watches: bool = False
    address: Hashable = None


class WorldAdmission(Admission[WorldRoom, WorldPlayer]):
    """Knows the tables of the world."""

    def __init__(
        self,
        rooms: Rooms[WorldRoom],
        schema: int,
        seats: int,
        *,
        compact: int,
        entropy: Callable[[int], bytes],
        take_over: Callable[[WorldRoom, WorldPlayer], None],
        gate: Gate,
    ) -> None:
        """``schema``: hash of the tables; ``seats``: of a room; ``compact``: hash of the compact tables, 0 if there are
        no compact snapshots."""
        super().__init__(rooms, entropy=entropy, take_over=take_over, gate=gate)
        self._schema = schema
        self._compact = compact
        self._seats = seats

    def _misfit(self, wish: JoinRequest, request: Request) -> Refuse | None:
        if wish.schema != self._schema:
            return Refuse(reason=Reason.GAME_VERSION, text="the world is declared differently here")
        return None

    def _is_full(self, room: WorldRoom, wish: JoinRequest, coming: Sequence[Guest[WorldRoom, WorldPlayer]]) -> bool:
        also = sum(guest.watches == wish.watches for guest in coming if isinstance(guest, WorldGuest))
        watching = room.spectators()
        if wish.watches:
            return watching + also >= room.config.max_spectators
        return len(room.players) - watching + also >= self._seats

    def _guest(self, room: WorldRoom, token: bytes, now: float, wish: JoinRequest, request: Request) -> WorldGuest:
        reads_compact = request.capabilities & COMPACT_SNAPSHOTS != 0 and wish.compact == self._compact != 0
        return WorldGuest(room, token, now, name=wish.name, watches=wish.watches, compact=reads_compact)
