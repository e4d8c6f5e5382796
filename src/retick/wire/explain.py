"""Packets explained: each field with its offset, its value and its meaning, as far as the bytes go.

A decoder stops at the first fault and says what it is. An explanation shows all that can be read up to there, and then
the decoder's message.
"""

import struct
from collections.abc import Callable
from typing import NamedTuple

from retick.errors import DecodeError
from retick.wire import rbn1
from retick.wire import rbn1_layout as layout

__all__ = ["Explanation", "Row", "RowReader", "explain_lan", "explain_rbn1", "is_lan", "is_rbn1"]

_LAN = {
    b"HELLO": "the joiner asks, every 30 ticks until it is answered",
    b"ACK": "the host answers",
    b"START": "the joiner is connected; so is the host that gets this",
}


class Row(NamedTuple):
    """One field of a packet."""

    offset: int
    size: int
    field: str
    value: str
    meaning: str = ""


class Explanation(NamedTuple):
    """A packet explained."""

    format: str
    """Name of the format."""
    summary: str
    """The packet in one line."""
    rows: list[Row]
    fault: str | None
    """Why a reader would refuse it; None when it is good."""


class RowReader:
    """Reads fields one after the other and lists them; fields beyond the end of the bytes are left out."""

    def __init__(self, data: bytes, offset: int = 0, prefix: str = "") -> None:
        self.data = data
        self.at = offset
        self.rows: list[Row] = []
        self._prefix = prefix

    def number(
        self, code: str, field: str, meaning: str | Callable[[int], str] = "", show: Callable[[int], str] = str
    ) -> int:
        """A little-endian number by its struct code; 0 when the bytes have ended."""
        size = struct.calcsize("<" + code)
        if self.at + size > len(self.data):
            self.at = len(self.data)
            return 0
        value = int(struct.unpack_from("<" + code, self.data, self.at)[0])
        self.add(size, field, show(value), meaning if isinstance(meaning, str) else meaning(value))
        return value

    def raw(self, size: int, field: str, meaning: str = "") -> bytes:
        """Bytes, shown in hex."""
        found = self.data[self.at : self.at + size]
        if found:
            shown = found.hex(" ") if len(found) <= 16 else f"{found[:16].hex(' ')} ... {len(found)} bytes"
            self.add(len(found), field, shown, meaning)
        return found

    def text(self, size: int, field: str) -> None:
        found = self.data[self.at : self.at + size]
        if found:
            self.add(len(found), field, repr(found.decode("utf-8", "replace")))

    def add(self, size: int, field: str, value: str, meaning: str = "") -> None:
        self.rows.append(Row(self.at, size, self._prefix + field, value, meaning))
        self.at += size


def is_rbn1(data: bytes) -> bool:
    return data[:4] == rbn1.MAGIC


def is_lan(data: bytes) -> bool:
    return data in _LAN


def explain_lan(data: bytes) -> Explanation:
    """The three bare words of the original demo's handshake."""
    word = data.decode()
    return Explanation("LAN demo", f"{word} of the LAN demo", [Row(0, len(data), "word", word, _LAN[data])], None)


def explain_rbn1(data: bytes, offset: int = 0) -> Explanation:
    """An RBN1 packet that begins at ``offset``; extensions are shown, and named as what they are."""
    reader = RowReader(data, offset, "" if offset == 0 else "rbn1 ")
    reader.raw(4, "magic", '"RBN1"' if is_rbn1(data[offset:]) else 'not "RBN1"')
    version = reader.number("B", "version", lambda v: {1: "", 2: "needs WIDE_INPUTS"}.get(v, "not known"))
    flags = reader.number("B", "flags", _name_flags, "0x{:02x}".format)
    start = reader.number("I", "start frame")
    count = reader.number("B", "count", lambda n: f"frames {start} to {start + n - 1}" if n else "")
    ack = reader.number("I", "ack frame", "newest frame received, or 0 for none yet")
    size, seats = 2, 1
    if version == 2:
        shape = reader.number(
            "B", "shape", lambda s: f"{_count(s & 15, 'byte')} an input, {_count(s >> 4, 'seat')}", "0x{:02x}".format
        )
        size, seats = shape & 15, shape >> 4
    _explain_blocks(reader, flags)
    if 1 <= size <= 8:
        _explain_inputs(reader, start, min(count, rbn1.MAX_COUNT), size, seats)
    reader.raw(len(data) - reader.at, "trailing")
    fault = None
    try:
        rbn1.decode(data[offset:], layout.ALL_EXTENSIONS)
    except DecodeError as error:
        fault = f"{type(error).__name__}: {error}"
    summary = f"RBN1 {_count(count, 'frame')} from {start}, ack {ack}"
    if flags & layout.HAS_CHECKSUM:
        summary += ", checksum"
    return Explanation("RBN1", summary, reader.rows, fault)


def _name_flags(flags: int) -> str:
    names = ["checksum", "time sync (needs TIME_SYNC)", "loss statistics (needs LOSS_STATS)"]
    found = [name for bit, name in enumerate(names) if flags >> bit & 1]
    if flags >> 3:
        found.append("bits that are not known")
    return ", ".join(found)


def _explain_blocks(reader: RowReader, flags: int) -> None:
    if flags & layout.HAS_CHECKSUM:
        reader.number("I", "checksum frame")
        reader.number("I", "checksum", "of the state at that frame", "0x{:08x}".format)
    if flags & layout.HAS_TIME_SYNC:
        reader.number("H", "time sync frame", "low 16 bits of the sender's frame")
        reader.number("h", "time sync lead", lambda lead: f"{lead / 64:+.2f} frames ahead of what it receives")
    if flags & layout.HAS_LOSS_STATS:
        reader.number("H", "loss received", "running total, low 16 bits")
        reader.number("H", "loss lost", "running total, low 16 bits")


def _explain_inputs(reader: RowReader, start: int, count: int, size: int, seats: int) -> None:
    for frame in range(start, start + count):
        for seat in range(seats):
            data = reader.data[reader.at : reader.at + size]
            if len(data) < size:
                return
            name = f"input {frame}" if seats == 1 else f"input {frame} seat {seat}"
            reader.add(size, name, f"0x{int.from_bytes(data, 'little'):0{2 * size}x}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
