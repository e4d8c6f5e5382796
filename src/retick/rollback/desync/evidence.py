"""What one peer shows the others after an alarm, as bytes; docs/formats/desync-bundle.md has the tables.

::

    a message       u8 kind, u8 version 1, u8 part from 0, u8 parts, then a part of the body, at most 56 KiB
    01 TIMELINE     u8 peer id, u32 alarm frame, u32 last agreed frame, u32 first frame, u16 n, n times u32 checksum
    02 CLOSE-UP     u8 peer id, u32 frame, u32 first frame of inputs, u8 rows, u8 players, rows * players times u64,
                    u8 states; each: u32 frame, u32 fields it has, u16 fields that follow, then those (see field_values)

A frame of FFFFFFFF stands for none. Readers bound everything before they allocate, and raise only DecodeError.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from retick.errors import InvalidValue, LimitExceeded, TrailingData, Truncated, UnsupportedVersion
from retick.rollback.desync.field_values import Field, decode_field, encode_field

TIMELINE, CLOSEUP = 1, 2
VERSION = 1
NONE = 0xFFFFFFFF

MAX_CHECKSUMS = 4096
MAX_FIELDS = 4096
MAX_STATE_BYTES = 90 * 1024
"""The most bytes for the fields of one state: two, with inputs and a head, fit into the parts and a link's queue."""
MAX_INPUT_ROWS = 16
MAX_PLAYERS = 16
PART_BYTES = 56 * 1024
MAX_PARTS = 4

