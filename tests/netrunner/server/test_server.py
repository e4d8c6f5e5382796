"""A server and its clients: joining, leaving, rejoining, and what is refused."""

import json
from typing import Any

import pytest

from retick.authority import ConnectionLost, Joined, JoinFailed, PlayerJoined, PlayerLeft, PlayerLost, PlayerRejoined
from retick.errors import UsageError
from retick.games.runner import COURSE
from retick.link import Reason
from retick.netrunner import ClientConfig, NetRunner, Server, ServerConfig, delta
from retick.netrunner.events import Reconciled
from retick.transport import Conditions
from tests.netrunner.courses import Field, small_rooms
from tests.netrunner.declared_games import Idle, wide_profile


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


@pytest.mark.long
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


def test_a_game_whose_snapshots_pass_a_datagram_is_refused_before_a_room_fills() -> None:
    Server(wide_profile(5), entropy=bytes)
    with pytest.raises(UsageError, match="fixed snapshot of 16 players"):
        Server(wide_profile(40), entropy=bytes, config=ServerConfig(delta=False))
    with pytest.raises(UsageError, match="may take"):
        Server(wide_profile(40, steps=100), entropy=bytes)
    with pytest.raises(UsageError, match="may take"):
        Server(wide_profile(0, players=65), entropy=bytes)


@pytest.mark.long
def test_who_takes_no_deltas_is_refused_where_fixed_snapshots_are_too_long() -> None:
    field = Field(profile=wide_profile(40))
    for number in range(9):
        field.join(f"takes deltas {number}", bot=Idle())
    field.join("does not", bot=Idle(), config=ClientConfig(delta=False))
    field.run(1.5)
    assert [client.is_joined for client in field.clients.values()] == [True] * 9 + [False]
    assert all(client.stats.snapshots > 20 for name, client in field.clients.items() if name != "does not")
    assert "delta" in field.of("does not", JoinFailed)[0].text


@pytest.mark.parametrize(("server", "client"), [(True, True), (True, False), (False, True)])
def test_deltas_are_sent_when_both_ends_can(server: bool, client: bool) -> None:
    field = Field(config=ServerConfig(delta=server), conditions=Conditions(latency=0.03, loss=0.02))
    joined = field.join("a", config=ClientConfig(delta=client))
    field.join("b", config=ClientConfig(delta=client))
    field.run(3.0)
    assert field.of("a", Joined)[0].delta == (server and client)
    size = joined.stats.snapshot_bytes / joined.stats.snapshots
    assert (size == 1398) != (server and client)
    assert joined.stats.refused == joined.stats.missing_baselines == 0
    assert field.server.refused.get("malformed", 0) == 0


@pytest.mark.parametrize("sealed", [True, False])
def test_compact_deltas_have_a_check_on_plain_links_and_none_on_sealed_ones(
    sealed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms: set[int] = set()
    split = delta.split_delta

    def seen(data: bytes) -> delta.DeltaFrame:
        frame = split(data)
        forms.update(frame.body[:1] if frame.back else b"")
        return frame

    monkeypatch.setattr(delta, "split_delta", seen)
    field = Field(sealed=sealed, config=ServerConfig(compact=True))
    joined = field.join("a", config=ClientConfig(compact=True))
    field.join("b", config=ClientConfig(compact=True))
    field.run(1.5)
    assert forms
    assert all((form & 8 == 0) == sealed for form in forms)
    assert joined.stats.refused == 0


@pytest.mark.parametrize(("server", "client"), [(True, True), (True, False), (False, True)])
def test_deltas_are_compact_when_both_ends_want_that(server: bool, client: bool) -> None:
    field = Field(config=ServerConfig(compact=server), conditions=Conditions(latency=0.03, loss=0.02))
    joined = field.join("a", config=ClientConfig(compact=client))
    field.join("b", config=ClientConfig(compact=client))
    field.run(3.0)
    size = joined.stats.snapshot_bytes / joined.stats.snapshots
    assert (size < 48) == (server and client)
    assert joined.stats.refused == joined.stats.missing_baselines == 0


class Renamed:
    """A layout whose public fields have other names: the same numbers, but other predictions."""

    def __init__(self, layout: Any) -> None:
        self._layout = layout

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layout, name)

    @property
    def public(self) -> Any:
        names = {"x": "east", "y": "up", "z": "north"}
        return tuple(one._replace(name=names.get(one.name, one.name)) for one in self._layout.public)


