"""Sessions: compact headers, and lost packets."""

import pytest

from retick.errors import BaselineMissing, DecodeError, UsageError
from retick.snapshot import (
    Codec,
    Component,
    Field,
    Schema,
    SessionReceiver,
    SessionSender,
    Snapshot,
    UInt,
    needs_resync,
)

SCHEMA = Schema([Component(1, [Field(1, UInt(16)), Field(2, UInt(16), threshold=10)])])


def crowd(tick: int, value: int, count: int = 5) -> Snapshot:
    return Snapshot.of(SCHEMA, tick=tick, entities={at: {1: (value, value)} for at in range(count)})


def test_an_ordered_session_sends_compact_frames() -> None:
    codec = Codec(SCHEMA, version=2)
    sender, receiver = SessionSender(codec, tick=10, ordered=True, session_id=7), SessionReceiver(codec)
    assert receiver.open(sender.init_packet).session_id == 7
    first = crowd(11, 0)
    held = receiver.apply(None, sender.encode_full(first))
    for tick in range(12, 20):
        current = crowd(tick, 100 * tick)
        frame = sender.encode(held, current)
        assert frame[0] == 2
        assert len(frame) < len(codec.encode_delta(held, current, packed=True)) - 20
        assert receiver.baseline_tick(frame) == held.tick
        held = receiver.apply(held, frame)
        assert held == current
    assert sender.last_tick == receiver.last_tick == 19


def test_a_lost_frame_does_not_corrupt_ticks_on_a_lossy_channel() -> None:
    codec = Codec(SCHEMA, version=2)
    sender, receiver = SessionSender(codec, tick=10, ordered=False), SessionReceiver(codec)
    receiver.open(sender.init_packet)
    first = crowd(11, 0)
    held = receiver.apply(None, sender.encode_full(first))
    sender.acknowledge(11)
    lost = sender.encode(held, crowd(12, 100))
    assert lost[0] == 2
    # In doubt: the standard header, which does not depend on the session's tick.
    standard = sender.encode(held, crowd(13, 200))
    assert standard[:4] == b"\x43\x45\x44\x53"
    assert receiver.baseline_tick(standard) == 11
    held = receiver.apply(held, standard)
    assert held == crowd(13, 200)
    assert receiver.last_tick == 11
    sender.lost(12)
    frame = sender.encode(held, crowd(14, 300))
    assert frame[0] == 2
    held = receiver.apply(held, frame)
    assert held == crowd(14, 300)
    sender.acknowledge(14)
    assert sender.last_tick == receiver.last_tick == 14


def test_the_danger_is_real_when_nobody_minds_the_tick() -> None:
    codec = Codec(SCHEMA, version=2)
    base = crowd(10, 0)
    codec.encode_frame(base, crowd(11, 1), last_tick=10)
    second = codec.encode_frame(base, crowd(12, 2), last_tick=11)
    with pytest.raises(DecodeError) as caught:
        codec.apply_frame(base, second, last_tick=10)
    assert caught.value.code == "BaselineTickMismatch"
    assert needs_resync(caught.value)


def test_a_receiver_without_a_session_asks_for_one() -> None:
    codec = Codec(SCHEMA, version=2)
    receiver = SessionReceiver(codec)
    with pytest.raises(DecodeError) as caught:
        receiver.apply(None, codec.encode_full(crowd(1, 0)))
    assert caught.value.code == "SessionMissing"
    assert needs_resync(caught.value)
    receiver.open(codec.encode_session_init(tick=1))
    frame = codec.encode_frame(crowd(1, 0), crowd(2, 0), last_tick=1)
    with pytest.raises(BaselineMissing):
        receiver.apply(None, frame)


def test_version_0_has_no_sessions_and_no_packed_updates() -> None:
    codec = Codec(SCHEMA)
    for call in (
        lambda: codec.encode_session_init(tick=1),
        lambda: codec.encode_delta(crowd(1, 0), crowd(2, 0), packed=True),
        lambda: codec.encode_changes(tick=2, baseline_tick=1),
        lambda: codec.encode_frame(crowd(1, 0), crowd(2, 0), last_tick=1),
    ):
        with pytest.raises(UsageError, match="version 2"):
            call()


@pytest.mark.parametrize("session_id", [0, -1, 1 << 64])
def test_a_session_id_is_not_zero_and_fits(session_id: int) -> None:
    with pytest.raises(UsageError):
        Codec(SCHEMA, version=2).encode_session_init(tick=1, session_id=session_id)


def test_a_frame_whose_baseline_is_not_held_asks_for_a_full_one() -> None:
    codec = Codec(SCHEMA, version=2)
    receiver = SessionReceiver(codec)
    receiver.open(codec.encode_session_init(tick=10))
    with pytest.raises(BaselineMissing) as caught:
        receiver.apply(None, b"\x02\x03\x01\x00")
    assert (caught.value.tick, needs_resync(caught.value), receiver.last_tick) == (12, True, 10)
    for broken in (b"", b"\x02", b"\x07\x01\x01\x00"):
        with pytest.raises(DecodeError):
            receiver.apply(None, broken)
