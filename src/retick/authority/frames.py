"""The payloads of every tick: a client's inputs and the server's snapshots; and unreliable messages.

::

    INPUT      u8 0x21  u32 tick  varuint held back  varuint viewed back  u8 n  inputs, packed bits
    SNAPSHOT   u8 0x22  u32 tick  u8 back  u8 apart  i8 margin  varsint newest  varuint n  [varuint serial  cues]  body
    COMPACT    u8 0x24  u32 tick  u8 back  i8 margin  the rest as in SNAPSHOT
    NOTE       u8 0x23  the application's bytes

Little-endian; docs/formats/world-server.md says what each means.
"""

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from retick.errors import EncodeError, InvalidValue, LimitExceeded, TrailingData, Truncated
from retick.wire.bits import BitReader, BitWriter
from retick.wire.values import decode_value_at
from retick.wire.varint import decode_varsint, decode_varuint, encode_varsint, encode_varuint

INPUT: Final = 0x21
SNAPSHOT: Final = 0x22
NOTE: Final = 0x23
COMPACT: Final = 0x24
MOST_INPUTS: Final = 8
"""The most inputs of one packet."""
MOST_CUES: Final = 255
"""The most cues of one packet."""
LAST_TICK: Final = 0x7FFF0000
"""More than a year at sixty a second; a packet with a later tick is wrong."""
_INPUT_HEAD: Final = struct.Struct("<BI")
_SNAPSHOT_HEAD: Final = struct.Struct("<BIBBb")
_COMPACT_HEAD: Final = struct.Struct("<BIBb")


class InputFrame(NamedTuple):
    """The inputs of a client."""

    tick: int
    """The tick of the newest input."""
    held: int
    """The tick of the newest snapshot that the client has used; 0 if it has none."""
    viewed: int
    """How far behind ``tick`` the client draws the others, in 16ths of a tick."""
    inputs: tuple[int, ...]
    """One input per tick, newest first."""


class Cue(NamedTuple):
    """Something that happened at a tick."""

    tick: int
    cue: tuple[Any, ...]
    """The cue's values as the world gave them: ``("shot", 3.0, 4.0)``."""


class SnapshotFrame(NamedTuple):
    """A server's payload for one tick."""

    tick: int
    back: int
    """Ticks back to the base; 0 for a full snapshot."""
    apart: int
    """Ticks from the base back to the snapshot it is carried on from; 0 if it is not."""
    margin: int
    """How many ticks early the client's newest input arrived; negative if it was late."""
    newest: int
    """The tick of the newest input that the server has received; 0 for none."""
    serial: int
    """The number of the first cue; 0 if there are none."""
    cues: tuple[Cue, ...]
    body: bytes
    is_compact: bool = False


def encode_input(frame: InputFrame, bits: int) -> bytes:
    """Encode inputs of ``bits`` bits each."""
    if not 1 <= len(frame.inputs) <= MOST_INPUTS:
        raise EncodeError(f"a packet has 1 to {MOST_INPUTS} inputs, not {len(frame.inputs)}")
    if not 0 <= frame.held < frame.tick <= LAST_TICK:
        raise EncodeError(f"tick {frame.tick} must be after {frame.held}, which is held, and at most {LAST_TICK}")
    head = _INPUT_HEAD.pack(INPUT, frame.tick) + encode_varuint(frame.tick - frame.held if frame.held else 0)
    writer = BitWriter()
    for index, pressed in enumerate(frame.inputs):
        same = index > 0 and pressed == frame.inputs[index - 1]
        if index > 0:
            writer.write_bit(not same)
        if not same:
            writer.write_bits(pressed, bits)
    return head + encode_varuint(frame.viewed) + bytes((len(frame.inputs),)) + writer.to_bytes()


