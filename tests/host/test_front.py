"""The front: nobody gets in, everybody learns where to go."""

from random import Random
from typing import Any

import pytest

from retick.authority import ConnectionLost, Joined, JoinFailed
from retick.games.runner import Intent
from retick.host.front import Front
from retick.host.joining import JoinRequest, encode_join, redirect_to
from retick.link import LinkConfig, LinkEndpoint, Reason, Refused
from retick.link.sealing.primitives import public_key_of
from retick.netrunner import Client, ClientConfig, NetRunner, Server, ServerConfig
from retick.netrunner.profile import link_config_for
from retick.transport import Conditions, SimulatedNetwork

HOST = "10.0.0.1"
FRONT = (HOST, 7000)
TICK = 1 / 60


class Street:
    """A front, two servers behind it, and clients."""

    def __init__(self, **sealing: Any) -> None:
        self.sealing = sealing
        self.network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
        self.ports: dict[str, int | str] = {"": 7001, "b": 7002}
        link = link_config_for(NetRunner(), timeout=5.0, delta=True, sealing=self.sealing)  # type: ignore[arg-type]  # these fit
        self.front = Front(link, entropy=Random(1).randbytes, port_of=lambda room: self.ports.get(room, "no such room"))
        self.network.attach(FRONT, self.front, polled=True)
        self.network.every(TICK, lambda: self.turn(FRONT), owner=FRONT)
        self.servers = {7001: self.serve(7001, ("",)), 7002: self.serve(7002, ("b",))}

    def turn(self, address: Any) -> list[Any]:
        events = self.network.poll(address)
        self.network.flush(address)
        return list(events)

    def serve(self, port: int, rooms: tuple[str, ...]) -> Server:
        server = Server(NetRunner(), entropy=Random(port).randbytes, config=ServerConfig(rooms=rooms), **self.sealing)
        address = (HOST, port)
        self.network.attach(address, server, polled=True)
        self.network.every(TICK, lambda: self.turn(address), owner=address)
        return server

    def join(self, room: str = "", config: ClientConfig | None = None, **more: Any) -> tuple[Client, list[Any]]:
        address = ("10.0.0.9", 9000)
        client = Client(NetRunner(), FRONT, entropy=Random(9).randbytes, room=room, config=config, **more)
        events: list[Any] = []
        self.network.attach(address, client, polled=True)

        def loop() -> None:
            events.extend(self.network.poll(address))
            client.tick(Intent(), now=self.network.now)
            self.network.flush(address)

        self.network.every(TICK, loop, owner=address)
        return client, events

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)


def of(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize(("room", "port"), [("", 7001), ("b", 7002)])
def test_a_client_is_sent_to_the_server_of_its_room(room: str, port: int) -> None:
    street = Street()
    client, events = street.join(room)
    street.run(2.0)
    assert client.is_joined
    assert client.connection.address == (HOST, port)
    assert len(street.servers[port].rooms[room].players) == 1
    assert of(events, JoinFailed) == []
    assert (street.front.redirected, street.front.refused) == (1, 0)


def test_words_instead_of_a_port_are_what_the_player_is_told() -> None:
    street = Street()
    _, events = street.join("nowhere")
    street.run(2.0)
    assert [event.text for event in of(events, JoinFailed)] == ["no such room"]
    assert (street.front.redirected, street.front.refused) == (0, 1)


def test_a_client_whose_server_is_gone_asks_the_front_again_and_is_sent_elsewhere_as_a_new_player() -> None:
    street = Street()
    client, events = street.join("", ClientConfig(timeout=1.0))
    street.run(2.0)
    street.network.detach((HOST, 7001))
    street.servers[7002].open_room("")
    street.ports[""] = 7002
    street.run(4.0)
    assert [event.will_rejoin for event in of(events, ConnectionLost)] == [True]
    assert client.is_joined
    assert client.connection.address == (HOST, 7002)
    assert [event.is_rejoin for event in of(events, Joined)] == [False, False]


def test_a_client_that_lost_its_connection_gets_its_seat_back_through_the_front() -> None:
    street = Street()
    client, events = street.join("", ClientConfig(timeout=1.0))
    street.run(2.0)
    client.connection.close(Reason.TIMEOUT, "as if the line had gone")
    street.run(4.0)
    assert [event.is_rejoin for event in of(events, Joined)] == [False, True]
    assert street.front.redirected == 2


def test_a_closed_front_refuses_new_players_and_sends_those_with_a_seat_to_it() -> None:
    street = Street()
    street.front.closed_text = "the server stops"
    _, events = street.join()
    street.run(2.0)
    assert [(event.reason, event.text) for event in of(events, JoinFailed)] == [(Reason.SHUTDOWN, "the server stops")]
    with_seat = encode_join(JoinRequest("b", b"t" * 16))
    assert street.front._answer(with_seat) == redirect_to(7002)


def test_another_game_is_refused_at_the_front_and_a_request_that_cannot_be_read_too() -> None:
    front = Front(LinkConfig(game_id="x", sealed=False), entropy=Random(1).randbytes, port_of=lambda room: 7001)
    answers = []
    for game, data in (("y", b""), ("x", b"\xff" * 20)):
        end = LinkEndpoint(LinkConfig(game_id=game, sealed=False), entropy=Random(2).randbytes)
        end.dial("front", data=data)
        for _ in range(3):
            for packet, _to in end.datagrams_to_send(now=0.0):
                front.receive_datagram(packet, "end", now=0.0)
            for packet, _to in front.datagrams_to_send(now=0.0):
                end.receive_datagram(packet, "front", now=0.0)
        answers += [event.reason for event in end.events() if isinstance(event, Refused)]
    assert answers == [Reason.GAME, Reason.DENIED]
    assert front.next_timeout() is None
    assert front.events() == []


def test_who_trusts_the_key_of_the_front_trusts_the_port_that_it_is_sent_to() -> None:
    key_pair = b"k" * 32
    street = Street(key_pair=key_pair)
    client, events = street.join("b", server_key=public_key_of(key_pair))
    street.run(2.0)
    assert len(of(events, Joined)) == 1
    assert client.connection.address == (HOST, 7002)


def test_without_the_key_nobody_is_told_where_a_room_is() -> None:
    street = Street(key_pair=b"k" * 32)
    _, events = street.join("b")
    street.run(2.0)
    assert [event.reason for event in of(events, JoinFailed)] == [Reason.SECRET]
    assert street.front.redirected == 0


@pytest.mark.parametrize("sealed", [True, False])
def test_redirection_works_sealed_and_plain(sealed: bool) -> None:
    street = Street(sealed=sealed)
    _, events = street.join("b", sealed=sealed)
    street.run(2.0)
    assert len(of(events, Joined)) == 1
    assert street.front._link.connections == {}


def test_a_front_with_too_many_who_ask_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.host.front.MOST_ASKING", 2)
    front = Front(LinkConfig(max_connections=1, sealed=True), entropy=Random(1).randbytes, port_of=lambda room: 7001)
    ends = [LinkEndpoint(LinkConfig(sealed=True), entropy=Random(number).randbytes) for number in range(3)]
    for number, end in enumerate(ends):
        end.dial("front")
        for _ in range(2):  # as far as HELLO: nobody enters
            for packet, _to in end.datagrams_to_send(now=0.0):
                front.receive_datagram(packet, number, now=0.0)
            for packet, _to in front.datagrams_to_send(now=0.0):
                end.receive_datagram(packet, "front", now=0.0)
    refused = [[event.reason for event in end.events() if isinstance(event, Refused)] for end in ends]
    assert refused == [[], [], [Reason.FULL]]
