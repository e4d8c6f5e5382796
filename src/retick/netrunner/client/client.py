"""The client: predicts its own player, draws the others, and follows the server's corrections. Sans-I/O.

A game calls ``tick`` sixty times a second with the controls held, and for each drawn frame ``player``, ``others`` and
``view_offset``. The five calls do the rest.
"""

from collections.abc import Callable, Hashable
from typing import Final, Unpack

from retick.errors import BaselineMissing, DecodeError, UnsupportedVersion, UsageError
from retick.host.client_link import ClientLink
from retick.host.config import DELTA_SNAPSHOTS
from retick.host.events import GameMessageReceived, Joined
from retick.host.joining import JoinRequest
from retick.host.link_config import ClientSealing, sealing_by_token
from retick.host.stats import ClientStats
from retick.host.timing import Pings, RenderClock, ms_to_ticks
from retick.link import Reason
from retick.netrunner.client.interpolation import InterpolationDelay, RemoteBuffer, RemoteView
from retick.netrunner.client.prediction import OwnPrediction
from retick.netrunner.config import ClientConfig
from retick.netrunner.delta import DELTA_SNAPSHOT, LAST_TICK, DeltaCodec, DeltaReceiver, acked_input
from retick.netrunner.events import ClientEvent, Resynced
from retick.netrunner.messages import ClientHello, DelayUpdate, Ping, Pong, ResyncHint
from retick.netrunner.profile import (
    GameProfile,
    Intent,
    Numbers,
    ProfileView,
    ProfileWelcome,
    State,
    Stats,
    Vector,
    link_config_for,
)
from retick.routes.online import Online

# The other players, as a client sees them: their recent snapshots, and the moment at which they are drawn.

# retick: floats -- drawing of other players


MAX_EXTRAPOLATION_MS: Final = 100
"""The most milliseconds of extrapolation, whatever the server allows."""


class Remotes:
    """The other players of one session."""

    def __init__(self, config: Numbers) -> None:
        self._rate = config.server_tick_rate
        self._delay = InterpolationDelay(
            base_ms=config.interpolation_delay_ms, rate=self._rate, snapshot_rate=config.snapshot_rate
        )
        self._render = RenderClock(self._rate)
        self._most = ms_to_ticks(min(config.max_extrapolation_ms, MAX_EXTRAPOLATION_MS), self._rate)
        self._buffers: dict[int, RemoteBuffer] = {}
        self.teleports = 0
        """How often a player was drawn far from its last drawn place."""

    @property
    def drawn_tick(self) -> float | None:
        """The last tick at which they were drawn, with its fraction; None before."""
        return self._render.at

    def receive(self, view: ProfileView, own_id: int, now: float) -> None:
        """Receive a snapshot: keep all players but our own, and drop those that are not in it."""
        self._delay.arrived(now)
        here = set()
        for player in view.players:
            if player.peer_id != own_id:
                here.add(player.peer_id)
                buffer = self._buffers.get(player.peer_id)
                if buffer is None:
                    buffer = self._buffers[player.peer_id] = RemoteBuffer(self._rate)
                buffer.add(view.tick, player.state)
        for gone in self._buffers.keys() - here:
            del self._buffers[gone]

    def views(self, server_tick: float, now: float, *, hermite: bool) -> dict[int, RemoteView]:
        """The players as they should be drawn now, given the client's estimate of the server's tick."""
        at = self._render.advance(server_tick - self._delay.update(now), now)
        views: dict[int, RemoteView] = {}
        for peer_id, buffer in self._buffers.items():
            before = buffer.teleports
            view = buffer.sample(at, max_extrapolation=self._most, hermite=hermite)
            self.teleports += buffer.teleports - before
            if view is not None:
                views[peer_id] = view
        self._delay.note_underflow(any(view.underflow for view in views.values()), now)
        return views


# retick: floats -- seconds, milliseconds and drawing; states come from the motor alone


FIRST_PING: Final = 0.1
"""Seconds from the connection to the first ping."""


