"""The driver of a relay over real sockets: frames, answers on both ports, both families, and faults of the system."""

import asyncio
import os
from collections.abc import Iterator

import pytest

from retick.errors import NetworkUnavailable
from retick.relay import MemberState, Reflection, RelayEvent, RelayServer, RoomOpened
from retick.relay import packets as wire
from retick.serving.relay import RelayLoop
from retick.transport.poll import Poll
from retick.transport.udp import UdpSocket, open_udp
from tests.relay.meeting import KEY
from tests.serving.relaying import Person


@pytest.fixture(params=["127.0.0.1", "::"])
def sockets(request: pytest.FixtureRequest) -> Iterator[tuple[UdpSocket, UdpSocket]]:
    try:
        opened = open_udp(request.param), open_udp(request.param)
    except NetworkUnavailable:
        pytest.skip("no IPv6 here")
    yield opened
    for socket in opened:
        socket.close()


def test_two_meet_and_a_survey_is_answered_on_both_ports(sockets: tuple[UdpSocket, UdpSocket]) -> None:
    first, second = sockets
    ports = (first.address[1], second.address[1])
    server = RelayServer(key=KEY, entropy=os.urandom, ports=ports)
    told: list[RelayEvent] = []
    relay = ("127.0.0.1", ports[0])

    async def run() -> None:
        forwarding = RelayLoop(server, first, second, on_events=told.extend)
        forwarding.start()
        people = [Person(relay), Person(relay)]
        survey = Reflection(relay, entropy=os.urandom)
        surveying = Poll(survey, open_udp("127.0.0.1"))

        async def until(wanted: object) -> None:
            assert callable(wanted)
            async with asyncio.timeout(30):
                while not wanted():
                    for person in people:
                        person.events += person.poll.poll()
                    surveying.poll()
                    await asyncio.sleep(0.002)

        try:
            ann, bob = (person.member for person in people)
            ann.open(2)
            await until(lambda: ann.state is MemberState.INSIDE)
            bob.join(ann.code)
            await until(lambda: bob.state is MemberState.INSIDE)
            bob.send(0, b"hello")
            await until(lambda: server.forwarded == 1)
            await until(lambda: survey.is_done)
            await until(lambda: told)
        finally:
            forwarding.stop()
            surveying.close()
            for person in people:
                person.close()
        assert str(survey.result.host) == "127.0.0.1"
        assert (survey.result.is_symmetric, survey.result.lets_others_in) == (False, True)

    asyncio.run(run())
    assert isinstance(told[0], RoomOpened)


def test_without_a_second_socket_and_with_a_target_that_cannot_be_reached_it_goes_on() -> None:
    first = open_udp("127.0.0.1")
    sender = open_udp("127.0.0.1")
    server = RelayServer(key=KEY, entropy=os.urandom)
    forwarding = RelayLoop(server, first, None, on_events=lambda events: None)
    try:
        forwarding.stop()
        for flags in (0, 1):
            request = wire.RelayRequest(wire.ASK, b"nonce678", flags=flags)
            sender.send(wire.encode_request(request), first.address)
        server.take = lambda data, address, now: ("0.0.0.0", 0)  # type: ignore[method-assign,assignment]  # nowhere
        sender.send(b"x", first.address)
        forwarding.drain()
        assert sum(first.dropped.values()) == 3
    finally:
        first.close()
        sender.close()
