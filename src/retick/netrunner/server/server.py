"""The server: rooms behind one endpoint. Sans-I/O: only the five calls reach it, and its ticks are timeouts.

A connection becomes a player in three steps: the link's handshake names a room (and, after a lost connection, the
seat), the link is up, and a hello of the right version arrives. Only then does the player exist.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from traceback import format_exception, format_exception_only
from typing import Final, Unpack, cast

from retick.errors import DecodeError, EncodeError, UnsupportedVersion, UsageError
from retick.host.admission import Admission, Guest
from retick.host.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS
from retick.host.events import RoomFailed
from retick.host.gate import Admit, Gate
from retick.host.host import RoomHost
from retick.host.joining import JoinRequest
from retick.host.link_config import ServerSealing
from retick.host.messages import send_control
from retick.host.rooms import Rooms
from retick.host.stats import InputStats
from retick.link import Connection, Reason, Refuse, Request, Sealing
from retick.link.layout import ENVELOPE_SIZE, TAG_SIZE
from retick.netrunner.config import ServerConfig
from retick.netrunner.delta import ACKED_INPUT, MOST_PLAYERS, DeltaCodec, split_acked_input
from retick.netrunner.messages import ClientHello, PlayerView
from retick.netrunner.profile import GameProfile, link_config_for
from retick.netrunner.server.player import Player
from retick.netrunner.server.room import Room
from retick.routes import FRAME_HEAD_SIZE
from retick.routes.online import Online
from retick.routes.routed_link import routes_of
from retick.routes.routes import Routes

# Decides who may come into the rooms of a profile: clients that can read its snapshots, fixed or as deltas.


@dataclass(slots=True)
class DeltaGuest(Guest[Room, Player]):
    """A guest that gets deltas, or (None) fixed snapshots."""

    delta: DeltaCodec | None = None


class DeltaAdmission(Admission[Room, Player]):
    """Admits clients that can read the snapshots of this server."""

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


# Checks whether a game's snapshots fit a datagram, before a room fills up.

LARGEST_DATAGRAM: Final = 1472
"""Large enough for a fixed snapshot of sixteen players, which with its envelope exceeds a link's usual 1200 bytes."""


def largest_snapshot(sealed: bool) -> int:
    """The most bytes of a snapshot, after what the link adds."""
    return LARGEST_DATAGRAM - ENVELOPE_SIZE - (TAG_SIZE if sealed else 0)


def fits_fixed(profile: GameProfile, largest: int) -> bool:
    """Whether a fixed snapshot of a full room fits one datagram, and its players the packet's count."""
    views = [PlayerView(peer, 0, profile.motor.spawn(peer), InputStats()) for peer in range(profile.config.max_players)]
    try:
        return len(profile.encode_snapshot(0, views)) <= largest
    except (EncodeError, struct.error):
        return False


def check_snapshots(profile: GameProfile, delta: DeltaCodec | None, serves_fixed: bool, largest: int) -> None:
    """Refuse a game whose snapshots can be too long."""
    players = profile.config.max_players
    if delta is None and not serves_fixed:
        raise UsageError(f"a fixed snapshot of {players} players is longer than the {largest} bytes of a datagram")
    if delta is not None and (players > MOST_PLAYERS or delta.largest(players) > largest):
        most = delta.largest(players)
        raise UsageError(
            f"a snapshot of {players} players may take {most} bytes, and a datagram holds {largest}:"
            f" have fewer players (at most {MOST_PLAYERS}), or fewer and coarser public numbers"
        )