def decode_input(data: bytes, bits: int) -> InputFrame:
    """Decode inputs, or raise DecodeError."""
    _, tick = _head(_INPUT_HEAD, INPUT, data)
    back, at = decode_varuint(data, _INPUT_HEAD.size)
    viewed, at = decode_varuint(data, at)
    if back >= max(tick, 1):
        raise InvalidValue(f"{back} ticks before tick {tick} there was no snapshot")
    reader = BitReader(data[at:])
    count = reader.read_u8()
    if not 1 <= count <= MOST_INPUTS:
        raise LimitExceeded(
            f"a packet has 1 to {MOST_INPUTS} inputs, not {count}", what="inputs", limit=MOST_INPUTS, actual=count
        )
    inputs: list[int] = []
    for index in range(count):
        if index > 0 and not reader.read_bit():
            inputs.append(inputs[-1])
            continue
        pressed = reader.read_bits(bits)
        if inputs and pressed == inputs[-1]:
            raise InvalidValue("an unchanged input is not marked as a repetition")
        inputs.append(pressed)
    reader.align()
    if reader.remaining:
        raise TrailingData(f"{reader.remaining // 8} bytes follow the inputs", extra=reader.remaining // 8)
    return InputFrame(tick, tick - back if back else 0, viewed, tuple(inputs))


def encode_snapshot(
    *, tick: int, back: int, apart: int | None, margin: int, newest: int, serial: int,
    cues: Sequence[tuple[int, bytes]], body: bytes,
) -> bytes:  # fmt: skip
    """Encode a snapshot, a compact one if ``apart`` is None; ``cues`` are pairs of tick and encoded value."""
    margin = max(-128, min(127, margin))
    if apart is None:
        out = bytearray(_COMPACT_HEAD.pack(COMPACT, tick, back, margin))
    else:
        out = bytearray(_SNAPSHOT_HEAD.pack(SNAPSHOT, tick, back, apart, margin))
    out += encode_varsint(newest - tick) + encode_varuint(len(cues))
    if cues:
        out += encode_varuint(serial)
    for when, cue in cues:
        out += encode_varuint(tick - when) + cue
    return bytes(out) + body


def decode_snapshot(data: bytes) -> SnapshotFrame:
    """Decode a snapshot, leaving its body packed, or raise DecodeError."""
    is_compact = data[:1] == bytes((COMPACT,))
    if is_compact:
        head = _COMPACT_HEAD
        (_, tick, back, margin), apart = _head(head, COMPACT, data), 0
    else:
        head = _SNAPSHOT_HEAD
        _, tick, back, apart, margin = _head(head, SNAPSHOT, data)
    if back + apart >= tick or ((apart or is_compact) and not back):
        raise InvalidValue(f"{back} and {apart} ticks before tick {tick} there was no snapshot")
    away, at = decode_varsint(data, head.size)
    if not 0 <= tick + away <= 0xFFFFFFFF:
        raise InvalidValue(f"an input of tick {tick + away} cannot have come")
    count, at = decode_varuint(data, at)
    if count > MOST_CUES:
        raise LimitExceeded(
            f"a snapshot has at most {MOST_CUES} cues, not {count}", what="cues", limit=MOST_CUES, actual=count
        )
    serial, at = decode_varuint(data, at) if count else (0, at)
    cues = []
    for _ in range(count):
        ago, at = decode_varuint(data, at)
        cue, at = decode_value_at(data, at)
        if ago >= tick or not isinstance(cue, tuple):
            raise InvalidValue(f"no cue is {cue!r}, {ago} ticks before tick {tick}")
        cues.append(Cue(tick - ago, cue))
    return SnapshotFrame(tick, back, apart, margin, tick + away, serial, tuple(cues), bytes(data[at:]), is_compact)


def encode_note(data: bytes) -> bytes:
    """Encode an unreliable message."""
    return bytes((NOTE,)) + data


def decode_note(data: bytes) -> bytes:
    """Decode an unreliable message to the application's bytes."""
    if not data or data[0] != NOTE:
        raise InvalidValue("not an unreliable message")
    return bytes(data[1:])


def _head(layout: struct.Struct, kind: int, data: bytes) -> tuple[int, ...]:
    """Read the fixed fields; the second is a tick."""
    if len(data) < layout.size:
        raise Truncated(
            f"payload {kind:#04x} has at least {layout.size} bytes, not {len(data)}",
            needed=layout.size,
            available=len(data),
        )
    found = layout.unpack_from(data)
    if found[0] != kind:
        raise InvalidValue(f"the payload is of kind {found[0]:#04x}, not {kind:#04x}")
    if not 1 <= found[1] <= LAST_TICK:
        raise InvalidValue(f"tick {found[1]} is not from 1 to {LAST_TICK}")
    return found
