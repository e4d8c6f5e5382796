"""RBN1 in words."""

from hypothesis import given
from hypothesis import strategies as st

from retick.wire import rbn1
from retick.wire.explain import explain_lan, explain_rbn1, is_lan, is_rbn1, is_rbn1_payload
from tests.wire.rbn1_packets import packets
from tests.wire.test_rbn1 import ALL, extended_packets


@given(extended_packets())
def test_the_rows_cover_a_good_packet_from_end_to_end(packet: rbn1.InputPacket) -> None:
    data = rbn1.encode(packet, ALL)
    found = explain_rbn1(data)
    assert is_rbn1(data)
    assert found.fault is None
    at = 0
    for row in found.rows:
        assert row.offset == at
        at += row.size
    assert at == len(data)
    values = {row.field: row.value for row in found.rows}
    assert values["start frame"] == str(packet.start_frame)
    assert values["ack frame"] == str(packet.ack_frame)
    last = f"input {packet.start_frame + len(packet.inputs) // packet.seats - 1}"
    if packet.seats > 1:
        last += f" seat {packet.seats - 1}"
    assert int(values[last], 16) == packet.inputs[-1]


@given(st.binary(max_size=60))
def test_any_bytes_are_explained_up_to_their_fault(data: bytes) -> None:
    for candidate in (data, b"RBN1" + data):
        found = explain_rbn1(candidate)
        assert (found.fault is None) == (rbn1.try_decode(candidate, ALL) is not None)
        assert sum(row.size for row in found.rows) <= len(candidate)


@given(packets())
def test_a_packed_packet_is_shown_byte_for_byte_and_then_its_inputs(packet: rbn1.InputPacket) -> None:
    data = rbn1.encode(packet, rbn1.ALL_EXTENSIONS)
    found = explain_rbn1(b"**" + data, 2)
    assert is_rbn1_payload(data)
    assert (found.format, found.fault) == ("RBN1", None)
    assert sum(row.size for row in found.rows) == len(data)
    values = {row.field: row.value for row in found.rows}
    assert values["rbn1 start frame"] == str(packet.start_frame)
    assert values["rbn1 ack frame"] == str(packet.ack_frame)
    shown = [int(row.value, 16) for row in found.rows if row.field.startswith("rbn1 input ")]
    assert shown == list(packet.inputs)


@given(st.binary(max_size=40), st.integers(0, 15))
def test_a_bad_packed_packet_is_explained_up_to_its_fault(data: bytes, flags: int) -> None:
    candidate = bytes((0xA0 | flags,)) + data
    found = explain_rbn1(candidate)
    assert (found.fault is None) == (rbn1.try_decode(candidate, rbn1.ALL_EXTENSIONS) is not None)
    assert sum(row.size for row in found.rows) <= len(candidate)


def test_the_words_of_the_lan_demo_are_known() -> None:
    for word in (b"HELLO", b"ACK", b"START"):
        assert is_lan(word)
        assert explain_lan(word).fault is None
    assert not is_lan(b"HELLO!")