class Server(RoomHost[Room, Player]):
    """A NetRunner server: answers the five calls; ``rooms`` are its rooms by name."""

    def __init__(
        self,
        profile: GameProfile,
        *,
        entropy: Callable[[int], bytes],
        config: ServerConfig | None = None,
        clock: Callable[[], float] | None = None,
        admit: Admit | None = None,
        online: Online | None = None,
        **sealing: Unpack[ServerSealing],
    ) -> None:
        """``entropy(n)`` gives n random bytes: ``os.urandom``, or a seeded generator in a test.

        ``clock()`` gives seconds, like ``time.perf_counter``; it enables ``RoomStats.tick_cost``.
        ``admit(applicant)`` answers with a Pass or a Refuse; ``retick.tokens.Tokens`` is one. With ``key_pair`` only
        clients that know its public half get in. ``online`` opens a room at a relay: clients join by its code.
        """
        self.profile = profile
        self.config = config or ServerConfig()
        layout = profile.layout if self.config.delta else None
        given = cast("Sealing", sealing)
        link = link_config_for(
            profile,
            timeout=self.config.timeout,
            delta=layout is not None,
            compact=self.config.compact,
            sealing=given,
        )
        self._delta = None if layout is None else DeltaCodec(layout, sealed=link.sealed)
        largest = largest_snapshot(link.sealed) - (0 if online is None else FRAME_HEAD_SIZE)
        serves_fixed = fits_fixed(profile, largest)
        check_snapshots(profile, self._delta, serves_fixed, largest)
        super().__init__(
            self.config,
            replace(link, tick_rate=profile.config.server_tick_rate, max_datagram=LARGEST_DATAGRAM),
            seats=self.config.room_limit * profile.config.max_players,
            entropy=entropy,
            clock=clock,
            admit=admit,
            online=online,
        )
        self._admission = DeltaAdmission(
            self._rooms,
            self._delta,
            serves_fixed=serves_fixed,
            compact=self.config.compact,
            entropy=entropy,
            take_over=self._take_over,
            gate=self._gate,
        )

    @property
    def routes(self) -> Routes | None:
        """The code of a server with ``online``, and how each client is reached; None for other servers."""
        return routes_of(self._link)

    def _make_room(self, name: str, number: int) -> Room:
        # Rooms begin at different ticks, so that their snapshots do not all fall on the same one.
        first_tick = number % self.config.room_limit
        return Room(self.profile, name, config=self.config, first_tick=first_tick, report=self._report)

    def _failure(self, room: Room, error: BaseException) -> RoomFailed:
        return RoomFailed(
            room=room.name,
            tick=room.tick,
            error=format_exception_only(error)[-1].strip(),
            traceback="".join(format_exception(error)),
            states={peer: player.state for peer, player in room.players.items()},
            commands=room.commands,
        )

    def _hello(self, guest: DeltaGuest, connection: Connection, now: float) -> None:
        """Handle a hello of the right version: the client gets its player, or gets it back."""
        room = guest.room
        player = guest.player
        if player is not None:
            if player.ack == 0 and player.grant_control():
                send_control(connection, room.welcome(player))
            else:
                room.stats.refused["unexpected"] += 1
            return
        player = self._take_seat(guest, connection, now)
        if player is not None:
            player.sender = None if guest.delta is None else guest.delta.sender(compact=guest.compact)
            send_control(connection, room.welcome(player))

    def _add_player(self, guest: DeltaGuest, now: float) -> Player | None:
        return None if guest.room.is_full else guest.room.add(guest.token, now)

    def _return_player(self, player: Player, now: float) -> None:
        player.begin(now)

    def _on_payload(self, guest: DeltaGuest, data: bytes) -> None:
        player = guest.player
        if player is None:
            guest.room.stats.refused["not_joined"] += 1
            return
        if data[0] == ACKED_INPUT and player.sender is not None:
            ack, data = split_acked_input(data)
            player.sender.acknowledge(ack)
        guest.room.receive_bundle(player, data)

    def _on_message(self, guest: DeltaGuest, connection: Connection, data: bytes, now: float) -> None:
        refused = guest.room.stats.refused
        try:
            message = self.profile.decode(data)
        except UnsupportedVersion as error:
            refused["wrong_version"] += 1
            connection.close(Reason.GAME_VERSION, f"this is protocol {self.profile.protocol_version}: {error}")
            return
        except DecodeError:
            refused["malformed"] += 1
            return
        if isinstance(message, ClientHello):
            self._hello(guest, connection, now)
        elif guest.player is None:
            refused["not_joined"] += 1
        else:
            guest.room.receive_control(guest.player, connection, message, now, connection.rtt * 1000)
