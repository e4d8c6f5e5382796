"""Sessions (wire version 2): a session-init packet, then frames with a header of four to ten bytes instead of 28.

The ticks in a frame count from the session's last tick. Each end keeps that tick itself, and a receiver advances it
with every frame that it can read. After a lost frame the two ends would differ, and the next ticks would be wrong.
There are two ways to prevent this:

- over an ordered, reliable channel every frame arrives, and both ends move frame by frame (``ordered=True``);
- over a channel that loses packets, a compact frame is sent only if every earlier one is known to have arrived or to
  be lost. Until then deltas have the standard header, which does not move the session's tick (``ordered=False``).

A frame does not say from which tick it counts. So a frame must not arrive twice, nor after a full packet that was sent
later: the receiver would count it from another tick. A link drops duplicates. To send a full packet over a channel that
reorders, while a frame is unacknowledged, open a new session with it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retick.errors import BaselineMissing, InvalidValue, UsageError, with_code
from retick.snapshot import layout
from retick.snapshot.decoder import Decoder
from retick.snapshot.fields import is_int
from retick.snapshot.layout import BASELINE_TICK_AT, HEADER, MAGIC, SESSION, SESSION_INIT
from retick.snapshot.model import Snapshot
from retick.wire.bits import BitReader

if TYPE_CHECKING:
    from retick.snapshot.codec import Codec

COMPACT_MODE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """The content of a session-init packet."""

    schema_hash: int
    """The hash of the schema that both ends use."""
    session_id: int | None
    """The session's id, 64 bits, not 0; None if the sender gave none. Later packets do not carry it."""
    last_tick: int
    """The tick from which the first frame counts."""
    compact_mode: int = COMPACT_MODE
    """Always 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameHeader:
    """The header of a compact frame, with its ticks computed."""

    flags: int
    """1 for a full snapshot, 2 for a delta."""
    tick: int
    """The tick of the snapshot; the next frame counts from it."""
    baseline_tick: int
    """The tick of the snapshot that the delta starts from."""
    payload_len: int
    """How many bytes follow the header."""


def standard_header(codec: "Codec", flags: int, tick: int, baseline_tick: int, payload_bytes: int) -> bytes:
    """The 28 bytes before the payload of a packet."""
    for name, value in (("tick", tick), ("baseline_tick", baseline_tick)):
        if not isinstance(value, int) or not 0 <= value <= 0xFFFFFFFF:
            raise UsageError(f"{name} must be from 0 to 4294967295, not {value!r}")
    return HEADER.pack(MAGIC, codec.version, flags, codec.schema_hash, tick, baseline_tick, payload_bytes)


def encode_session_init(codec: "Codec", tick: int, session_id: int | None) -> bytes:
    """Encodes a session-init packet, for :meth:`Codec.encode_session_init`."""
    if session_id is not None and not (is_int(session_id) and 1 <= session_id <= 0xFFFFFFFFFFFFFFFF):
        raise UsageError(f"session_id must be from 1 to 2**64 - 1, or None, not {session_id!r}")
    body = (session_id or 0).to_bytes(8, "little") + bytes((COMPACT_MODE,))
    section = bytes((SESSION, len(body))) + body
    return standard_header(codec, SESSION_INIT, tick, 0, len(section)) + section


def decode_session_init(codec: "Codec", decoder: Decoder, data: Any) -> SessionState:
    """Decodes a session-init packet, for :meth:`Codec.decode_session_init`."""
    framing = decoder.packet_header(data)
    if framing.flags != SESSION_INIT:
        raise _session_fault("SessionMissing", "not a session-init packet")
    if framing.baseline_tick != 0:
        raise _session_fault("SessionInitInvalid", f"baseline tick {framing.baseline_tick} in a session-init packet")
    decoder.need_same_schema()
    body = None
    for index in range(framing.section_count):
        tag, _start, _end = framing.section(index)
        if tag != SESSION:
            raise decoder.section_error(layout.UNEXPECTED_SECTION, index)
        if body is not None:
            raise _session_fault("SessionInitInvalid", "two session sections in one packet")
        body = framing.section_bytes(index)
    if body is None:
        raise _session_fault("SessionInitInvalid", "a session-init packet without its section")
    reader = BitReader(body)
    session_id, mode = reader.read_u64(), reader.read_u8()
    if reader.remaining:
        raise decoder.trailing_error(SESSION, reader.remaining)
    if mode != COMPACT_MODE:
        raise _session_fault("SessionUnsupportedMode", f"compact mode {mode} is not known", mode=mode)
    return SessionState(schema_hash=codec.schema_hash, session_id=session_id or None, last_tick=framing.tick)


def _session_fault(code: str, message: str, **details: int) -> InvalidValue:
    return with_code(InvalidValue(message), code, **details)


class SessionSender:
    """The sender's end: keeps the tick from which the receiver counts, and chooses the header."""

    def __init__(self, codec: "Codec", *, tick: int, ordered: bool, session_id: int | None = None) -> None:
        self._codec = codec
        self._ordered = ordered
        self._last_tick = tick
        self._unconfirmed: int | None = None
        self.init_packet = codec.encode_session_init(tick=tick, session_id=session_id)
        """The packet that must be delivered before any frame."""

    @property
    def last_tick(self) -> int:
        """The tick from which the receiver counts, as far as this end knows."""
        return self._last_tick

    def encode(self, base: Snapshot, snapshot: Snapshot) -> bytes:
        """Encode a delta: a compact frame if the receiver's tick is certain, else with the standard header."""
        if self._unconfirmed is not None:
            return self._codec.encode_delta(base, snapshot, packed=True)
        frame = self._codec.encode_frame(base, snapshot, last_tick=self._last_tick)
        if self._ordered:
            self._last_tick = snapshot.tick
        else:
            self._unconfirmed = snapshot.tick
        return frame

    def encode_full(self, snapshot: Snapshot) -> bytes:
        """Encode a full snapshot, always with the standard header; the receiver counts from it once it arrives."""
        packet = self._codec.encode_full(snapshot)
        if self._ordered:
            self._last_tick = snapshot.tick
        else:
            self._unconfirmed = snapshot.tick
        return packet

    def acknowledge(self, tick: int) -> None:
        """Note that the receiver has the packet of this tick."""
        if tick == self._unconfirmed:
            self._last_tick = tick
            self._unconfirmed = None

    def lost(self, tick: int) -> None:
        """Note that the packet of this tick did not arrive, and never will."""
        if tick == self._unconfirmed:
            self._unconfirmed = None


