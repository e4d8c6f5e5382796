"""Any bytes are explained; what is inside of a link's datagram is explained too."""

import io
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.link import packets
from retick.link.layout import FRAGMENT_FIRST, FRAGMENT_LAST, PAYLOAD
from retick.netrunner.delta import acked_input
from retick.packets.formats import Explainer, explain_datagram
from retick.rollback.session.session import RollbackSession
from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt
from retick.snapshot.inspect import SnapshotExplainer
from retick.transport import Captured, CaptureWriter, MemoryHub, read_capture
from tests.netrunner.test_explain import PACKETS_SENT
from tests.packets.test_explain import SAID, SENT


def match_capture(frames: int = 60) -> bytes:
    """What the host of a match of two peers sends and receives, over plain links."""
    hub, now = MemoryHub(), 0.0
    file = io.BytesIO()
    sessions = {
        name: RollbackSession(Fighter(), entropy=Random(name).randbytes, host_address=other, sealed=False)
        for name, other in (("host", None), ("joiner", "host"))
    }
    hub.attach("host", Captured(sessions["host"], CaptureWriter(file)))
    hub.attach("joiner", sessions["joiner"])
    while not all(session.running and session.frame >= frames for session in sessions.values()):
        now += 1 / 60
        hub.exchange(now=now)
        for number, session in enumerate(sessions.values()):
            if session.due(now=now):
                session.advance((session.frame // 7 + number) % 4, now=now)
    return file.getvalue()


def in_a_link(payload: bytes) -> bytes:
    return packets.ENVELOPE.pack(PAYLOAD, 0xABCD, 7, 6) + payload


def as_message(message: bytes) -> bytes:
    report = packets.encode_report(0xABCD, 7, packets.Report(0, 6, 9, 0, 0))
    return report + packets.encode_fragment(packets.Fragment(0, FRAGMENT_FIRST | FRAGMENT_LAST, message))


def test_every_datagram_of_a_match_is_explained_from_end_to_end() -> None:
    summaries = []
    for record in read_capture(match_capture()):
        found = explain_datagram(record.data)
        assert found.fault is None
        at = 0
        for row in found.rows:
            assert row.offset == at
            at += row.size
        assert at == len(record.data)
        summaries.append(found.summary)
    text = "\n".join(summaries)
    assert all(word in text for word in ("HELLO", "ACCEPT", "ROSTER", "READY", "START", "RBN1"))


def test_payloads_and_messages_of_servers_are_explained_inside_of_a_link() -> None:
    for payload in (*PACKETS_SENT[:2], *SENT):
        found = explain_datagram(in_a_link(payload))
        assert found.fault is None
        assert found.rows[4].field.startswith(("netrunner ", "server ")), found
    for message in (*PACKETS_SENT[2:], *SAID):
        found = explain_datagram(as_message(message))
        assert found.fault is None
        assert found.rows[11].field.startswith(("netrunner ", "server ")), found
        assert sum(row.size for row in found.rows) == len(as_message(message))


def test_a_netrunner_bundle_behind_an_acknowledgement_is_explained() -> None:
    found = explain_datagram(in_a_link(acked_input(7, PACKETS_SENT[0])))
    rows = {row.field: row for row in found.rows}
    assert (found.fault, found.content) == (None, "NetRunner input bundle")
    assert (rows["server acked tick"].value, rows["netrunner command 2 tick"].value) == ("7", "105")
    assert sum(row.size for row in found.rows) == 8 + 5 + len(PACKETS_SENT[0])


@given(st.binary(max_size=200))
def test_any_bytes_are_explained_or_have_a_fault(data: bytes) -> None:
    schema = Schema([Component(1, [Field(1, UInt(8))])])
    explainer = Explainer(SnapshotExplainer(schema, keep_all=False))
    genuine = Codec(schema).encode_full(Snapshot.of(schema, tick=7, entities={1: {1: (5,)}}))
    for candidate in (data, in_a_link(data), as_message(data), genuine[:20] + data):
        found = explainer.explain(candidate)
        assert found.rows or found.fault
        assert all(row.offset + row.size <= len(candidate) for row in found.rows)
