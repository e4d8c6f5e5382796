"""Many receivers, sessions with compact headers, and lost packets."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import BaselineMissing, DecodeError, UsageError
from retick.snapshot import (
    Bool,
    Codec,
    Component,
    Fanout,
    Field,
    Replica,
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


def test_receivers_with_one_baseline_and_view_share_a_packet() -> None:
    codec = Codec(SCHEMA)
    one, two = crowd(1, 0), crowd(2, 5)
    fanout = Fanout(codec, crowd(3, 20))
    view = frozenset({1, 2})
    assert fanout.packet(one) is fanout.packet(one)
    assert fanout.packet(one) != fanout.packet(two)
    assert fanout.packet(None, view) is fanout.packet(None, frozenset({2, 1}))
    assert fanout.packet(one, view) != fanout.packet(one)
    assert (fanout.stats.encoded, fanout.stats.shared) == (4, 4)
    assert fanout.result(None, view).ids == [1, 2]


def test_deltas_are_against_what_the_receiver_made_so_error_cannot_grow() -> None:
    """The second field creeps by 4 a tick, below its threshold of 10; the receiver must follow all the same."""
    codec = Codec(SCHEMA)
    replica = Replica()
    held = None
    for tick in range(1, 40):
        current = crowd(tick, 4 * tick)
        fanout = Fanout(codec, current)
        packet = fanout.packet(replica.base)
        replica.sent(fanout.result(replica.base))
        held = codec.decode_full(packet) if held is None else codec.apply_delta(held, packet)
        replica.acknowledge(tick)
        assert abs(held.to_dict()[0][1][1] - 4 * tick) <= 10
        assert held == replica.base


def test_a_replica_moves_only_forward_and_only_to_what_was_sent() -> None:
    replica = Replica(history=2)
    for tick in (1, 2, 3):
        replica.sent(crowd(tick, tick))
    replica.acknowledge(1)
    assert replica.base is None
    replica.acknowledge(3)
    replica.acknowledge(2)
    replica.acknowledge(99)
    assert replica.base is not None
    assert replica.base.tick == 3
    replica.forget()
    assert replica.base is None


PLAIN = Schema([Component(1, [Field(1, UInt(16)), Field(2, Bool())])])
worlds = st.dictionaries(st.integers(0, 30), st.tuples(st.integers(0, 65535), st.booleans()), max_size=12)


def plain(tick: int, world: dict[int, tuple[int, bool]]) -> Snapshot:
    return Snapshot.of(PLAIN, tick=tick, entities={at: {1: world[at]} for at in sorted(world)})


@given(worlds, worlds, st.sets(st.integers(0, 30)), st.sampled_from([0, 2]))
def test_a_payload_is_the_packet_without_its_header_and_reads_back(
    before: dict[int, tuple[int, bool]], after: dict[int, tuple[int, bool]], seen: set[int], version: int
) -> None:
    codec = Codec(PLAIN, version=version)
    base, current, view = plain(3, before), plain(7, after), frozenset(seen)
    whole, bare = Fanout(codec, current), Fanout(codec, current, header=False)
    for baseline in (None, base):
        payload = bare.packet(baseline, view)
        assert payload == whole.packet(baseline, view)[28:]
        assert codec.decode_payload(baseline, 7, payload) == bare.result(baseline, view) == current.select(view)


def test_a_payload_with_thresholds_gives_what_the_receiver_makes_of_it() -> None:
    codec = Codec(SCHEMA)
    base = crowd(1, 0)
    result = Fanout(codec, crowd(2, 5), header=False).result(base)
    assert result.to_dict()[0] == {1: (5, 0)}


def test_a_result_without_thresholds_is_not_changed_by_the_senders_buffers() -> None:
    codec = Codec(PLAIN)
    values = array("q", [1, 2])
    current = Snapshot.from_columns(PLAIN, tick=5, ids=array("I", [1, 2]), columns={1: (values, array("q", [0, 1]))})
    result = Fanout(codec, current).result(None)
    values[0] = 99
    assert result.to_dict() == {1: {1: (1, False)}, 2: {1: (2, True)}}


def test_asking_for_a_result_encodes_once_and_counts_as_no_sharing() -> None:
    fanout = Fanout(Codec(PLAIN), plain(2, {1: (5, True)}))
    fanout.result(None)
    fanout.result(None)
    assert (fanout.stats.encoded, fanout.stats.shared) == (1, 0)


def test_an_acknowledgement_lets_go_of_everything_older() -> None:
    replica = Replica(history=3)
    snapshots = [plain(tick, {}) for tick in range(1, 6)]
    for snapshot in snapshots[:3]:
        replica.sent(snapshot)
    replica.acknowledge(3)
    assert replica.base is snapshots[2]
    assert [tick for tick, _ in replica._sent] == [3]
    for snapshot in snapshots[3:]:
        replica.sent(snapshot)
    replica.acknowledge(2)
    assert replica.base is snapshots[2]
    replica.acknowledge(5)
    assert replica.base is snapshots[4]


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
