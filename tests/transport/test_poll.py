"""A game's own loop over real sockets on loopback, with real links inside."""

import os
import time
from typing import Any

import pytest

from retick.link import Connected, Disconnected, LinkConfig, LinkEndpoint, ReliableReceived, UnreliableReceived
from retick.transport import Conditions, Endpoint, Impaired, Poll, UdpSocket, open_udp
from tests.transport.echo import Recorder


def make_link() -> LinkEndpoint:
    return LinkEndpoint(LinkConfig(game_id="test"), entropy=os.urandom)


def poll_until(polls: list[Poll], wanted: Any) -> list[Any]:
    """Poll all in turn until ``wanted`` says that the events are enough."""
    events: list[Any] = []
    deadline = time.monotonic() + 10.0
    while not wanted(events):
        assert time.monotonic() < deadline, events
        for poll in polls:
            events += poll.poll()
    return events


def count_of(events: list[Any], kind: type) -> int:
    return sum(isinstance(event, kind) for event in events)


def test_two_links_meet_over_poll() -> None:
    host_socket, guest_socket = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    host, guest = make_link(), make_link()
    polls = [Poll(host, host_socket), Poll(guest, guest_socket)]
    try:
        connection = guest.dial(guest_socket.resolve("127.0.0.1", host_socket.address[1]))
        poll_until(polls, lambda events: count_of(events, Connected) == 2)
        connection.send_unreliable(b"payload")
        connection.send_reliable(b"message" * 1000)
        polls[1].flush()
        events = poll_until(polls, lambda e: count_of(e, UnreliableReceived) and count_of(e, ReliableReceived))
        assert {e.data for e in events if isinstance(e, UnreliableReceived | ReliableReceived)} == {
            b"payload",
            b"message" * 1000,
        }
    finally:
        for poll in polls:
            poll.close()


def test_conditions_work_on_a_real_socket() -> None:
    """A clock by hand: the socket is real, the latency is not waited for."""
    host_socket, guest_socket = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    host, guest = make_link(), make_link()
    bad: list[Endpoint] = [Impaired(e, outgoing=Conditions(latency=0.1), seed=i) for i, e in enumerate((host, guest))]
    clock = [0.0]
    polls = [Poll(e, s, clock=lambda: clock[0]) for e, s in zip(bad, (host_socket, guest_socket), strict=True)]
    try:
        connection = guest.dial(guest_socket.resolve("127.0.0.1", host_socket.address[1]))
        events: list[Any] = []
        for _ in range(4000):
            clock[0] += 0.005
            for poll in polls:
                events += poll.poll()
            if connection.stats.rtt_least:
                break
        assert count_of(events, Connected) == 2
        assert connection.stats.rtt_least >= 0.2
    finally:
        for poll in polls:
            poll.close()


class Waiting(UdpSocket):
    """A socket in which datagrams already wait."""

    def __init__(self, count: int) -> None:
        self.waiting = [b"x"] * count
        self.order: list[str] = []

    def receive(self) -> Any:
        if not self.waiting:
            return None
        self.order.append("receive")
        return self.waiting.pop(), "peer"


def test_a_poll_reads_before_it_looks_at_the_clock_and_no_more_than_its_drain() -> None:
    sock = Waiting(3)
    endpoint = Recorder()
    endpoint.wake_at = 1.0
    endpoint.handle_timeout = lambda *, now: sock.order.append("timeout")  # type: ignore[method-assign]  # a spy
    poll = Poll(endpoint, sock, drain=2)
    poll.poll(now=5.0)
    assert sock.order == ["receive", "receive", "timeout"]
    poll.poll(now=5.0)
    assert sock.order[3:] == ["receive", "timeout"]
    assert len(endpoint.received) == 3


def met() -> tuple[Poll, Poll, LinkEndpoint]:
    """Two links that have met, the second under a bad link."""
    host_socket, guest_socket = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    host, guest = make_link(), make_link()
    polls = Poll(host, host_socket), Poll(Impaired(guest, outgoing=Conditions(latency=0.01)), guest_socket)
    guest.dial(guest_socket.resolve("127.0.0.1", host_socket.address[1]))
    poll_until(list(polls), lambda events: count_of(events, Connected) == 2)
    return *polls, guest


def test_whoever_leaves_a_block_has_said_goodbye_also_after_an_error() -> None:
    host, guest, link = met()
    with pytest.raises(KeyboardInterrupt), guest:
        raise KeyboardInterrupt
    assert guest.socket.fileno() == -1
    [event] = poll_until([host], lambda events: count_of(events, Disconnected))
    assert event.by_peer
    assert link.next_timeout() is None
    with host:
        pass


def test_nobody_waits_longer_to_leave_than_it_says() -> None:
    host, guest, _ = met()
    host.close()
    began = guest.clock()
    guest.leave(longest=0.05)
    assert guest.clock() >= began
    assert guest.socket.fileno() == -1


def test_an_endpoint_without_a_goodbye_is_only_closed() -> None:
    wire = Poll(Recorder(), open_udp("127.0.0.1"))
    assert wire.leave() == []
    assert wire.socket.fileno() == -1


class Polite(Recorder):
    """An endpoint that says goodbye when it is closed, and has a moment more to do then."""

    def close(self) -> None:
        self.wake_at = 0.0

    def handle_timeout(self, *, now: float) -> None:
        raise KeyboardInterrupt


def test_a_second_ctrl_c_ends_the_goodbye_and_the_socket_is_closed() -> None:
    wire = Poll(Impaired(Polite()), open_udp("127.0.0.1"))
    with pytest.raises(KeyboardInterrupt), wire:
        raise KeyboardInterrupt
    assert wire.socket.fileno() == -1
