"""A server of a declared world, over a network: leaving, coming back, faults, load."""

from random import Random
from typing import Any

import pytest
from examples.raiders import Raiders

from retick.authority.messages import Ended, Presence, RoomOver, SeatNews
from retick.authority.server import RoomHooks, WorldServer, WorldServerConfig
from retick.errors import DecodeError, UsageError
from retick.host.events import PlayerLeft, PlayerLost, PlayerRejoined, RoomFailed, ServerDrained
from retick.replay import verify
from tests.authority.server.clients import Hall, Script, Tape, steady
from tests.authority.server.yard import BREAK, RIGHT, SHOOT, Yard


def test_a_world_class_is_asked_for() -> None:
    with pytest.raises(UsageError, match="class of worlds"):
        WorldServer(Yard(), entropy=Random(1).randbytes)  # type: ignore[arg-type]  # the mistake that is tested


def test_who_says_goodbye_leaves_at_once_and_what_they_had_is_reported() -> None:
    seen: list[Any] = []

    class Keeper(RoomHooks):
        def leaving(self, room: Any, player: Any) -> None:
            seen.append((player.name, [walker.player for walker in room.world.walkers]))

    hall = Hall(Yard, hooks=Keeper())
    one = hall.join("one", name="Ann", press=steady(RIGHT))
    two = hall.join("two")
    hall.run(1.0)
    one.connection.close()
    hall.run(0.5)
    [left] = hall.of(PlayerLeft)
    assert (left.peer_id, left.address) == (one.seat, "one")
    [name] = [name for name in left.things if name.endswith(".x")]
    assert left.things[name] > 0
    assert left.things[name.replace(".x", ".purse")] == 3
    assert seen == [("Ann", [0, 1])]
    assert [walker.player for walker in hall.room.world.walkers] == [two.seat]
    assert SeatNews(one.seat, Presence.LEFT, "Ann") in two.messages
    third = hall.join("third")
    hall.run(0.5)
    assert third.seat == one.seat


def test_a_player_whose_connection_was_lost_comes_back_to_the_same_seat() -> None:
    hall = Hall(Yard, config=WorldServerConfig(timeout=1.0, rejoin_seconds=5.0))
    other = hall.join("other")
    hall.run(0.3)
    gone = hall.join("gone", name="Ann", press=steady(RIGHT))
    hall.run(1.0)
    place = next(walker for walker in hall.room.world.walkers if walker.player == gone.seat)
    hall.vanish("gone")
    hall.run(2.0)
    assert [event.peer_id for event in hall.of(PlayerLost)] == [gone.seat]
    assert SeatNews(gone.seat, Presence.CONNECTION_LOST, "Ann") in other.messages
    back = hall.join("back", token=gone.token)
    hall.run(1.0)
    assert back.seat == gone.seat
    assert [event.peer_id for event in hall.of(PlayerRejoined)] == [gone.seat]
    assert next(walker for walker in hall.room.world.walkers if walker.player == back.seat) is place
    assert back.missing == 0
    assert len(back.held) > 10
    assert other.messages[-1] == SeatNews(gone.seat, Presence.PLAYING, "Ann")


def test_a_player_who_does_not_come_back_leaves() -> None:
    hall = Hall(Yard, config=WorldServerConfig(timeout=1.0, rejoin_seconds=1.0))
    gone = hall.join("gone")
    hall.run(0.5)
    hall.vanish("gone")
    hall.run(4.0)
    assert [(event.peer_id, event.text) for event in hall.of(PlayerLeft)] == [(gone.seat, "did not come back")]
    assert list(hall.room.world.walkers) == []


def test_players_come_back_after_a_crash_of_the_server() -> None:
    hall = Hall(Yard)
    one, watcher = hall.join("one", name="Ann", press=steady(RIGHT)), hall.join("watcher", watches=True)
    hall.run(0.5)
    seat = hall.room.add_bot(lambda player, world: SHOOT, "robot")
    hall.run(1.0)
    saved = hall.server.save_room()
    state, tick = hall.room.world.save(), hall.room.tick
    for who in ("one", "watcher"):
        hall.vanish(who)
    tape = Tape()
    config = WorldServerConfig(rooms=("lobby",), rejoin_seconds=2.0)
    server = WorldServer(Yard, entropy=Random(9).randbytes, config=config, record=tape)
    with pytest.raises(UsageError, match="a bot is a function"):
        server.restore_room(saved, "", bots=5)  # type: ignore[arg-type]  # wrong on purpose
    room = server.restore_room(saved, "", bots=lambda player, world: SHOOT)
    assert room.players[seat].bot is not None
    assert (room.world.save(), room.tick) == (state, tick)
    hall.restart(server)
    back = hall.join("back", token=one.token, press=steady(RIGHT))
    hall.run(1.0)
    assert back.seat == one.seat
    assert [event.peer_id for event in hall.of(PlayerRejoined)] == [one.seat]
    assert {walker.player for walker in back.world.walkers} == {one.seat, seat}
    assert watcher.welcome is not None
    hall.server.close_room("")
    assert verify(tape.replay(""), Yard()).ok


