"""Server and client together: stages 2 and 3 of the rollout, coming and going, shooting."""

from typing import Any

import pytest

from retick.authority import (
    Client,
    ClientConfig,
    ConnectionLost,
    GameMessageReceived,
    Joined,
    JoinFailed,
    PlayerJoined,
    PlayerLeft,
    PlayerLost,
    PlayerRejoined,
    Reconciled,
    Server,
    ServerConfig,
)
from retick.games.runner import CourseBot, Intent, LocomotionState, Mode, NetRunner
from retick.games.runner.netrunner.fire import FireResult, FireVisual
from retick.link import Reason
from retick.transport import Conditions, MemoryHub
from tests.authority.courses import Field, Still, seeded, small_rooms


class OldRunner(NetRunner):
    protocol_version = 5  # type: ignore[misc]  # final elsewhere


class MislabelledRunner(NetRunner):
    """Says 6 to the link and 5 in its hello."""

    def encode_control(self, message: Any) -> bytes:  # type: ignore[override]  # any message
        data = NetRunner.encode_control(message)
        return data[:2] + (5).to_bytes(4, "little") + data[6:] if data[1] in (1, 2) else data


def test_players_join_in_order_and_exchange_snapshots_without_a_refusal() -> None:
    field = Field()
    first = field.join("a")
    field.run(0.5)
    second = field.join("b")
    field.run(2.0)
    assert (first.peer_id, second.peer_id) == (2, 3)
    assert [event.peer_id for event in field.server_events if isinstance(event, PlayerJoined)] == [2, 3]
    assert first.stats.snapshots > 35
    assert first.stats.refused == second.stats.refused == 0
    assert not any(field.server.rooms[""].stats.refused.values())
    assert set(first.others(now=field.network.now)) == {3}


def test_a_client_of_another_version_is_refused_by_the_link() -> None:
    field = Field()
    field.join("old", profile=OldRunner())
    field.run(1.0)
    [failed] = field.of("old", JoinFailed)
    assert failed.reason == Reason.GAME_VERSION
    assert field.server.rooms[""].players == {}


def test_a_hello_of_another_version_closes_the_connection_and_is_counted() -> None:
    field = Field()
    field.join("old", profile=MislabelledRunner())
    field.run(1.0)
    assert field.server.refused["wrong_version"] == 1
    assert field.server.rooms[""].players == {}
    assert field.clients["old"].is_over


def test_a_welcome_of_another_version_ends_the_session() -> None:
    field = Field(profile=MislabelledRunner())
    field.join("new", profile=NetRunner())
    field.run(1.0)
    [failed] = field.of("new", JoinFailed)
    assert failed.reason == Reason.GAME_VERSION
    assert field.clients["new"].player is None


def test_the_seventeenth_player_is_refused_and_nobody_else_notices() -> None:
    field = Field()
    for number in range(17):
        field.join(f"client {number}", phase=number * 0.0005)
    field.run(3.0)
    refused = [name for name in field.clients if field.of(name, JoinFailed)]
    assert len(refused) == 1
    assert field.of(refused[0], JoinFailed)[0].reason == Reason.FULL
    assert len(field.server.rooms[""].players) == 16
    for name, client in field.clients.items():
        if name not in refused:
            assert client.stats.snapshots > 30
            assert client.server_stats.ticks_buffered > 60


def test_rooms_are_worlds_of_their_own_and_unknown_ones_are_refused() -> None:
    field = Field(config=ServerConfig(rooms=("red", "blue")))
    red, blue = field.join("a", room="red"), field.join("b", room="blue")
    field.join("c", room="green")
    field.run(1.5)
    assert red.others(now=field.network.now) == blue.others(now=field.network.now) == {}
    assert [len(room.players) for room in field.server.rooms.values()] == [1, 1]
    assert "green" in field.of("c", JoinFailed)[0].text


def test_a_player_who_leaves_is_gone_from_the_next_snapshot() -> None:
    field = Field()
    first, second = field.join("a"), field.join("b")
    field.run(1.0)
    assert len(first.others(now=field.network.now)) == 1
    second.close("enough")
    field.run(0.5)
    assert first.others(now=field.network.now) == {}
    assert [event.text for event in field.server_events if isinstance(event, PlayerLeft)] == ["enough"]


def test_a_server_that_closes_tells_its_clients() -> None:
    field = Field()
    field.join("a")
    field.run(1.0)
    field.server.close("maintenance")
    field.run(0.5)
    [lost] = field.of("a", ConnectionLost)
    assert (lost.text, lost.will_rejoin) == ("maintenance", False)
    assert field.clients["a"].is_over


def test_a_cut_connection_is_joined_again_with_the_same_body() -> None:
    field = Field(config=ServerConfig(timeout=2.0))
    client = field.join("a", config=ClientConfig(timeout=2.0))
    field.join("b")
    field.run(4.0)
    before = client.peer_id
    field.network.cut("server", "a", 3.0)
    field.run(6.0)
    assert client.peer_id == before
    assert [event.is_rejoin for event in field.of("a", Joined)] == [False, True]
    kinds = [type(event) for event in field.server_events if getattr(event, "peer_id", 0) == before]
    assert kinds == [PlayerJoined, PlayerLost, PlayerRejoined]
    late = [event.correction for event in field.of("a", Reconciled)][-20:]
    assert max(late) == 0.0


