"""Link datagrams in words, field by field; an RBN1 packet inside a payload is explained too."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link import layout, packets
from retick.link.handshake import packets as handshake_packets
from retick.link.handshake import sealed_packets
from retick.link.reasons import describe
from retick.link.sealed_path import PROVE_SIZE, decode_challenge
from retick.wire.explain import Explanation, RowReader, explain_rbn1, is_rbn1

if TYPE_CHECKING:
    from retick.link.sealing.keylog import KeyLog

__all__ = ["explain_link", "is_link"]

_NAMES = {
    layout.CONTROL: "CONTROL",
    layout.BYE: "BYE",
    layout.BYE_ACK: "BYE ACK",
    layout.PROVE: "PROVE",
    layout.PROOF: "PROOF",
    layout.CLAIM: "CLAIM",
    layout.ENTER: "ENTER",
    layout.ADMIT: "ADMIT",
    layout.REQUEST: "REQUEST",
    layout.COOKIE: "COOKIE",
    layout.HELLO: "HELLO",
    layout.ACCEPT: "ACCEPT",
    layout.REFUSE: "REFUSE",
}
_HEX_ID = "{:08x}".format
_PATTERNS = {0: "NN: nothing is known", 1: "NNpsk0: with a secret", 2: "NK: with the server's key"}
_SEALED_ONLY: dict[int, Callable[[bytes], object]] = {
    layout.PROVE: decode_challenge,
    layout.PROOF: decode_challenge,
    layout.ENTER: sealed_packets.decode_enter,
    layout.ADMIT: sealed_packets.decode_admit,
}
"""Decoders of what has an envelope in the sealed form only."""


def is_link(data: bytes) -> bool:
    """Whether the first byte is a kind of the link's."""
    return bool(data) and (layout.PAYLOAD <= data[0] < layout.CONTROL or data[0] in _NAMES)


def explain_link(data: bytes, keylog: "KeyLog | None" = None) -> Explanation:
    """Every field of a datagram for which ``is_link`` is true. With its key in ``keylog`` a sealed one is opened.

    Without a key, a sealed datagram of a kind that the plain form has too looks like a plain one with random content.
    """
    if keylog is not None and keylog.has(data):
        found = _explain_sealed(data, keylog.open(data))
    elif data[0] in (layout.ENTER, layout.ADMIT) or _is_sealed_proof(data):
        found = _explain_sealed(data, None, "no key for it")
    else:
        found = _explain(data)
    if len(data) > layout.MAX_DATAGRAM:
        return found._replace(fault=f"too long: a datagram has at most {layout.MAX_DATAGRAM} bytes, not {len(data)}")
    return found


def _is_sealed_proof(data: bytes) -> bool:
    return data[0] in (layout.PROVE, layout.PROOF) and len(data) == PROVE_SIZE


def _explain_sealed(data: bytes, opened: bytes | None, why: str = "does not open with its key") -> Explanation:
    """A sealed datagram, as envelope and body if it was opened."""
    reader = RowReader(data)
    if opened is None:
        name = _NAMES.get(data[0], "PAYLOAD")
        reader.number("B", "kind", f"{name}, sealed", "0x{:02x}".format)
        summary = _explain_envelope(reader)
        reader.raw(max(0, len(data) - reader.at - layout.TAG_SIZE), "sealed", why)
        reader.raw(layout.TAG_SIZE, "tag")
        short = len(data) < layout.ENVELOPE_SIZE + layout.TAG_SIZE
        fault = "malformed: a sealed datagram is cut short" if short else None
        return Explanation(f"link {name}, sealed", f"{name} {summary}, sealed", reader.rows, fault)
    found = _explain_opened(opened) if opened[0] in _SEALED_ONLY else _explain(opened)
    reader.at = len(opened)
    reader.raw(layout.TAG_SIZE, "tag", "it opened")
    return found._replace(
        format=f"{found.format}, sealed", summary=f"{found.summary}, sealed", rows=found.rows + reader.rows
    )


def _explain_opened(data: bytes) -> Explanation:
    """What only the sealed form has: ENTER, ADMIT, and PROVE and PROOF with an envelope."""
    reader = RowReader(data)
    kind = data[0]
    name = _NAMES[kind]
    reader.number("B", "kind", name, "0x{:02x}".format)
    summary = _explain_envelope(reader)
    if kind == layout.ADMIT:
        reader.number("I", "seats", _name_seats, "0x{:08x}".format)
    if kind in (layout.PROVE, layout.PROOF):
        reader.raw(len(data) - reader.at, "challenge")
    else:
        reader.raw(reader.number("H", "data length"), "application data")
        if reader.number("B", "lasting key", lambda marked: "follows" if marked else "none"):
            reader.raw(sealed_packets.PUBLIC_KEY_SIZE, "public key", "Ed25519")
            reader.raw(sealed_packets.IDENTITY_SIZE - sealed_packets.PUBLIC_KEY_SIZE, "signature")
        reader.raw(len(data) - reader.at, "trailing")
    return Explanation(f"link {name}", f"{name} {summary}", reader.rows, _fault_by(_SEALED_ONLY[kind], data))


