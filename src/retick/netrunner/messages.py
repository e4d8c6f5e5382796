"""What authoritative servers, their clients and their games all send: control messages, counters, session numbers.

A game lays out its own packets and its own Welcome. Everything here is the same for every game, so that a server or
client can read it without knowing which game it serves.

::

    control message
    0  u8  3, the packet type
    1  u8  subtype
    hello   1   @2 u32 protocol version
    welcome 2   @2 u32 protocol version, then what the game lays out
    ping    3   @2 u16 seq  @4 u32 sender's clock ms
    pong    4   @2 u16 seq, echoed  @4 u32 clock ms, echoed  @8 u32 server tick that the sender knows
    delay   5   @2 i32 input delay ticks
    resync  6   @2 u32 server tick

    input statistics
    7 u32 counters   i32 input delay ticks   f32 round trip ms   f32 jitter ms

Little-endian. A game may give its control messages one length; the bytes past a message's fields are then zero when
written and not looked at when read. A hello or welcome of another version is refused before anything else in it is
read, even its length: another version may have another layout.
"""

# retick: floats -- thresholds and measurements, carried as binary32; none that is not finite gets in or out

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

from retick.errors import EncodeError, InvalidValue, UnsupportedVersion
from retick.host.stats import InputStats
from retick.wire.values import LARGEST, LARGEST_INT, Bounds, within_bounds

CONTROL: Final = 3
"""The packet type of control messages."""

WelcomeT = TypeVar("WelcomeT")
StateT = TypeVar("StateT")


class ClientHello(NamedTuple):
    """The first message of a client."""

    version: int
    """The version of the game's protocol."""


class Ping(NamedTuple):
    """A ping; the answer is an immediate pong with the same two numbers."""

    seq: int
    """Counts the sender's pings from 1; 65535 is followed by 1."""
    clock_ms: int
    """The sender's clock in milliseconds, modulo 2**32."""


class Pong(NamedTuple):
    """A ping's echo, with the server tick that the sender knows."""

    seq: int
    clock_ms: int
    server_tick: int


class DelayUpdate(NamedTuple):
    """How far ahead of the server's tick a client should stamp its commands from now on."""

    delay_ticks: int


class ResyncHint(NamedTuple):
    """The server has had no usable command for a long time: the client should start again from this tick."""

    server_tick: int


SharedMessage: TypeAlias = ClientHello | Ping | Pong | DelayUpdate | ResyncHint
"""The control messages that are the same for every game: all but the Welcome."""

_HELLO, _WELCOME = 1, 2
_SHARED: Final[dict[int, tuple[Any, struct.Struct]]] = {
    _HELLO: (ClientHello, struct.Struct("<I")),
    3: (Ping, struct.Struct("<HI")),
    4: (Pong, struct.Struct("<HII")),
    5: (DelayUpdate, struct.Struct("<i")),
    6: (ResyncHint, struct.Struct("<I")),
}
_HEAD: Final = 2
_VERSION_END: Final = 6


