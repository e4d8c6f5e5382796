"""The numbers of RBN1 agree with each other."""

from retick.wire import rbn1
from retick.wire import rbn1_layout as layout


def test_the_sizes_are_those_of_encoded_packets() -> None:
    plain = rbn1.InputPacket(1, 2, (3,))
    assert len(rbn1.encode(plain)) == layout.HEADER_BYTES + 2
    assert len(rbn1.encode(plain._replace(input_size=1), layout.WIDE_INPUTS)) == layout.WIDE_HEADER_BYTES + 1
    blocks = {
        "checksum": (plain._replace(checksum_frame=1, checksum=2), layout.CHECKSUM_BYTES),
        "time sync": (plain._replace(time_sync=rbn1.TimeSync(1, 2)), layout.TIME_SYNC_BYTES),
        "loss": (plain._replace(loss_stats=rbn1.LossStats(1, 2)), layout.LOSS_STATS_BYTES),
    }
    for name, (packet, size) in blocks.items():
        assert (
            len(rbn1.encode(packet, layout.ALL_EXTENSIONS & ~layout.PACKED_INPUTS)) == layout.HEADER_BYTES + size + 2
        ), name
    largest = rbn1.InputPacket(1, 2, (0,) * layout.MAX_COUNT, checksum_frame=1, checksum=2)
    assert len(rbn1.encode(largest)) == layout.MAX_PACKET_SIZE
    wide = rbn1.InputPacket(1, 2, (1,) * 128, 1, 2, rbn1.TimeSync(1, 2), rbn1.LossStats(1, 2), 8, 4)
    assert len(rbn1.encode(wide, layout.ALL_EXTENSIONS & ~layout.PACKED_INPUTS)) == layout.MOST_PLAIN_BYTES
    assert len(rbn1.encode(plain._replace(inputs=(0,)), layout.PACKED_INPUTS)) == layout.PACKED_HEADER_BYTES


def test_the_magic_is_the_same_as_bytes_and_as_a_word() -> None:
    assert layout.MAGIC_WORD.to_bytes(4, "little") == layout.MAGIC == rbn1.encode(rbn1.InputPacket(1, 2, (3,)))[:4]
