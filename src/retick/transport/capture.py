"""Captures: an endpoint that records every datagram, and the reader. Format: docs/formats/capture.md.

::

    "RTKC"  version 1  0 0 0
    time i64 in microseconds, direction 1, address length 1, data length 2, address, data      each datagram
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol

from retick.errors import BadMagic, InvalidValue, Truncated, UnsupportedVersion
from retick.transport.endpoint import Address, Closes, Datagram, Endpoint

MAGIC = b"RTKC"
_HEADER = struct.Struct("<4sB3s")
_RECORD = struct.Struct("<qBBH")


class Recorded(NamedTuple):
    """One datagram of a capture."""

    time: float
    """Seconds since the first datagram."""
    sent: bool
    """True if it was sent, False if it was received."""
    address: str
    data: bytes


class DatagramNotes(Protocol):
    """Something that is told of every datagram."""

    def add(self, data: bytes, address: Address, *, sent: bool, now: float) -> None: ...


class CaptureWriter:
    """Appends datagrams to a binary file, which the caller closes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start: float | None = None
        file.write(_HEADER.pack(MAGIC, 1, b"\0\0\0"))

    def add(self, data: bytes, address: Address, *, sent: bool, now: float) -> None:
        """Append one datagram; time counts from the first."""
        if self._start is None:
            self._start = now
        where = _address_text(address).encode("utf-8", "replace")[:255].decode("utf-8", "ignore").encode()
        time = round((now - self._start) * 1e6)
        self._file.write(_RECORD.pack(time, sent, len(where), len(data)) + where + data)


class Captured:
    """Wraps ``endpoint`` and reports every datagram to ``writer``."""

    def __init__(self, endpoint: Endpoint, writer: DatagramNotes) -> None:
        self.endpoint = endpoint
        self._writer = writer

    def receive_datagram(self, data: bytes, address: Address, *, now: float) -> None:
        self._writer.add(data, address, sent=False, now=now)
        self.endpoint.receive_datagram(data, address, now=now)

    def datagrams_to_send(self, *, now: float) -> Sequence[Datagram]:
        out = self.endpoint.datagrams_to_send(now=now)
        for datagram in out:
            self._writer.add(datagram[0], datagram[1], sent=True, now=now)
        return out

    def next_timeout(self) -> float | None:
        return self.endpoint.next_timeout()

    def handle_timeout(self, *, now: float) -> None:
        self.endpoint.handle_timeout(now=now)

    def events(self) -> list[Any]:
        return self.endpoint.events()

    def close(self) -> None:
        if isinstance(self.endpoint, Closes):
            self.endpoint.close()


def read_capture(data: bytes) -> Iterator[Recorded]:
    """Read the datagrams of a capture, in order; raises DecodeError at the first fault."""
    at = read_header(data)
    while at < len(data):
        record, at = read_record(data, at)
        yield record


def read_header(data: bytes) -> int:
    """Check a capture's header; returns the offset of the first record, or raises DecodeError."""
    if data[:4] != MAGIC[: len(data[:4])] or not data:
        raise BadMagic("not a capture of datagrams")
    if len(data) < _HEADER.size:
        raise Truncated("the capture has no whole header", needed=_HEADER.size, available=len(data))
    _, version, reserved = _HEADER.unpack_from(data)
    if version != 1:
        raise UnsupportedVersion(f"capture version {version} is not known here", version=version)
    if reserved != b"\0\0\0":
        raise InvalidValue("reserved bytes of the capture are not 0")
    return _HEADER.size


def read_record(data: bytes, at: int) -> tuple[Recorded, int]:
    """Read the record at an offset; returns it with the offset after it, or raises DecodeError."""
    left = len(data) - at
    if left < _RECORD.size:
        raise Truncated("a record of the capture is cut short", needed=_RECORD.size, available=left)
    time, direction, where, size = _RECORD.unpack_from(data, at)
    whole = _RECORD.size + where + size
    if left < whole:
        raise Truncated("a record of the capture is cut short", needed=whole, available=left)
    if direction > 1:
        raise InvalidValue(f"direction {direction} of a record is not 0 or 1")
    start = at + _RECORD.size
    try:
        address = data[start : start + where].decode()
    except UnicodeDecodeError:
        raise InvalidValue("the address of a record is not UTF-8") from None
    return Recorded(time / 1e6, bool(direction), address, data[start + where : at + whole]), at + whole


def _address_text(address: Address) -> str:
    """Write a socket's address as host:port, and any other with ``str``."""
    if isinstance(address, tuple) and len(address) in (2, 4):
        host = f"[{address[0]}]" if ":" in str(address[0]) else str(address[0])
        return f"{host}:{address[1]}"
    return str(address)
