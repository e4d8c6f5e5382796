"""Whatever a stranger sends, the server goes on, counts it by reason, and nobody else notices."""

import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.games.runner import RunnerCommand
from retick.host.joining import JoinRequest, encode_join
from retick.netrunner import Client, Server
from retick.netrunner.delta import ACKED_INPUT
from retick.netrunner.messages import ClientHello, Ping, ResyncHint
from retick.netrunner.server.player import Player
from retick.transport import MemoryHub
from tests.effort import examples
from tests.netrunner.courses import Field, seeded
from tests.netrunner.strangers import NET, SCHEMA, Stranger, field_with_stranger


def player_of(field: Field, *, honest: bool) -> Player:
    known = field.clients["honest"].peer_id
    [found] = [player for player in field.server.rooms[""].players.values() if (player.peer_id == known) == honest]
    return found


def refusals(field: Field) -> dict[str, int]:
    link = field.server._link.dropped
    return {
        reason: count - link.get(reason, 0)
        for reason, count in field.server.refused.items()
        if count - link.get(reason, 0)
    }


def bundle(*commands: RunnerCommand) -> bytes:
    return NET.encode_inputs(commands)


def command_bytes(**more: Any) -> bytes:
    """A bundle with values that no encoder of ours would write."""
    values = {"seq": 1, "tick": 90, "epoch": 1, "dt": 0.0, "x": 0.0, "y": 0.0, "b": 0, "yaw": 0.0, "pitch": 0.0} | more
    return (b"\x01\x01" + struct.pack("<IIIfffBff", *values.values())).ljust(167, b"\0")


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\x01", "malformed"),
        (b"\x01\x00" + bytes(165), "malformed"),
        (b"\x01\x06" + bytes(165), "malformed"),
        (bytes(167), "malformed"),
        (b"\x02" + bytes(1397), "malformed"),
        (bytes((ACKED_INPUT,)), "malformed"),
        (bytes((ACKED_INPUT,)) + b"\xff\xff\xff\xff" + bytes(167), "malformed"),
        (b"\x01\x01" + bytes(166), "malformed"),
        (command_bytes(seq=0), "bad_command"),
        (command_bytes(x=float("nan")), "bad_command"),
        (command_bytes(pitch=float("inf")), "bad_command"),
        (command_bytes(epoch=0xFFFFFFF0), "old_epoch"),
    ],
)
def test_bad_payloads_are_counted_by_reason(payload: bytes, reason: str) -> None:
    field, stranger = field_with_stranger()
    assert stranger.connection.send_unreliable(payload)
    field.network.flush("stranger")
    field.run(0.5)
    assert refusals(field) == {reason: 1}
    assert field.clients["honest"].stats.refused == 0


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"", "malformed"),
        (b"\x03\x09" + bytes(94), "malformed"),
        (b"\x03\x03" + bytes(93), "malformed"),
        (NET.encode_control(ClientHello(6))[:2] + b"\x05" + bytes(93), "wrong_version"),
        (NET.encode_control(ResyncHint(5)), "unexpected"),
        (b"\x04" + bytes(28), "unexpected"),
    ],
)
def test_bad_messages_are_counted_by_reason(message: bytes, reason: str) -> None:
    field, stranger = field_with_stranger()
    assert stranger.connection.send_reliable(message)
    field.network.flush("stranger")
    field.run(0.5)
    assert refusals(field) == {reason: 1}


def test_ticks_far_ahead_and_behind_are_dropped_and_counted_for_the_player() -> None:
    field, stranger = field_with_stranger()
    tick = field.server.rooms[""].tick
    stranger.connection.send_unreliable(bundle(RunnerCommand(1, tick + 500, 1), RunnerCommand(2, 4_000_000_000, 1)))
    stranger.connection.send_unreliable(bundle(RunnerCommand(3, 1, 1)))
    field.network.flush("stranger")
    field.run(0.2)
    player = player_of(field, honest=False)
    assert (player.stats.dropped_future, player.stats.dropped_old) == (2, 1)
    assert player.buffer.waiting == 0


