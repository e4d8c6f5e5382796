"""The two skins over real sockets on loopback, with real links inside."""

import asyncio
import os
import time
from typing import Any

import pytest

from retick.link import Connected, LinkConfig, LinkEndpoint, MessageReceived, UnreliableReceived
from retick.transport import Conditions, Endpoint, Impaired, Poll, Pump, UdpSocket, open_udp
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
        events = poll_until(polls, lambda e: count_of(e, UnreliableReceived) and count_of(e, MessageReceived))
        assert {e.data for e in events if isinstance(e, UnreliableReceived | MessageReceived)} == {
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


class NoReaders(asyncio.SelectorEventLoop):
    """A loop that has no add_reader, as the Proactor loop of Windows."""

    def add_reader(self, *_: Any) -> None:
        raise NotImplementedError


def new_loop(kind: str) -> asyncio.AbstractEventLoop:
    return NoReaders() if kind == "fallback" else asyncio.SelectorEventLoop()


async def meet(host_socket: UdpSocket, guest_socket: UdpSocket) -> list[Any]:
    host, guest = make_link(), make_link()
    events: list[Any] = []
    done = asyncio.Event()

    def at_host(new: list[Any]) -> None:
        events.extend(new)
        for event in new:
            if isinstance(event, UnreliableReceived):
                event.connection.send_unreliable(b"echo " + event.data)

    def at_guest(new: list[Any]) -> None:
        events.extend(new)
        if count_of(new, UnreliableReceived):
            done.set()
        for event in new:
            if isinstance(event, Connected):
                event.connection.send_unreliable(b"ping")

    async with Pump(host, host_socket, on_events=at_host), Pump(guest, guest_socket, on_events=at_guest) as pump:
        guest.dial(guest_socket.resolve("127.0.0.1", host_socket.address[1]))
        pump.wake()
        await asyncio.wait_for(done.wait(), 10.0)
    return events


@pytest.mark.parametrize("kind", ["add_reader", "fallback"])
def test_two_links_meet_over_the_pump(kind: str) -> None:
    host_socket, guest_socket = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    loop = new_loop(kind)
    try:
        events = loop.run_until_complete(meet(host_socket, guest_socket))
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
        host_socket.close()
        guest_socket.close()
    assert [e.data for e in events if isinstance(e, UnreliableReceived)] == [b"ping", b"echo ping"]


def test_the_pump_wakes_an_endpoint_when_it_wants() -> None:
    sock = open_udp("127.0.0.1")
    endpoint = Recorder()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with Pump(endpoint, sock, on_events=lambda events: None) as pump:
            endpoint.wake_at = loop.time() + 0.02
            pump.wake()
            while not endpoint.woken:
                await asyncio.sleep(0.001)
        pump.wake()
        assert endpoint.woken[0] >= 0.0

    try:
        asyncio.run(asyncio.wait_for(run(), 10.0))
    finally:
        sock.close()


def test_an_error_in_the_handler_of_events_does_not_put_the_pump_to_sleep() -> None:
    sock = open_udp("127.0.0.1")
    endpoint = Recorder()
    endpoint.events = lambda: ["once"] if len(endpoint.woken) == 1 else []  # type: ignore[method-assign]  # a stub
    endpoint.wake_again = 0.01

    def fail(events: list[Any]) -> None:
        raise RuntimeError("the application's own")

    async def run() -> list[str]:
        loop = asyncio.get_running_loop()
        told: list[str] = []
        loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        async with Pump(endpoint, sock, on_events=fail) as pump:
            endpoint.wake_at = loop.time() + 0.01
            pump.wake()
            while len(endpoint.woken) < 3:
                await asyncio.sleep(0.001)
        return told

    try:
        told = asyncio.run(asyncio.wait_for(run(), 10.0))
    finally:
        sock.close()
    assert set(told) == {"the application's own"}
