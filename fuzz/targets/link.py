"""Every datagram of the link: handshake, control with its fragments, goodbye, proof of address; and their explainer."""

from typing import Any

from fuzz.target import Bug, Target, name_of, of
from retick.link import packets, reasons
from retick.link.explain import explain_link, is_link
from retick.link.handshake import packets as handshake
from retick.link.layout import BYE, CONTROL_SIZE, PAYLOAD, PROOF, PROVE

__all__ = ["DATAGRAMS", "TARGETS"]

NONCE, COOKIE = b"nonce678", bytes(range(16))
OFFER = handshake.Offer(77, 1, 0, 3, 60)
HELLO = handshake.Hello(NONCE, COOKIE, OFFER, 1, 99, "retick.fighter", b"application data")
ACCEPTANCE = handshake.Acceptance(NONCE, OFFER, 0b10, 99, b"\x02more")
REPORT = packets.encode_report(77, 5, packets.Report(16, 4, 9, 2, 0b1011))
FRAGMENTS = [packets.Fragment(2, 0x8000, b"first part"), packets.Fragment(3, 0x4000, b""), packets.Fragment(4, 0, b"x")]
CONTROL = REPORT + b"".join(map(packets.encode_fragment, FRAGMENTS))
GOODBYE = packets.encode_bye(77, 6, 5, 1, "so long \u00e9")

DATAGRAMS = (
    handshake.encode_request(NONCE),
    handshake.encode_cookie(NONCE, COOKIE, COOKIE),
    handshake.encode_hello(HELLO),
    handshake.encode_accept(ACCEPTANCE),
    handshake.encode_refuse(NONCE, 7, "full"),
    REPORT,
    CONTROL,
    GOODBYE,
    packets.encode_bye_ack(77, 6, 5),
    packets.encode_prove(PROVE, 77, b"12345678"),
    packets.encode_prove(PROOF, 77, b"12345678"),
    packets.ENVELOPE.pack(PAYLOAD, 77, 8, 1) + b"payload",
)


def _law_of_hello(data: bytes, hello: handshake.Hello) -> None:
    # Padding may be longer than an encoder makes it.
    if not data[1:].startswith(handshake.encode_hello(hello).rstrip(b"\0")[1:]):
        raise Bug("what was read does not write the same")


def _law_of_accept(data: bytes, answer: handshake.Acceptance) -> None:
    if handshake.encode_accept(answer)[1:] != data[1:]:
        raise Bug("what was read does not write the same")


def _law_of_fragments(data: bytes, found: list[packets.Fragment]) -> None:
    if b"".join(map(packets.encode_fragment, found)) != data[CONTROL_SIZE:]:
        raise Bug("what was read does not write the same")


def _check_printable(data: bytes, found: tuple[Any, ...]) -> None:
    if not found[-1].isprintable():
        raise Bug("text that cannot be printed")


def _law_of_prove(data: bytes, found: tuple[int, bytes]) -> None:
    if packets.encode_prove(data[0], *found) != data:
        raise Bug("what was read does not write the same")


def _explain(data: bytes) -> Any:
    return explain_link(data) if is_link(data) else None


TARGETS: tuple[Target, ...] = (
    of("link/request", handshake.decode_request, DATAGRAMS[0]),
    of("link/cookie", handshake.decode_cookie, DATAGRAMS[1]),
    of("link/hello", handshake.decode_hello, DATAGRAMS[2], law=_law_of_hello),
    of("link/accept", handshake.decode_accept, DATAGRAMS[3], law=_law_of_accept),
    of("link/refuse", handshake.decode_refuse, DATAGRAMS[4], law=_check_printable),
    of("link/report", packets.decode_report, REPORT, CONTROL),
    of("link/fragments", packets.decode_fragments, REPORT, CONTROL, law=_law_of_fragments),
    of("link/bye", packets.decode_bye, GOODBYE, packets.encode_bye(1, 2, 3, BYE & 15, ""), law=_check_printable),
    of("link/bye-ack", packets.decode_bye_ack, DATAGRAMS[8]),
    of("link/prove", packets.decode_prove, *DATAGRAMS[9:11], law=_law_of_prove),
    of("link/claim", packets.decode_claim, packets.encode_claim(7, 1) + bytes(8)),
    of("link/text", reasons.decode_text, "so long \u00e9 \u20ac".encode(), write=str.encode),
    Target(name="link/explain", read=_explain, seeds=DATAGRAMS, decoders=(name_of(explain_link),)),
)
