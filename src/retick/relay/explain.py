"""Explains a relay's datagrams field by field; the caller explains the payload of a frame."""

from collections.abc import Callable
from typing import Final

from retick.errors import DecodeError
from retick.relay import packets
from retick.wire.explain import Explanation, FieldSpec, RowReader

NAMES: Final = {
    packets.ASK: "ASK", packets.OPEN: "OPEN", packets.JOIN: "JOIN", packets.HERE: "HERE", packets.LEAVE: "LEAVE",
    packets.SEEN: "SEEN", packets.PLACE: "PLACE", packets.REFUSED: "REFUSED", packets.LEFT: "LEFT",
    packets.PRESENT: "PRESENT", packets.LOST: "LOST", packets.DATA: "DATA", packets.SIGNAL: "SIGNAL",
}  # fmt: skip
KIND: Final = FieldSpec("kind", "B", lambda kind: NAMES[kind], "0x{:02x}")
_NONCE = FieldSpec("nonce", "8s")
_TAG = FieldSpec("game tag", "16s")
_TICKET = FieldSpec("ticket", "49s")
_CODE = FieldSpec("code", "5s")
_PRESENT = FieldSpec("present", "Q", "a bit for each member", "0x{:x}")
_ROOM = FieldSpec("room", "6s")
_CHANNEL = (_ROOM, FieldSpec("sender", "B"), FieldSpec("receiver", "B"))
_REQUEST = (
    FieldSpec("magic", "3s"),
    FieldSpec("version", "B"),
    _NONCE,
    FieldSpec("cookie", "16s", lambda cookie: "" if any(cookie) else "none yet"),
)


def _reason(number: int) -> str:
    return packets.Refusal(number).name if number in packets.Refusal.__members__.values() else "not known"


BODIES: Final[dict[int, tuple[FieldSpec, ...]]] = {
    packets.ASK: (*_REQUEST, FieldSpec("flags", "B", lambda flags: "answer from the other port" if flags & 1 else "")),
    packets.OPEN: (*_REQUEST, FieldSpec("places", "B"), _TAG),
    packets.JOIN: (*_REQUEST, _CODE, _TAG),
    packets.HERE: (*_REQUEST, _TICKET),
    packets.LEAVE: (*_REQUEST, _TICKET),
    packets.SEEN: (
        _NONCE,
        FieldSpec("version", "B"),
        FieldSpec("other port", "H"),
        FieldSpec("family", "B"),
        FieldSpec("port", "H", "XOR the nonce"),
        FieldSpec("host", "16s", "XOR the nonce"),
        FieldSpec("cookie", "16s"),
    ),
    packets.PLACE: (_NONCE, FieldSpec("member", "B"), _CODE, FieldSpec("seconds", "H"), _PRESENT, _TICKET),
    packets.REFUSED: (_NONCE, FieldSpec("reason", "B", _reason), FieldSpec("number", "H")),
    packets.LEFT: (_NONCE,),
    packets.PRESENT: (_ROOM, _PRESENT),
    packets.LOST: _CHANNEL,
    packets.DATA: _CHANNEL,
    packets.SIGNAL: _CHANNEL,
}


def is_relay(data: bytes) -> bool:
    """Whether the first byte marks a datagram of the relay."""
    return bool(data) and data[0] in NAMES


def explain_relay(
    data: bytes, *, payload: Callable[[bytes, int], Explanation | None] = lambda data, offset: None
) -> Explanation:
    """Explain every field of a datagram for which ``is_relay`` is true; ``payload`` explains the content of DATA."""
    kind, name = data[0], NAMES[data[0]]
    reader = RowReader(data)
    found = reader.read((KIND, *BODIES[kind]))
    summary = name
    if kind in (packets.DATA, packets.SIGNAL, packets.LOST):
        summary += f" from member {found['sender']} to {found['receiver']} of room {found['room'].hex()}"
    elif "nonce" in found:
        summary += f" nonce {found['nonce'].hex()}"
    if kind == packets.REFUSED:
        summary += f", {_reason(found['reason'])}"
    elif kind == packets.SEEN:
        summary += _seen(data)
    fault = _fault(data)
    inner = payload(data, reader.at) if kind == packets.DATA and fault is None else None
    if inner is not None:
        content = inner.content or inner.format
        rows = reader.rows + inner.rows
        return Explanation(f"relay {name}", f"{summary}: {inner.summary}", rows, inner.fault, content)
    rest = data[reader.at :]
    if rest and kind <= packets.LEAVE and not any(rest):
        reader.add(len(rest), "padding", f"{len(rest)} zeros", "no answer is longer than its request")
    else:
        reader.raw(len(rest), "payload" if kind in (packets.DATA, packets.SIGNAL) else "trailing")
    return Explanation(f"relay {name}", summary, reader.rows, fault)


def _seen(data: bytes) -> str:
    """The address that a SEEN reports, if it can be read."""
    try:
        seen = packets.decode_answer(data)
    except DecodeError:
        return ""
    return f", {seen.host} port {seen.port}" if isinstance(seen, packets.Seen) else ""


def _fault(data: bytes) -> str | None:
    try:
        if data[0] <= packets.LEAVE:
            packets.decode_request(data)
        elif data[0] in (packets.DATA, packets.SIGNAL):
            packets.decode_frame(data)
        else:
            packets.decode_answer(data)
    except DecodeError as error:
        return f"{type(error).__name__}: {error}"
    return None