_PART = struct.Struct("<BBBB")
_TIMELINE = struct.Struct("<BIIIH")
_CLOSEUP = struct.Struct("<BIIBB")
_STATE = struct.Struct("<IIH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The checksums of one peer's final states, frame by frame."""

    peer_id: int
    """The id of the peer."""
    alarm: int | None
    """The frame of the alarm; None if the peer names none."""
    last_agreed: int | None
    """The newest frame that it compared as equal with the other peer; None if there is none, or in another's alarm."""
    first: int
    """The frame of the first checksum."""
    checksums: tuple[int, ...]
    """The checksum of the state before each frame, from ``first`` on."""

    @property
    def end(self) -> int:
        """The frame after the last one."""
        return self.first + len(self.checksums)

    def checksum_at(self, frame: int) -> int | None:
        return self.checksums[frame - self.first] if self.first <= frame < self.end else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFields:
    """One state by its fields."""

    frame: int
    """The state is the one before this frame."""
    total: int
    """How many fields the state has; more than are here if there were too many to send."""
    fields: tuple[Field, ...]
    """The fields in the game's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closeup:
    """What one peer holds around the first frame that differs."""

    peer_id: int
    """The id of the peer."""
    frame: int
    """The first frame that differs, as this peer sees it."""
    first_input: int
    """The frame of the first row of inputs."""
    inputs: tuple[tuple[int, ...], ...]
    """One row per frame, one input per player."""
    states: tuple[StateFields, ...]
    """The states of the frame before and of ``frame``, if the peer has them."""

    def state(self, frame: int) -> StateFields | None:
        return next((state for state in self.states if state.frame == frame), None)


def encode_timeline(timeline: Timeline) -> bytes:
    head = _TIMELINE.pack(
        timeline.peer_id,
        NONE if timeline.alarm is None else timeline.alarm,
        NONE if timeline.last_agreed is None else timeline.last_agreed,
        timeline.first,
        len(timeline.checksums),
    )
    return head + struct.pack(f"<{len(timeline.checksums)}I", *timeline.checksums)


def decode_timeline(data: bytes) -> Timeline:
    _need(data, _TIMELINE.size)
    peer_id, alarm, agreed, first, count = _TIMELINE.unpack_from(data)
    _limit("checksums", count, MAX_CHECKSUMS)
    _need(data, _TIMELINE.size + 4 * count)
    _end(data, _TIMELINE.size + 4 * count)
    if first + count >= NONE:
        raise InvalidValue(f"{count} frames from frame {first} on: frames have 32 bits")
    return Timeline(
        peer_id=peer_id,
        alarm=None if alarm == NONE else alarm,
        last_agreed=None if agreed == NONE else agreed,
        first=first,
        checksums=struct.unpack_from(f"<{count}I", data, _TIMELINE.size),
    )


def select_fields(frame: int, fields: list[Field]) -> StateFields:
    """As many of a state's fields as may be sent, from the first one on."""
    size = count = 0
    for field in fields[:MAX_FIELDS]:
        size += len(encode_field(field))
        if size > MAX_STATE_BYTES:
            break
        count += 1
    return StateFields(frame=frame, total=len(fields), fields=tuple(fields[:count]))


def encode_closeup(closeup: Closeup) -> bytes:
    players = len(closeup.inputs[0]) if closeup.inputs else 0
    values = [value for row in closeup.inputs for value in row]
    parts = [
        _CLOSEUP.pack(closeup.peer_id, closeup.frame, closeup.first_input, len(closeup.inputs), players),
        struct.pack(f"<{len(values)}Q", *values),
        bytes((len(closeup.states),)),
    ]
    for state in closeup.states:
        parts.append(_STATE.pack(state.frame, state.total, len(state.fields)))
        parts += (encode_field(field) for field in state.fields)
    return b"".join(parts)


def decode_closeup(data: bytes) -> Closeup:
    _need(data, _CLOSEUP.size)
    peer_id, frame, first, rows, players = _CLOSEUP.unpack_from(data)
    _limit("rows of inputs", rows, MAX_INPUT_ROWS)
    _limit("players", players, MAX_PLAYERS)
    if bool(rows) != bool(players) or frame == NONE or first + rows >= NONE:
        raise InvalidValue(f"{rows} rows of {players} inputs from frame {first} on")
    at = _CLOSEUP.size + 8 * rows * players
    _need(data, at + 1)
    values = struct.unpack_from(f"<{rows * players}Q", data, _CLOSEUP.size)
    inputs = tuple(values[row * players : (row + 1) * players] for row in range(rows))
    states, at = _decode_states(data, at, frame)
    _end(data, at)
    return Closeup(peer_id=peer_id, frame=frame, first_input=first, inputs=inputs, states=states)


def _decode_states(data: bytes, at: int, frame: int) -> tuple[tuple[StateFields, ...], int]:
    count = data[at]
    at += 1
    _limit("states", count, 2)
    states: list[StateFields] = []
    for _ in range(count):
        state, at = _decode_state(data, at)
        states.append(state)
    frames = [state.frame for state in states]
    if frames not in ([], [frame], [frame - 1], [frame - 1, frame]):
        raise InvalidValue(f"states of frames {frames} around frame {frame}")
    return tuple(states), at


def _decode_state(data: bytes, at: int) -> tuple[StateFields, int]:
    _need(data, at + _STATE.size)
    frame, total, count = _STATE.unpack_from(data, at)
    _limit("fields", count, MAX_FIELDS)
    if count > total:
        raise InvalidValue(f"{count} fields of {total}")
    start = at = at + _STATE.size
    fields: dict[str, Field] = {}
    for _ in range(count):
        field, at = decode_field(data, at)
        _limit("bytes of a state", at - start, MAX_STATE_BYTES)
        if field[0] in fields:
            raise InvalidValue(f"field {field[0]!r} twice")
        fields[field[0]] = field
    return StateFields(frame=frame, total=total, fields=tuple(fields.values())), at


def split_into_messages(kind: int, body: bytes) -> Iterator[bytes]:
    """The messages that carry one body."""
    parts = max((len(body) + PART_BYTES - 1) // PART_BYTES, 1)
    for part in range(parts):
        yield _PART.pack(kind, VERSION, part, parts) + body[part * PART_BYTES : (part + 1) * PART_BYTES]


class Assembler:
    """Reassembles the bodies of one peer from their parts; links keep them in order."""

    __slots__ = ("_body", "_kind", "_next", "_parts")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._kind = self._next = self._parts = 0
        self._body = b""

    def receive(self, message: bytes) -> tuple[int, bytes] | None:
        """Receive a part; returns the kind and body that it completes, or None. A DecodeError resets the assembler."""
        try:
            return self._receive(message)
        except ValueError:  # every DecodeError is one
            self._clear()
            raise

    def _receive(self, message: bytes) -> tuple[int, bytes] | None:
        kind, part, parts = _part_of(message)
        if part != self._next or (part and (kind, parts) != (self._kind, self._parts)):
            raise InvalidValue(f"part {part} of {parts} of kind {kind}, where part {self._next} was expected")
        self._kind, self._parts = kind, parts
        self._next += 1
        self._body += message[_PART.size :]
        if self._next < parts:
            return None
        body = self._body
        self._clear()
        return kind, body


def kind_of(message: bytes) -> int:
    """Read the kind of a message, TIMELINE or CLOSEUP."""
    return _part_of(message)[0]


def _part_of(message: bytes) -> tuple[int, int, int]:
    _need(message, _PART.size)
    kind, version, part, parts = _PART.unpack_from(message)
    if version != VERSION:
        raise UnsupportedVersion(f"version {version} of the evidence, not {VERSION}", version=version)
    if kind not in (TIMELINE, CLOSEUP):
        raise InvalidValue(f"evidence of kind {kind}")
    _limit("bytes of a message", len(message), _PART.size + PART_BYTES)
    if not part < parts <= (1 if kind == TIMELINE else MAX_PARTS):
        raise InvalidValue(f"part {part} of {parts}")
    return kind, part, parts


def alarm_in(message: bytes) -> int | None:
    """The alarm frame in a timeline that opens an investigation; raises DecodeError for any other message."""
    if kind_of(message) != TIMELINE:
        raise InvalidValue("a close-up of an alarm that was never raised")
    return decode_timeline(message[_PART.size :]).alarm


def _need(data: bytes, size: int) -> None:
    if len(data) < size:
        raise Truncated(f"evidence of {len(data)} bytes, where {size} are needed", needed=size, available=len(data))


def _end(data: bytes, at: int) -> None:
    if at != len(data):
        raise TrailingData(f"{len(data) - at} bytes after the evidence", extra=len(data) - at)


def _limit(what: str, actual: int, limit: int) -> None:
    if actual > limit:
        raise LimitExceeded(f"{actual} {what}, and at most {limit} are read", what=what, limit=limit, actual=actual)
