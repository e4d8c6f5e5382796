"""Sessions (wire version 2): a session-init packet, then frames whose header takes four to ten bytes instead of 28.

A frame's ticks count from the last tick of the session, which each end keeps for itself. A receiver moves on with
every frame that parses. So a frame that is lost leaves the two apart, and the next ticks come out wrong, unless the
sender knows what the receiver holds. Two ways are right:

- an ordered, reliable channel: every frame arrives, and both ends move on frame by frame (``ordered=True``);
- a channel that loses packets: a compact frame goes out only while no earlier one is in doubt, and in between deltas
  go with the standard header, which leaves the session's tick alone (``ordered=False``).

A frame says nothing of where it counts from. So neither way bears a frame that arrives twice, or after a full packet
that was sent later: the receiver would count it from another tick. A link drops what arrives twice; whoever sends a
full packet over a channel that reorders, while a frame is in doubt, opens a new session with it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retick.errors import BaselineMissing, InvalidValue, UsageError, with_code
from retick.snapshot.fields import is_int
from retick.snapshot.kernels import status as st
from retick.snapshot.kernels.decoder import Decoder
from retick.snapshot.model import Snapshot
from retick.wire.bits import BitReader

if TYPE_CHECKING:
    from retick.snapshot.codec import Codec

__all__ = [
    "DELTA",
    "FULL",
    "HEADER_SIZE",
    "SESSION_INIT",
    "FrameHeader",
    "SessionReceiver",
    "SessionSender",
    "SessionState",
    "decode_session_init",
    "encode_session_init",
    "standard_header",
]

MAGIC = b"\x43\x45\x44\x53"
HEADER_SIZE = 28
"""Bytes of the standard header."""
FULL, DELTA, SESSION_INIT = 1, 2, 4
COMPACT_MODE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """What a session-init packet says."""

    schema_hash: int
    """Of the schema that both ends use."""
    session_id: int | None
    """64 bits, not 0; None when the sender gave none. Nothing carries it again."""
    last_tick: int
    """The tick from which the first frame counts."""
    compact_mode: int = COMPACT_MODE
    """1 is the only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameHeader:
    """The header of a compact frame, with its ticks worked out."""

    flags: int
    """1 full, 2 delta."""
    tick: int
    """Of the snapshot; the receiver's next last tick."""
    baseline_tick: int
    """Of the snapshot that the delta starts from."""
    payload_len: int
    """Bytes after the header."""


def standard_header(codec: "Codec", flags: int, tick: int, baseline_tick: int, payload_bytes: int) -> bytes:
    for name, value in (("tick", tick), ("baseline_tick", baseline_tick)):
        if not isinstance(value, int) or not 0 <= value <= 0xFFFFFFFF:
            raise UsageError(f"{name} must be from 0 to 4294967295, not {value!r}")
    head = MAGIC + codec.version.to_bytes(2, "little") + flags.to_bytes(2, "little")
    ticks = b"".join(value.to_bytes(4, "little") for value in (tick, baseline_tick, payload_bytes))
    return head + codec.schema_hash.to_bytes(8, "little") + ticks


def encode_session_init(codec: "Codec", tick: int, session_id: int | None) -> bytes:
    if session_id is not None and not (is_int(session_id) and 1 <= session_id <= 0xFFFFFFFFFFFFFFFF):
        raise UsageError(f"session_id must be from 1 to 2**64 - 1, or None, not {session_id!r}")
    body = (session_id or 0).to_bytes(8, "little") + bytes((COMPACT_MODE,))
    section = bytes((6, len(body))) + body
    return standard_header(codec, SESSION_INIT, tick, 0, len(section)) + section


