"""What may be read as a packet."""

from array import array

import pytest

from retick.errors import UsageError
from retick.snapshot import Codec, Snapshot
from tests.snapshot.sdec import schema_named

PLAYER = schema_named("player")


def test_a_packet_may_be_any_buffer_and_nothing_else() -> None:
    codec = Codec(PLAYER)
    packet = codec.encode_full(Snapshot.of(PLAYER, tick=1, entities={}))
    for form in (bytearray(packet), memoryview(packet), array("B", packet)):
        assert codec.decode_full(form).tick == 1
    with pytest.raises(UsageError):
        codec.decode_full("text")
