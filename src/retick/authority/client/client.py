"""A client of a server that runs a declared world. Sans-I/O, with the interface of a rollback session.

Theory of operation. The link (``ServerLink``) brings snapshots, messages and its own changes. A welcome begins a stay
in a room (``Play``); a lost connection is dialled again with the seat's token, and the next welcome begins another
stay. What is drawn stays as it is in between.
"""

# retick: floats -- seconds of the network, and drawing

from collections.abc import Callable, Hashable
from typing import Any, Unpack

from retick.authority.client.config import WorldClientConfig
from retick.authority.client.picture import PictureScreen, WorldPicture
from retick.authority.client.server_link import ServerLink
from retick.errors import NotSynchronized, UsageError
from retick.host.joining import TOKEN_SIZE, JoinRequest
from retick.host.link_config import ClientSealing, sealing_by_token
from retick.routes.online import Online
from retick.sim.contract import Between, CueEvent
from retick.sim.world.command import commands_of
from retick.sim.world.world import World


class WorldClient(ServerLink):
    """One player's side of a game on a server: five calls for the network, ``due`` and ``advance`` for the ticks."""

    def __init__(
        self,
        game: World,
        address: Hashable | None = None,
        *,
        entropy: Callable[[int], bytes],
        room: str = "",
        name: str = "",
        token: bytes = b"",
        seat_token: bytes = b"",
        watch: bool = False,
        config: WorldClientConfig | None = None,
        online: Online | None = None,
        **sealing: Unpack[ClientSealing],
    ) -> None:
        """Join a room of the server at ``address``; ``entropy(n)`` gives n random bytes, as ``os.urandom``.

        ``token`` is a join token: it has the server's key and, without ``address``, its address. ``seat_token`` comes
        from a client that was in the room before, and takes over its seat. (``token`` accepts it too, as it did before
        there were join tokens, which are longer.) With ``watch`` a client has no seat, and draws everything a little in
        the past. With ``online``, a code names the server.
        """
        if 0 < len(token) <= TOKEN_SIZE and not seat_token:
            token, seat_token = b"", token
        request = JoinRequest(room, bytes(seat_token), name=name, watches=watch)
        sealed = sealing_by_token(token, sealing)
        super().__init__(game, address, request, config or WorldClientConfig(), entropy, token, sealed, online)
        self._screen = PictureScreen(type(game))
        self._after = WorldPicture(type(game), self._screen)
        self._before: WorldPicture | None = None

    # Calls for the game's loop.

    @property
    def running(self) -> bool:
        """Whether ticks can be run: the server has welcomed us, a snapshot has come, and the connection is up."""
        return self._play is not None and self._play.is_ready and self._connection.is_connected

    @property
    def reconnecting(self) -> bool:
        """Whether the connection was lost and the client is trying to rejoin."""
        return self._place is not None and not self._over and not self.running

    @property
    def frame(self) -> int:
        """The next tick to run; 0 before the first snapshot."""
        return 0 if self._play is None else self._play.next_tick

    @property
    def next_frame_at(self) -> float | None:
        """When the next tick is due, for a loop that sleeps until then; None before the first."""
        return None if self._play is None else self._play.next_at

    def due(self, *, now: float) -> bool:
        """Whether to call ``advance`` now. False while nothing comes from the server."""
        self._now = max(self._now, now)
        return self._play is not None and self.running and self._play.due(now)

    def advance(self, pressed: int | tuple[int, ...], *, now: float) -> None:
        """Run the next tick with this player's input: buttons or a command."""
        self._now = max(self._now, now)
        if self._play is None or not self.running:
            raise NotSynchronized("no tick can be run: the client is not in a room")
        payload = self._play.advance(self._number(pressed), now, self._connection.rtt)
        if payload is not None:
            self._connection.send_unreliable(payload)

    def _number(self, pressed: Any) -> int:
        """The input as the integer that is sent."""
        if isinstance(pressed, tuple) and len(pressed) == 1:
            pressed = pressed[0]
        if not isinstance(pressed, int):
            raise UsageError(f"an input is an integer or a command, not {pressed!r}")
        if self._layout.command is not None:
            return int(commands_of(self._layout.command, [pressed])[0])
        if not 0 <= pressed < 1 << self._layout.input_bits:
            raise UsageError(f"an input has {self._layout.input_bits} bits, {pressed} does not fit")
        return int(pressed)

    # Pictures and sounds.

    @property
    def world(self) -> Any:
        """An instance to draw: the predicted present, with everything that is not predicted shown in the past.

        It is the same object each time, and never the one that predicts. Draw it at once, and do not change it.
        """
        if self._play is not None and self._play.is_ready:
            self._play.draw(self._after, self._now)
        return self._after.world

    def between(self, *, now: float) -> Between:
        """For screens faster than the ticks: the last two ticks, and how far the picture is between them."""
        self._now = max(self._now, now)
        if self._before is None:
            self._before = WorldPicture(type(self.sim), self._screen)
        play = self._play
        if play is None or not play.is_ready:
            return Between(self._after.world, self._after.world, 1.0)
        play.draw(self._before, self._now, before=True)
        return Between(self._before.world, self.world, play.phase(now))

    @property
    def drawn_tick(self) -> float | None:
        """The tick, with its fraction, at which things with ``predicted = False`` are drawn; None before."""
        return None if self._play is None else self._play.drawn_tick

    def cues(self) -> list[CueEvent]:
        """Sounds and effects that started, were confirmed or cancelled since the last call; ask every frame."""
        if self._play is not None:
            self._play.settle(self._now)
        return self._cues.drain()

    @property
    def local_players(self) -> tuple[int, ...]:
        """Our seat; empty before the welcome, and for a spectator."""
        return () if self._play is None or self._play.seat is None else (self._play.seat,)
