"""Settings of an endpoint: what it offers, its limits and its timeouts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

from retick.errors import UsageError
from retick.link.layout import MAX_DATAGRAM, MAX_GAME_ID, MIN_DATAGRAM_LIMIT, SECRET_SIZE

__all__ = ["LinkConfig", "Sealing"]


class Sealing(TypedDict, total=False):
    """The settings of a LinkConfig that concern sealing, for those who pass them on."""

    sealed: bool
    secret: bytes | None
    server_key: bytes | None
    key_pair: bytes | None
    identity: bytes | None
    keylog: Callable[[str], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """Settings of one endpoint. docs/formats/link.md explains the values that go over the wire."""

    game_id: str = ""
    """Both sides must name the same game; at most 32 bytes of UTF-8."""
    game_version: int = 0
    """Both sides must have the same version, 0 to 2**32 - 1."""
    capabilities: int = 0
    """Bits of what this side can do; 0 to 15 are Retick's, 16 to 31 the application's."""
    required: int = 0
    """Bits of what the peer must be able to do."""
    tick_rate: int = 0
    """Ticks a second; 0 accepts any."""
    accepting: bool = True
    """False for an endpoint that only dials."""
    max_connections: int = 64
    """Limit for all connections of the endpoint; more are refused."""
    max_datagram: int = 1200
    """Bytes of UDP payload in the largest datagram sent, 576 to 1472. Some networks lose datagrams above 1200."""
    max_message: int = 65536
    """Bytes of the longest reliable message, sent or received."""
    send_queue: int = 262144
    """Bytes of reliable messages that may wait for acknowledgement, for each connection."""
    payload_queue: int = 64
    """Payloads that may wait for the next call of datagrams_to_send, for each connection."""
    unread_limit: int = 256
    """Payloads and messages that one connection may receive between two calls of events()."""
    status_interval: float = 1.0
    """Seconds between reports; half of it on an idle link, where the reports are the keepalive."""
    quiet_after: float = 1.5
    """Seconds without a datagram before Interrupted is reported."""
    timeout: float = 10.0
    """Seconds without a datagram before the connection ends."""
    dial_timeout: float = 10.0
    """Seconds before a dial without an answer ends; and before an accepted peer that only repeats its HELLO is given
    up."""
    confirm_timeout: float = 5.0
    """Seconds that an accepted peer has to send its first datagram."""
    handshake_rate: float = 200.0
    """HELLOs with a good cookie that are answered in a second, for all addresses together."""
    handshake_rate_per_address: float = 20.0
    """The same for one IPv4 address, or one /64 network of IPv6. Loopback has no limit for each address, here and in
    the two below."""
    max_unconfirmed_per_address: int = 4
    """Connections of one address that were accepted and have not sent anything yet."""
    max_connections_per_address: int = 8
    """Accepted connections of one address, these included: eight players may sit behind one router."""
    sealed: bool = False
    """Whether all connections are sealed (version 2 of the link); both sides must say the same."""
    secret: bytes | None = field(default=None, repr=False)
    """16 random bytes that both sides know: an invite. An acceptor that has it takes nobody without it."""
    server_key: bytes | None = field(default=None, repr=False)
    """Of a dialler: the public key of the server, 32 bytes: ``retick.link.sealing.primitives.public_key_of`` its
    ``key_pair``."""
    key_pair: bytes | None = field(default=None, repr=False)
    """Of an acceptor: its private key, 32 random bytes, by whose public half diallers know it."""
    identity: bytes | None = field(default=None, repr=False)
    """A lasting private key, 32 random bytes, by which peers recognise this side (its ``fingerprint``)."""
    keylog: Callable[[str], None] | None = field(default=None, repr=False)
    """Called with one line for each connection's keys: whoever has it can read that connection."""

    def __post_init__(self) -> None:
        if len(self.game_id.encode()) > MAX_GAME_ID:
            raise UsageError(f"game_id has at most {MAX_GAME_ID} bytes, not {len(self.game_id.encode())}")
        for name, most in (
            ("game_version", 0xFFFFFFFF),
            ("capabilities", 0xFFFFFFFF),
            ("required", 0xFFFFFFFF),
            ("tick_rate", 0xFFFF),
        ):
            if not 0 <= getattr(self, name) <= most:
                raise UsageError(f"{name} is 0 to {most}, not {getattr(self, name)}")
        for name in (
            "max_message",
            "send_queue",
            "payload_queue",
            "unread_limit",
            "handshake_rate",
            "handshake_rate_per_address",
            "max_unconfirmed_per_address",
            "max_connections_per_address",
        ):
            if not getattr(self, name) >= 1:
                raise UsageError(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("dial_timeout", "confirm_timeout"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is above 0 seconds, not {getattr(self, name)}")
        if not MIN_DATAGRAM_LIMIT <= self.max_datagram <= MAX_DATAGRAM:
            raise UsageError(f"max_datagram is {MIN_DATAGRAM_LIMIT} to {MAX_DATAGRAM} bytes, not {self.max_datagram}")
        for name, size in (("secret", SECRET_SIZE), ("server_key", 32), ("key_pair", 32), ("identity", 32)):
            key = getattr(self, name)
            if key is not None and (not self.sealed or not isinstance(key, bytes) or len(key) != size):
                raise UsageError(f"{name} is {size} bytes, and only for sealed links")
        if self.secret is not None and self.server_key is not None:
            raise UsageError("a dialler has a secret or a server_key, not both")
        if not 0 < self.status_interval < self.quiet_after < self.timeout:
            raise UsageError(
                f"0 < status_interval < quiet_after < timeout must hold, not 0 < {self.status_interval} < "
                f"{self.quiet_after} < {self.timeout}"
            )
