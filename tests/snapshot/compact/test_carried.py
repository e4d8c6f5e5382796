"""A sender and a receiver with a link between them that loses packets and acknowledgements."""

import random

import pytest

from retick.errors import BaselineMissing, DecodeError
from retick.snapshot import Codec, CompactPacket, CompactReceiver, CompactSender
from tests.snapshot.compact.test_packet import BODY, body


@pytest.mark.parametrize("loss", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("history", [4, 64])
def test_every_packet_that_arrives_decodes_whatever_was_lost(loss: float, history: int) -> None:
    rng = random.Random(9)
    sender, receiver = (kind(Codec(BODY, compact=True), history=history) for kind in (CompactSender, CompactReceiver))
    arrived = 0
    for tick in range(1, 120):
        snapshot = body(2, tick)
        packet = sender.encode(snapshot)
        if rng.random() >= loss:
            try:
                assert receiver.decode(packet) == snapshot
            except BaselineMissing:
                assert history == 4  # the ring is too short for this loss, and says so
                sender.forget()
                continue
            arrived += 1
            if rng.random() >= loss:
                sender.acknowledge(tick)
    assert arrived > 20


def test_carried_statistics_make_packets_smaller() -> None:
    sizes = {}
    for carried in (True, False):
        sender = CompactSender(Codec(BODY, compact=True), carried=carried)
        receiver = CompactReceiver(Codec(BODY, compact=True))
        total = 0
        for tick in range(1, 150):
            packet = sender.encode(body(2, tick))
            receiver.decode(packet)
            sender.acknowledge(tick)
            total += len(packet.payload)
        sizes[carried] = total
    assert sizes[True] < 0.98 * sizes[False]


def test_a_sender_keeps_statistics_only_of_what_may_become_its_baseline() -> None:
    sender, receiver = CompactSender(Codec(BODY, compact=True)), CompactReceiver(Codec(BODY, compact=True))
    for tick in range(1, 60):
        receiver.decode(sender.encode(body(2, tick)))
        if tick > 3:
            sender.acknowledge(tick - 3)
        assert len(sender._learned) <= 4
    # Its receiver has lost everything; an acknowledgement of long ago comes in.
    sender.forget()
    sender.acknowledge(20)
    again = CompactReceiver(Codec(BODY, compact=True))
    assert again.decode(sender.encode(body(2, 60))) == body(2, 60)
    sender.acknowledge(60)
    assert again.decode(sender.encode(body(2, 61))) == body(2, 61)


def test_a_damaged_packet_changes_nothing() -> None:
    sender, receiver = CompactSender(Codec(BODY, compact=True)), CompactReceiver(Codec(BODY, compact=True))
    receiver.decode(sender.encode(body(2, 1)))
    sender.acknowledge(1)
    packet = sender.encode(body(2, 2))
    for at in range(len(packet.payload)):
        damaged = bytearray(packet.payload)
        damaged[at] ^= 0x41
        with pytest.raises(DecodeError):
            receiver.decode(packet._replace(payload=bytes(damaged)))
    assert receiver.decode(packet) == body(2, 2)


def test_ends_that_learned_from_other_packets_notice() -> None:
    """The check goes on from what was learned: a payload on other statistics is no payload."""
    first, second = (CompactSender(Codec(BODY, compact=True)) for _ in range(2))
    receiver = CompactReceiver(Codec(BODY, compact=True))
    for sender, seed in ((first, 2), (second, 4)):
        for tick in (1, 2):
            packet = sender.encode(body(seed, tick))
            if sender is first:
                receiver.decode(packet)
            sender.acknowledge(tick)
    with pytest.raises(DecodeError):
        receiver.decode(second.encode(body(4, 3)))
    assert receiver.decode(first.encode(body(2, 3))) == body(2, 3)


def test_a_budget_holds_over_a_lossy_link_and_the_world_arrives() -> None:
    sender, receiver = CompactSender(Codec(BODY, compact=True)), CompactReceiver(Codec(BODY, compact=True))
    receiver.decode(sender.encode(body(2, 1, 40)))
    sender.acknowledge(1)
    still = body(2, 9, 40)
    for tick in range(10, 60):
        packet = sender.encode(still.copy(tick=tick), most_bytes=100)
        assert len(packet.payload) <= 100
        if tick % 3:
            found = receiver.decode(packet)
            sender.acknowledge(tick)
    assert found.to_dict() == still.to_dict()


def test_a_late_packet_is_read_and_not_kept_and_an_unknown_baseline_asks_for_a_full_one() -> None:
    sender, receiver = CompactSender(Codec(BODY, compact=True)), CompactReceiver(Codec(BODY, compact=True))
    packet = sender.encode(body(2, 5))
    late = CompactPacket(4, 0, packet.payload)
    assert receiver.decode(packet) == receiver.decode(packet)
    assert receiver.decode(late).tick == 4
    assert receiver.newest_tick == 5
    with pytest.raises(BaselineMissing):
        receiver.decode(CompactPacket(6, 4, b"\x00"))
    with pytest.raises(BaselineMissing):
        receiver.decode(CompactPacket(9, 3, b"\x00"))
    sender.acknowledge(77)  # never sent
    assert sender.encode(body(2, 6)).baseline_tick == 0
