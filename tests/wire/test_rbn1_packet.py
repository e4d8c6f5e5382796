"""Packets that cannot be encoded: each is refused in words that name the value and the rule."""

from typing import Any

import pytest

from retick.errors import (
    EncodeError,
)
from retick.wire import rbn1
from retick.wire.rbn1 import InputPacket, LossStats, TimeSync

ALL = rbn1.TIME_SYNC | rbn1.LOSS_STATS | rbn1.WIDE_INPUTS

PACKET = InputPacket(start_frame=1, ack_frame=2, inputs=(3,))

CHECKED = InputPacket(7, 6, (1, 2, 0xFFFF), checksum_frame=5, checksum=0x41B73DB7)


@pytest.mark.parametrize(
    "packet",
    [
        InputPacket(1, 2, ()),
        InputPacket(1, 2, (0,) * 33),
        InputPacket(-1, 2, (0,)),
        InputPacket(1 << 32, 2, (0,)),
        InputPacket(1, 1 << 32, (0,)),
        InputPacket(1, 2, (0x10000,)),
        InputPacket(1, 2, (-1,)),
        InputPacket(1, 2, (1.5,)),  # type: ignore[arg-type]  # what an untyped caller may pass
        InputPacket(1, 2, (0,), checksum_frame=1),
        InputPacket(1, 2, (0,), checksum=1),
        InputPacket(1, 2, (0,), 1, 1 << 32),
        InputPacket(1, 2, (0,), time_sync=TimeSync(1, 40000)),
        InputPacket(1, 2, (0,), loss_stats=LossStats(-1, 0)),
        InputPacket(1, 2, (0,), checksum_frame=1, time_sync=TimeSync(1, 1)),
        InputPacket(1, 2, (0,), checksum=1, time_sync=TimeSync(1, 1)),
        InputPacket(1, 2, (0,), input_size=9),
        InputPacket(1, 2, (0,), seats=0),
        InputPacket(1, 2, (0,) * 3, seats=2),
        InputPacket(1, 2, (256,), input_size=1),
        InputPacket(1, 2, (1 << 24,), input_size=3),
        InputPacket(1, 2, (0,) * 33, input_size=1),
        InputPacket(1, 2, (0,) * 32 * 5, input_size=8, seats=5),
        InputPacket(1, 2, 7),  # type: ignore[arg-type]  # an untyped caller
        InputPacket(1, 2, None, seats=2),  # type: ignore[arg-type]  # an untyped caller
        InputPacket(1, 2, (0,), time_sync=(1,)),  # type: ignore[arg-type]  # an untyped caller
        InputPacket(1, 2, (0,), time_sync=5),  # type: ignore[arg-type]  # an untyped caller
        InputPacket(1, 2, (0,), loss_stats=(1, 2, 3)),  # type: ignore[arg-type]  # an untyped caller
    ],
)
def test_values_that_do_not_fit_are_refused_by_both_encoders(packet: InputPacket) -> None:
    with pytest.raises(EncodeError) as first:
        rbn1.encode(packet, ALL)
    with pytest.raises(EncodeError) as second:
        rbn1.encode_into(packet, bytearray(4096), ALL)
    assert str(first.value) == str(second.value)


@pytest.mark.parametrize("packet", [PACKET, CHECKED, PACKET._replace(time_sync=TimeSync(1, 1))])
def test_a_buffer_that_is_too_small_is_refused(packet: InputPacket) -> None:
    with pytest.raises(EncodeError, match="the buffer has"):
        rbn1.encode_into(packet, bytearray(rbn1.encoded_size(packet) - 1), ALL)


@pytest.mark.parametrize("thing", [None, 5, (1, 2), tuple(PACKET), b"RBN1"])
def test_what_is_no_packet_is_said(thing: Any) -> None:
    with pytest.raises(EncodeError, match="an InputPacket is encoded, not "):
        rbn1.encode(thing)
    with pytest.raises(EncodeError, match="an InputPacket is encoded, not "):
        rbn1.encode_into(thing, bytearray(99))


@pytest.mark.parametrize("field", ["input_size", "seats"])
@pytest.mark.parametrize("value", [None, 3.0, 1 << 70, 0, -1])
def test_a_shape_that_is_none_is_an_encode_error(field: str, value: Any) -> None:
    with pytest.raises(EncodeError, match=f"{field} is a whole number|inputs are of 1 to 8 bytes and 1 to 8 seats"):
        rbn1.encode(PACKET._replace(**{field: value}), ALL)