def decode_session_init(codec: "Codec", decoder: Decoder, data: Any) -> SessionState:
    decoder.packet_header(data)
    if decoder.flags != SESSION_INIT:
        raise _session_fault("SessionMissing", "not a session-init packet")
    if decoder.baseline_tick != 0:
        raise _session_fault("SessionInitInvalid", f"baseline tick {decoder.baseline_tick} in a session-init packet")
    decoder.check_hash()
    body = None
    for index in range(decoder.section_count):
        tag, _start, _end = decoder.section(index)
        if tag != 6:
            raise decoder.section_fault(st.UNEXPECTED_SECTION, index)
        if body is not None:
            raise _session_fault("SessionInitInvalid", "two session sections in one packet")
        body = decoder.section_bytes(index)
    if body is None:
        raise _session_fault("SessionInitInvalid", "a session-init packet without its section")
    reader = BitReader(body)
    session_id, mode = reader.read_u64(), reader.read_u8()
    if reader.remaining:
        raise decoder.trailing_fault(6, reader.remaining)
    if mode != COMPACT_MODE:
        raise _session_fault("SessionUnsupportedMode", f"compact mode {mode} is not known", mode=mode)
    return SessionState(schema_hash=codec.schema_hash, session_id=session_id or None, last_tick=decoder.tick)


def _session_fault(code: str, message: str, **details: int) -> InvalidValue:
    return with_code(InvalidValue(message), code, **details)


class SessionSender:
    """The sending end: keeps the tick from which the receiver counts, and chooses the header."""

    def __init__(self, codec: "Codec", *, tick: int, ordered: bool, session_id: int | None = None) -> None:
        self._codec = codec
        self._ordered = ordered
        self._last_tick = tick
        self._doubtful: int | None = None
        self.init_packet = codec.encode_session_init(tick=tick, session_id=session_id)
        """To be delivered before any frame."""

    @property
    def last_tick(self) -> int:
        """What the receiver counts from, as far as this end knows."""
        return self._last_tick

    def encode(self, base: Snapshot, snapshot: Snapshot) -> bytes:
        """A delta: as a compact frame where the receiver's tick is certain, else with the standard header."""
        if self._doubtful is not None:
            return self._codec.encode_delta(base, snapshot, packed=True)
        frame = self._codec.encode_frame(base, snapshot, last_tick=self._last_tick)
        if self._ordered:
            self._last_tick = snapshot.tick
        else:
            self._doubtful = snapshot.tick
        return frame

    def encode_full(self, snapshot: Snapshot) -> bytes:
        """A full snapshot, which always has the standard header; the receiver counts from it when it arrives."""
        packet = self._codec.encode_full(snapshot)
        if self._ordered:
            self._last_tick = snapshot.tick
        else:
            self._doubtful = snapshot.tick
        return packet

    def acknowledge(self, tick: int) -> None:
        """The receiver has the packet of this tick."""
        if tick == self._doubtful:
            self._last_tick = tick
            self._doubtful = None

    def lost(self, tick: int) -> None:
        """The packet of this tick certainly never arrived, and never will."""
        if tick == self._doubtful:
            self._doubtful = None


class SessionReceiver:
    """The receiving end: takes session-init, full packets, deltas and compact frames as they come."""

    def __init__(self, codec: "Codec") -> None:
        self._codec = codec
        self.state: SessionState | None = None
        """What the last session-init packet said."""
        self._last_tick = 0

    @property
    def last_tick(self) -> int:
        """The tick from which the next frame counts."""
        return self._last_tick

    def open(self, data: Any) -> SessionState:
        """Start, or start again, from a session-init packet."""
        self.state = self._codec.decode_session_init(data)
        self._last_tick = self.state.last_tick
        return self.state

    def baseline_tick(self, data: Any) -> int | None:
        """The tick of the snapshot that ``apply`` needs for this packet; None for a full one."""
        if bytes(data[:4]) == MAGIC:
            return int.from_bytes(data[20:24], "little") or None
        return self._codec.decode_frame_header(data, last_tick=self._last_tick).baseline_tick

    def apply(self, base: Snapshot | None, data: Any) -> Snapshot:
        """The snapshot in a packet. ``base`` is needed for deltas. The tick moves on only when all went well."""
        if self.state is None:
            raise _session_fault("SessionMissing", "a packet of a session that was never opened")
        if bytes(data[:4]) != MAGIC:
            if base is None:
                tick = self.baseline_tick(data)
                message = f"a frame against the snapshot of tick {tick}, which is not held: ask for a full one"
                raise with_code(BaselineMissing(message, tick=tick or 0), "BaselineNotFound")
            snapshot = self._codec.apply_frame(base, data, last_tick=self._last_tick)
            self._last_tick = snapshot.tick
            return snapshot
        if base is not None:
            return self._codec.apply_delta(base, data)
        snapshot = self._codec.decode_full(data)
        self._last_tick = snapshot.tick
        return snapshot
