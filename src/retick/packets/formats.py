"""The table of formats: which package explains a datagram, and what is inside a link's datagram.

A new format is one line in ``FORMATS``, ``PAYLOADS`` or ``MESSAGES``.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from retick.errors import LimitExceeded
from retick.link import layout
from retick.link.explain import explain_link, is_link, is_sealed
from retick.link.handshake.packets import version_of
from retick.link.packets import ENVELOPE
from retick.netrunner.delta import ACKED_HEAD_SIZE, ACKED_INPUT
from retick.netrunner.explain import explain_netrunner, is_netrunner
from retick.packets.server_payloads import explain_message, explain_payload
from retick.relay.explain import explain_relay, is_relay
from retick.replay import rplk, rtk_blocks
from retick.rollback.session.messages.kinds import MessageKind
from retick.routes.routes import explain_note, is_note
from retick.snapshot.inspect import SnapshotExplainer
from retick.wire.explain import (
    Explanation,
    FieldSpec,
    RowReader,
    explain_lan,
    explain_rbn1,
    is_lan,
    is_rbn1,
    is_rbn1_payload,
)

if TYPE_CHECKING:
    from retick.link.sealing.keys import KeyLog

MOST_CONNECTIONS = 65536
"""Connection ids that are remembered; beyond them, datagrams without a key are read as plain ones."""
MOST_KEYLOG = 16 * 1024 * 1024
"""Largest size of a key log, in bytes."""
_ID = slice(29, 33)
"""Where HELLO has the dialler's connection id."""


def keylog_in(data: bytes) -> "KeyLog":
    """Parse the bytes of a key log; a DecodeError names the first bad line, without showing a key."""
    from retick.link.sealing.keys import KeyLog  # imports cryptography, which only sealed links need

    if len(data) > MOST_KEYLOG:
        text = f"a key log has at most {MOST_KEYLOG} bytes, not {len(data)}"
        raise LimitExceeded(text, what="key log bytes", limit=MOST_KEYLOG, actual=len(data))
    return KeyLog.parse(data.decode("utf-8", "replace"))


class SealedLinks:
    """Learns from a capture's handshakes which connections are sealed, and opens them if there is a key log."""

    def __init__(self, keylog: "KeyLog | None" = None) -> None:
        self.keylog = keylog
        self.connections: set[int] = set()
        """Connection ids of sealed datagrams."""

    def note(self, data: bytes) -> None:
        """Learn from HELLO, ENTER and ADMIT; other datagrams are ignored."""
        if len(self.connections) >= MOST_CONNECTIONS or len(data) < layout.ENVELOPE_SIZE:
            return
        if data[0] in (layout.ENTER, layout.ADMIT):
            self.connections.add(ENVELOPE.unpack_from(data)[1])
        elif data[0] == layout.HELLO and version_of(data) == layout.SEALED_VERSION and len(data) >= _ID.stop:
            self.connections.add(int.from_bytes(data[_ID], "little"))

    def readable(self, data: bytes) -> bytes:
        """The readable bytes: all of a plain datagram, the opened form of a sealed one, or else its envelope alone."""
        if not is_link(data):
            return data
        if self.keylog is not None and self.keylog.has(data):
            return self.keylog.open(data) or data[: layout.ENVELOPE_SIZE]
        return data[: layout.ENVELOPE_SIZE] if is_sealed(data, self.connections) else data


SESSION_PREFIX = "session "
MESSAGE_KIND = FieldSpec("message kind", "B", lambda kind: MessageKind(kind).name, "0x{:02x}")
"""The first byte of a session's reliable message."""
_KINDS = frozenset(MessageKind)


def _netrunner_inside(data: bytes, offset: int) -> Explanation | None:
    return explain_netrunner(data, offset) if is_netrunner(data[offset:]) else None


def _rbn1_inside(data: bytes, offset: int) -> Explanation | None:
    return explain_rbn1(data, offset) if is_rbn1_payload(data[offset:]) else None


def _acked_netrunner(data: bytes, offset: int) -> Explanation | None:
    """Explain a NetRunner input bundle that follows the tick of the snapshot it acknowledges."""
    start = offset + ACKED_HEAD_SIZE
    if data[offset] != ACKED_INPUT or not is_netrunner(data[start:]):
        return None
    head, bundle = explain_payload(data[:start], offset), explain_netrunner(data, start)
    assert head is not None
    return bundle._replace(rows=head.rows + bundle.rows, summary=f"{head.summary}, {bundle.summary}")


