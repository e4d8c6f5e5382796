"""The fields of every link datagram, for those who explain them. The byte tables in words: docs/formats/link.md."""

from collections.abc import Mapping

from retick.link import layout
from retick.link.reasons import describe
from retick.wire.field_table import SIZED, TEXT, FieldSpec

__all__ = [
    "BODIES",
    "ENVELOPE",
    "FRAGMENT_HEAD",
    "HANDSHAKE_HEAD",
    "KIND",
    "KIND_NAMES",
    "LASTING_KEY",
    "REPORT",
    "SEALED_BODIES",
    "name_delay",
]

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
"""All but PAYLOAD, which has a range of kinds."""


def name_delay(delay: int, none: int, rate: int) -> str:
    """An acknowledgement delay in words."""
    return "acknowledges nothing" if delay == none else f"ack delay {1000 * delay / rate:.1f} ms"


def _name_seats(mask: int) -> str:
    return f"seats {[seat for seat in range(layout.MAX_SEATS) if mask >> seat & 1]}"


def _name_marks(value: int) -> str:
    marks = [name for bit, name in ((layout.FRAGMENT_FIRST, "first"), (layout.FRAGMENT_LAST, "last")) if value & bit]
    where = " and ".join(marks) + " of its message" if marks else "within its message"
    return f"{value & layout.FRAGMENT_LENGTH_MASK} bytes, {where}"


KIND = FieldSpec("kind", "B", "", "0x{:02x}")
"""The first byte of all."""
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
"""Of each fragment at the end of a CONTROL; the length has marks in its high bits."""
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
"""What follows the kind, in the plain form. A PAYLOAD goes on with the payload, a CONTROL with fragments, some of the
handshake with padding."""

_PATTERNS = {0: "NN: nothing is known", 1: "NNpsk0: with a secret", 2: "NK: with the server's key"}
_ENTRY = (*_DATA, FieldSpec("lasting key", "B", lambda marked: "follows" if marked else "none"))
LASTING_KEY = (FieldSpec("public key", "32s", "Ed25519"), FieldSpec("signature", "64s"))
"""At the end of ENTER and ADMIT, where the mark before it says so."""

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
"""The same in the sealed form, where it is another: those of a connection as they are once they have opened."""
