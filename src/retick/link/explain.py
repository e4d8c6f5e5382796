"""Explains link datagrams field by field; the caller explains their content."""

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link import layout, packets
from retick.link.handshake import packets as handshake_packets
from retick.link.handshake import packets as sealed_packets
from retick.link.reasons import describe
from retick.link.sealed_path import PROVE_SIZE, decode_challenge
from retick.wire.explain import SIZED, TEXT, Explanation, FieldSpec, RowReader, explain_rbn1, is_rbn1_payload

if TYPE_CHECKING:
    from retick.link.sealing.keys import KeyLog

# The fields of every link datagram, for explanations. They spell out the byte tables of docs/formats/link.md.

KIND_NAMES: Mapping[int, str] = {
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
"""Every kind but PAYLOAD, which has a range of kinds."""


def name_delay(delay: int, none: int, rate: int) -> str:
    """Write an acknowledgement delay in words."""
    return "acknowledges nothing" if delay == none else f"ack delay {1000 * delay / rate:.1f} ms"


def _name_seats(mask: int) -> str:
    return f"seats {[seat for seat in range(layout.MAX_SEATS) if mask >> seat & 1]}"


def _name_marks(value: int) -> str:
    marks = [name for bit, name in ((layout.FRAGMENT_FIRST, "first"), (layout.FRAGMENT_LAST, "last")) if value & bit]
    where = " and ".join(marks) + " of its message" if marks else "within its message"
    return f"{value & layout.FRAGMENT_LENGTH_MASK} bytes, {where}"


KIND = FieldSpec("kind", "B", "", "0x{:02x}")
"""The first byte of every datagram."""
_CONNECTION = FieldSpec("connection id", "I", "", "{:08x}")
ENVELOPE = (
    FieldSpec("connection id", "I", "chosen by the receiver", "{:08x}"),
    FieldSpec("sequence", "H"),
    FieldSpec("ack", "B", "low byte of the newest sequence received"),
)
REPORT = (
    FieldSpec("ack delay", "H", lambda delay: name_delay(delay, layout.CONTROL_DELAY_NONE, layout.CONTROL_DELAY_RATE)),
    FieldSpec("acked sequence", "H"),
    FieldSpec("received", "I", "datagrams, in all"),
    FieldSpec("next fragment", "H", "all before it arrived"),
    FieldSpec("fragments", "Q", "", "0x{:016x}"),
)
FRAGMENT_HEAD = (
    FieldSpec("fragment number", "H"),
    FieldSpec("fragment length", "H", _name_marks, "0x{:04x}"),
)
"""The fields of each fragment at the end of a CONTROL; the high bits of the length are marks."""
_WORDS = (FieldSpec("reason", "B", describe), FieldSpec("text length", "B"), FieldSpec("text", TEXT))
HANDSHAKE_HEAD = (
    FieldSpec("magic", f"{len(layout.MAGIC)}s", '"RTL"'),
    FieldSpec("version", "B", lambda v: {layout.VERSION: "", layout.SEALED_VERSION: "sealed"}.get(v, "not known")),
    FieldSpec("nonce", f"{layout.NONCE_SIZE}s"),
)
_SENDERS_ID = FieldSpec("connection id", "I", "to be put on datagrams to the sender of this", "{:08x}")
_OFFER = (
    _SENDERS_ID,
    FieldSpec("capabilities", "I", "", "0x{:08x}"),
    FieldSpec("required", "I", "", "0x{:08x}"),
    FieldSpec("game version", "I"),
    FieldSpec("tick rate", "H", "a second; 0 for any"),
)
_DATA = (FieldSpec("data length", "H"), FieldSpec("application data", SIZED))
_COOKIE = f"{layout.COOKIE_SIZE}s"
_PROOF_OF_ADDRESS = FieldSpec("cookie", _COOKIE, "proves the address")
_SEATS_GIVEN = FieldSpec("seats", "I", _name_seats, "0x{:08x}")

BODIES: Mapping[int, tuple[FieldSpec, ...]] = {
    layout.PAYLOAD: ENVELOPE,
    layout.CONTROL: (*ENVELOPE, *REPORT),
    layout.BYE: (*ENVELOPE, *_WORDS),
    layout.BYE_ACK: ENVELOPE,
    layout.PROVE: (_CONNECTION, FieldSpec("challenge", "8s")),
    layout.PROOF: (_CONNECTION, FieldSpec("proof", "8s")),
    layout.CLAIM: (_CONNECTION, FieldSpec("number", "I", "of the claims of this side"), FieldSpec("proof", "8s")),
    layout.REQUEST: HANDSHAKE_HEAD,
    layout.COOKIE: (
        *HANDSHAKE_HEAD,
        FieldSpec("cookie", _COOKIE, "to be returned as it is"),
        FieldSpec("commitment", _COOKIE, "to the acceptor's share of the seed"),
    ),
    layout.HELLO: (
        *HANDSHAKE_HEAD,
        _PROOF_OF_ADDRESS,
        *_OFFER,
        FieldSpec("seats", "B", "wanted"),
        FieldSpec("seed share", "Q", "the dialler's", "0x{:016x}"),
        FieldSpec("game id length", "B"),
        FieldSpec("game id", TEXT),
        *_DATA,
    ),
    layout.ACCEPT: (
        *HANDSHAKE_HEAD,
        *_OFFER,
        _SEATS_GIVEN,
        FieldSpec("seed share", "Q", "the acceptor's", "0x{:016x}"),
        FieldSpec("reserved", "H"),
        *_DATA,
    ),
    layout.REFUSE: (*HANDSHAKE_HEAD, *_WORDS),
}
"""The fields after the kind, in the plain form. A PAYLOAD continues with the payload, a CONTROL with fragments, some
handshake datagrams with padding."""

_PATTERNS = {0: "NN: nothing is known", 1: "NNpsk0: with a secret", 2: "NK: with the server's key"}
_ENTRY = (*_DATA, FieldSpec("lasting key", "B", lambda marked: "follows" if marked else "none"))
LASTING_KEY = (FieldSpec("public key", "32s", "Ed25519"), FieldSpec("signature", "64s"))
"""At the end of ENTER and ADMIT, if the mark before it says so."""

SEALED_BODIES: Mapping[int, tuple[FieldSpec, ...]] = {
    layout.PROVE: (*ENVELOPE, FieldSpec("challenge", "8s")),
    layout.PROOF: (*ENVELOPE, FieldSpec("proof", "8s")),
    layout.ENTER: (*ENVELOPE, *_ENTRY),
    layout.ADMIT: (*ENVELOPE, _SEATS_GIVEN, *_ENTRY),
    layout.HELLO: (
        *HANDSHAKE_HEAD,
        _PROOF_OF_ADDRESS,
        _SENDERS_ID,
        FieldSpec("pattern", "B", lambda pattern: _PATTERNS.get(pattern, "not known")),
        FieldSpec("message length", "H"),
        FieldSpec("Noise message 1", SIZED),
    ),
    layout.ACCEPT: (*HANDSHAKE_HEAD, FieldSpec("Noise message 2", "74s")),
}
"""The fields in the sealed form, where they differ; for kinds of a connection, after opening."""


Inside = Callable[[bytes, int], Explanation | None]
"""Explains a datagram's content from an offset to the end; None for content that it does not know."""


def is_link(data: bytes) -> bool:
    """Whether the first byte is a kind of the link."""
    return bool(data) and (layout.PAYLOAD <= data[0] < layout.CONTROL or data[0] in KIND_NAMES)


def is_sealed(data: bytes, connections: Container[int] = ()) -> bool:
    """Whether a datagram with an envelope is sealed: by its kind, its size, or as one of these connections."""
    if data[0] in (layout.ENTER, layout.ADMIT):
        return True
    if data[0] in (layout.PROVE, layout.PROOF) and len(data) == PROVE_SIZE:
        return True
    return (
        layout.PAYLOAD <= data[0] < layout.SEALED_KINDS_END
        and len(data) >= layout.ENVELOPE_SIZE
        and packets.ENVELOPE.unpack_from(data)[1] in connections
    )


def _rbn1_inside(data: bytes, offset: int) -> Explanation | None:
    return explain_rbn1(data, offset) if is_rbn1_payload(data[offset:]) else None


def explain_link(
    data: bytes,
    *,
    payload: Inside = _rbn1_inside,
    message: Inside | None = None,
    keylog: "KeyLog | None" = None,
    sealed: Container[int] = (),
) -> Explanation:
    """Explain every field of a datagram for which ``is_link`` is true.

    ``payload`` explains payloads, and ``message`` the beginning of reliable messages. A sealed datagram is opened if
    its key is in ``keylog``. ``sealed`` has the ids of connections known to be sealed: without it, and without a key, a
    sealed datagram of a kind that the plain form shares looks like a plain one with random content.
    """
    if len(data) > layout.MAX_DATAGRAM:
        # Only the first bytes are explained: a long datagram could have tens of thousands of fragments.
        found = explain_link(
            data[: layout.MAX_DATAGRAM], payload=payload, message=message, keylog=keylog, sealed=sealed
        )
        return found._replace(fault=f"too long: a datagram has at most {layout.MAX_DATAGRAM} bytes, not {len(data)}")
    if keylog is not None and keylog.has(data):
        opened = keylog.open(data)
        if opened is None:
            return _explain_closed(data, "bad seal: it does not open with its key")
        return _explain_opened(data, opened, payload, message)
    if is_sealed(data, sealed):
        return _explain_closed(data, None)
    return _explain_payload(data, payload) if data[0] < layout.CONTROL else _explain_other(data, message)


def _explain_opened(data: bytes, opened: bytes, payload: Inside, message: Inside | None) -> Explanation:
    if data[0] < layout.CONTROL:
        found = _explain_payload(opened, payload)
    else:
        found = _explain_other(opened, message, is_opened=True)
    reader = RowReader(data, len(opened))
    reader.raw(layout.TAG_SIZE, "tag", "it opened")
    return found._replace(
        format=f"{found.format}, sealed", summary=f"{found.summary}, sealed", rows=found.rows + reader.rows
    )


def _explain_closed(data: bytes, fault: str | None) -> Explanation:
    """Explain a sealed datagram that was not opened, because of a fault or without a key."""
    reader = RowReader(data)
    name = KIND_NAMES.get(data[0], "PAYLOAD")
    found = reader.read((KIND, *ENVELOPE), kind=lambda _: f"{name}, sealed")
    reader.raw(max(0, len(data) - reader.at - layout.TAG_SIZE), "sealed", "no key for it" if fault is None else fault)
    reader.raw(layout.TAG_SIZE, "tag")
    if len(data) < layout.ENVELOPE_SIZE + layout.TAG_SIZE:
        fault = "malformed: a sealed datagram is cut short"
    summary = f"{name} to {found['connection id']:08x}, sequence {found['sequence']}, sealed"
    return Explanation(f"link {name}, sealed", summary, reader.rows, fault)


def _explain_payload(data: bytes, inside: Inside) -> Explanation:
    reader = RowReader(data)
    shown = name_delay(data[0] & layout.PAYLOAD_DELAY_NONE, layout.PAYLOAD_DELAY_NONE, layout.PAYLOAD_DELAY_RATE)
    found = reader.read((KIND, *BODIES[layout.PAYLOAD]), kind=lambda _: f"PAYLOAD, {shown}")
    summary = f"PAYLOAD to {found['connection id']:08x}, sequence {found['sequence']}"
    fault = "malformed: a payload has at least one byte" if len(data) <= layout.ENVELOPE_SIZE else None
    inner = inside(data, layout.ENVELOPE_SIZE) if fault is None else None
    if inner is None:
        reader.raw(len(data) - reader.at, "payload")
        return Explanation("link PAYLOAD", summary, reader.rows, fault)
    rows = reader.rows + inner.rows
    content = inner.content or inner.format
    return Explanation("link PAYLOAD", f"{summary}: {inner.summary}", rows, inner.fault, content)


def _explain_other(data: bytes, inside: Inside | None, *, is_opened: bool = False) -> Explanation:
    """Explain any other datagram; ``is_opened`` if it was sealed. A handshake tells its form itself."""
    reader = RowReader(data)
    kind = data[0]
    name = KIND_NAMES[kind]
    is_handshake = kind >= layout.REQUEST
    in_sealed_form = is_opened or (is_handshake and handshake_packets.version_of(data) == layout.SEALED_VERSION)
    table = SEALED_BODIES.get(kind) if in_sealed_form else None
    found = reader.read((KIND,), kind=lambda _: name)
    found |= reader.read(
        BODIES[kind] if table is None else table,
        fragments=lambda mask: _name_fragments(int.from_bytes(data[16:18], "little"), mask),
    )
    if found.get("lasting key"):
        reader.read(LASTING_KEY)
    if is_handshake:
        summary = f"nonce {found['nonce'].hex()}"
    else:
        summary = f"to {found['connection id']:08x}"
    for field in ("sequence", "number"):
        if field in found:
            summary += f", {field} {found[field]}"
    if "reason" in found:
        summary += f", {describe(found['reason'])}"
    if kind == layout.CONTROL:
        summary += f", acks {found['acked sequence']}" + _explain_fragments(reader, inside)
    _explain_rest(reader, kind)
    return Explanation(f"link {name}", f"{name} {summary}", reader.rows, _fault(data, in_sealed_form))


def _explain_rest(reader: RowReader, kind: int) -> None:
    rest = reader.data[reader.at :]
    if rest and kind in (layout.REQUEST, layout.HELLO) and not any(rest):
        reader.add(len(rest), "padding", f"{len(rest)} zeros", "no answer is longer than its question")
    else:
        reader.raw(len(rest), "trailing")


def _explain_fragments(reader: RowReader, inside: Inside | None) -> str:
    count = 0
    said = []
    while reader.at + layout.FRAGMENT_HEAD_SIZE <= len(reader.data):
        head = reader.read(FRAGMENT_HEAD)
        number, marked = head["fragment number"], head["fragment length"]
        length = marked & layout.FRAGMENT_LENGTH_MASK
        end = reader.at + length
        inner = None
        if inside is not None and marked & layout.FRAGMENT_FIRST and 0 < length <= len(reader.data) - reader.at:
            inner = inside(reader.data[:end], reader.at)
        if inner is None:
            reader.raw(length, f"fragment {number}")
        else:
            said.append(inner.summary)
            reader.rows += inner.rows
            reader.at = end
        count += 1
    return (f", {count} fragments" if count else "") + (f": {', '.join(said)}" if said else "")


def _name_fragments(following: int, mask: int) -> str:
    arrived = [following + 1 + i for i in range(layout.FRAGMENT_WINDOW) if mask >> i & 1]
    return ", ".join(str(number & layout.SEQUENCE_MASK) for number in arrived)


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
"""An endpoint's own decoders, for their error messages."""


_SEALED_DECODERS: dict[int, Callable[[bytes], object]] = {
    **_DECODERS,
    layout.PROVE: decode_challenge,
    layout.PROOF: decode_challenge,
    layout.ENTER: sealed_packets.decode_enter,
    layout.ADMIT: sealed_packets.decode_admit,
    layout.HELLO: sealed_packets.decode_sealed_hello,
    layout.ACCEPT: sealed_packets.decode_sealed_accept,
    layout.COOKIE: lambda data: handshake_packets.decode_cookie(data, layout.SEALED_VERSION),
}


def _fault(data: bytes, in_sealed_form: bool) -> str | None:
    """The fault of a datagram, in the words of its decoder."""
    try:
        (_SEALED_DECODERS if in_sealed_form else _DECODERS)[data[0]](data)
    except InvalidValue as error:
        return f"malformed: {error}"
    return None
