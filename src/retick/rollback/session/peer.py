"""Another peer as a session knows it; and the phases of a session."""

from enum import Enum

from retick.link import Connection
from retick.rollback.desync.equivocation import NO_KEY
from retick.rollback.match.peer import MatchPeer
from retick.rollback.match.stats import PathStats
from retick.rollback.session.messages.roster import NO_PAIR_TOKEN, Reach

HOST_ID = 0
"""The id of the peer that gathers the others; once the match runs it is like any other."""
SPECTATOR_ID = 255
"""Used in place of a peer id for all spectators."""
LAST_PEER_ID = SPECTATOR_ID - 1
NO_ID = SPECTATOR_ID
"""Used in place of a peer id for a joiner or a newcomer whose link is not up yet."""
LONG_MESSAGES_LIMIT = 192 * 1024
"""Bytes that may wait in a link before more of a long message is sent: short messages must always fit."""


class Phase(Enum):
    """The phase of a session."""

    GATHERING = "waiting for everyone"
    LINKING = "connecting everyone to everyone"
    RUNNING = "playing"
    ENDED = "over"


class Role(Enum):
    """The role of a remote peer towards this one."""

    HOST = "gathers the players: the peer that this one dialled, before the match"
    JOINER = "was given seats by this host, before the match"
    PLAYER = "plays, or will when the match begins"
    NEWCOMER = "is about to take seats in the running match"
    SPECTATOR = "watches"


class Peer(MatchPeer):
    """One remote peer: what the match knows of it, its role and its connection."""

    __slots__ = ("connection", "is_heard", "key", "pair_token", "reach", "ready", "role", "was_dialled")

    def __init__(self, peer_id: int, players: tuple[int, ...], role: Role = Role.PLAYER) -> None:
        super().__init__(peer_id, players)
        self.role = role
        self.connection: Connection | None = None
        self.is_heard = True
        """False for a player that we no longer hear and that may still be in the match: others may hear it."""
        self.pair_token = NO_PAIR_TOKEN
        """The token that it shows when it calls us."""
        self.key = NO_KEY
        """The public key with which it signs, according to the peer that introduced it."""
        self.reach = Reach()
        """Its prediction window and input delay, as all members know them."""
        self.ready = False
        """Whether it has said READY."""
        self.was_dialled = False
        """Whether we asked for the connection."""

    def attach(self, connection: Connection) -> None:
        """Make this the peer of a connection."""
        self.connection = connection
        connection.tag = self

    @property
    def is_connected(self) -> bool:
        return self.connection is not None and self.connection.is_connected

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the lasting key that it has proved over this connection; None without one."""
        return self.connection.fingerprint if self.connection is not None else None

    def send(self, message: bytes) -> bool:
        return self.connection is not None and self.connection.send_reliable(message)

    def send_if_room(self, message: bytes) -> bool:
        """Send a part of something long; False if the link has enough to carry already."""
        connection = self.connection
        if connection is None or connection.queued_bytes + len(message) > LONG_MESSAGES_LIMIT:
            return False
        return connection.send_reliable(message)

    def send_part(self, message: bytes) -> bool:
        """Send a part of a transfer; False while the link has enough to carry.

        No more waits in the link than what it has in flight, so that what the peers decide is not late.
        """
        connection = self.connection
        if connection is None or connection.queued_bytes > connection.window_bytes:
            return False
        return connection.send_reliable(message)

    def sent(self) -> tuple[int, int]:
        connection = self.connection
        return super().sent() if connection is None else connection.sent

    def path(self) -> PathStats:
        """The link's statistics of the network path."""
        connection = self.connection
        if connection is None:
            return super().path()
        link = connection.stats
        return PathStats(
            rtt=link.rtt if connection.has_rtt else None,
            jitter=link.jitter if connection.has_rtt else None,
            loss_in=link.loss_in,
            loss_out=link.loss_out,
            packets_in=link.packets_received,
            packets_out=link.packets_sent,
            bytes_in=link.bytes_received,
            bytes_out=link.bytes_sent,
        )
