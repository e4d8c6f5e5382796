"""Many receivers, each with its own baseline."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from retick.snapshot import (
    BaselineRing,
    Bool,
    Codec,
    Component,
    Fanout,
    Field,
    Replica,
    Schema,
    Snapshot,
    UInt,
)
from tests.snapshot.compact.test_packet import BODY, body

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


@given(st.lists(st.one_of(st.none(), st.integers(0, 30)), max_size=60))
def test_a_replica_holds_its_base_and_the_newest_and_forgets_the_rest(steps: list[int | None]) -> None:
    """Against a model in three lines: None sends the next tick, a number acknowledges so many ticks back."""
    replica, held, base, tick = Replica(history=4), list[int](), 0, 0
    for back in steps:
        if back is None:
            tick += 1
            replica.sent(plain(tick, {}))
            held = [*held, tick]
            if len(held) > 4:
                held.remove(min(at for at in held if at != base))
        else:
            replica.acknowledge(tick - back)
            if tick - back > base and tick - back in held:
                base = tick - back
                held = [at for at in held if at >= base]
        assert (replica.base.tick if replica.base is not None else 0) == base


class Reader:
    """A receiver that reads compact packets, or only plain ones, and loses some."""

    def __init__(self, schema: Schema, compact: bool) -> None:
        self.codec = Codec(schema, compact=True) if compact else Codec(schema, version=2)
        self.replica: Replica[Snapshot] = Replica(compact=compact)
        self.held: BaselineRing[Snapshot] = BaselineRing(64)

    def receive(self, packet: bytes) -> Snapshot:
        baseline = int.from_bytes(packet[20:24], "little")
        if baseline == 0:
            found = self.codec.decode_full(packet)
        else:
            older = [held for _tick, held in self.held]
            found = self.codec.apply_delta(self.held.require(baseline), packet, history=older)
        self.held.insert(found.tick, found)
        return found


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=5, max_size=25), st.booleans())
def test_one_fanout_serves_receivers_with_and_without_compact_packets(arrives: list[list[bool]], held: bool) -> None:
    """Each row says who gets the packet of a tick; the fields with thresholds make results differ from what is sent."""
    schema = SCHEMA if held else BODY
    readers = [Reader(schema, compact) for compact in (True, False, True, False)]
    codec = Codec(schema, compact=True)
    for tick, row in enumerate(arrives, 1):
        current = crowd(tick, 7 * tick) if held else body(1, tick)
        fanout = Fanout(codec, current)
        packets = [fanout.send(reader.replica) for reader in readers]
        for reader, packet, arrived in zip(readers, packets, row, strict=True):
            assert packet[4] == (3 if reader.replica.compact else 2)
            if arrived:
                found = reader.receive(packet)
                reader.replica.acknowledge(tick)
                assert found == reader.replica.base
                assert held or found == current
        assert fanout.stats.encoded <= 4


def test_receivers_of_one_kind_in_one_state_get_one_object() -> None:
    codec = Codec(BODY, compact=True)
    replicas: list[Replica[Snapshot]] = [Replica(compact=number % 2 == 0) for number in range(4)]
    for tick in range(1, 20):
        fanout = Fanout(codec, body(1, tick))
        packets = [fanout.send(replica) for replica in replicas]
        assert packets[0] is packets[2]
        assert packets[1] is packets[3]
        assert fanout.stats.encoded == 2
        assert tick == 1 or len(packets[0]) < len(packets[1])
        for replica in replicas:
            replica.acknowledge(tick)


def test_a_plain_codec_sends_the_same_to_all() -> None:
    replicas: list[Replica[Snapshot]] = [Replica(compact=compact) for compact in (True, False)]
    fanout = Fanout(Codec(PLAIN), plain(2, {1: (5, True)}))
    assert fanout.send(replicas[0]) is fanout.send(replicas[1])
    assert fanout.packet(None) == fanout.packet(None, compact=False)


def test_the_ids_of_a_view_may_come_in_any_collection() -> None:
    codec, world = Codec(PLAIN), plain(2, {1: (5, True), 2: (6, False), 3: (7, True)})
    for ids in ([1, 3], (3, 1), {1, 3}, iter([1, 3])):
        replica: Replica[Snapshot] = Replica()
        assert codec.decode_full(Fanout(codec, world).send(replica, ids)).ids == [1, 3]


def test_compact_packets_are_shared_by_receivers_with_the_same_history() -> None:
    codec = Codec(BODY, compact=True)
    replicas: list[Replica[Snapshot]] = [Replica() for _ in range(3)]
    for tick in range(1, 30):
        fanout = Fanout(codec, body(1, tick))
        for number, replica in enumerate(replicas):
            if replica.base is None:
                packet = fanout.packet(None)
                assert codec.decode_full(packet) == body(1, tick)
            else:
                packet = fanout.packet(replica.base, history=replica.history)
                assert codec.apply_delta(replica.base, packet, history=replica.history) == body(1, tick)
            replica.sent(fanout.result(replica.base, history=replica.history))
            if number < 2 or tick % 2:
                replica.acknowledge(tick)
        assert fanout.stats.encoded < 3
    assert [snapshot.tick for snapshot in replicas[0].history] == [28, 26, 21]
    replicas[0].forget()
    assert replicas[0].history == []
