"""The table of formats: which package explains a datagram, and what is inside of a link's.

A new format is one line in ``FORMATS``, ``PAYLOADS`` or ``MESSAGES``.
"""

from collections.abc import Callable

from retick.authority.delta_frames import ACKED_HEAD_SIZE, ACKED_INPUT
from retick.authority.explain import explain_message, explain_payload
from retick.games.runner.netrunner.explain import explain_netrunner, is_netrunner
from retick.link.explain import explain_link, is_link
from retick.packets.sealed_links import SealedLinks
from retick.replay import rplk, rtk
from retick.rollback.session.messages.kinds import Kind
from retick.routes.explain import explain_note, is_note
from retick.snapshot.explain import SnapshotExplainer
from retick.wire.explain import Explanation, RowReader, explain_lan, explain_rbn1, is_lan, is_rbn1, is_rbn1_payload
from retick.wire.field_table import FieldSpec
from retick.wire.relay_explain import explain_relay, is_relay

__all__ = ["MESSAGE_KIND", "SESSION_PREFIX", "Explainer", "explain_datagram", "reliable_message"]

SESSION_PREFIX = "session "
MESSAGE_KIND = FieldSpec("message kind", "B", lambda kind: Kind(kind).name, "0x{:02x}")
"""The first byte of a session's reliable message."""
_KINDS = frozenset(Kind)


def _netrunner_inside(data: bytes, offset: int) -> Explanation | None:
    return explain_netrunner(data, offset) if is_netrunner(data[offset:]) else None


def _rbn1_inside(data: bytes, offset: int) -> Explanation | None:
    return explain_rbn1(data, offset) if is_rbn1_payload(data[offset:]) else None


def _acked_netrunner(data: bytes, offset: int) -> Explanation | None:
    """A NetRunner input bundle behind the tick of the snapshot that it acknowledges."""
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
    return Explanation("session", Kind(kind).name, reader.rows, None)


Inside = Callable[[bytes, int], Explanation | None]
PAYLOADS: tuple[Inside, ...] = (_rbn1_inside, _netrunner_inside, _acked_netrunner, explain_payload)
"""What explains the payload of a link's datagram; the first that knows it."""
MESSAGES: tuple[Inside, ...] = (_netrunner_inside, explain_message, _session_message)
"""The same for reliable messages. A NetRunner packet is known by its type and length together, so it comes first."""


def reliable_message(data: bytes, offset: int) -> Explanation | None:
    """The beginning of a reliable message, if any format knows it."""
    return next(filter(None, (explain(data, offset) for explain in MESSAGES)), None)


def _payload(data: bytes, offset: int) -> Explanation | None:
    return next(filter(None, (explain(data, offset) for explain in PAYLOADS)), None)


def _link(data: bytes, links: SealedLinks) -> Explanation:
    return explain_link(data, payload=_payload, message=reliable_message, keylog=links.keylog, sealed=links.connections)


def _relayed(links: SealedLinks) -> Callable[[bytes, int], Explanation | None]:
    """A link's datagram in a frame of a relay: its rows begin where the frame's payload does."""

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

REPLAY = "a recorded match and no datagram: see retick replay info FILE"
FILES = (
    (rplk.MAGIC, "a replay", REPLAY),
    (rtk.MAGIC, "a replay", REPLAY),
    (b"PK\x03\x04", "a ZIP archive", "an archive and no datagram: for a desync bundle, see retick desync explain FILE"),
    (b"\x89PNG\r\n\x1a\n", "a picture", "a PNG picture and no datagram"),
    (b"\xff\xd8\xff", "a picture", "a JPEG picture and no datagram"),
    (b"GIF8", "a picture", "a GIF picture and no datagram"),
    (b"\x89HDF\r\n\x1a\n", "a data file", "an HDF5 file and no datagram"),
)
"""First bytes of files that are easily given here by mistake. The first one of a PNG picture begins a link's datagram,
too; all eight of them in one are as likely as a connection id and a sequence that are guessed."""


def explain_datagram(data: bytes, links: SealedLinks | None = None) -> Explanation:
    """Any bytes; those of no known format are named as such, with a fault.

    ``links`` knows the sealed connections, if any were seen before.
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

    What is sealed is opened with the key log of ``links``; without its key it is named as what it is, as long as the
    handshake was seen before.
    """

    def __init__(self, snapshots: SnapshotExplainer, links: SealedLinks | None = None) -> None:
        self.snapshots = snapshots
        self.links = SealedLinks() if links is None else links

    def explain(self, data: bytes) -> Explanation:
        """Any bytes."""
        if self.snapshots.recognises(data):
            return self.snapshots.explain(data)
        self.links.note(data)
        return explain_datagram(data, self.links)
