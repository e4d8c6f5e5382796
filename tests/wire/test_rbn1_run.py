"""A packet in place: read and written as ``rbn1`` reads and writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.wire import rbn1
from retick.wire.rbn1 import MOST_INPUTS, InputRun
from tests.twin import outcome
from tests.wire.rbn1_packets import packets

PLAIN = rbn1.ALL_EXTENSIONS & ~rbn1.PACKED_INPUTS


@given(packets(), st.sampled_from([PLAIN, rbn1.ALL_EXTENSIONS]), st.sampled_from([PLAIN, rbn1.ALL_EXTENSIONS]))
def test_what_is_read_is_written_as_the_codec_writes_it(packet: rbn1.InputPacket, theirs: int, ours: int) -> None:
    run = InputRun(ours | theirs)
    run.read(rbn1.encode(packet, theirs))
    assert run.write() == rbn1.encode(packet._replace(loss_stats=None), ours | theirs)


@given(st.lists(packets(), min_size=2, max_size=5))
def test_nothing_is_left_of_the_packet_before(several: list[rbn1.InputPacket]) -> None:
    run = InputRun(rbn1.ALL_EXTENSIONS)
    for packet in several:
        run.read(rbn1.encode(packet, rbn1.ALL_EXTENSIONS))
        assert run.write() == rbn1.encode(packet._replace(loss_stats=None), rbn1.ALL_EXTENSIONS)


@given(st.binary(max_size=60), st.sampled_from([b"", b"RBN1\x01", b"RBN1\x02", b"\xa0", b"\xab"]))
def test_any_bytes_are_read_or_refused_as_the_codec_refuses_them(data: bytes, head: bytes) -> None:
    run = InputRun(rbn1.ALL_EXTENSIONS)
    told = outcome(run.read, head + data)
    if told != "0":
        assert told == outcome(rbn1.decode, head + data, rbn1.ALL_EXTENSIONS)
        return
    packet = rbn1.decode(head + data, rbn1.ALL_EXTENSIONS)
    assert run.write() == rbn1.encode(packet._replace(loss_stats=None), rbn1.ALL_EXTENSIONS)


def test_the_largest_packets_have_room() -> None:
    for size, seats in ((1, 8), (4, 8), (8, 4)):
        packet = rbn1.InputPacket(1, 2, tuple(range(32 * seats)), input_size=size, seats=seats)
        assert len(packet.inputs) <= MOST_INPUTS
        run = InputRun(PLAIN)
        run.read(rbn1.encode(packet, PLAIN))
        assert run.write() == rbn1.encode(packet, PLAIN)


def test_a_strict_reader_and_writer_knows_version_1_only() -> None:
    run = InputRun(0)
    run.read(rbn1.encode(rbn1.InputPacket(1, 2, (3,))))
    assert run.write() == bytes.fromhex("52424E31 01 00 01000000 01 02000000 0300")
    with pytest.raises(DecodeError):
        run.read(rbn1.encode(rbn1.InputPacket(1, 2, (0, 0)), rbn1.PACKED_INPUTS))
