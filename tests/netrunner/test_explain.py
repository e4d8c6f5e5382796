"""NetRunner packets in words."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.netrunner import packets
from retick.netrunner.explain import COMMAND, CONTROLS, PACKETS, STATE, explain_netrunner, is_netrunner
from retick.netrunner.messages import ClientHello, DelayUpdate, Ping, Pong, ResyncHint
from tests.netrunner import worked_examples as worked

SHOTS = [
    packets.Fire(1, 2, 3, 4, (0.0, 1.0, 0.5)),
    packets.FireResult(1, -1, 9),
    packets.FireVisual(1, 9, (1.0, 2.0, 3.0), 0.5, 0.25, True, (4.0, 5.0, 6.0)),
]
PACKETS_SENT = [
    packets.encode_inputs([worked.ORDER] * 3),
    packets.encode_snapshot(600, [worked.PLAYER] * 2),
    worked.WELCOME.ljust(96, b"\0"),
    *map(packets.encode_control, (ClientHello(6), Ping(1, 2), Pong(1, 2, 3), DelayUpdate(-1), ResyncHint(601))),
    *map(packets.encode_fire, SHOTS),
]


def layout(table: tuple[object, ...]) -> str:
    return "<" + "".join(spec.code for spec in table)  # type: ignore[attr-defined]  # all are FieldSpec


def test_the_tables_have_the_sizes_of_the_packets() -> None:
    assert struct.calcsize(layout(COMMAND)) == packets.COMMAND_SIZE
    assert struct.calcsize(layout(STATE)) == packets.STATE_SIZE
    assert all(struct.calcsize(layout(fields)) + 2 <= packets.CONTROL_SIZE for _, fields in CONTROLS.values())
    for shot in SHOTS:
        data = packets.encode_fire(shot)
        assert struct.calcsize(layout(PACKETS[data[0]].head)) == PACKETS[data[0]].size == len(data)


@pytest.mark.parametrize("data", PACKETS_SENT, ids=lambda data: f"type {data[0]}.{data[1]}")
def test_every_packet_is_explained_from_end_to_end(data: bytes) -> None:
    assert is_netrunner(data)
    for before in (b"", b"envelope"):
        found = explain_netrunner(before + data, len(before))
        assert found.fault is None
        at = len(before)
        for row in found.rows:
            assert row.offset == at
            at += row.size
        assert at == len(before) + len(data)


def test_values_are_those_of_the_packet() -> None:
    rows = {row.field: row for row in explain_netrunner(PACKETS_SENT[1]).rows}
    assert rows["tick"].value == "600"
    assert rows["player 1 peer id"].value == "2"
    assert rows["player 0 z"].value == "-4"
    assert rows["player 0 rtt ms"].value == "150"
    assert (
        rows["player 0 locomotion"].meaning == "wall run for 11 ticks, wall run 13, slide 0, wall (-1.00, 0.00, 0.00)"
    )
    welcome = {row.field: row.value for row in explain_netrunner(PACKETS_SENT[2]).rows}
    assert (welcome["version"], welcome["server tick"], welcome["move speed"]) == ("6", "600", "9")
    bundle = {row.field: row for row in explain_netrunner(PACKETS_SENT[0]).rows}
    assert bundle["command 2 buttons"].meaning == "jump pressed, jump held"


@given(st.sampled_from(sorted(PACKETS)), st.randoms(use_true_random=False))
def test_any_bytes_of_the_right_length_are_explained(kind: int, random: object) -> None:
    data = bytes((kind,)) + random.randbytes(PACKETS[kind].size - 1)  # type: ignore[attr-defined]  # a random.Random
    found = explain_netrunner(data)
    assert sum(row.size for row in found.rows) == len(data)


def test_a_fault_is_named() -> None:
    empty = bytes((1, 0)).ljust(packets.BUNDLE_SIZE, b"\0")
    assert "without commands" in str(explain_netrunner(empty).fault)
    assert not is_netrunner(empty[:-1])
    assert not is_netrunner(b"")