class SessionReceiver:
    """The receiver's end: reads session-init packets, full packets, deltas and compact frames."""

    def __init__(self, codec: "Codec") -> None:
        self._codec = codec
        self.state: SessionState | None = None
        """The content of the last session-init packet; None before."""
        self._last_tick = 0

    @property
    def last_tick(self) -> int:
        """The tick from which the next frame counts."""
        return self._last_tick

    def open(self, data: Any) -> SessionState:
        """Open a session, or replace the current one, from a session-init packet."""
        self.state = self._codec.decode_session_init(data)
        self._last_tick = self.state.last_tick
        return self.state

    def baseline_tick(self, data: Any) -> int | None:
        """The tick of the snapshot that ``apply`` needs for this packet; None for a full packet."""
        if bytes(data[: len(MAGIC)]) == MAGIC:
            return int.from_bytes(data[BASELINE_TICK_AT : BASELINE_TICK_AT + 4], "little") or None
        return self._codec.decode_frame_header(data, last_tick=self._last_tick).baseline_tick

    def apply(self, base: Snapshot | None, data: Any) -> Snapshot:
        """Decode a packet; a delta needs its ``base``. The session's tick moves only if the packet is good."""
        if self.state is None:
            raise _session_fault("SessionMissing", "a packet of a session that was never opened")
        if bytes(data[: len(MAGIC)]) != MAGIC:
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