def test_axes_beyond_one_move_nobody_faster() -> None:
    field, stranger = field_with_stranger()
    player = player_of(field, honest=False)
    for seq in range(1, 60):
        tick = field.server.rooms[""].tick + 5
        stranger.connection.send_unreliable(command_bytes(seq=seq, tick=tick, x=1e30, y=-1e30))
        field.network.flush("stranger")
        field.run(1 / 60)
        vx, _, vz = player.state.velocity
        assert vx * vx + vz * vz <= 9.0**2 + 1e-3
    assert player.stats.ticks_buffered > 40


def test_a_client_that_sends_ten_times_too_often_is_not_read_and_harms_nobody() -> None:
    field, stranger = field_with_stranger()
    honest = player_of(field, honest=True)
    before = honest.stats
    for seq in range(1, 300):
        tick = field.server.rooms[""].tick + 5
        for _ in range(20):
            stranger.connection.send_unreliable(bundle(RunnerCommand(seq, tick, 1)))
            stranger.connection.send_reliable(NET.encode_control(Ping(1, 1)))
        field.network.flush("stranger")
        field.run(1 / 60)
    assert refusals(field)["flooded"] > 3000
    after = honest.stats
    assert after.ticks_held == before.ticks_held
    assert after.ticks_neutral == before.ticks_neutral
    assert after.ticks_buffered - before.ticks_buffered > 290
    assert max(event.correction for event in field.events["honest"][-50:]) == 0.0


def test_inputs_before_a_hello_make_no_player() -> None:
    field = Field()
    stranger = Stranger("server")
    stranger.events = lambda: stranger.link.events()  # type: ignore[method-assign]  # it does not read
    field.network.attach("stranger", stranger, on_events=lambda events: None)
    field.run(0.5)
    stranger.connection.send_unreliable(bundle(RunnerCommand(1, 50, 1)))
    stranger.connection.send_reliable(NET.encode_control(Ping(1, 1)))
    field.network.flush("stranger")
    field.run(0.5)
    assert refusals(field) == {"not_joined": 2}
    assert field.server.rooms[""].players == {}
    field.run(10.0)
    assert field.server.links == []


@pytest.mark.parametrize("wish", [b"\x02", b"\x01" * 300, encode_join(JoinRequest("nowhere", b"", SCHEMA))])
def test_a_hello_that_cannot_be_read_is_refused(wish: bytes) -> None:
    field = Field()
    field.network.attach("stranger", Stranger("server", wish[:256]), on_events=lambda events: None)
    field.run(0.5)
    assert refusals(field) == {"bad_join": 1}


class Rig:
    """A server and a stranger without time between them, to be fed with anything."""

    def __init__(self) -> None:
        self.hub = MemoryHub()
        self.server = Server(NET, entropy=seeded(1))
        self.stranger = Stranger("server")
        self.hub.attach("server", self.server)
        self.hub.attach("stranger", self.stranger)
        self.now = 0.0
        for _ in range(20):
            self.turn()

    def turn(self) -> None:
        self.now += 1 / 60
        self.hub.exchange(now=self.now)
        self.stranger.events()


RIG = Rig()


@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 18), st.binary(max_size=200), st.booleans()), max_size=6))
def test_no_bytes_bring_the_server_down(packets: list[tuple[int, bytes, bool]]) -> None:
    global RIG
    if not RIG.stranger.connection.is_connected:
        RIG = Rig()
    for kind, data, reliable in packets:
        padded = bytes((kind,)) + data.ljust({1: 166, 3: 95, ACKED_INPUT: 171}.get(kind, 0), b"\0")
        if reliable:
            RIG.stranger.connection.send_reliable(padded)
        else:
            RIG.stranger.connection.send_unreliable(padded)
        RIG.turn()
    tick = RIG.server.rooms[""].tick
    RIG.turn()
    assert RIG.server.rooms[""].tick == tick + 1


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.binary(max_size=120), max_size=5), st.sampled_from([0x80, 0xBF, 0xC0, 0xC1, 0xE0, 0xE2, 0x00]))
def test_no_datagram_brings_either_down(datagrams: list[bytes], first: int) -> None:
    server, client = Server(NET, entropy=seeded(1)), Client(NET, "server", entropy=seeded(2))
    for number, data in enumerate(datagrams):
        for end in (server, client):
            end.receive_datagram(bytes((first,)) + data, "server", now=number / 60)
            end.handle_timeout(now=number / 60)
            end.datagrams_to_send(now=number / 60)
            end.events()
    assert server.rooms[""].players == {}
    assert not client.is_joined
