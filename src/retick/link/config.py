"""Settings of an endpoint: what it offers, its limits and its timeouts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

from retick.errors import UsageError
from retick.link.layout import MAX_DATAGRAM, MAX_GAME_ID, MIN_DATAGRAM_LIMIT, SECRET_SIZE


class Sealing(TypedDict, total=False):
    """The sealing settings of a LinkConfig, for code that passes them on."""

    sealed: bool
    secret: bytes | None
    server_key: bytes | None
    key_pair: bytes | None
    identity: bytes | None
    keylog: Callable[[str], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """Settings of one endpoint. docs/formats/link.md explains the values that are sent."""

    game_id: str = ""
    """The name of the game, at most 32 bytes of UTF-8; both sides must have the same."""
    game_version: int = 0
    """The version of the game, 0 to 2**32 - 1; both sides must have the same."""
    capabilities: int = 0
    """Bits for what this side can do; 0 to 15 are Retick's, 16 to 31 the application's."""
    required: int = 0
    """Bits for what the peer must be able to do."""
    tick_rate: int = 0
    """Ticks a second, which both sides must share; 0 accepts any."""
    accepting: bool = True
    """False for an endpoint that only dials."""
    max_connections: int = 64
    """The most connections of the endpoint; more are refused."""
    max_datagram: int = 1200
    """UDP payload bytes of the largest datagram sent, 576 to 1472. Some networks lose datagrams above 1200."""
    max_message: int = 65536
    """The most bytes of a reliable message, sent or received."""
    send_queue: int = 262144
    """Bytes of reliable messages that may wait for acknowledgement, per connection."""
    payload_queue: int = 64
    """Payloads that may wait for the next call of datagrams_to_send, per connection."""
    unread_limit: int = 256
    """Payloads and messages that one connection may receive between two calls of events()."""
    status_interval: float = 1.0
    """Seconds between reports; half of it on an idle link, where the reports are the keepalive."""
    quiet_after: float = 1.5
    """Seconds without a datagram before Interrupted is reported."""
    timeout: float = 10.0
    """Seconds without a datagram before the connection ends."""
    dial_timeout: float = 10.0
    """Seconds after which an unanswered dial ends, and after which an accepted peer that only repeats its HELLO is
    dropped."""
    confirm_timeout: float = 5.0
    """Seconds that an accepted peer has to send its first datagram."""
    handshake_rate: float = 200.0
    """HELLOs with a valid cookie that are answered per second, for all addresses together."""
    handshake_rate_per_address: float = 20.0
    """HELLOs answered per second for one IPv4 address, or one /64 network of IPv6. Loopback is exempt from this and the
    next two limits."""
    max_unconfirmed_per_address: int = 4
    """Accepted connections of one address that have not sent anything yet."""
    max_connections_per_address: int = 8
    """All accepted connections of one address: eight players may sit behind one router."""
    sealed: bool = True
    """Whether all connections are sealed (version 2 of the link); both sides must agree."""
    secret: bytes | None = field(default=None, repr=False)
    """16 random bytes that both sides know, as from an invite. An acceptor with a secret requires it."""
    server_key: bytes | None = field(default=None, repr=False)
    """For a dialler: the public key of the server, 32 bytes: ``retick.link.sealing.primitives.public_key_of`` its
    ``key_pair``."""
    key_pair: bytes | None = field(default=None, repr=False)
    """For an acceptor: its private key, 32 random bytes; diallers know it by the public half."""
    identity: bytes | None = field(default=None, repr=False)
    """A lasting private key, 32 random bytes, by which peers recognise this side (its ``fingerprint``)."""
    keylog: Callable[[str], None] | None = field(default=None, repr=False)
    """Called with one line of keys per connection: whoever has it can read that connection."""

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
                raise UsageError(f"{name} is {size} bytes, and needs sealed links")
        if self.secret is not None and self.server_key is not None:
            raise UsageError("a dialler has a secret or a server_key, not both")
        if not 0 < self.status_interval < self.quiet_after < self.timeout:
            raise UsageError(
                f"0 < status_interval < quiet_after < timeout must hold, not 0 < {self.status_interval} < "
                f"{self.quiet_after} < {self.timeout}"
            )
