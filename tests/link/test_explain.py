"""Link datagrams in words: every kind that two real ends send is explained whole, and any bytes are survived."""

from hypothesis import given
from hypothesis import strategies as st

from retick.link import Accept, Refuse, layout
from retick.link.explain import explain_link, is_link
from retick.transport import Conditions
from retick.wire import rbn1
from tests.link.pair import Pair


def real_datagrams() -> list[bytes]:
    """One run in which every kind is sent."""
    pair = Pair(conditions=Conditions(latency=0.01), admit=lambda r: Accept(seats=(1,), data=b"hi"), game_id="duel")
    mine, theirs = pair.connect(data=b"there")
    theirs.send_reliable(b"x" * 3000)
    mine.send_unreliable(rbn1.encode(rbn1.InputPacket(4, 2, (1, 2), 1, 0xABCD)))
    mine.send_unreliable(b"not rbn1")
    pair.flush()
    pair.run(0.5)
    pair.network.move("guest", "moved")
    pair.run(1.0)
    mine.close(text="bye")
    pair.network.flush("moved")
    pair.run(0.5)
    refusing = Pair(admit=lambda r: Refuse(text="no"))
    refusing.dial()
    refusing.run(0.5)
    return pair.guest_tap.sent + pair.host_tap.sent + refusing.host_tap.sent


def test_every_kind_is_explained_from_end_to_end() -> None:
    formats = set()
    for data in real_datagrams():
        assert is_link(data)
        found = explain_link(data)
        assert found.fault is None, found
        at = 0
        for row in found.rows:
            assert row.offset == at
            at += row.size
        assert at == len(data)
        formats.add(found.format)
    assert formats == {
        f"link {name}"
        for name in (
            "REQUEST", "COOKIE", "HELLO", "ACCEPT", "REFUSE", "PAYLOAD", "CONTROL", "BYE", "BYE ACK", "PROVE", "PROOF",
            "CLAIM",
        )
    }  # fmt: skip


def test_an_rbn1_packet_inside_is_explained_too() -> None:
    [found] = [e for e in map(explain_link, real_datagrams()) if "RBN1" in e.summary]
    rows = {row.field: row for row in found.rows}
    assert rows["rbn1 start frame"].value == "4"
    assert rows["rbn1 start frame"].offset == 14
    assert rows["rbn1 checksum"].value == "0x0000abcd"


@given(st.binary(min_size=1, max_size=80), st.sampled_from(range(0x80, 0xE6)))
def test_any_bytes_are_explained(data: bytes, kind: int) -> None:
    candidate = bytes([kind]) + data
    if is_link(candidate):
        found = explain_link(candidate)
        assert sum(row.size for row in found.rows) <= len(candidate)


def test_faults_are_named() -> None:
    for data in real_datagrams():
        if not 0x80 <= data[0] < 0xC0:
            assert explain_link(data[:6]).fault is not None
    assert explain_link(bytes([0x80]) + bytes(7)).fault is not None


def test_of_a_datagram_that_is_too_long_only_the_beginning_is_explained() -> None:
    [control] = [data for data in real_datagrams() if data[0] == layout.CONTROL][:1]
    found = explain_link(control + bytes(60000))
    assert found.fault is not None
    assert "too long" in found.fault
    assert len(found.rows) < layout.MAX_DATAGRAM
    assert sum(row.size for row in found.rows) <= layout.MAX_DATAGRAM