def _session_message(data: bytes, offset: int) -> Explanation | None:
    if data[offset] not in _KINDS:
        return None
    reader = RowReader(data, offset, SESSION_PREFIX)
    kind = reader.read((MESSAGE_KIND,))["message kind"]
    reader.raw(len(data) - reader.at, "message")
    return Explanation("session", MessageKind(kind).name, reader.rows, None)


Inside = Callable[[bytes, int], Explanation | None]
PAYLOADS: tuple[Inside, ...] = (_rbn1_inside, _netrunner_inside, _acked_netrunner, explain_payload)
"""Explain the payload of a link's datagram; the first one that recognises it is used."""
MESSAGES: tuple[Inside, ...] = (_netrunner_inside, explain_message, _session_message)
"""The same for reliable messages. NetRunner comes first, because its packets are known by type and length together."""


def reliable_message(data: bytes, offset: int) -> Explanation | None:
    """Explain the beginning of a reliable message; None if no format recognises it."""
    return next(filter(None, (explain(data, offset) for explain in MESSAGES)), None)


def _payload(data: bytes, offset: int) -> Explanation | None:
    return next(filter(None, (explain(data, offset) for explain in PAYLOADS)), None)


def _link(data: bytes, links: SealedLinks) -> Explanation:
    return explain_link(data, payload=_payload, message=reliable_message, keylog=links.keylog, sealed=links.connections)


def _relayed(links: SealedLinks) -> Callable[[bytes, int], Explanation | None]:
    """Explains a link's datagram in a relay's frame: its rows begin where the frame's payload does."""

    def explain_payload(data: bytes, offset: int) -> Explanation | None:
        if not is_link(data[offset:]):
            return None
        inner = _link(data[offset:], links)
        return inner._replace(rows=[row._replace(offset=row.offset + offset) for row in inner.rows])

    return explain_payload


FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, SealedLinks], Explanation]], ...] = (
    (is_rbn1, lambda data, _: explain_rbn1(data)),
    (is_lan, lambda data, _: explain_lan(data)),
    (is_link, _link),
    (is_relay, lambda data, links: explain_relay(data, payload=_relayed(links))),
    (is_note, lambda data, _: explain_note(data)),
    (is_netrunner, lambda data, _: explain_netrunner(data)),
)

REPLAY = "a recorded match, not a datagram: see retick replay info FILE"
FILES = (
    (rplk.MAGIC, "a replay", REPLAY),
    (rtk_blocks.MAGIC, "a replay", REPLAY),
    (b"PK\x03\x04", "a ZIP archive", "an archive, not a datagram: for a desync bundle, see retick desync explain FILE"),
    (b"\x89PNG\r\n\x1a\n", "a picture", "a PNG picture, not a datagram"),
    (b"\xff\xd8\xff", "a picture", "a JPEG picture, not a datagram"),
    (b"GIF8", "a picture", "a GIF picture, not a datagram"),
    (b"\x89HDF\r\n\x1a\n", "a data file", "an HDF5 file, not a datagram"),
)
"""First bytes of files that are easily given by mistake. A link's datagram may begin with the first byte of a PNG
picture, but all eight are as unlikely there as a guessed connection id and sequence."""


def explain_datagram(data: bytes, links: SealedLinks | None = None) -> Explanation:
    """Explain any bytes; the result has a fault if their format is unknown.

    ``links`` knows the sealed connections that were seen before.
    """
    for mark, name, fault in FILES:
        if data.startswith(mark):
            return Explanation("unknown", name, [], fault)
    for recognises, explain in FORMATS:
        if recognises(data):
            return explain(data, links or SealedLinks())
    return Explanation("unknown", "unknown", [], "not RBN1, link, relay, NetRunner or snapshot: no known first bytes")


class Explainer:
    """Explains datagrams of all formats, one after the other; snapshots need a schema to be read whole.

    Sealed datagrams are opened with the key log of ``links``. Without a key they are named as sealed, if the handshake
    was seen before.
    """

    def __init__(self, snapshots: SnapshotExplainer, links: SealedLinks | None = None) -> None:
        self.snapshots = snapshots
        self.links = SealedLinks() if links is None else links

    def explain(self, data: bytes) -> Explanation:
        """Explain the next datagram."""
        if self.snapshots.recognises(data):
            return self.snapshots.explain(data)
        self.links.note(data)
        return explain_datagram(data, self.links)
