"""Link datagrams in words: every kind that two real ends send is explained whole, and any bytes are survived."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from retick.link import Accept, Refuse, layout, sealed_path
from retick.link.explain import explain_link, is_link
from retick.link.sealing.keys import KeyLog
from retick.link.sealing.noise import Pattern
from retick.transport import Conditions
from retick.wire import rbn1
from retick.wire.explain import PacketRow
from tests.link.pair import Pair
from tests.link.talk import Carried, Talk


def real_datagrams() -> list[bytes]:
    """One run in which every kind is sent."""
    pair = Pair(
        conditions=Conditions(latency=0.01),
        admit=lambda r: Accept(seats=(1,), data=b"hi"),
        game_id="duel",
        sealed=False,
    )
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
    refusing = Pair(admit=lambda r: Refuse(text="no"), sealed=False)
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


def sealed_datagrams() -> tuple[list[bytes], str]:
    """One sealed run in which every kind is sent, and its key log."""
    lines: list[str] = []
    talk = Talk(Pattern.NN, keylog=lines.append, identity=bytes(32), dial={"data": b"hi"}).connect()
    talk.mine.send_unreliable(rbn1.encode(rbn1.InputPacket(4, 2, (1, 2), 1, 0xABCD)))
    talk.theirs.send_reliable(b"x" * 30)
    talk.run(0.1)
    talk.deliver(sealed_path.send(talk.mine, layout.CONTROL, bytes(18), talk.now), to_host=True, address="moved")
    talk.run(0.1)
    talk.carried += [Carried(0, True, sealed_path.send(talk.mine, layout.PROOF, bytes(8), talk.now))]
    talk.mine.close(text="bye")
    talk.run(0.3)
    return [carried.data for carried in talk.carried], "\n".join(lines)


def ids_in(log: str) -> set[int]:
    """Of the connections of a key log."""
    return {int(word, 16) for line in log.splitlines() for word in line.split()[1:3]}


def keys_in(log: str) -> set[str]:
    """The secrets of a key log."""
    return {word for line in log.splitlines() for word in line.split()[3:]}


def test_every_sealed_datagram_is_explained_from_end_to_end_with_a_key_log_and_without() -> None:
    datagrams, lines = sealed_datagrams()
    for log in (KeyLog.parse(lines), None):
        formats = set()
        for data in datagrams:
            found = explain_link(data, keylog=log)
            assert [(row.offset, row.size) for row in found.rows] == list(spans(found.rows))
            assert sum(row.size for row in found.rows) == len(data)
            formats.add(found.format)
            if log is not None:
                assert found.fault is None, found
        assert {"link HELLO", "link ACCEPT", "link COOKIE", "link REQUEST"} <= formats
        assert {"link ENTER, sealed", "link ADMIT, sealed", "link PROVE, sealed", "link PROOF, sealed"} <= formats


def test_what_is_inside_of_a_sealed_datagram_is_explained_with_its_key() -> None:
    datagrams, lines = sealed_datagrams()
    log = KeyLog.parse(lines)
    [payload] = [found for data in datagrams if "RBN1" in (found := explain_link(data, keylog=log)).summary]
    assert (payload.format, payload.content) == ("link PAYLOAD, sealed", "RBN1")
    enter = next(data for data in datagrams if data[0] == layout.ENTER)
    rows = {row.field: row for row in explain_link(enter, keylog=log).rows}
    assert rows["application data"].value == "68 69"
    assert (rows["public key"].size, rows["signature"].size, rows["tag"].size) == (32, 64, 16)


def test_a_datagram_that_does_not_open_with_its_key_has_a_fault() -> None:
    datagrams, lines = sealed_datagrams()
    enter = next(data for data in datagrams if data[0] == layout.ENTER)
    found = explain_link(enter[:-1] + bytes([enter[-1] ^ 1]), keylog=KeyLog.parse(lines))
    assert found.fault == "bad seal: it does not open with its key"
    assert sum(row.size for row in found.rows) == len(enter)
    assert explain_link(enter).fault is None
    cut = explain_link(enter[:20])
    assert cut.fault is not None
    assert "cut short" in cut.fault


def test_of_connections_known_to_be_sealed_no_datagram_is_taken_for_a_plain_one() -> None:
    datagrams, lines = sealed_datagrams()
    for data in datagrams:
        found = explain_link(data, sealed=ids_in(lines))
        assert found.fault is None, found
        assert (data[0] < layout.REQUEST) == found.format.endswith(", sealed")


def test_of_a_sealed_datagram_that_is_too_long_only_the_beginning_is_explained() -> None:
    datagrams, lines = sealed_datagrams()
    for log in (None, KeyLog.parse(lines)):
        found = explain_link(datagrams[-1] + bytes(60000), keylog=log, sealed=ids_in(lines))
        assert found.fault is not None
        assert "too long" in found.fault
        assert sum(row.size for row in found.rows) <= layout.MAX_DATAGRAM


def spans(rows: list[PacketRow]) -> Iterator[tuple[int, int]]:
    at = 0
    for row in rows:
        yield at, row.size
        at += row.size
