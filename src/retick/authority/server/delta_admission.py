"""Who may come into the rooms of a profile: clients that can read its snapshots, fixed or as deltas."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retick.authority.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS
from retick.authority.delta import DeltaCodec
from retick.authority.joining import JoinRequest
from retick.authority.server.admission import Admission, Guest
from retick.authority.server.gate import Gate
from retick.authority.server.player import Player
from retick.authority.server.room import Room
from retick.authority.server.rooms import Rooms
from retick.link import Reason, Refuse, Request

__all__ = ["DeltaAdmission", "DeltaGuest"]


@dataclass(slots=True)
class DeltaGuest(Guest[Room, Player]):
    """One that gets deltas, or (None) fixed snapshots."""

    delta: DeltaCodec | None = None


class DeltaAdmission(Admission[Room, Player]):
    """Knows which snapshots a server makes."""

    def __init__(
        self,
        rooms: Rooms[Room],
        delta: DeltaCodec | None,
        *,
        serves_fixed: bool,
        compact: bool,
        entropy: Callable[[int], bytes],
        take_over: Callable[[Room, Player], None],
        gate: Gate,
    ) -> None:
        super().__init__(rooms, entropy=entropy, take_over=take_over, gate=gate)
        self._delta = delta
        self._serves_fixed = serves_fixed
        self._compact = compact

    def _delta_for(self, request: Request) -> DeltaCodec | None:
        return self._delta if request.capabilities & DELTA_SNAPSHOTS else None

    def _misfit(self, wish: JoinRequest, request: Request) -> Refuse | None:
        delta = self._delta_for(request)
        if delta is not None and wish.schema != delta.codec.schema_hash:
            return Refuse(reason=Reason.GAME_VERSION, text="the game's state is laid out differently here")
        if delta is None and not self._serves_fixed:
            return Refuse(reason=Reason.GAME_VERSION, text="this game has only delta snapshots")
        return None

    def _is_full(self, room: Room, wish: JoinRequest, coming: Sequence[Guest[Room, Player]]) -> bool:
        return len(room.players) + len(coming) >= room.profile.config.max_players

    def _guest(self, room: Room, token: bytes, now: float, wish: JoinRequest, request: Request) -> DeltaGuest:
        delta = self._delta_for(request)
        # Names, groups or a prior may differ where the plain layout does not: then deltas are plain.
        compact = (
            self._compact
            and delta is not None
            and request.capabilities & COMPACT_SNAPSHOTS != 0
            and wish.compact == delta.compact.schema_hash
        )
        return DeltaGuest(room, token, now, delta=delta, compact=compact)
