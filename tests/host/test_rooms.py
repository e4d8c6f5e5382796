"""Rooms that fail, are opened, closed and drained while a server runs."""

from collections.abc import Callable
from typing import Any

import pytest

from retick.authority import (
    ConnectionLost,
    Joined,
    JoinFailed,
    PlayerJoined,
    PlayerLeft,
    PlayerRejoined,
    RoomClosed,
    RoomFailed,
    ServerDrained,
)
from retick.errors import UsageError
from retick.host.rooms import ENDED_REMEMBERED
from retick.link import Reason
from retick.netrunner import ClientConfig, NetRunner, ServerConfig
from tests.netrunner.courses import Field, Still

RED_AND_BLUE = ServerConfig(rooms=("red", "blue"))


class FaultyMotor:
    """The runner's, until a player is to be stepped of whom ``is_bad`` is true."""

    def __init__(self, motor: Any) -> None:
        self._motor = motor
        self.spawn = motor.spawn
        self.is_bad: Callable[[Any], bool] = lambda state: False
        self.raised = 0

    def step(self, state: Any, command: Any) -> Any:
        if self.is_bad(state):
            self.raised += 1
            raise ZeroDivisionError("the game divides by zero")
        return self._motor.step(state, command)


class FaultyRunner(NetRunner):
    """Raises where a test tells it to."""

    def __init__(self) -> None:
        super().__init__()
        self.faulty = FaultyMotor(self.motor)
        self.motor: Any = self.faulty
        self.fails_to_decode = False

    def decode_inputs(self, data: bytes) -> Any:  # type: ignore[override]  # raises beside
        if self.fails_to_decode:
            raise IndexError("a bug in the decoder")
        return NetRunner.decode_inputs(data)


def faulty_field() -> tuple[Field, FaultyRunner]:
    profile = FaultyRunner()
    field = Field(profile=profile, config=RED_AND_BLUE)
    for name, room in (("a", "red"), ("b", "blue"), ("c", "red")):
        # Clients have the game without the fault: only the server's own step raises.
        field.join(name, room=room, profile=NetRunner(), bot=Still())
    field.run(1.0)
    return field, profile


def fail_red(field: Field, profile: FaultyRunner) -> None:
    marked = field.server.rooms["red"].players[2]
    profile.faulty.is_bad = lambda state: state is marked.state


def of(field: Field, kind: type) -> list[Any]:
    return [event for event in field.server_events if isinstance(event, kind)]


def test_a_step_that_raises_ends_its_room_alone_and_the_others_keep_their_pace() -> None:
    field, profile = faulty_field()
    before = field.server.rooms["blue"].tick
    fail_red(field, profile)
    field.run(2.0)
    assert set(field.server.rooms) == {"blue"}
    assert profile.faulty.raised == 1
    assert field.server.rooms["blue"].tick - before in (119, 120, 121)
    assert field.clients["b"].is_joined
    assert not field.of("b", ConnectionLost)


def test_the_players_of_a_failed_room_are_told_and_do_not_dial_again() -> None:
    field, profile = faulty_field()
    fail_red(field, profile)
    field.run(2.0)
    for name in ("a", "c"):
        [lost] = field.of(name, ConnectionLost)
        assert (lost.reason, lost.text, lost.will_rejoin) == (Reason.SHUTDOWN, "the game has failed", False)
    assert [event.peer_id for event in of(field, PlayerLeft)] == [2, 3]


def test_the_report_of_a_failed_room_has_traceback_tick_players_and_commands() -> None:
    field, profile = faulty_field()
    fail_red(field, profile)
    room = field.server.rooms["red"]
    field.run(0.5)
    [failed] = of(field, RoomFailed)
    assert (failed.room, failed.tick, failed.error) == ("red", room.tick, "ZeroDivisionError: the game divides by zero")
    assert "in step" in failed.traceback
    assert set(failed.states) == {2, 3}
    assert list(failed.commands) == [2], "the player at fault is the last that was run"
    report = failed.report()
    for words in ("room 'red' failed at tick", "ZeroDivisionError", "  2: RunnerState(", "  2: RunnerCommand("):
        assert words in report
    assert len(report) < 20_000


def test_a_value_that_cannot_be_written_does_not_spoil_the_report() -> None:
    class Unspeakable:
        def __repr__(self) -> str:
            raise RuntimeError

    failed = RoomFailed(room="x", tick=1, error="e", traceback="t", states={2: Unspeakable()}, commands={})
    assert "Unspeakable" in failed.report()


def test_a_request_to_join_a_failed_room_is_refused_with_a_clear_text() -> None:
    field, profile = faulty_field()
    fail_red(field, profile)
    field.run(0.5)
    field.join("d", room="red", profile=NetRunner())
    field.run(1.0)
    [failed] = field.of("d", JoinFailed)
    assert failed.text == "the room 'red' has ended: the game has failed"


def test_a_fault_while_a_packet_is_read_ends_the_room_of_its_player() -> None:
    field, profile = faulty_field()
    profile.fails_to_decode = True
    field.run(0.5)
    assert [event.error for event in of(field, RoomFailed)] == ["IndexError: a bug in the decoder"] * 2
    assert not field.server.rooms
    field.run(1.0)
    assert all(client.is_over for client in field.clients.values())


def test_a_failed_room_can_be_opened_again_and_begins_anew() -> None:
    field, profile = faulty_field()
    fail_red(field, profile)
    field.run(0.5)
    field.server.open_room("red")
    client = field.join("d", room="red", profile=NetRunner())
    field.run(1.0)
    assert client.is_joined
    assert client.peer_id == 2


