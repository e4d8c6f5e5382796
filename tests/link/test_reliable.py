"""Reliable messages: whole, once, in order, over anything; bounded on both sides."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import EncodeError
from retick.link import (
    Connection,
    Disconnected,
    QueueDrained,
    Reason,
    ReliableReceived,
)
from retick.link.layout import (
    CONTROL,
    CONTROL_SIZE,
    FRAGMENT_FIRST,
    FRAGMENT_HEAD_SIZE,
    FRAGMENT_LAST,
    FRAGMENT_WINDOW,
)
from retick.link.packets import FRAGMENT, Fragment, decode_fragments
from retick.link.reliable import MARGIN, MessageReceiver, MessageSender
from retick.transport import Conditions
from tests.effort import examples
from tests.link.pair import Pair, forged, fragment, received

bad_links = st.builds(
    Conditions,
    latency=st.floats(0, 0.15),
    jitter=st.floats(0, 0.05),
    loss=st.floats(0, 0.3),
    burst_enter=st.floats(0, 0.02),
    duplicate=st.floats(0, 0.3),
    reorder=st.floats(0, 0.3),
)


texts = st.lists(st.integers(0, 6000) | st.integers(0, 40), max_size=12)


def body(index: int, size: int) -> bytes:
    return random.Random(index).randbytes(size)


@settings(max_examples=examples(60))
@given(bad_links, texts, texts, st.integers(0, 1000))
def test_messages_arrive_whole_once_and_in_order_over_any_link(
    bad: Conditions, there: list[int], back: list[int], seed: int
) -> None:
    # Bursts are counted in datagrams, and an idle link sends few: one may outlast the usual timeout.
    pair = Pair(seed=seed, timeout=120.0)
    mine, theirs = pair.connect()
    pair.network.link("guest", "host", bad)
    sent = [body(i, size) for i, size in enumerate(there)]
    answers = [body(-i, size) for i, size in enumerate(back)]
    assert all(mine.send_reliable(data) for data in sent)
    assert all(theirs.send_reliable(data) for data in answers)
    pair.flush()
    # An empty message is under way without a byte in the queue.
    pair.network.run_while(lambda: not (mine._sender.is_idle and theirs._sender.is_idle), limit=60.0)
    pair.run(1.0)
    assert received(pair) == sent
    assert [e.data for e in pair.guest_events if isinstance(e, ReliableReceived)] == answers
    assert mine.is_connected
    assert theirs.is_connected


def test_small_messages_share_a_datagram_and_are_acknowledged_within_a_moment() -> None:
    pair = Pair(conditions=Conditions(latency=0.02))
    mine, _ = pair.connect()
    before = len(pair.guest_tap.sent)
    for i in range(20):
        assert mine.send_reliable(b"chat %d" % i)
    pair.flush()
    assert len(pair.guest_tap.sent) - before == 1
    pair.run(0.3)
    assert received(pair) == [b"chat %d" % i for i in range(20)]
    assert mine.queued_bytes == 0
    assert mine.stats.fragments_resent == 0


def transfer_time(size: int, conditions: Conditions, seed: int = 1) -> float:
    pair = Pair(seed=seed)
    mine, _ = pair.connect()
    pair.network.link("guest", "host", conditions)
    start = pair.network.now
    assert mine.send_reliable(body(0, size))
    pair.flush()
    assert pair.network.run_while(lambda: not received(pair), limit=60.0)
    assert received(pair) == [body(0, size)]
    return pair.network.now - start


def test_a_large_transfer_is_fast_enough_for_a_rejoin() -> None:
    """Thirty seconds of inputs and a state at 100 ms and 2 % loss: enough for a rejoin within two seconds."""
    times = [transfer_time(40_000, Conditions.round_trip(0.1, loss=0.02), seed) for seed in range(10)]
    assert max(times) < 1.5


def test_a_transfer_over_a_narrow_link_leaves_room_for_payloads() -> None:
    """64 KB/s with a queue of 16 KB: the transfer goes on, and few payloads are lost for it."""
    pair = Pair()
    mine, _ = pair.connect()
    pair.network.link("guest", "host", Conditions(latency=0.03, bandwidth=64_000.0, queue=16_000))
    mine.send_reliable(bytes(60_000))
    payloads = 0
    while not received(pair):
        mine.send_unreliable(bytes(40))
        payloads += 1
        pair.flush()
        pair.run(1 / 60)
        assert pair.network.now < 10.0
    assert pair.network.path("guest", "host").queue_dropped < 25
    assert pair.network.now < 4.0


def test_a_full_queue_says_no_and_says_when_it_is_free_again() -> None:
    pair = Pair(conditions=Conditions(latency=0.02), send_queue=10_000)
    mine, _ = pair.connect()
    accepted = 0
    while mine.send_reliable(bytes(1000)):
        accepted += 1
    assert accepted == 10
    assert pair.of(pair.guest_events, QueueDrained) == []
    pair.flush()
    pair.run(1.0)
    assert len(pair.of(pair.guest_events, QueueDrained)) == 1
    assert mine.send_reliable(bytes(1000))
    with pytest.raises(EncodeError):
        mine.send_reliable(bytes(65_537))


def test_a_message_alone_may_be_larger_than_the_queue() -> None:
    pair = Pair(send_queue=1000)
    mine, _ = pair.connect()
    assert mine.send_reliable(bytes(65_536))
    assert not mine.send_reliable(b"x")
    pair.flush()
    pair.run(2.0)
    assert received(pair) == [bytes(65_536)]


def test_an_application_that_does_not_read_stops_the_sender_and_loses_nothing() -> None:
    pair = Pair(unread_limit=10, send_queue=1_000_000)
    mine, theirs = pair.connect()
    pair.network.detach("host")
    pair.network.attach("host", pair.host_tap)  # nobody reads its events now
    sent = [b"%d" % i for i in range(300)]
    assert all(mine.send_reliable(data) for data in sent)
    pair.flush()
    pair.run(5.0)
    assert mine.is_connected
    assert len(theirs._receiver._early) <= FRAGMENT_WINDOW
    got: list[bytes] = []
    for _ in range(100):
        events = pair.host.events()
        assert len(events) <= 10
        got += [event.data for event in events]
        pair.flush()
        pair.run(0.5)
    assert got == sent


@pytest.mark.parametrize(
    "body",
    [
        fragment(0, 0, b"no beginning"),
        fragment(0, FRAGMENT_FIRST, b"a") + fragment(1, FRAGMENT_FIRST, b"b"),
        fragment(0, FRAGMENT_FIRST, b"x" * 600) + fragment(1, 0, b"x" * 600),
    ],
)
def test_fragments_that_make_no_message_end_the_connection(body: bytes) -> None:
    pair = Pair(max_message=1000, sealed=False)
    _, theirs = pair.connect()
    pair.host.receive_datagram(forged(theirs, 1000, body), "guest", now=0.5)
    pair.network.flush("host")
    pair.run(0.5)
    [end] = pair.of(pair.guest_events, Disconnected)
    assert (end.reason, end.by_peer) == (Reason.VIOLATION, True)


def test_a_message_of_fragments_without_end_is_bounded() -> None:
    pair = Pair(sealed=False)
    _, theirs = pair.connect()
    for i in range(70_000):
        marks = FRAGMENT_FIRST if i == 0 else 0
        pair.host.receive_datagram(
            forged(theirs, (1000 + i) & 0xFFFF, fragment(i & 0xFFFF, marks, b"")), "guest", now=0.5
        )
        if not theirs.is_connected:
            break
    assert theirs.close_reason == Reason.VIOLATION
    assert i < 2000


def test_fragments_far_ahead_are_dropped_and_counted() -> None:
    pair = Pair(sealed=False)
    _, theirs = pair.connect()
    for i, number in enumerate((FRAGMENT_WINDOW, 30_000, 40_000, 1, 1)):
        data = forged(theirs, 1000 + i, fragment(number, FRAGMENT_FIRST | FRAGMENT_LAST, b"x"))
        pair.host.receive_datagram(data, "guest", now=0.5)
    assert pair.host.dropped["fragment_window"] == 2
    assert pair.host.dropped["duplicate_fragment"] == 2
    assert len(theirs._receiver._early) == 1


def test_acknowledgements_from_the_future_change_nothing() -> None:
    pair = Pair(sealed=False)
    _, theirs = pair.connect()
    theirs.send_reliable(b"not yet there")
    for i, data in enumerate((forged(theirs, 1000, b"", next_fragment=1), forged(theirs, 1001, b"", acked=5000))):
        pair.host.receive_datagram(data, "guest", now=0.5)
        assert pair.host.dropped["malformed"] == i + 1
    assert theirs.queued_bytes == 13


@given(
    st.lists(
        st.tuples(
            st.integers(0, 80), st.sampled_from([FRAGMENT_FIRST, FRAGMENT_LAST, 0, FRAGMENT_FIRST | FRAGMENT_LAST])
        ),
        max_size=60,
    )
)
def test_the_receiver_holds_no_more_than_its_window(pieces: list[tuple[int, int]]) -> None:
    receiver = MessageReceiver(limit=1000)
    for number, marks in pieces:
        receiver.receive(Fragment(number, marks, b"x"))
        assert receiver.fragments < 1 << 64
    assert len(receiver._early) <= FRAGMENT_WINDOW


def test_fragment_numbers_wrap() -> None:
    sender = MessageSender(fragment_size=10, limit=1000)
    receiver = MessageReceiver(limit=1000)
    for i in range(70_000):
        assert sender.offer(b"%d" % i)
        body = sender.fill(100, float(i))
        number, marked = FRAGMENT.unpack_from(body)
        assert receiver.receive(Fragment(number, marked & 0xC000, body[4:])) is None
        assert receiver.next_message() == b"%d" % i
        sender.acknowledge(receiver.next_fragment, receiver.fragments, float(i), 0.1)
    assert sender.is_idle
    assert sender.queued_bytes == 0


def test_a_tail_that_is_lost_is_sent_again_after_the_time_out() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, _ = pair.connect()
    pair.run(3.0)
    lost: list[bytes] = []

    def lose(data: bytes) -> bool:
        if data[0] == CONTROL and len(data) > 26 and len(lost) < 3:
            lost.append(data)
            return True
        return False

    pair.guest_tap.lose = lose
    start = pair.network.now
    mine.send_reliable(b"only one")
    pair.flush()
    pair.network.run_while(lambda: not received(pair), limit=10.0)
    assert received(pair) == [b"only one"]
    # Three waits, each twice the one before, from about the round trip on.
    assert 0.7 < pair.network.now - start < 2.5


def sent(datagram: bytes) -> list[int]:
    """The numbers of the fragments that ``fill`` returned."""
    return [fragment.number for fragment in decode_fragments(bytes(CONTROL_SIZE) + datagram)]


def test_the_congestion_window_starts_at_eight_grows_with_acknowledgements_and_shrinks_on_loss() -> None:
    sender = MessageSender(fragment_size=10, limit=100_000)
    assert sender.offer(bytes(10 * 60))
    room = 10 + FRAGMENT_HEAD_SIZE
    in_flight = []
    while datagram := sender.fill(room, 0.0):
        in_flight += sent(datagram)
    assert in_flight == list(range(8))
    assert not sender.wants_to_send()
    sender.acknowledge(8, 0, 0.1, 0.1)
    while datagram := sender.fill(room, 0.1):
        in_flight += sent(datagram)
    assert in_flight == list(range(17)), "eight acknowledged fragments make a window of nine"
    # Fragment 8 is missing and four that were sent later have arrived: 8 counts as lost, and is first to be sent again.
    sender.acknowledge(8, 0b1111, 0.2, 0.1)
    assert sent(sender.fill(room, 0.2)) == [8]
    assert sender.resent == 1


def test_a_fragment_that_is_acknowledged_late_is_not_sent_again() -> None:
    sender = MessageSender(fragment_size=10, limit=1000)
    assert sender.offer(b"x")
    assert sent(sender.fill(100, 0.0)) == [0]
    assert sender.deadline(0.2) == 0.2 + MARGIN
    sender.check_overdue(0.1, 0.2)
    assert not sender.wants_to_send()
    sender.check_overdue(0.2 + MARGIN, 0.2)
    assert sender.wants_to_send()
    sender.acknowledge(1, 0, 0.25, 0.1)
    assert sender.is_idle
    assert sender.deadline(0.2) is None


def test_small_fragments_share_a_datagram_and_large_ones_do_not_exceed_the_room() -> None:
    sender = MessageSender(fragment_size=20, limit=1000)
    for _ in range(3):
        assert sender.offer(bytes(20))
    datagram = sender.fill(2 * (20 + FRAGMENT_HEAD_SIZE) + 10, 0.0)
    assert sent(datagram) == [0, 1]
    assert len(datagram) == 2 * (20 + FRAGMENT_HEAD_SIZE)


def conversation(pair: Pair, messages: int, *, seed: int = 3) -> int:
    """A message now and then, beside sixty payloads a second each way; returns how many fragments were sent again."""
    mine, theirs = pair.connect()
    for connection, address, phase in ((mine, "guest", 0.0), (theirs, "host", 0.007)):

        def send(connection: Connection = connection, address: str = address) -> None:
            connection.send_unreliable(bytes(20))
            pair.network.flush(address)

        pair.network.every(1 / 60, send, phase=phase, owner=address)
    dice = random.Random(seed)
    for number in range(messages):
        assert mine.send_reliable(b"%d" % number)
        pair.network.flush("guest")
        pair.run(dice.uniform(0.05, 0.15))
    pair.run(5.0)
    assert received(pair) == [b"%d" % number for number in range(messages)]
    return mine.stats.fragments_resent


@pytest.mark.parametrize("milliseconds", [10, 25, 50, 100, 150, 200])
def test_nothing_is_sent_again_on_a_link_that_loses_nothing(milliseconds: int) -> None:
    assert conversation(Pair(conditions=Conditions(latency=milliseconds / 1000)), 150) == 0


def test_what_is_lost_is_sent_again_and_little_else() -> None:
    """Of a datagram and its acknowledgement, 9.75 % are lost; the rest of the bound is for what is lost twice."""
    assert 0 < conversation(Pair(conditions=Conditions(latency=0.05, loss=0.05)), 1000) < 150


def test_a_peer_that_acknowledges_late_is_waited_for_and_one_that_no_longer_does_is_not() -> None:
    sender = MessageSender(fragment_size=10, limit=1000)
    waits = []
    for number in range(100):
        late = 0.03 if number < 10 else 0.0
        assert sender.offer(b"x")
        assert sent(sender.fill(100, float(number))) == [number]
        deadline = sender.deadline(0.1)
        assert deadline is not None
        waits.append(deadline - number)
        sender.acknowledge(number + 1, 0, number + 0.1 + late, 0.1)
    assert waits[0] == pytest.approx(0.1 + MARGIN)
    assert waits[1:11] == [pytest.approx(0.13 + MARGIN)] * 10
    assert waits[-1] == pytest.approx(0.1 + MARGIN, abs=0.001)


@settings(max_examples=30)
@given(bad_links, st.lists(st.integers(0, 3000), min_size=1, max_size=12), st.floats(0.05, 2.0), st.integers(0, 1000))
def test_a_sender_knows_at_the_end_which_messages_were_delivered(
    bad: Conditions, sizes: list[int], ends_after: float, seed: int
) -> None:
    pair = Pair(seed=seed, timeout=120.0)
    mine, _ = pair.connect()
    pair.network.link("guest", "host", bad)
    for index, size in enumerate(sizes):
        assert mine.send_reliable(body(index, size))
    pair.flush()
    pair.run(ends_after)
    pair.crash("host")
    pair.run(1.0)
    assert mine.messages_sent == len(sizes)
    # An acknowledgement may have been lost, but what counts as delivered was delivered.
    assert mine.messages_delivered <= len(received(pair))


def test_messages_that_were_acknowledged_are_delivered_and_those_on_their_way_are_not() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, _ = pair.connect()
    for size in (0, 1, 5000):
        mine.send_reliable(bytes(size))
    pair.flush()
    pair.run(1.0)
    assert (mine.messages_sent, mine.messages_delivered) == (3, 3)
    pair.crash("host")
    mine.send_reliable(b"into the void")
    pair.network.flush("guest")
    pair.run(1.0)
    assert (mine.messages_sent, mine.messages_delivered) == (4, 3)