def _explain(data: bytes) -> Explanation:
    reader = RowReader(data)
    kind = data[0]
    if kind < layout.CONTROL:
        return _explain_payload(reader)
    name = _NAMES[kind]
    reader.number("B", "kind", name, "0x{:02x}".format)
    if kind >= layout.REQUEST:
        summary = _explain_handshake(reader, kind)
    elif kind in (layout.PROVE, layout.PROOF):
        connection = reader.number("I", "connection id", show=_HEX_ID)
        reader.raw(layout.PROVE_SIZE - reader.at, "challenge" if kind == layout.PROVE else "proof")
        summary = f"to {connection:08x}"
    elif kind == layout.CLAIM:
        connection = reader.number("I", "connection id", show=_HEX_ID)
        number = reader.number("I", "number", "of the claims of this side")
        reader.raw(layout.CLAIM_SIZE - reader.at, "proof")
        summary = f"to {connection:08x}, number {number}"
    else:
        summary = _explain_envelope(reader)
        if kind == layout.CONTROL:
            summary += _explain_control(reader)
        elif kind == layout.BYE:
            reason = reader.number("B", "reason", describe)
            reader.text(reader.number("B", "text length"), "text")
            summary += f", {describe(reason)}"
    _explain_rest(reader, kind)
    return Explanation(f"link {name}", f"{name} {summary}", reader.rows, _fault(data))


def _explain_rest(reader: RowReader, kind: int) -> None:
    rest = reader.data[reader.at :]
    if rest and kind in (layout.REQUEST, layout.HELLO) and not any(rest):
        reader.add(len(rest), "padding", f"{len(rest)} zeros", "no answer is longer than its question")
    else:
        reader.raw(len(rest), "trailing")


def _explain_envelope(reader: RowReader) -> str:
    connection = reader.number("I", "connection id", "chosen by the receiver", _HEX_ID)
    sequence = reader.number("H", "sequence")
    reader.number("B", "ack", "low byte of the newest sequence received")
    return f"to {connection:08x}, sequence {sequence}"


def _explain_payload(reader: RowReader) -> Explanation:
    delay = reader.data[0] & layout.PAYLOAD_DELAY_NONE
    shown = _name_delay(delay, layout.PAYLOAD_DELAY_NONE, layout.PAYLOAD_DELAY_RATE)
    reader.number("B", "kind", f"PAYLOAD, {shown}", "0x{:02x}".format)
    summary = f"PAYLOAD {_explain_envelope(reader)}"
    start = layout.ENVELOPE_SIZE
    fault = "malformed: a payload has at least one byte" if len(reader.data) <= start else None
    if is_rbn1(reader.data[start:]):
        inner = explain_rbn1(reader.data, start)
        summary, fault = f"{summary}: {inner.summary}", inner.fault
        reader.rows += inner.rows
    else:
        reader.raw(len(reader.data) - reader.at, "payload")
    return Explanation("link PAYLOAD", summary, reader.rows, fault)


def _explain_control(reader: RowReader) -> str:
    reader.number("H", "ack delay", lambda d: _name_delay(d, layout.CONTROL_DELAY_NONE, layout.CONTROL_DELAY_RATE))
    acked = reader.number("H", "acked sequence")
    reader.number("I", "received", "datagrams, in all")
    following = reader.number("H", "next fragment", "all before it arrived")
    reader.number("Q", "fragments", lambda mask: _name_fragments(following, mask), "0x{:016x}".format)
    count = 0
    mask = layout.FRAGMENT_LENGTH_MASK
    while reader.at + layout.FRAGMENT_HEAD_SIZE <= len(reader.data):
        number = reader.number("H", "fragment number")
        length = reader.number("H", "fragment length", _name_marks, lambda value: str(value & mask)) & mask
        reader.raw(length, f"fragment {number}")
        count += 1
    return f", acks {acked}" + (f", {count} fragments" if count else "")


def _name_delay(delay: int, none: int, rate: int) -> str:
    return "acknowledges nothing" if delay == none else f"ack delay {1000 * delay / rate:.1f} ms"


def _name_seats(mask: int) -> str:
    return f"seats {[seat for seat in range(layout.MAX_SEATS) if mask >> seat & 1]}"


