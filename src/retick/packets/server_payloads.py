"""Payloads and messages between authoritative servers and their clients, field by field: delta snapshots and worlds.

The parts that a game lays out itself (its input bundle, the values of a world) are one field of bytes here.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from retick.authority import frames, messages
from retick.errors import DecodeError
from retick.netrunner import delta
from retick.snapshot.compact.head import CompactParts, compact_parts
from retick.snapshot.inspect import has_sections
from retick.wire.explain import Explanation, FieldSpec, RowReader
from retick.wire.varint import decode_varuint

DELTA_SNAPSHOT = "delta snapshot"
PREFIX = "server "
"""Prefix of the field names."""


class PayloadLayout(NamedTuple):
    """The fields of one kind of payload or message."""

    name: str
    head: tuple[FieldSpec, ...]
    """Fields after the kind."""
    rest: str
    """Name of the bytes after the other fields."""
    decode: Callable[[bytes], Any] | None = None
    """Raises if the bytes are wrong; None if a decoder needs more than the bytes."""
    varuints: tuple[str, ...] = ()
    """Names of the varuints between head and rest."""


KIND = FieldSpec("kind", "B", "", "0x{:02x}")


def _name_in(names: type[Any]) -> Callable[[int], str]:
    known = {member.value: member.name.lower().replace("_", " ") for member in names}
    return lambda value: known.get(value, "not known")


_TICK = FieldSpec("tick", "I")
PAYLOADS: Mapping[int, PayloadLayout] = {
    delta.ACKED_INPUT: PayloadLayout(
        "acked input", (FieldSpec("acked tick", "I", "newest snapshot held; 0 for none"),), "input bundle"
    ),
    delta.DELTA_SNAPSHOT: PayloadLayout(
        DELTA_SNAPSHOT,
        (_TICK, FieldSpec("back", "B", "ticks back to the baseline; 0 for none")),
        "sections",
        delta.split_delta,
    ),
    frames.INPUT: PayloadLayout(
        "world input", (_TICK,), "count and inputs, in bits", varuints=("held back", "viewed back")
    ),
    frames.SNAPSHOT: PayloadLayout(
        "world snapshot",
        (
            _TICK,
            FieldSpec("back", "B", "ticks back to the base; 0 for a full snapshot"),
            FieldSpec("apart", "B"),
            FieldSpec("margin", "b", "ticks by which the newest input was early"),
        ),
        "newest input, cues and body",
        frames.decode_snapshot,
    ),
    frames.NOTE: PayloadLayout("world note", (), "application data", frames.decode_note),
}
"""Layouts by the first byte of a payload."""
MESSAGES: Mapping[int, PayloadLayout] = {
    messages.KINDS["WELCOME"]: PayloadLayout(
        "WELCOME",
        (
            FieldSpec("version", "B"),
            FieldSpec("seat", "B", lambda seat: "spectator" if seat == messages.SPECTATOR else ""),
            FieldSpec("players", "B"),
            FieldSpec("tick rate", "H", "a second"),
            FieldSpec("snapshot ticks", "B", "from one snapshot to the next"),
            _TICK,
        ),
        "trailing",
    ),
    messages.KINDS["MESSAGE"]: PayloadLayout("MESSAGE", (), "application data"),
    messages.KINDS["PLAYER"]: PayloadLayout(
        "PLAYER", (FieldSpec("seat", "B"), FieldSpec("state", "B", _name_in(messages.Presence))), "name"
    ),
    messages.KINDS["ROOM_OVER"]: PayloadLayout(
        "ROOM_OVER", (FieldSpec("reason", "B", _name_in(messages.Ended)),), "words"
    ),
    messages.KINDS["LOST"]: PayloadLayout(
        "LOST", (FieldSpec("reason", "B", _name_in(messages.Gone)), FieldSpec("messages", "I")), "trailing"
    ),
}
"""Layouts by the first byte of a reliable message."""


def explain_payload(data: bytes, offset: int = 0) -> Explanation | None:
    """Explain the payload that begins at ``offset``; None if it belongs to another protocol."""
    return _explain(data, offset, PAYLOADS)


def explain_message(data: bytes, offset: int = 0) -> Explanation | None:
    """Explain the beginning of the reliable message at ``offset``; None if it belongs to another protocol."""
    return _explain(data, offset, MESSAGES)


def _explain(data: bytes, offset: int, layouts: Mapping[int, PayloadLayout]) -> Explanation | None:
    layout = layouts.get(data[offset]) if offset < len(data) else None
    if layout is None:
        return None
    reader = RowReader(data, offset, PREFIX)
    found = reader.read((KIND, *layout.head), kind=lambda _: layout.name)
    for name in layout.varuints:
        _read_varuint(reader, name)
    told = f", tick {found['tick']}" if "tick" in found else ""
    parts = _compact_parts(data[reader.at :], found) if layout.name == DELTA_SNAPSHOT else None
    if parts is None:
        reader.raw(len(data) - reader.at, layout.rest)
    else:
        parts.read_rows(reader)
        told += f", compact: {parts.summary}"
    fault = None
    if layout.decode is not None:
        try:
            layout.decode(data[offset:])
        except DecodeError as error:
            fault = f"{type(error).__name__}: {error}"
    return Explanation("server", f"{layout.name}{told}", reader.rows, fault, layout.name)


def _compact_parts(body: bytes, head: Mapping[str, int]) -> CompactParts | None:
    """The parts of a compact delta; None for sections. Only the handshake tells them apart, so bytes that parse as
    whole sections are taken for sections."""
    tick, back = head["tick"], head["back"]
    if not 0 < back <= tick or has_sections(body):
        return None
    try:
        return compact_parts(body, tick, tick - back)
    except DecodeError:
        return None


def _read_varuint(reader: RowReader, name: str) -> None:
    try:
        value, end = decode_varuint(reader.data, reader.at)
    except DecodeError:
        return
    reader.add(end - reader.at, name, str(value))
