"""Explains packets: each field with its offset, its value and its meaning, as far as the bytes go.

A decoder stops at the first fault and reports it. An explanation shows everything readable up to there, then the
decoder's message.
"""

import struct
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from retick.errors import DecodeError
from retick.wire import rbn1
from retick.wire import rbn1_layout as layout

# Tables of fields: the name, the size and the meaning of each field of a packet, in order.
#
# The explainers of this project read packets with them, and the Wireshark dissector is generated from them.

TEXT: Final = "text"
"""UTF-8 text; the number before it gives its size in bytes."""
SIZED: Final = "sized"
"""Bytes; the number before them gives how many."""


class FieldSpec(NamedTuple):
    """One field; numbers are little-endian."""

    name: str
    code: str
    """The ``struct`` code of one value: B, H, I, Q, b, h, i, f, or bytes such as 8s. Or TEXT or SIZED."""
    meaning: str | Callable[[Any], str] = ""
    form: str = "{}"
    """How to show a number, in ``str.format`` syntax."""

    @property
    def size(self) -> int | None:
        """The size in bytes; None where the number before the field gives it."""
        return None if self.code in (TEXT, SIZED) else struct.calcsize("<" + self.code)

    @property
    def is_number(self) -> bool:
        """Whether the value is a number, not bytes or text."""
        return self.code not in (TEXT, SIZED) and not self.code.endswith("s")


# retick: floats -- shown to people; nothing is simulated from them


_LAN = {
    b"HELLO": "the joiner asks, every 30 ticks until it is answered",
    b"ACK": "the host answers",
    b"START": "the joiner is connected; so is the host that gets this",
}


RBN1_PREFIX = "rbn1 "
"""Prefix of the names of RBN1 fields inside another packet."""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


_FLAGS = ("checksum", "time sync (needs TIME_SYNC)", "loss statistics (needs LOSS_STATS)")


def _name_flags(flags: int) -> str:
    found = [name for bit, name in enumerate(_FLAGS) if flags >> bit & 1]
    if flags >> 3:
        found.append("bits that are not known")
    return ", ".join(found)


def _name_mark(mark: int) -> str:
    names = (*_FLAGS, "shape (needs WIDE_INPUTS)")
    return ", ".join(["packed (needs PACKED_INPUTS)", *(name for bit, name in enumerate(names) if mark >> bit & 1)])


RBN1_HEADER = (
    FieldSpec("magic", "4s", lambda found: '"RBN1"' if found == rbn1.MAGIC else 'not "RBN1"'),
    FieldSpec("version", "B", lambda v: {1: "", 2: "needs WIDE_INPUTS"}.get(v, "not known")),
    FieldSpec("flags", "B", _name_flags, "0x{:02x}"),
    FieldSpec("start frame", "I"),
    FieldSpec("count", "B"),
    FieldSpec("ack frame", "I", "newest frame received, or 0 for none yet"),
)
RBN1_PACKED_HEADER = (
    FieldSpec("mark", "B", _name_mark, "0x{:02x}"),
    FieldSpec("count", "B"),
    FieldSpec("start frame", "I"),
    FieldSpec("ack", "H", "low 16 bits of the newest frame received, or 0 for none yet"),
)
RBN1_PACKED = FieldSpec("packed inputs", SIZED, "byte columns, changes only")
"""Reaches to the end of the packet."""
RBN1_SHAPE = FieldSpec(
    "shape", "B", lambda s: f"{_count(s & 15, 'byte')} an input, {_count(s >> 4, 'seat')}", "0x{:02x}"
)
"""Only in version 2, and in the packed form where its flag is set."""
RBN1_BLOCKS = (
    (
        layout.HAS_CHECKSUM,
        (FieldSpec("checksum frame", "I"), FieldSpec("checksum", "I", "of the state at that frame", "0x{:08x}")),
    ),
    (
        layout.HAS_TIME_SYNC,
        (
            FieldSpec("time sync frame", "H", "low 16 bits of the sender's frame"),
            FieldSpec("time sync lead", "h", lambda lead: f"{lead / 64:+.2f} frames ahead of what it receives"),
        ),
    ),
    (
        layout.HAS_LOSS_STATS,
        (
            FieldSpec("loss received", "H", "running total, low 16 bits"),
            FieldSpec("loss lost", "H", "running total, low 16 bits"),
        ),
    ),
)
"""The optional blocks, each with the flag that announces it."""


class PacketRow(NamedTuple):
    """One field of a packet."""

    offset: int
    size: int
    field: str
    value: str
    meaning: str = ""


class Explanation(NamedTuple):
    """A packet's fields and fault, for people to read."""

    format: str
    """Name of the format."""
    summary: str
    """The packet in one line."""
    rows: list[PacketRow]
    fault: str | None
    """Why a reader would refuse the packet; None if it is good."""
    content: str = ""
    """What the payload is, such as "RBN1", for a packet that carries others."""


