"""Finds the datagrams in user input: hex digits, a capture, or the bytes of one datagram."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any, NamedTuple

from retick.errors import LimitExceeded
from retick.transport.capture import MAGIC as CAPTURE_MAGIC
from retick.transport.capture import read_capture

MOST_DATAGRAM = 65535
"""Most bytes of a datagram."""
_OTHER_CAPTURES = {
    bytes.fromhex("0a0d0d0a"): "pcapng",
    bytes.fromhex("a1b2c3d4"): "pcap",
    bytes.fromhex("d4c3b2a1"): "pcap",
    bytes.fromhex("a1b23c4d"): "pcap",
    bytes.fromhex("4d3cb2a1"): "pcap",
}
"""Capture formats of other programs, by their first bytes."""


class Found(NamedTuple):
    """A datagram and, if it comes from a capture, its address and time."""

    data: bytes
    label: str
    facts: dict[str, Any]


def is_capture(data: bytes) -> bool:
    """Whether these are the first bytes of a capture."""
    return data[:4] == CAPTURE_MAGIC


def other_capture(data: bytes) -> str:
    """The name of another program's capture format that begins with these bytes; empty if there is none."""
    return _OTHER_CAPTURES.get(data[:4], "")


def from_hex(text: str) -> bytes | None:
    """Parse one datagram from hex digits; None if the text is empty or has other characters."""
    cleaned = text.replace(":", " ").replace(",", " ").removeprefix("0x")
    try:
        return bytes.fromhex(cleaned) or None
    except ValueError:
        return None


def datagrams_in(data: bytes) -> Iterator[Found]:
    """The datagrams in a capture, in hex digits with one per line, or in raw bytes. DecodeError at the first fault."""
    if is_capture(data):
        for record in read_capture(data):
            arrow = "to  " if record.sent else "from"
            facts = {"time": record.time, "sent": record.sent, "address": record.address}
            yield Found(record.data, f"{record.time:10.6f} {arrow} {record.address}", facts)
        return
    if _is_hex_text(data):
        for line in BytesIO(data):
            digits = from_hex(line.decode().strip())
            if digits is not None:
                yield Found(_bounded(digits), "", {})
        return
    yield Found(_bounded(data), "", {})


def _bounded(data: bytes) -> bytes:
    if len(data) > MOST_DATAGRAM:
        raise LimitExceeded(
            f"a datagram has at most {MOST_DATAGRAM} bytes, not {len(data)}",
            what="datagram bytes",
            limit=MOST_DATAGRAM,
            actual=len(data),
        )
    return data


def _is_hex_text(data: bytes) -> bool:
    """Whether every line is hex digits or empty, and at least one is not empty."""
    if not data.isascii():
        return False
    some = False
    for line in BytesIO(data):
        digits = line.decode().strip()
        if digits and from_hex(digits) is None:
            return False
        some = some or bool(digits)
    return some