def test_a_room_can_be_opened_and_closed_while_the_server_runs() -> None:
    field = Field()
    field.run(0.5)
    field.server.open_room("late")
    client = field.join("a", room="late")
    field.run(1.0)
    assert client.is_joined
    assert set(field.server.rooms) == {"", "late"}
    field.server.close_room("late", "the match is over")
    field.run(1.0)
    [lost] = field.of("a", ConnectionLost)
    assert (lost.text, lost.will_rejoin) == ("the match is over", False)
    assert [type(event) for event in field.server_events] == [PlayerJoined, PlayerLeft, RoomClosed]
    assert field.server_events[-1] == RoomClosed(room="late", text="the match is over")
    field.join("b", room="late")
    field.run(1.0)
    assert field.of("b", JoinFailed)[0].text == "the room 'late' has ended: the match is over"


def test_rooms_are_limited_and_their_names_too() -> None:
    server = Field(config=ServerConfig(rooms=("a",), max_rooms=2)).server
    server.open_room("b")
    with pytest.raises(UsageError, match="max_rooms"):
        server.open_room("c")
    with pytest.raises(UsageError, match="already"):
        server.open_room("b")
    server.close_room("b")
    for name in ("x" * 33, "\n"):
        with pytest.raises(UsageError, match="printable"):
            server.open_room(name)
    with pytest.raises(UsageError, match="has ended: the room is closed"):
        server.close_room("b")
    with pytest.raises(UsageError, match="there is no room 'z'"):
        server.close_room("z")


def test_only_so_many_ended_rooms_are_remembered() -> None:
    server = Field().server
    for number in range(ENDED_REMEMBERED + 1):
        server.open_room(f"room {number}")
        server.close_room(f"room {number}")
    with pytest.raises(UsageError, match="there is no room 'room 0'"):
        server.close_room("room 0")
    with pytest.raises(UsageError, match="has ended"):
        server.close_room("room 1")


def test_what_was_refused_in_a_room_that_has_ended_still_counts() -> None:
    field = Field(config=RED_AND_BLUE)
    field.server.rooms["red"].stats.refused["flooded"] = 5
    field.server.close_room("red")
    assert field.server.refused == {"flooded": 5}


def test_a_server_that_drains_lets_nobody_new_in_and_ends_rooms_as_they_empty() -> None:
    field = Field(config=ServerConfig(rooms=("red", "blue", "empty")))
    field.join("a", room="red")
    field.join("b", room="blue")
    field.run(1.0)
    field.server.drain("maintenance", within=20.0)
    field.run(1.0)
    assert set(field.server.rooms) == {"red", "blue"}
    field.join("late", room="red")
    field.run(1.0)
    refused = field.of("late", JoinFailed)[0]
    assert (refused.reason, refused.text) == (Reason.SHUTDOWN, "maintenance")
    assert field.server.refused["draining"] == 1
    field.clients["a"].close()
    field.run(1.0)
    assert set(field.server.rooms) == {"blue"}
    assert field.clients["b"].is_joined, "a match goes on"
    with pytest.raises(UsageError, match="opens no room"):
        field.server.open_room("new")
    field.clients["b"].close()
    field.run(1.0)
    assert field.server_events[-1] == ServerDrained()


def test_a_drain_ends_all_rooms_at_its_limit_and_players_are_told() -> None:
    field = Field()
    field.join("a")
    field.run(1.0)
    field.server.drain("maintenance", within=2.0)
    field.run(1.5)
    assert field.clients["a"].is_joined
    field.run(2.0)
    [lost] = field.of("a", ConnectionLost)
    assert (lost.text, lost.will_rejoin) == ("maintenance", False)
    assert [type(event) for event in field.server_events] == [PlayerJoined, PlayerLeft, RoomClosed, ServerDrained]
    field.run(8.0)
    assert field.server.next_timeout() is None, "no connection is left, and no more ticks"


def test_a_player_whose_connection_is_lost_comes_back_while_the_server_drains() -> None:
    field = Field(config=ServerConfig(timeout=2.0))
    field.join("a", config=ClientConfig(timeout=2.0))
    field.join("b")
    field.run(2.0)
    field.server.drain(within=60.0)
    field.network.cut("server", "a", 3.0)
    field.run(6.0)
    assert [event.is_rejoin for event in field.of("a", Joined)] == [False, True]
    assert of(field, PlayerRejoined)


def test_a_tick_is_measured_by_the_clock_that_the_caller_gives() -> None:
    """The clock goes on by a hundredth of a second at each reading: every tick takes so long, and is over budget."""
    from retick.netrunner import Server
    from tests.netrunner.courses import seeded

    readings = iter(range(10_000))
    config = ServerConfig(tick_budget=0.009)
    server = Server(NetRunner(), entropy=seeded(1), config=config, clock=lambda: next(readings) / 100)
    for number in range(50):
        server.handle_timeout(now=number / 60)
    cost = server.rooms[""].stats.tick_cost
    assert (cost.ticks, cost.over_budget) == (50, 50)
    assert cost.seconds == pytest.approx(0.5)
    assert cost.longest == pytest.approx(0.01)
    assert cost.counts == [0, 0, 0, 0, 0, 0, 50, 0, 0, 0, 0]
    assert Field().server.rooms[""].stats.tick_cost.ticks == 0
