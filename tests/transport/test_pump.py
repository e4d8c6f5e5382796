"""The asyncio pump over real sockets on loopback, with real links inside."""

import asyncio
import os
from contextlib import nullcontext
from typing import Any

import pytest

from retick.link import Connected, LinkConfig, LinkEndpoint, UnreliableReceived
from retick.transport import Pump, UdpSocket, open_udp
from tests.transport.echo import Recorder


def make_link() -> LinkEndpoint:
    return LinkEndpoint(LinkConfig(game_id="test"), entropy=os.urandom)


def count_of(events: list[Any], kind: type) -> int:
    return sum(isinstance(event, kind) for event in events)


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


@pytest.mark.parametrize("kind", ["add_reader", "fallback"])
def test_what_cannot_be_sent_is_counted_by_every_kind_of_loop(kind: str) -> None:
    sock = open_udp("127.0.0.1")
    endpoint = Recorder()
    loop = new_loop(kind)

    async def run() -> None:
        async with Pump(endpoint, sock, on_events=lambda events: None) as pump:
            for address in (("fe80::1%é", 9), ("name", 9), "nowhere"):
                endpoint.outbox.append((b"x", address))
            endpoint.outbox.append((bytes(70_000), ("127.0.0.1", 9)))
            pump.wake()
            while sock.dropped.total() < 4:
                await asyncio.sleep(0.001)

    try:
        loop.run_until_complete(run())
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
        sock.close()
    assert sock.dropped == {"bad_address": 3, "EMSGSIZE": 1}


@pytest.mark.parametrize("error", [None, asyncio.CancelledError, RuntimeError])
def test_a_pump_says_goodbye_on_every_way_out(error: type[BaseException] | None) -> None:
    sock = open_udp("127.0.0.1")
    endpoint = Recorder()
    closed: list[bool] = []
    endpoint.close = lambda: closed.append(True)  # type: ignore[attr-defined]  # what a session has, and a recorder has not

    async def run() -> None:
        async with Pump(endpoint, sock, on_events=lambda events: None):
            if error is not None:
                raise error

    try:
        with nullcontext() if error is None else pytest.raises(error):
            asyncio.run(run())
    finally:
        sock.close()
    assert closed == [True]


def test_a_pump_waits_for_a_goodbye_and_no_longer_than_it_may() -> None:
    sock = open_udp("127.0.0.1")
    endpoint = Recorder()
    endpoint.wake_again = 0.001

    async def run() -> None:
        pump = Pump(endpoint, sock, on_events=lambda events: None)
        await pump.start()
        endpoint.wake_at = pump.now
        await pump.leave(longest=0.05)

    try:
        asyncio.run(asyncio.wait_for(run(), 10.0))
    finally:
        sock.close()
    assert endpoint.woken
