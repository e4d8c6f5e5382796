"""Link datagrams in words; an RBN1 packet inside of a payload is explained with them."""

from collections.abc import Callable

from retick.errors import InvalidValue
from retick.link import control, handshake
from retick.link.reasons import describe
from retick.wire.explain import Explanation, RowReader, explain_rbn1, is_rbn1

__all__ = ["explain_link", "is_link"]

_NAMES = {
    control.CONTROL: "CONTROL",
    control.BYE: "BYE",
    control.BYE_ACK: "BYE ACK",
    control.PROVE: "PROVE",
    control.PROOF: "PROOF",
    handshake.REQUEST: "REQUEST",
    handshake.COOKIE: "COOKIE",
    handshake.HELLO: "HELLO",
    handshake.ACCEPT: "ACCEPT",
    handshake.REFUSE: "REFUSE",
}
_HEX_ID = "{:08x}".format


def is_link(data: bytes) -> bool:
    return bool(data) and (0x80 <= data[0] < 0xC0 or data[0] in _NAMES)


def explain_link(data: bytes) -> Explanation:
    reader = RowReader(data)
    kind = data[0]
    if kind < 0xC0:
        return _explain_payload(reader)
    name = _NAMES[kind]
    reader.number("B", "kind", name, "0x{:02x}".format)
    if kind >= handshake.REQUEST:
        summary = _explain_handshake(reader, kind)
    elif kind in (control.PROVE, control.PROOF):
        connection = reader.number("I", "connection id", show=_HEX_ID)
        reader.raw(8, "challenge" if kind == control.PROVE else "proof")
        summary = f"to {connection:08x}"
    else:
        summary = _explain_envelope(reader)
        if kind == control.CONTROL:
            summary += _explain_control(reader)
        elif kind == control.BYE:
            reason = reader.number("B", "reason", describe)
            reader.text(reader.number("B", "text length"), "text")
            summary += f", {describe(reason)}"
    _explain_rest(reader, kind)
    return Explanation(f"link {name}", f"{name} {summary}", reader.rows, _fault(data))


def _explain_rest(reader: RowReader, kind: int) -> None:
    rest = reader.data[reader.at :]
    if rest and kind in (handshake.REQUEST, handshake.HELLO) and not any(rest):
        reader.add(len(rest), "padding", f"{len(rest)} zeros", "no answer is longer than its question")
    else:
        reader.raw(len(rest), "trailing")


def _explain_envelope(reader: RowReader) -> str:
    connection = reader.number("I", "connection id", "chosen by the receiver", _HEX_ID)
    sequence = reader.number("H", "sequence")
    reader.number("B", "ack", "low byte of the newest sequence received")
    return f"to {connection:08x}, sequence {sequence}"


def _explain_payload(reader: RowReader) -> Explanation:
    hold = reader.data[0] & 63
    held = "nothing acknowledged" if hold == 63 else f"held {hold / 2:.1f} ms"
    reader.number("B", "kind", f"PAYLOAD, {held}", "0x{:02x}".format)
    summary = f"PAYLOAD {_explain_envelope(reader)}"
    fault = "malformed: a payload has at least one byte" if len(reader.data) < 9 else None
    if is_rbn1(reader.data[8:]):
        inner = explain_rbn1(reader.data, 8)
        summary, fault = f"{summary}: {inner.summary}", inner.fault
        reader.rows += inner.rows
    else:
        reader.raw(len(reader.data) - reader.at, "payload")
    return Explanation("link PAYLOAD", summary, reader.rows, fault)


def _explain_control(reader: RowReader) -> str:
    reader.number("H", "hold", lambda h: "nothing acknowledged" if h == control.HOLD_NONE else f"{h / 16:.1f} ms")
    acked = reader.number("H", "acked sequence")
    reader.number("I", "received", "datagrams, in all")
    following = reader.number("H", "next fragment", "all before it arrived")
    reader.number("Q", "fragments", lambda mask: _name_fragments(following, mask), "0x{:016x}".format)
    count = 0
    while reader.at + 4 <= len(reader.data):
        number = reader.number("H", "fragment number")
        length = reader.number("H", "fragment length", _name_marks, lambda value: str(value & 0x7FF)) & 0x7FF
        reader.raw(length, f"fragment {number}")
        count += 1
    return f", acks {acked}" + (f", {count} fragments" if count else "")


def _name_fragments(following: int, mask: int) -> str:
    return ", ".join(str((following + 1 + i) & 0xFFFF) for i in range(64) if mask >> i & 1)


def _name_marks(value: int) -> str:
    marks = [name for bit, name in ((control.FIRST, "first"), (control.LAST, "last")) if value & bit]
    return " and ".join(marks) + " of its message" if marks else "within its message"


def _explain_handshake(reader: RowReader, kind: int) -> str:
    reader.raw(3, "magic", '"RTL"')
    reader.number("B", "version", lambda v: "" if v == handshake.VERSION else "not known")
    nonce = reader.raw(8, "nonce").hex()
    if kind == handshake.COOKIE:
        reader.raw(16, "cookie", "to be returned as it is")
        reader.raw(16, "commitment", "to the acceptor's share of the seed")
    elif kind == handshake.HELLO:
        reader.raw(16, "cookie", "proves the address")
        _explain_terms(reader)
        reader.number("B", "seats", "wanted")
        reader.number("Q", "seed share", "the dialler's", "0x{:016x}".format)
        reader.text(reader.number("B", "game id length"), "game id")
        reader.raw(reader.number("H", "data length"), "application data")
    elif kind == handshake.ACCEPT:
        _explain_terms(reader)
        reader.number("I", "seats", lambda mask: f"seats {[i for i in range(32) if mask >> i & 1]}", "0x{:08x}".format)
        reader.number("Q", "seed share", "the acceptor's", "0x{:016x}".format)
        reader.number("H", "reserved")
        reader.raw(reader.number("H", "data length"), "application data")
    elif kind == handshake.REFUSE:
        reason = reader.number("B", "reason", describe)
        reader.text(reader.number("B", "text length"), "text")
        return f"nonce {nonce}, {describe(reason)}"
    return f"nonce {nonce}"


def _explain_terms(reader: RowReader) -> None:
    reader.number("I", "connection id", "to be put on datagrams to the sender of this", _HEX_ID)
    reader.number("I", "capabilities", show="0x{:08x}".format)
    reader.number("I", "required", show="0x{:08x}".format)
    reader.number("I", "game version")
    reader.number("H", "tick rate", "a second; 0 for any")


def _fault(data: bytes) -> str | None:
    """The words of the reader that an endpoint uses."""

    def proof(data: bytes) -> None:
        if len(data) != 13:
            raise InvalidValue("PROVE and PROOF have 13 bytes")

    def bye_ack(data: bytes) -> None:
        if len(data) != control.ENVELOPE_SIZE:
            raise InvalidValue("BYE ACK has 8 bytes")

    def report(data: bytes) -> None:
        control.decode_report(data)
        control.decode_fragments(data)

    readers: dict[int, Callable[[bytes], object]] = {
        control.CONTROL: report,
        control.BYE: control.decode_bye,
        control.BYE_ACK: bye_ack,
        control.PROVE: proof,
        control.PROOF: proof,
        handshake.REQUEST: handshake.decode_request,
        handshake.COOKIE: handshake.decode_cookie,
        handshake.HELLO: handshake.decode_hello,
        handshake.ACCEPT: handshake.decode_accept,
        handshake.REFUSE: handshake.decode_refuse,
    }
    try:
        readers[data[0]](data)
    except InvalidValue as error:
        return f"malformed: {error}"
    return None