@pytest.mark.parametrize("sealed", [True, False])
def test_a_client_whose_predictions_would_be_others_gets_plain_deltas(sealed: bool) -> None:
    field = Field(sealed=sealed, config=ServerConfig(compact=True))
    profile = NetRunner()
    profile.layout = Renamed(profile.layout)
    config = ClientConfig(compact=True)
    other, same = field.join("other", profile=profile, config=config), field.join("same", config=config)
    field.run(3.0)
    assert other.stats.refused == same.stats.refused == 0
    assert other.stats.snapshots > 40
    assert other.stats.snapshot_bytes / other.stats.snapshots > 1.2 * same.stats.snapshot_bytes / same.stats.snapshots


def test_a_client_with_another_world_is_refused() -> None:
    field = Field()
    field.join("a", profile=NetRunner(world=type(COURSE)(COURSE.boxes[:1])))
    field.run(1.0)
    assert field.clients["a"].is_over
    assert "laid out" in field.events["a"][0].text


def test_a_player_who_is_dropped_is_out_at_once_and_may_come_again() -> None:
    field = Field()
    field.join("a")
    keeper = field.join("b")
    field.run(1.0)
    field.server.drop(field.clients["a"].peer_id, text="no shouting")
    assert [(e.peer_id, e.text) for e in field.server.events() if isinstance(e, PlayerLeft)] == [
        (field.clients["a"].peer_id, "dropped by the server")
    ]
    field.run(1.0)
    [lost] = field.of("a", ConnectionLost)
    assert (lost.text, lost.will_rejoin) == ("no shouting", False)
    assert keeper.others(now=field.network.now) == {}
    assert len(field.server.links) == 1
    field.network.detach("a")
    again = field.join("a")
    field.run(1.0)
    assert [event.is_rejoin for event in field.of("a", Joined)] == [False]
    assert again.player is not None


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_player_who_is_banned_does_not_get_in_again(is_lost: bool) -> None:
    field = Field(config=ServerConfig(timeout=2.0))
    client = field.join("a", config=ClientConfig(rejoin=False, timeout=2.0))
    other = field.join("b")
    field.run(1.0)
    if is_lost:
        field.network.cut("server", "a", 3.0)
        field.run(4.0)
        assert [type(e) for e in field.server_events if e.peer_id == client.peer_id] == [PlayerJoined, PlayerLost]
    field.server.drop(client.peer_id, ban=True)
    field.run(1.0)
    field.network.detach("a")
    field.join("a")
    field.run(1.0)
    [failed] = field.of("a", JoinFailed)
    assert failed.reason == Reason.DENIED
    assert "banned" in failed.text
    assert len(field.server.rooms[""].players) == 1
    assert other.player is not None


def test_a_dial_with_the_token_of_a_dropped_player_gets_nothing_back() -> None:
    field = Field(config=ServerConfig(timeout=2.0))
    client = field.join("a", config=ClientConfig(timeout=2.0))
    field.run(1.0)
    first = client.peer_id
    field.network.cut("server", "a", 2.5)
    field.run(2.4)
    field.server.drop(first)
    field.run(6.0)
    assert client.peer_id != first or client.is_over
    assert first not in field.server.rooms[""].players


def test_dropping_somebody_who_is_not_there_is_misuse() -> None:
    field = Field()
    for peer_id, room in ((9, ""), (2, "nowhere")):
        with pytest.raises(UsageError, match=f"no player {peer_id} in a room '{room}'"):
            field.server.drop(peer_id, room=room)


@pytest.mark.long
def test_clients_behind_one_address_are_limited_and_those_of_this_machine_are_not() -> None:
    for host, allowed in (("198.51.100.7", 3), ("127.0.0.1", 5)):
        field = Field(config=ServerConfig(max_connections_per_address=3))
        for number in range(5):
            field.join((host, 1000 + number), phase=number * 0.01)  # type: ignore[arg-type]  # as a socket shows it
        field.run(3.0)
        assert len(field.server.rooms[""].players) == allowed


def test_the_figures_of_a_server_are_plain_data() -> None:
    field = Field()
    field.join("a")
    field.join("b")
    field.run(2.0)
    stats = field.server.stats()
    found = json.loads(json.dumps(stats.as_dict()))
    assert found["connections"] == 2
    assert found["rooms"][""]["snapshots"] == field.server.rooms[""].stats.snapshots > 60
    assert set(found["players"][""]) == {"2", "3"}
    assert found["players"][""]["2"]["ticks_buffered"] == stats.players[""][2].ticks_buffered > 0