class Client(ClientLink[ClientEvent]):
    """The client of one player."""

    def __init__(
        self,
        profile: GameProfile,
        address: Hashable | None = None,
        *,
        entropy: Callable[[int], bytes],
        room: str = "",
        config: ClientConfig | None = None,
        token: bytes = b"",
        online: Online | None = None,
        **sealing: Unpack[ClientSealing],
    ) -> None:
        """Join the server at ``address``; ``entropy(n)`` gives n random bytes, ``os.urandom`` outside of tests.

        ``token`` is a join token: it has the server's key and, without ``address``, its address. Without a token,
        ``server_key`` is the key of the server, if it has one. With ``online``, a code names the server.
        """
        self.config: ClientConfig = config or ClientConfig()
        self.profile = profile
        """The profile as given; from the welcome on, with the server's numbers."""
        self.stats = ClientStats()
        self.prediction: OwnPrediction | None = None
        """The prediction of our own player; None before the welcome."""
        self.server_stats: Stats = None
        """How the server ran our commands, from the newest snapshot; None before the first."""
        layout = profile.layout if self.config.delta else None
        sealed = sealing_by_token(token, sealing)
        compact = self.config.compact
        link = link_config_for(
            profile, timeout=self.config.timeout, delta=layout is not None, compact=compact, sealing=sealed
        )
        self._delta = None if layout is None else DeltaCodec(layout, sealed=link.sealed)
        self._offered = profile
        self._receiver: DeltaReceiver | None = None
        self._remotes: Remotes | None = None
        self._snapshot_tick = 0
        self._pings = Pings(0.0)
        wish = JoinRequest(room)
        if self._delta is not None:
            wish = wish._replace(schema=self._delta.codec.schema_hash)
            if compact:
                wish = wish._replace(compact=self._delta.compact.schema_hash)
        super().__init__(address, wish, link, entropy, token, online)

    # Calls for the game's loop.

    @property
    def is_joined(self) -> bool:
        """Whether the server has welcomed us and the connection is up."""
        return self.prediction is not None and self._connection.is_connected and self._welcome_by is None

    @property
    def player(self) -> State | None:
        """Our own player as predicted; None before the welcome."""
        return None if self.prediction is None else self.prediction.state

    @property
    def peer_id(self) -> int | None:
        """Our peer id; None before the welcome."""
        return None if self.prediction is None else self.prediction.peer_id

    def tick(self, intent: Intent, *, now: float) -> None:
        """Run one client tick with the controls held. Does nothing before the welcome."""
        prediction = self.prediction
        if prediction is None or not self.is_joined:
            return
        resyncs = self.stats.resyncs
        connection = self._connection
        for bundle in prediction.tick(intent, now):
            data = bundle if self._receiver is None else acked_input(self._receiver.newest_tick, bundle)
            connection.send_unreliable(data)
        if self.stats.resyncs != resyncs:
            self._events.append(Resynced(tick=prediction.clock.estimate(now)))
        ping = self._pings.due(now)
        if ping is not None:
            connection.send_reliable(self.profile.encode_control(Ping(*ping)))

    def others(self, *, now: float) -> dict[int, RemoteView]:
        """The other players as they should be drawn now, by peer id."""
        if self.prediction is None or self._remotes is None:
            return {}
        views = self._remotes.views(self.prediction.clock.precise(now), now, hermite=self.config.hermite)
        self.stats.teleports = self._remotes.teleports
        return views

    @property
    def drawn_tick(self) -> float | None:
        """The server's tick, with its fraction, at which ``others`` last showed the other players; None before.

        Anything that belongs to a tick, such as another player's sound, is due when this passes it.
        """
        return None if self._remotes is None else self._remotes.drawn_tick

    def view_offset(self, dt: float) -> Vector:
        """The offset to add to our own player's position when drawing it, ``dt`` seconds after the last time."""
        return (0.0, 0.0, 0.0) if self.prediction is None else self.prediction.smoothing.advance(dt)

    def lose_focus(self, *, now: float) -> None:
        """Call this when the window loses focus: the controls are no longer held."""
        if self.prediction is not None:
            self.prediction.lose_place(now, rebase=False)

    def gain_focus(self, *, now: float) -> None:
        """Call this when the window has focus again."""
        if self.prediction is not None:
            self.prediction.lose_place(now)

    def close(self, text: str = "") -> None:
        """Say goodbye. Keep the five calls going for a moment, so that it is sent."""
        self._over = True
        self._link.close(Reason.GOODBYE, text)

    # Reports of the link.

    def _on_connected(self, now: float) -> None:
        hello = ClientHello(self._offered.protocol_version)
        self._connection.send_reliable(self._offered.encode_control(hello))
        self._pings = Pings(now + FIRST_PING)

    def _on_no_welcome(self, now: float) -> None:
        self._fail(Reason.NO_ANSWER, "the server did not answer the hello")

    # Messages.

    def _on_message(self, data: bytes, now: float) -> None:
        try:
            message = self._offered.decode(data)
        except UnsupportedVersion as error:
            self._welcome_by = None
            self._fail(Reason.GAME_VERSION, str(error))
            return
        except DecodeError:
            self.stats.refused += 1
            return
        if getattr(message, "server_tick", 0) > LAST_TICK:
            self.stats.refused += 1
        elif isinstance(message, self._offered.welcome_type):
            self._on_welcome(message, now)
        elif self.prediction is None:
            return
        elif isinstance(message, Ping):
            pong = Pong(message.seq, message.clock_ms, self._snapshot_tick)
            self._connection.send_reliable(self._offered.encode_control(pong))
        elif isinstance(message, Pong):
            self._on_pong(self.prediction, message, now)
        elif isinstance(message, DelayUpdate):
            self.prediction.target_delay = message.delay_ticks
        elif isinstance(message, ResyncHint):
            self.prediction.resync(message.server_tick, now)
            self._events.append(Resynced(tick=message.server_tick))
        else:
            self._events.append(GameMessageReceived(message))

    def _on_welcome(self, welcome: ProfileWelcome, now: float) -> None:
        """Handle a welcome: the first starts everything; one after a lost connection keeps the predicted player."""
        if self._welcome_by is None:
            return
        self._welcome_by = None
        try:
            self.profile = self._offered.adopt(welcome)
        except UsageError as error:
            self._fail(Reason.GAME_VERSION, str(error))
            return
        before = self.prediction
        is_rejoin = self._take_place(welcome.peer_id, now)
        state = before.state if before is not None and is_rejoin else self.profile.motor.spawn(welcome.peer_id)
        self.stats.rejoins += is_rejoin
        self.prediction = OwnPrediction(self.profile, self.config, self.stats, welcome=welcome, state=state, now=now)
        self._remotes = Remotes(self.profile.config)
        self._snapshot_tick = 0
        terms = self._connection.terms
        delta = terms is not None and terms.capabilities & DELTA_SNAPSHOTS != 0
        codec = self._delta if delta else None
        self._receiver = None if codec is None else codec.receiver(compact=self._gets_compact)
        self._events.append(
            Joined(peer_id=welcome.peer_id, server_tick=welcome.server_tick, is_rejoin=is_rejoin, delta=delta)
        )

    def _on_pong(self, prediction: OwnPrediction, pong: Pong, now: float) -> None:
        sample_ms = self._pings.answered(pong.seq, now)
        if sample_ms is not None and prediction.round_trip.add(sample_ms, self._connection.rtt * 1000):
            prediction.observe(pong.server_tick, now)

    # Snapshots.

    def _on_payload(self, data: bytes, now: float) -> None:
        prediction = self.prediction
        if prediction is None or self._welcome_by is not None:
            return
        try:
            if self._receiver is not None and data[0] == DELTA_SNAPSHOT:
                view: ProfileView = self._receiver.decode(data, prediction.peer_id)
            else:
                view = self._offered.decode_snapshot(data)
        except BaselineMissing:
            self.stats.missing_baselines += 1
            return
        except DecodeError:
            self.stats.refused += 1
            return
        if view.tick > LAST_TICK:
            self.stats.refused += 1
            return
        if view.tick <= self._snapshot_tick:
            self.stats.stale_snapshots += 1
            return
        self._snapshot_tick = view.tick
        self.stats.snapshots += 1
        self.stats.snapshot_bytes += len(data)
        self._on_snapshot(prediction, view, now)

    def _on_snapshot(self, prediction: OwnPrediction, view: ProfileView, now: float) -> None:
        prediction.observe(view.tick, now)
        for player in view.players:
            if player.peer_id == prediction.peer_id:
                self.server_stats = player.stats
                self._events.append(prediction.reconcile(player, view.tick))
        if self._remotes is not None:
            self._remotes.receive(view, prediction.peer_id, now)