@pytest.mark.parametrize("rooms", [("",), ()], ids=["the default room", "no room"])
def test_a_server_that_was_just_started_restores_its_default_room(rooms: tuple[str, ...]) -> None:
    hall = Hall(Yard)
    one = hall.join("one", press=steady(RIGHT))
    hall.run(0.5)
    saved, tick = hall.server.save_room(), hall.room.tick
    hall.vanish("one")
    tape = Tape()
    server = WorldServer(Yard, entropy=Random(9).randbytes, config=WorldServerConfig(rooms=rooms), record=tape)
    assert server.restore_room(saved).tick == tick
    assert server.events() == []
    hall.restart(server)
    back = hall.join("back", token=one.token, press=steady(RIGHT))
    hall.run(0.5)
    assert back.seat == one.seat
    with pytest.raises(UsageError, match="there is a room '' already"):
        server.restore_room(saved)


def test_a_room_that_somebody_is_in_is_not_replaced_by_a_saved_one() -> None:
    hall = Hall(Yard)
    hall.room.add_bot(lambda player, world: 0)
    saved = hall.server.save_room()
    with pytest.raises(UsageError, match="there is a room '' already"):
        hall.server.restore_room(saved)


def test_bots_for_seats_that_no_bot_had_are_refused_and_no_room_is_left() -> None:
    hall = Hall(Yard)
    hall.join("one")
    hall.run(0.5)
    saved = hall.server.save_room()
    server = WorldServer(Yard, entropy=Random(9).randbytes, config=WorldServerConfig(rooms=("lobby",)))
    for seat in (0, 1, 9):
        with pytest.raises(UsageError, match=f"no bot had seat {seat}"):
            server.restore_room(saved, bots={seat: lambda player, world: 0})
    assert list(server.rooms) == ["lobby"]


def test_who_does_not_come_back_after_a_crash_leaves_and_so_do_bots_that_are_not_given() -> None:
    hall = Hall(Yard)
    one = hall.join("one")
    hall.run(0.5)
    hall.room.add_bot(lambda player, world: 0)
    saved = hall.server.save_room()
    hall.vanish("one")
    server = WorldServer(
        Yard, entropy=Random(9).randbytes, config=WorldServerConfig(rooms=("lobby",), rejoin_seconds=1.0)
    )
    room = server.restore_room(saved)
    assert [walker.player for walker in room.world.walkers] == [one.seat]
    hall.restart(server)
    hall.run(2.0)
    assert list(room.world.walkers) == []


def test_bytes_of_another_room_open_none() -> None:
    hall = Hall(Yard)
    saved = hall.server.save_room()
    with pytest.raises(DecodeError):
        hall.server.restore_room(saved[:-9], "other")
    with pytest.raises(DecodeError, match="another world"):
        Hall(Raiders).server.restore_room(saved, "other")
    with pytest.raises(UsageError, match="no room"):
        hall.server.save_room("nowhere")
    assert list(hall.server.rooms) == [""]


def test_a_dropped_player_is_told_and_a_banned_one_does_not_return() -> None:
    hall = Hall(Yard)
    one = hall.join("one")
    hall.run(0.5)
    hall.server.drop(one.seat, ban=True, text="not here")
    hall.run(1.0)
    assert RoomOver(Ended.DROPPED, "not here") in one.messages
    assert [end.text for end in one.ends] == ["not here"]
    assert list(hall.room.world.walkers) == []
    again = Script(Yard, seed=5)
    hall.network.detach("one")
    hall.network.attach("one", again, on_events=again.handle)
    hall.run(1.0)
    assert again.welcome is None


def test_a_world_that_raises_ends_its_room_alone_and_the_recording_shows_it_again() -> None:
    tape = Tape()
    hall = Hall(Yard, config=WorldServerConfig(rooms=("red", "blue")), record=tape)
    bad, good = hall.join("bad", room="red"), hall.join("good", room="blue")
    hall.run(1.0)
    bad.press = steady(BREAK)
    hall.run(1.0)
    [failed] = hall.of(RoomFailed)
    assert failed.room == "red"
    assert "divides by zero" in failed.error
    assert "yard.py" in failed.report()
    assert failed.commands[bad.seat] & BREAK
    world = Yard()
    world.load(failed.saved)
    assert world.ticks == failed.tick - 1
    assert RoomOver(Ended.FAULT, "the game has failed") in bad.messages
    assert list(hall.server.rooms) == ["blue"]
    assert good.held[-1].frame.tick > hall.server.rooms["blue"].tick - 10
    assert hall.server.rooms["blue"].tick in range(118, 123)
    replay = tape.replay("red")
    with pytest.raises(ZeroDivisionError):
        verify(replay, Yard())
    assert replay.end_frame == failed.tick