class ControlMessages(Generic[WelcomeT]):
    """Encodes and decodes the control messages of one game and protocol version."""

    def __init__(self, welcome: type[WelcomeT], layout: str, *, version: int, size: int | None = None) -> None:
        """``welcome``: a NamedTuple that begins with its ``version``; ``layout``: its ``struct`` codes, in order.

        ``size``: bytes of every message, padded with zeros; None gives each message the length of its fields.
        """
        self._version = version
        self._size = size
        self._layouts = _SHARED | {_WELCOME: (welcome, struct.Struct("<" + layout))}
        self._subtypes = {kind: subtype for subtype, (kind, _) in self._layouts.items()}

    def encode(self, message: SharedMessage | WelcomeT) -> bytes:
        """Encode a message as a packet; raises EncodeError if a value does not fit."""
        subtype = self._subtypes[type(message)]
        values: tuple[float, ...] = tuple(message)  # type: ignore[arg-type]  # a Welcome is a NamedTuple of numbers
        name = type(message).__name__
        if not all(map(isfinite, values)):
            raise EncodeError(f"a {name} has a value that is not a finite number")
        try:
            packet = bytes((CONTROL, subtype)) + self._layouts[subtype][1].pack(*values)
        except (struct.error, OverflowError) as error:
            raise EncodeError(f"a {name} does not fit its packet: {error}") from None
        return packet if self._size is None else packet.ljust(self._size, b"\0")

    def decode(self, data: bytes) -> SharedMessage | WelcomeT:
        """Decode a message, or raise DecodeError. Checks in this order: type, subtype, version, length, values."""
        if len(data) < _HEAD or data[0] != CONTROL:
            raise InvalidValue("not a control message")
        subtype = data[1]
        if subtype not in self._layouts:
            raise InvalidValue(f"control subtype {subtype} is unknown")
        kind, layout = self._layouts[subtype]
        if subtype in (_HELLO, _WELCOME) and len(data) >= _VERSION_END:
            found = int.from_bytes(data[_HEAD:_VERSION_END], "little")
            if found != self._version:
                raise UnsupportedVersion(f"protocol {found}, and this is {self._version}", version=found)
        expected = self._size or _HEAD + layout.size
        if len(data) != expected:
            raise InvalidValue(f"a {kind.__name__} has {expected} bytes, not {len(data)}")
        values = layout.unpack_from(data, _HEAD)
        if not all(map(isfinite, values)):
            raise InvalidValue(f"a {kind.__name__} has a value that is not a finite number")
        message: SharedMessage | WelcomeT = kind._make(values)
        return message


INPUT_STATS_FORMAT: Final = "7Iiff"
"""The ``struct`` format of :class:`InputStats`."""


class PlayerView(NamedTuple, Generic[StateT]):
    """One player in a snapshot."""

    peer_id: int
    ack: int
    """The newest seq of this player that the server has consumed."""
    state: StateT
    stats: InputStats


class SnapshotView(NamedTuple, Generic[StateT]):
    """A snapshot: all players after one server tick."""

    tick: int
    players: tuple[PlayerView[StateT], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNumbers:
    """The numbers that a server decides for a session. Raises UsageError for a value out of range."""

    BOUNDS: ClassVar[Mapping[str, Bounds]] = {
        "server_tick_rate": (1, 1000),
        "client_tick_rate": (1, 1000),
        "snapshot_rate": (1, 1000),
        "input_delay_ticks": (0, 10),
        "interpolation_delay_ms": (0, LARGEST_INT),
        "max_extrapolation_ms": (0, LARGEST_INT),
        "reconcile_smooth_ms": (1, LARGEST_INT),
        "reconcile_snap_threshold": (1e-3, LARGEST),
        "max_players": (1, 255),
    }
    """The lowest and highest value of each field. A game with other bounds overrides them in a subclass."""

    server_tick_rate: int = 60
    """Server ticks a second."""
    client_tick_rate: int = 60
    """Commands a second."""
    snapshot_rate: int = 20
    """Snapshots a second."""
    input_delay_ticks: int = 3
    """How many ticks ahead a client first stamps its commands."""
    interpolation_delay_ms: int = 100
    """How many milliseconds in the past other players are shown."""
    max_extrapolation_ms: int = 100
    """How many milliseconds other players are moved past their newest snapshot."""
    reconcile_smooth_ms: int = 100
    """Milliseconds over which a correction fades from view."""
    reconcile_snap_threshold: float = 1.5
    """The size in metres from which a correction is shown at once."""
    max_players: int = 16
    """The most players in a room at once, a listening host included. Not sent to clients."""

    def __post_init__(self) -> None:
        for name, bounds in self.BOUNDS.items():
            object.__setattr__(self, name, within_bounds(name, bounds, getattr(self, name)))
