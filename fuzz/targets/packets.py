"""Datagrams of all formats, explained: whatever bytes come, there is an explanation and no exception."""

from typing import Any

from fuzz.target import Bug, Target, of
from fuzz.targets.link import DATAGRAMS
from fuzz.targets.netrunner import BUNDLE, SNAPSHOT
from retick.errors import UsageError
from retick.packets.formats import Explainer, explain_datagram
from retick.packets.pcapng import parse_place
from retick.packets.sources import datagrams_in
from retick.snapshot.explain import SnapshotExplainer
from retick.wire.explain import Explanation

__all__ = ["TARGETS"]


def _explain(data: bytes) -> Explanation:
    return Explainer(SnapshotExplainer(keep_all=False)).explain(data)


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
    of("packets/place", _place, b"192.0.2.7:7777", b"[2001:db8::7]:9", b"[fe80::1%eth0]:9", also=(parse_place,),
       refuses=(UsageError,)),
    of("packets/sources", _found, b"52424e31\n00 01\n", BUNDLE),
)  # fmt: skip
