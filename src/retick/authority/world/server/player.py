"""One who is in a room: a player with a seat, a bot, or a spectator."""
# retick: floats -- seconds of the network; nothing is simulated from them

from collections.abc import Hashable, Mapping
from typing import Any, Final

from retick.authority.server.credit import Credit
from retick.authority.server.gate import NOBODY
from retick.authority.world.frames import InputFrame
from retick.authority.world.messages import PlayerState
from retick.authority.world.server.bots import Bot
from retick.authority.world.server.config import WorldServerConfig
from retick.authority.world.server.input_buffer import InputBuffer
from retick.authority.world.server.outbox import Outbox
from retick.authority.world.server.viewed import measured_ticks
from retick.authority.world.views import Receiver
from retick.link import Connection
from retick.tokens import Pass
from retick.wire.authority import InputStats

__all__ = ["FIRST_SPECTATOR", "WorldPlayer"]

FIRST_SPECTATOR: Final = 256
"""Peer ids of spectators begin here; those of players are their seats."""
PACKET_BURST: Final = 64
MESSAGE_SECONDS: Final = 4
"""Seconds of messages that a client may send at once."""


class WorldPlayer:
    """Everything that a room keeps for one who is in it."""

    __slots__ = ("_config", "_messages", "_packets", "address", "admitted", "bot", "connection", "inputs", "lost_at",
                 "name", "outbox", "peer_id", "pressed", "receiver", "things", "token")  # fmt: skip

    def __init__(
        self,
        peer_id: int,
        token: bytes,
        name: str,
        config: WorldServerConfig,
        *,
        bot: Bot | None = None,
        admitted: Pass = NOBODY,
    ) -> None:
        self.peer_id = peer_id
        self.token = token
        self.name = name
        self.bot = bot
        self._config = config
        self.connection: Connection | None = None
        """None of a bot, and while the connection is lost."""
        self.admitted = admitted
        """What is known of who plays: the player id and the data of the join token, and the fingerprint of the key."""
        self.address: Hashable = None
        """Where the client is, or was when its connection was lost."""
        self.lost_at: float | None = None
        """When the connection was lost, in seconds."""
        self.receiver: Receiver | None = None
        """Makes this client's snapshots."""
        self.things: Mapping[str, Any] = {}
        """What it had when it left."""
        self.pressed = 0
        """The input of the last tick."""
        self.outbox = Outbox(config.message_queue)
        self.begin()

    def begin(self) -> None:
        """Start from a welcome."""
        config = self._config
        self.inputs = InputBuffer(hold=config.hold_ticks, ahead=config.most_early, rewind=config.rewind_ticks)
        self._packets = Credit(PACKET_BURST, config.packets_per_tick)
        per_second = config.messages_per_second
        self._messages = Credit(MESSAGE_SECONDS * per_second, per_second / config.tick_rate)

    @property
    def is_spectator(self) -> bool:
        return self.peer_id >= FIRST_SPECTATOR

    @property
    def seat(self) -> int | None:
        """None of a spectator."""
        return None if self.is_spectator else self.peer_id

    @property
    def behind(self) -> int:
        """Ticks behind its own input that the player sees the others."""
        return self.inputs.behind

    @property
    def state(self) -> PlayerState:
        """As the other clients are told."""
        if self.bot is not None:
            return PlayerState.BOT
        return PlayerState.CONNECTION_LOST if self.connection is None else PlayerState.PLAYING

    @property
    def stats(self) -> InputStats:
        """How the server ran this player's inputs; ``delay_ticks`` is how early the newest of them was."""
        inputs, connection = self.inputs, self.connection
        return InputStats(
            inputs.dropped_late,
            inputs.dropped_early,
            inputs.used,
            inputs.held,
            inputs.neutral,
            inputs.streak,
            inputs.streak_max,
            inputs.margin,
            0.0 if connection is None else 1000 * connection.rtt,
        )

    def earn(self, ticks: int = 1) -> None:
        """Credit for more ticks."""
        self._packets.earn(ticks)
        self._messages.earn(ticks)

    def grant_packet(self) -> bool:
        return self._packets.grant()

    def grant_message(self) -> bool:
        return self._messages.grant()

    def receive_inputs(self, frame: InputFrame, tick: int) -> None:
        """A packet of inputs came while ``tick`` was the last one that was run."""
        if self.receiver is not None and frame.held:
            self.receiver.acknowledge(frame.held)
        if self.is_spectator:
            return
        rtt = self.connection.rtt if self.connection is not None else 0.0
        measured = measured_ticks(rtt=rtt, delay=self._config.view_delay, rate=self._config.tick_rate)
        self.inputs.offer(frame, tick, measured)
