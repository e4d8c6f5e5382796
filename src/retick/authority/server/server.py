"""The server: rooms behind one endpoint. Sans-I/O: only the five calls reach it, and its ticks are timeouts.

A connection becomes a player in three steps: the link's handshake names a room (and, after a lost connection, the
seat), the link is up, and a hello of the right version arrives. Only then does the player exist.
"""

from collections.abc import Callable
from dataclasses import replace
from traceback import format_exception, format_exception_only
from typing import Unpack, cast

from retick.authority.config import ServerConfig
from retick.authority.delta import DeltaCodec
from retick.authority.delta_frames import ACKED_INPUT, split_acked_input
from retick.authority.events import RoomFailed
from retick.authority.link_config import ServerSealing, link_config_for
from retick.authority.profile import Profile
from retick.authority.server.delta_admission import DeltaAdmission, DeltaGuest
from retick.authority.server.game_messages import send_control
from retick.authority.server.gate import Admit
from retick.authority.server.host import RoomHost
from retick.authority.server.player import Player
from retick.authority.server.room import Room
from retick.authority.server.snapshot_size import LARGEST_DATAGRAM, check_snapshots, fits_fixed, largest_snapshot
from retick.errors import DecodeError, UnsupportedVersion
from retick.link import Connection, Reason, Sealing
from retick.routes.online import Online
from retick.routes.routed_link import routes_of
from retick.routes.routes import Routes
from retick.wire.authority import Hello
from retick.wire.relay import FRAME_HEAD_SIZE

__all__ = ["Server"]


class Server(RoomHost[Room, Player]):
    """Answers the five calls; ``rooms`` are its rooms by name."""

    def __init__(
        self,
        profile: Profile,
        *,
        entropy: Callable[[int], bytes],
        config: ServerConfig | None = None,
        clock: Callable[[], float] | None = None,
        admit: Admit | None = None,
        online: Online | None = None,
        **sealing: Unpack[ServerSealing],
    ) -> None:
        """``entropy(n)`` gives n random bytes: ``os.urandom``, or a seeded generator in a test.

        ``clock()`` gives seconds, as ``time.perf_counter`` does: with it, ``RoomStats.tick_cost`` is measured.
        ``admit(applicant)`` answers with a Pass or a Refuse, for example ``retick.tokens.Tokens``. With ``key_pair``
        only clients that know its public half come in. ``online`` opens a room at a relay: clients join by its code.
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
        """Of a server with ``online``: its code, and how each client is reached."""
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
        """A hello of the right version: the client gets its player, or gets it back."""
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
        if isinstance(message, Hello):
            self._hello(guest, connection, now)
        elif guest.player is None:
            refused["not_joined"] += 1
        else:
            guest.room.receive_control(guest.player, connection, message, now, connection.rtt * 1000)