def _name_fragments(following: int, mask: int) -> str:
    arrived = [following + 1 + i for i in range(layout.FRAGMENT_WINDOW) if mask >> i & 1]
    return ", ".join(str(number & layout.SEQUENCE_MASK) for number in arrived)


def _name_marks(value: int) -> str:
    marks = [name for bit, name in ((layout.FRAGMENT_FIRST, "first"), (layout.FRAGMENT_LAST, "last")) if value & bit]
    return " and ".join(marks) + " of its message" if marks else "within its message"


def _explain_handshake(reader: RowReader, kind: int) -> str:
    reader.raw(len(layout.MAGIC), "magic", '"RTL"')
    version = reader.number(
        "B", "version", lambda v: {layout.VERSION: "", layout.SEALED_VERSION: "sealed"}.get(v, "not known")
    )
    nonce = reader.raw(layout.NONCE_SIZE, "nonce").hex()
    if kind == layout.COOKIE:
        reader.raw(layout.COOKIE_SIZE, "cookie", "to be returned as it is")
        reader.raw(layout.COOKIE_SIZE, "commitment", "to the acceptor's share of the seed")
    elif kind == layout.HELLO and version == layout.SEALED_VERSION:
        reader.raw(layout.COOKIE_SIZE, "cookie", "proves the address")
        reader.number("I", "connection id", "to be put on datagrams to the sender of this", _HEX_ID)
        reader.number("B", "pattern", lambda value: _PATTERNS.get(value, "not known"))
        reader.raw(reader.number("H", "message length"), "Noise message 1")
    elif kind == layout.ACCEPT and version == layout.SEALED_VERSION:
        reader.raw(len(reader.data) - reader.at, "Noise message 2")
    elif kind == layout.HELLO:
        reader.raw(layout.COOKIE_SIZE, "cookie", "proves the address")
        _explain_offer(reader)
        reader.number("B", "seats", "wanted")
        reader.number("Q", "seed share", "the dialler's", "0x{:016x}".format)
        reader.text(reader.number("B", "game id length"), "game id")
        reader.raw(reader.number("H", "data length"), "application data")
    elif kind == layout.ACCEPT:
        _explain_offer(reader)
        reader.number("I", "seats", _name_seats, "0x{:08x}".format)
        reader.number("Q", "seed share", "the acceptor's", "0x{:016x}".format)
        reader.number("H", "reserved")
        reader.raw(reader.number("H", "data length"), "application data")
    elif kind == layout.REFUSE:
        reason = reader.number("B", "reason", describe)
        reader.text(reader.number("B", "text length"), "text")
        return f"nonce {nonce}, {describe(reason)}"
    return f"nonce {nonce}"


def _explain_offer(reader: RowReader) -> None:
    reader.number("I", "connection id", "to be put on datagrams to the sender of this", _HEX_ID)
    reader.number("I", "capabilities", show="0x{:08x}".format)
    reader.number("I", "required", show="0x{:08x}".format)
    reader.number("I", "game version")
    reader.number("H", "tick rate", "a second; 0 for any")


def _check_control(data: bytes) -> None:
    packets.decode_report(data)
    packets.decode_fragments(data)


_DECODERS: dict[int, Callable[[bytes], object]] = {
    layout.CONTROL: _check_control,
    layout.BYE: packets.decode_bye,
    layout.BYE_ACK: packets.decode_bye_ack,
    layout.PROVE: packets.decode_prove,
    layout.PROOF: packets.decode_prove,
    layout.CLAIM: packets.decode_claim,
    layout.REQUEST: handshake_packets.decode_request,
    layout.COOKIE: handshake_packets.decode_cookie,
    layout.HELLO: handshake_packets.decode_hello,
    layout.ACCEPT: handshake_packets.decode_accept,
    layout.REFUSE: handshake_packets.decode_refuse,
}
"""The decoders that an endpoint uses, for their error messages."""


_SEALED_DECODERS: dict[int, Callable[[bytes], object]] = {
    layout.HELLO: sealed_packets.decode_sealed_hello,
    layout.ACCEPT: sealed_packets.decode_sealed_accept,
    layout.COOKIE: lambda data: handshake_packets.decode_cookie(data, layout.SEALED_VERSION),
}
"""Those of version 2 of the handshake."""


def _fault(data: bytes) -> str | None:
    decoder = _DECODERS[data[0]]
    if handshake_packets.version_of(data) == layout.SEALED_VERSION:
        decoder = _SEALED_DECODERS.get(data[0], decoder)
    return _fault_by(decoder, data)


def _fault_by(decoder: Callable[[bytes], object], data: bytes) -> str | None:
    """What is wrong with a datagram, in the words of its decoder."""
    try:
        decoder(data)
    except InvalidValue as error:
        return f"malformed: {error}"
    return None