class RowReader:
    """Reads and lists fields one after another; fields beyond the end of the bytes are left out."""

    def __init__(self, data: bytes, offset: int = 0, prefix: str = "") -> None:
        self.data = data
        self.at = offset
        self.rows: list[PacketRow] = []
        self._prefix = prefix

    def read(self, table: Iterable[FieldSpec], **meanings: Callable[[Any], str]) -> dict[str, Any]:
        """Read all fields of a table, by name: numbers and bytes, 0 or empty where the bytes have ended.

        ``meanings`` replaces the meaning of a field, by its name with underscores, where other fields decide it.
        """
        found: dict[str, Any] = {}
        length = 0
        for name, code, meaning, form in table:
            told = meanings.get(name.replace(" ", "_"), meaning) if meanings else meaning
            if len(code) == 1:
                found[name] = length = self._number(name, code, told, form)
            else:
                size = length if code in (TEXT, SIZED) else int(code[:-1])
                found[name] = self.raw(size, name, told, as_text=code == TEXT)
        return found

    def _number(self, name: str, code: str, meaning: str | Callable[[Any], str], form: str) -> Any:
        size = struct.calcsize("<" + code)
        if self.at + size > len(self.data):
            self.raw(len(self.data) - self.at, name, "cut short")
            return 0
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.add(size, name, form.format(value), meaning if isinstance(meaning, str) else meaning(value))
        return value

    def raw(self, size: int, field: str, meaning: str | Callable[[Any], str] = "", *, as_text: bool = False) -> bytes:
        """Read bytes, shown in hex or as text."""
        found = self.data[self.at : self.at + size]
        if found:
            shown = found.hex(" ") if len(found) <= 16 else f"{found[:16].hex(' ')} ... {len(found)} bytes"
            if as_text:
                shown = repr(found.decode("utf-8", "replace"))
            self.add(len(found), field, shown, meaning if isinstance(meaning, str) else meaning(found))
        return found

    def add(self, size: int, field: str, value: str, meaning: str = "") -> None:
        self.rows.append(PacketRow(self.at, size, self._prefix + field, value, meaning))
        self.at += size


def is_rbn1(data: bytes) -> bool:
    return data[:4] == rbn1.MAGIC


def is_rbn1_payload(data: bytes) -> bool:
    """Whether a link's payload is RBN1, valid or not; a packed packet without a link around it is not recognised."""
    return is_rbn1(data) or _is_packed(data)


def _is_packed(data: bytes) -> bool:
    return bool(data) and data[0] & 0xF0 == layout.PACKED_MARK


def is_lan(data: bytes) -> bool:
    return data in _LAN


def explain_lan(data: bytes) -> Explanation:
    """Explain one of the three bare words of the original demo's handshake."""
    word = data.decode()
    return Explanation("LAN demo", f"{word} of the LAN demo", [PacketRow(0, len(data), "word", word, _LAN[data])], None)


def explain_rbn1(data: bytes, offset: int = 0) -> Explanation:
    """Explain an RBN1 packet that begins at ``offset``; extension blocks are shown and named."""
    if _is_packed(data[offset:]):
        return _explain_packed(data, offset)
    reader = RowReader(data, offset, "" if offset == 0 else RBN1_PREFIX)
    head = reader.read(RBN1_HEADER[:4])
    start, flags = head["start frame"], head["flags"]
    head |= reader.read(RBN1_HEADER[4:], count=lambda n: f"frames {start} to {start + n - 1}" if n else "")
    size, seats = 2, 1
    if head["version"] == 2:
        shape = reader.read((RBN1_SHAPE,))["shape"]
        size, seats = shape & 15, shape >> 4
    for flag, block in RBN1_BLOCKS:
        if flags & flag:
            reader.read(block)
    if 1 <= size <= 8:
        _explain_inputs(reader, start, min(head["count"], rbn1.MAX_COUNT), size, seats)
    reader.raw(len(data) - reader.at, "trailing")
    fault = None
    try:
        rbn1.decode(data[offset:], layout.ALL_EXTENSIONS)
    except DecodeError as error:
        fault = f"{type(error).__name__}: {error}"
    summary = f"RBN1 {_count(head['count'], 'frame')} from {start}, ack {head['ack frame']}"
    if flags & layout.HAS_CHECKSUM:
        summary += ", checksum"
    return Explanation("RBN1", summary, reader.rows, fault)


def _explain_packed(data: bytes, offset: int) -> Explanation:
    """Explain a packed RBN1 packet that begins at ``offset``: its inputs are shown after the bytes that encode them."""
    reader = RowReader(data, offset, "" if offset == 0 else RBN1_PREFIX)
    head = reader.read(RBN1_PACKED_HEADER)
    start, count = head["start frame"], head["count"]
    if head["mark"] & layout.HAS_SHAPE:
        reader.read((RBN1_SHAPE,))
    for flag, block in RBN1_BLOCKS:
        if head["mark"] & flag:
            reader.read(block)
    reader.raw(len(data) - reader.at, RBN1_PACKED.name, RBN1_PACKED.meaning)
    fault, ack = None, head["ack"]
    try:
        packet = rbn1.decode(data[offset:], layout.ALL_EXTENSIONS)
    except DecodeError as error:
        fault = f"{type(error).__name__}: {error}"
    else:
        ack = packet.ack_frame
        reader.add(0, "ack frame", str(ack), "the nearest to the start frame")
        for index, value in enumerate(packet.inputs):
            reader.add(0, _input_name(start, index, packet.seats), f"0x{value:0{2 * packet.input_size}x}")
    summary = f"RBN1 {_count(count, 'frame')} from {start}, ack {ack}, packed"
    if head["mark"] & layout.HAS_CHECKSUM:
        summary += ", checksum"
    return Explanation("RBN1", summary, reader.rows, fault)


def _input_name(start: int, index: int, seats: int) -> str:
    frame, seat = start + index // seats, index % seats
    return f"input {frame}" if seats == 1 else f"input {frame} seat {seat}"


def _explain_inputs(reader: RowReader, start: int, count: int, size: int, seats: int) -> None:
    for index in range(count * seats):
        data = reader.data[reader.at : reader.at + size]
        if len(data) < size:
            return
        reader.add(size, _input_name(start, index, seats), f"0x{int.from_bytes(data, 'little'):0{2 * size}x}")
