"""Datagrams of all formats, explained: whatever bytes come, there is an explanation and no exception."""

from typing import Any

from fuzz.target import Bug, Target, of
from fuzz.targets.link import DATAGRAMS
from fuzz.targets.netrunner import BUNDLE, SNAPSHOT
from fuzz.targets.sealed import HEAD, IDENTITY, KEY, LOG, SEALED_DATAGRAMS
from retick.errors import UsageError
from retick.link.handshake.packets import encode_enter
from retick.link.layout import MAX_DATAGRAM, PAYLOAD, SEALED_KINDS_END
from retick.link.packets import ENVELOPE
from retick.link.sealing.primitives import aead
from retick.packets.formats import Explainer, SealedLinks, explain_datagram, keylog_in
from retick.packets.pcapng import parse_place
from retick.packets.sources import datagrams_in
from retick.snapshot.inspect import SnapshotExplainer
from retick.wire.explain import Explanation

__all__ = ["TARGETS"]


def _explain(data: bytes) -> Explanation:
    return Explainer(SnapshotExplainer(keep_all=False)).explain(data)


def _explain_sealed(data: bytes) -> Explanation:
    """Explain with the keys of some connections; the datagram itself may say that it is sealed."""
    links = SealedLinks(keylog_in(LOG.encode()))
    found = Explainer(SnapshotExplainer(keep_all=False), links).explain(data)
    if not data.startswith(links.readable(data)[:8]):
        raise Bug("another envelope")
    return found


def _explain_opened(data: bytes) -> Explanation:
    """Any bytes, sealed by a peer that holds the keys."""
    sealed = SealedLinks(keylog_in(LOG.encode()))
    kind = PAYLOAD + (data[0] - PAYLOAD) % (SEALED_KINDS_END - PAYLOAD) if data else PAYLOAD
    envelope = ENVELOPE.pack(kind, 77, 1, 0)
    whole = envelope + aead(KEY).encrypt(bytes(4) + (1).to_bytes(8, "little"), data[ENVELOPE.size :], envelope)
    found = Explainer(SnapshotExplainer(keep_all=False), sealed).explain(whole)
    if len(whole) <= MAX_DATAGRAM and (found.fault or "").startswith("bad seal"):
        raise Bug("it did not open")
    _law_of_rows(whole, found)
    return found


def _law_of_rows(data: bytes, found: Explanation) -> None:
    if not (found.rows or found.fault):
        raise Bug("neither fields nor a fault")
    if any(row.offset + row.size > len(data) for row in found.rows):
        raise Bug("a field beyond the end")


def _found(data: bytes) -> Any:
    return list(datagrams_in(data))


def _place(data: bytes) -> Any:
    return parse_place(data.decode("utf-8", "replace"))


TARGETS: tuple[Target, ...] = (
    of("packets/datagram", _explain, *DATAGRAMS, BUNDLE, SNAPSHOT, law=_law_of_rows,
       also=(Explainer.explain, explain_datagram)),
    of("packets/sealed", _explain_sealed, *SEALED_DATAGRAMS, law=_law_of_rows),
    of("packets/opened", _explain_opened, *DATAGRAMS, HEAD + encode_enter(b"data", IDENTITY)),
    of("packets/place", _place, b"192.0.2.7:7777", b"[2001:db8::7]:9", b"[fe80::1%eth0]:9", also=(parse_place,),
       refuses=(UsageError,)),
    of("packets/sources", _found, b"52424e31\n00 01\n", BUNDLE),
)  # fmt: skip