def test_a_player_who_does_not_come_back_loses_the_seat() -> None:
    field = Field(config=ServerConfig(timeout=1.0, rejoin_seconds=2.0), profile=small_rooms(1))
    field.join("a", config=ClientConfig(rejoin=False))
    field.run(1.0)
    field.network.detach("a")
    field.run(1.5)
    assert isinstance(field.server_events[-1], PlayerLost)
    field.run(3.0)
    assert isinstance(field.server_events[-1], PlayerLeft)
    field.join("b")
    field.run(1.0)
    assert field.clients["b"].peer_id == 3


def test_a_client_whose_machine_stops_for_a_second_comes_back_with_a_new_epoch() -> None:
    field = Field()
    client = field.join("a")
    field.run(2.0)
    field.network.pause("a", 1.0)
    field.run(4.0)
    assert client.stats.epochs == 1
    assert field.server.rooms[""].players[2].epoch == 2
    late = [event.correction for event in field.of("a", Reconciled)][-20:]
    assert max(late) == 0.0


@pytest.mark.parametrize("mode", list(Mode))
def test_snapshots_carry_the_locomotion_of_the_authoritative_state(mode: Mode) -> None:
    """Stage 3: whatever state is put into the server's body is what a client restores."""
    field = Field(conditions=Conditions())
    field.join("a", bot=Still())
    field.run(1.0)
    player = field.server.rooms[""].players[2]
    wanted = LocomotionState(mode, 200, (0.6, 0.0, -0.8) if mode in (2, 3) else (0.0, 0.0, 0.0), 9, 30)
    injected = player.state.with_locomotion(wanted)
    room = field.server.rooms[""]
    view = player.view()._replace(state=injected)
    data = field.profile.encode_snapshot(room.tick + 1, [view])
    assert data[6 + 81] & 7 == mode
    assert field.profile.decode_snapshot(data).players[0].state == injected


def test_right_after_the_restore_a_client_has_what_the_server_sent() -> None:
    """Stage 4: the restored state is the server's own, bit for bit, whenever nothing was lost."""
    field = Field(conditions=Conditions(latency=0.03))
    room = field.server.rooms[""]
    field.join("a")
    states: dict[int, Any] = {}

    def note() -> None:
        if 2 in room.players:
            states[room.tick] = room.players[2].state

    field.network.every(1 / 60, note, phase=1e-5)
    field.run(12.0)
    reconciled = field.of("a", Reconciled)
    assert len(reconciled) > 150
    assert all(event.restored == states[event.tick] for event in reconciled)
    assert {event.restored.mode for event in reconciled} >= {Mode.GROUNDED, Mode.AIR, Mode.WALL_RUN}


class Shooter:
    """Looks along -z and fires once a second."""

    def __init__(self) -> None:
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        return Intent(fire=self.ticks % 60 == 59)


def test_a_shot_is_judged_once_and_told_to_everyone() -> None:
    field = Field()
    field.join("a", bot=Shooter())
    field.join("b", bot=Still())
    field.run(2.6)
    for name in ("a", "b"):
        told = [event.message for event in field.of(name, GameMessageReceived)]
        results = [message for message in told if isinstance(message, FireResult)]
        assert len(results) == 2
        assert len([message for message in told if isinstance(message, FireVisual)]) == 2
        assert {result.shooter for result in results} == {field.clients["a"].peer_id}
    assert field.server.rooms[""].stats.shots == 2


def test_a_listening_host_is_a_server_and_a_client_in_one_process() -> None:
    """No shortcut past prediction and reconcile: the two meet on a hub, and never correct each other."""
    hub, profile, bot = MemoryHub(), NetRunner(), CourseBot(7)
    server = Server(profile, entropy=seeded(1))
    client = Client(profile, "server", entropy=seeded(2))
    hub.attach("server", server)
    hub.attach("host", client)
    corrections = []
    for frame in range(600):
        now = frame / 60
        hub.exchange(now=now)
        corrections += [event.correction for event in client.events() if isinstance(event, Reconciled)]
        if client.player is not None:
            client.tick(bot.decide(client.player), now=now)
    assert len(corrections) > 180
    assert max(corrections[10:]) == 0.0


def test_a_token_that_nobody_has_gets_a_new_seat_and_a_new_token() -> None:
    field = Field()
    client = field.join("a")
    client._token = bytes(16)
    client._connection.close()
    client._connection = client._dial()
    field.run(1.0)
    assert client.is_joined
    assert client._token != bytes(16)
    assert field.server.rooms[""].players[2].token == client._token


def test_a_second_dial_with_a_seats_token_takes_it_over() -> None:
    field = Field()
    first = field.join("a")
    field.run(1.0)
    second = field.join("b")
    second._token = first._token
    second._connection.close()
    second._connection = second._dial()
    field.run(2.0)
    assert second.peer_id == first.peer_id == 2
    assert field.of("a", ConnectionLost)[0].text == "the seat was taken over from elsewhere"
    assert first.is_over
    assert len(field.server.rooms[""].players) == 1
