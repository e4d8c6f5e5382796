"""Captures, addresses that people type, announcements on the local network, and answers of a home router."""

import contextlib
import io
from typing import Any

from zeroconf import BadTypeInNameException, ServiceInfo

from fuzz.target import Bug, Target, name_of, of
from retick.errors import UsageError
from retick.playing import home_router
from retick.transport import discovery
from retick.transport.capture import CaptureWriter, read_capture, read_header, read_record
from retick.transport.udp import parse_address

__all__ = ["TARGETS"]


def _capture() -> bytes:
    file = io.BytesIO()
    writer = CaptureWriter(file)
    for number, address in enumerate((("192.0.2.1", 7777), ("2001:db8::1", 7777, 0, 0), "name \u00e9")):
        writer.add(b"datagram" * number, address, sent=bool(number & 1), now=number / 60)
    return file.getvalue()


def _records(data: bytes) -> Any:
    return list(read_capture(data))


def _address(data: bytes) -> Any:
    return parse_address(data.decode("utf-8", "replace"), default_port=7777)


def _law_of_address(data: bytes, found: tuple[str, int]) -> None:
    if not found[0] or not 0 < found[1] < 65536:
        raise Bug(f"{found!r} is no address")


def _announcement(data: bytes) -> Any:
    """Port, then a name and a TXT record after their lengths, then addresses of 4 bytes."""
    name_end = 3 + (data[2] if len(data) > 2 else 0)
    text_end = name_end + 1 + (data[name_end] if len(data) > name_end else 0)
    name = f"{data[3:name_end].decode('utf-8', 'replace')}.{discovery.SERVICE}"
    with contextlib.suppress(BadTypeInNameException):
        info = ServiceInfo(
            discovery.SERVICE,
            name,
            port=int.from_bytes(data[:2], "little"),
            properties=data[name_end + 1 : text_end],
            addresses=[data[at : at + 4] for at in range(text_end, len(data) - 3, 4)],
        )
        return discovery._host_in(info)
    return None


def _law_of_announcement(data: bytes, host: Any) -> None:
    if host is not None and not host.name.isprintable():
        raise Bug("a name that cannot be printed")


HOST = b"\x61\x1e\x04host\x16\x15game=retick.fighter 1\xc0\x00\x02\x01"

TARGETS: tuple[Target, ...] = (
    of("transport/capture", _records, _capture(), also=(read_capture, read_header, read_record)),
    Target(name="transport/address", read=_address,
           seeds=(b"host", b"host:7777", b"[2001:db8::1]:80", b"2001:db8::1", b"[::1]"),
           decoders=(name_of(parse_address),), law=_law_of_address, refuses=(UsageError,)),
    of("transport/natpmp", home_router.decode_answer, bytes.fromhex("008000000000000acb007109"),
       bytes.fromhex("008100000000000a1e611e6100000e10"), bytes.fromhex("0081000200000000")),
    of("transport/announcement", _announcement, HOST, law=_law_of_announcement, also=(discovery._host_in,)),
)  # fmt: skip
