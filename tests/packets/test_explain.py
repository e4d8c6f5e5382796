"""Payloads and messages of servers in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority import frames, messages
from retick.netrunner.delta import acked_input, delta_frame
from retick.packets.server_payloads import MESSAGES, PAYLOADS, explain_message, explain_payload
from retick.snapshot import Codec
from retick.wire.explain import Explanation
from tests.snapshot.compact.test_packet import BODY, body
from tests.snapshot.test_explain import compact_packets

SENT = [
    acked_input(7, b"bundle"),
    delta_frame(9, 2, b"sections"),
    frames.encode_input(frames.InputFrame(300, 100, 40, (3, 3, 5)), 8),
    frames.encode_snapshot(tick=9, back=2, apart=0, margin=-3, newest=8, serial=0, cues=(), body=b"body"),
    frames.encode_note(b"hi"),
]
SAID = [
    messages.encode_message(message)
    for message in (
        messages.RoomWelcome(1, 4, 60, 3, 99),
        messages.RoomMessage(b"text"),
        messages.SeatNews(2, messages.Presence.BOT, "Ada"),
        messages.RoomOver(messages.Ended.DRAINED, "good night"),
        messages.LossNotice(messages.Gone.TOO_LONG, 3),
    )
]


def assert_covers(found: Explanation | None, data: bytes, at: int) -> dict[str, str]:
    assert found is not None
    assert found.fault is None
    for row in found.rows:
        assert row.offset == at
        at += row.size
    assert at == len(data)
    return {row.field: row.value for row in found.rows}


@pytest.mark.parametrize("data", SENT, ids=lambda data: PAYLOADS[data[0]].name)
def test_every_payload_is_explained_from_end_to_end(data: bytes) -> None:
    assert_covers(explain_payload(b"envelope" + data, 8), b"envelope" + data, 8)
    assert explain_message(data) is None


@pytest.mark.parametrize("data", SAID, ids=lambda data: MESSAGES[data[0]].name)
def test_every_message_is_explained_from_end_to_end(data: bytes) -> None:
    assert_covers(explain_message(data), data, 0)
    assert explain_payload(data) is None


def test_compact_deltas_are_explained_without_state_and_sections_stay_sections() -> None:
    compact = delta_frame(32, 2, compact_packets()["listed"][28:])
    found = assert_covers(explain_payload(compact), compact, 0)
    assert (found["server tick"], found["server ages"]) == ("32", "3, 8")
    assert "server check" in found
    assert "server body" in found
    explained = explain_payload(compact)
    assert explained is not None
    assert "compact: " in explained.summary
    plain = delta_frame(32, 2, Codec(BODY, version=2).encode_payload(body(1, 30), body(1, 32)))
    assert "server sections" in assert_covers(explain_payload(plain), plain, 0)
    full = delta_frame(32, 0, Codec(BODY, compact=True).encode_payload(None, body(1, 30)))
    assert "server sections" in assert_covers(explain_payload(full), full, 0)


def test_values_are_those_of_the_payload() -> None:
    found = assert_covers(explain_payload(SENT[2]), SENT[2], 0)
    assert (found["server tick"], found["server held back"], found["server viewed back"]) == ("300", "200", "40")
    found = assert_covers(explain_payload(SENT[3]), SENT[3], 0)
    assert (found["server tick"], found["server back"], found["server margin"]) == ("9", "2", "-3")
    assert set(MESSAGES) == set(messages.KINDS.values())


@given(st.sampled_from([*PAYLOADS, *MESSAGES]), st.binary(max_size=40))
def test_any_bytes_are_explained(kind: int, data: bytes) -> None:
    candidate = bytes((kind,)) + data
    found = explain_payload(candidate) or explain_message(candidate)
    assert found is not None
    assert sum(row.size for row in found.rows) <= len(candidate)
