"""A reliable message is never lost silently: real server, real client, floods both ways, cuts beyond the timeout."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority.client import WorldClient, WorldClientConfig
from retick.authority.client.events import MessagesLost, RoomJoined, ServerMessageReceived
from retick.authority.messages import Gone
from retick.authority.server import WorldServer, WorldServerConfig
from retick.host.events import ConnectionLost, MessageDropped, MessageFromPlayer, MessagesNotReceived, PlayerRejoined
from retick.link import Reason
from retick.transport import Conditions, SimulatedNetwork
from tests.authority.client.yard import Yard

BURST = 500


class Line:
    """A server and one client on a network, and what both have been told."""

    def __init__(self, *, seed: int = 1, loss: float = 0.0, server: dict[str, Any] | None = None) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=Conditions(latency=0.05, jitter=0.02, loss=loss))
        self.server = WorldServer(
            Yard, entropy=Random(seed).randbytes, config=WorldServerConfig(timeout=2.0, **(server or {}))
        )
        config = WorldClientConfig(timeout=2.0)
        self.client = WorldClient(Yard(), "server", entropy=Random(seed + 1).randbytes, config=config)
        self.at_server: list[Any] = []
        self.at_client: list[Any] = []
        self.network.attach("server", self.server, on_events=self.at_server.extend)
        self.network.attach("client", self.client, on_events=self.at_client.extend)
        self.accepted: list[bytes] = []
        self.sent_down: list[bytes] = []
        assert self.network.run_while(lambda: not self.of(RoomJoined), limit=20.0)

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def send_up(self, count: int) -> None:
        for _ in range(count):
            data = len(self.accepted).to_bytes(4, "little") * 5
            if self.client.send_message(data):
                self.accepted.append(data)
        self.network.flush("client")

    def send_down(self, count: int) -> None:
        for _ in range(count):
            data = len(self.sent_down).to_bytes(4, "little") * 5
            self.server.rooms[""].send(data)
            self.sent_down.append(data)
        self.network.flush("server")

    # What has become of the messages.

    @property
    def up(self) -> list[bytes]:
        return [event.data for event in self.at_server if isinstance(event, MessageFromPlayer)]

    @property
    def down(self) -> list[bytes]:
        return [event.data for event in self.at_client if isinstance(event, ServerMessageReceived)]

    def lost(self, *, ours: bool) -> int:
        return sum(event.count for event in self.at_client if isinstance(event, MessagesLost) and event.ours == ours)

    def of(self, kind: type) -> list[Any]:
        return [event for event in (*self.at_server, *self.at_client) if isinstance(event, kind)]

    def check(self) -> None:
        """Each message arrived once and in its order, or is reported as lost."""
        for sent, arrived, ours in ((self.accepted, self.up, True), (self.sent_down, self.down, False)):
            assert arrived == sorted(arrived, key=sent.index), "out of order"
            assert Counter(arrived) <= Counter(sent), "twice, or never sent"
            assert len(sent) - len(arrived) <= self.lost(ours=ours)
        assert self.lost(ours=True) <= len(self.accepted)
        dropped = [event.message for event in self.of(MessageDropped)]
        assert set(self.sent_down) <= set(self.down) | set(dropped)
        assert len(dropped) <= self.lost(ours=False), "a LOST of which nobody knows whether it arrived is told again"
        assert all(event.text for event in self.of(MessageDropped))


def test_a_burst_of_500_each_way_arrives_whole_and_in_order_and_nobody_is_disconnected() -> None:
    line = Line(loss=0.05)
    line.send_up(BURST)
    line.send_down(BURST)
    assert len(line.accepted) == BURST
    line.run(25.0)
    line.check()
    assert line.up == line.accepted
    assert line.down == line.sent_down
    assert not line.of(ConnectionLost)
    assert not line.of(MessagesLost)
    assert "flooded" not in line.server.refused


def test_500_each_way_over_a_cut_with_rejoin_arrive_once_or_are_reported_on_both_sides() -> None:
    line = Line(seed=3, loss=0.02)
    line.send_up(BURST)
    line.send_down(BURST)
    line.run(0.08)
    line.network.cut("client", "server", 4.0)
    line.send_down(40)
    line.run(9.0)
    assert [event.is_rejoin for event in line.of(RoomJoined)] == [False, True]
    line.check()
    missing = len(line.accepted) - len(line.up)
    assert missing > 0, "the cut came too late to lose anything"
    (told,) = line.of(MessagesNotReceived)
    (ours,) = [event for event in line.of(MessagesLost) if event.ours]
    assert (told.count, told.peer_id, ours.reason) == (ours.count, 0, None)
    assert missing <= told.count
    theirs = [event for event in line.of(MessagesLost) if not event.ours]
    assert theirs
    assert {event.reason for event in theirs} <= set(Gone)
    line.send_up(3)
    line.send_down(3)
    line.run(1.0)
    assert line.up[-3:] == line.accepted[-3:]
    assert line.down[-3:] == line.sent_down[-3:]
    line.check()


@pytest.mark.long
@given(
    seed=st.integers(0, 2**16),
    loss=st.sampled_from([0.0, 0.1]),
    steps=st.lists(
        st.tuples(
            st.integers(0, 100),
            st.integers(0, 200),
            st.sampled_from([0.0, 0.0, 0.5, 3.0, 5.0]),
            st.sampled_from([0.02, 0.3, 2.5]),
        ),
        min_size=1,
        max_size=3,
    ),
)
@settings(max_examples=12, deadline=None)
def test_whatever_the_network_does_each_arrives_once_or_is_reported(seed: int, loss: float, steps: list[Any]) -> None:
    line = Line(seed=seed, loss=loss, server={"message_queue": 3000})
    for up, down, cut, seconds in steps:
        line.send_up(up)
        line.send_down(down)
        line.run(seconds / 2)
        line.network.cut("client", "server", cut)
        line.run(seconds)
    line.run(20.0)
    line.check()


def test_messages_held_back_by_the_network_and_delivered_together_end_no_connection() -> None:
    line = Line(seed=5)
    for _ in range(12):
        line.send_up(60)
        line.network.cut("client", "server", 0.8)
        line.run(1.5)
    line.run(60.0)
    assert line.up == line.accepted
    assert not line.of(ConnectionLost)


def test_a_server_that_stands_still_and_leaves_out_ticks_ends_no_connection() -> None:
    line = Line(seed=6)
    for _ in range(20):
        line.send_up(40)
        line.network.pause("server", 1.0)
        line.run(1.2)
    line.run(60.0)
    assert line.server.skipped_ticks > 300
    assert line.up == line.accepted
    assert not line.of(ConnectionLost)


def test_a_server_that_takes_fewer_ends_the_connection_and_what_it_did_not_use_is_reported() -> None:
    line = Line(seed=7, server={"messages_per_second": 2.0})
    line.send_up(300)
    line.run(10.0)
    (lost,) = line.of(ConnectionLost)
    assert (lost.reason, lost.will_rejoin) == (Reason.VIOLATION, False)
    assert len(line.up) < 300
    line.check()


def test_a_program_that_leaves_within_its_time_has_sent_everything() -> None:
    line = Line(seed=8)
    line.send_up(150)
    line.client.close("bye", linger=10.0)
    assert not line.client.send_message(b"too late")
    line.run(10.0)
    assert line.up == line.accepted
    assert line.client.next_timeout() is None
    assert not line.of(MessagesLost)


@pytest.mark.parametrize("linger", [0.0, 1.0])
def test_a_program_that_leaves_too_early_is_told_what_did_not_arrive(linger: float) -> None:
    line = Line(seed=9)
    line.send_up(400)
    line.client.close(linger=linger)
    line.run(10.0)
    assert len(line.up) + line.lost(ours=True) >= 400
    assert line.lost(ours=True) > 0
    assert line.client.next_timeout() is None


def test_a_player_who_is_back_has_the_whole_credit_again() -> None:
    line = Line(seed=10)
    line.send_up(BURST)
    line.run(3.0)
    line.network.cut("client", "server", 4.0)
    line.run(8.0)
    assert len(line.of(PlayerRejoined)) == 1
    line.send_up(BURST)
    line.run(30.0)
    line.check()
    assert line.up[-BURST:] == line.accepted[-BURST:]