@pytest.mark.parametrize("kind", [LookupError, SystemExit, MemoryError])
@pytest.mark.parametrize("where", ["join", "leave", "hears", "visible"])
def test_whatever_of_the_game_raises_ends_one_room(where: str, kind: type[BaseException]) -> None:
    def broken(self: Any, *arguments: Any) -> Any:
        raise kind(f"in {where}")

    game = type("Broken", (Yard,), {where: broken})
    hall = Hall(game, config=WorldServerConfig(rooms=("red", "blue")))
    one = hall.join("one", room="red", press=steady(SHOOT))
    hall.run(0.5)
    if where == "leave":
        one.connection.close()
        hall.run(0.5)
    assert [failed.error for failed in hall.of(RoomFailed)] == [f"{kind.__name__}: in {where}"]
    assert list(hall.server.rooms) == ["blue"]
    assert hall.server.rooms["blue"].tick > 20


def test_ctrl_c_in_the_middle_of_a_tick_is_no_fault_of_the_game() -> None:
    def stopped(self: Any, inputs: Any) -> None:
        raise KeyboardInterrupt

    server = WorldServer(type("Stopped", (Yard,), {"advance": stopped}), entropy=Random(1).randbytes)
    with pytest.raises(KeyboardInterrupt):
        server.handle_timeout(now=0.0)
    assert list(server.rooms) == [""]


def test_everybody_leaves_once_when_the_room_fails_while_several_leave() -> None:
    class Broken(RoomHooks):
        def leaving(self, room: Any, player: Any) -> None:
            raise LookupError

    hall = Hall(Yard, config=WorldServerConfig(timeout=1.0, rejoin_seconds=1.0), hooks=Broken())
    names = ("one", "two", "three")
    for name in names:
        hall.join(name)
    hall.run(0.5)
    for name in names:
        hall.vanish(name)
    hall.run(5.0)
    assert sorted(left.peer_id for left in hall.of(PlayerLeft)) == [0, 1, 2]


def test_a_saved_room_whose_game_raises_when_a_bot_leaves_has_failed() -> None:
    hall = Hall(Yard)
    hall.join("one")
    hall.run(0.5)
    hall.room.add_bot(lambda player, world: 0)
    saved = hall.server.save_room()

    class Broken(RoomHooks):
        def leaving(self, room: Any, player: Any) -> None:
            raise LookupError

    server = WorldServer(Yard, entropy=Random(9).randbytes, hooks=Broken())
    room = server.restore_room(saved, "again")
    assert room.is_over
    assert list(server.rooms) == [""]
    assert [event.room for event in server.events() if isinstance(event, RoomFailed)] == ["again"]


def test_a_closed_room_and_a_drained_server_say_so() -> None:
    hall = Hall(Yard, config=WorldServerConfig(rooms=("red", "blue")))
    one, two = hall.join("one", room="red"), hall.join("two", room="blue")
    hall.run(0.5)
    hall.server.close_room("red", "out\n")
    hall.run(0.5)
    hall.server.drain("maintenance", within=0.5)
    hall.run(1.0)
    assert RoomOver(Ended.CLOSED, "out?") in one.messages
    assert RoomOver(Ended.DRAINED, "maintenance") in two.messages
    assert hall.of(ServerDrained)
    with pytest.raises(UsageError, match="drains"):
        hall.server.open_room("green")


def test_a_late_server_leaves_out_ticks_and_sends_fewer_snapshots_for_a_while() -> None:
    hall = Hall(Yard)
    one = hall.join("one")
    hall.run(1.0)
    for _ in range(4):
        hall.network.pause("server", 0.3)
        hall.run(0.6)
    assert hall.server.skipped_ticks > 20
    assert hall.server.load.level == 2
    before = len(one.held)
    hall.run(1.0)
    assert len(one.held) - before in range(4, 7)  # 5 in place of 20
    assert hall.room.stats.snapshots_shed > 10
    hall.run(15.0)
    assert hall.server.load.level == 0


def test_ticks_over_budget_are_counted() -> None:
    times = iter(range(100_000))
    hall = Hall(Yard, config=WorldServerConfig(tick_budget=0.5), clock=lambda: float(next(times)))
    hall.run(0.5)
    cost = hall.room.stats.tick_cost
    assert cost.over_budget == cost.ticks > 20
