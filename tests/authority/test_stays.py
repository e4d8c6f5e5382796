"""Coming, going, coming back and being refused: a real client at a real server, over the simulated network."""

from random import Random
from typing import Any

import pytest

from retick.authority.client import WorldClient, WorldClientConfig
from retick.authority.client.events import MessagesLost, PlayerChanged, RoomJoined, RoomLeft, ServerMessageReceived
from retick.authority.messages import Ended, Presence
from retick.authority.server import WorldServer, WorldServerConfig
from retick.host.events import (
    ConnectionLost,
    JoinFailed,
    MessageDropped,
    MessageFromPlayer,
    PlayerJoined,
    PlayerLeft,
    PlayerLost,
    PlayerRejoined,
    RoomClosed,
)
from retick.link import Reason
from retick.sim import U8
from tests.authority.client.yard import BODY, LEFT, RIGHT, TELEPORT, Walker, Yard
from tests.authority.meeting import Meeting, Visitor


def walks(client: WorldClient) -> int:
    return RIGHT if client.frame // 40 % 2 else LEFT


def own(world: Any, visitor: Visitor) -> Walker:
    (seat,) = visitor.client.local_players
    found: Walker = next(each for each in world.walkers if each.player == seat)
    return found


def test_a_client_that_crashed_gets_its_seat_and_its_things_back_with_the_token() -> None:
    meeting = Meeting(Yard, seed=3, latency=0.04, loss=0.02, config=WorldServerConfig(timeout=1.0, rejoin_seconds=10.0))
    other = meeting.join("other", walks)
    first = meeting.join("Ann", walks)
    meeting.run(2.0)
    token, walker = first.client.seat_token, own(meeting.room.world, first)
    walker.ammo = 77
    meeting.vanish("Ann")
    meeting.run(3.0)
    assert [event.peer_id for event in meeting.of(PlayerLost)] == [walker.player]
    states = [event.state for event in other.of(PlayerChanged) if event.seat == walker.player]
    assert states[-1] == Presence.CONNECTION_LOST
    again = meeting.join("Ann", walks, token=token)
    meeting.run(3.0)
    assert [event.peer_id for event in meeting.of(PlayerRejoined)] == [walker.player]
    assert again.client.seat_token == token
    assert own(meeting.room.world, again) is walker
    assert own(again.client.world, again).ammo == 77
    assert again.client.stats.largest_correction < 0.1 * BODY
    assert [event.state for event in other.of(PlayerChanged)][-1] == Presence.PLAYING
    assert len(meeting.room.world.walkers) == 2


def test_a_client_that_crashed_takes_its_seat_over_before_the_server_has_missed_it() -> None:
    meeting = Meeting(Yard, latency=0.02)
    first = meeting.join("Ann", walks)
    meeting.run(1.0)
    walker = own(meeting.room.world, first)
    meeting.vanish("Ann")
    again = meeting.join("Ann again", walks, token=first.client.seat_token)
    meeting.run(1.0)
    assert again.client.running
    assert own(meeting.room.world, again) is walker


def test_with_a_token_that_nobody_has_one_gets_a_seat_of_ones_own() -> None:
    meeting = Meeting(Yard)
    first = meeting.join("Ann")
    meeting.run(1.0)
    guess = meeting.join("Eve", token=bytes(16))
    meeting.run(1.0)
    assert guess.client.local_players != first.client.local_players
    assert guess.client.seat_token not in (bytes(16), first.client.seat_token)


def test_a_spectator_watches_without_a_seat_and_what_it_presses_is_nothing() -> None:
    meeting = Meeting(Yard, seed=2, latency=0.04)
    player = meeting.join("Ann", walks)
    watcher = meeting.join("Eve", lambda client: TELEPORT, watch=True)
    meeting.run(4.0)
    assert watcher.client.local_players == ()
    assert [event.seat for event in watcher.of(RoomJoined)] == [None]
    [joined] = [event for event in meeting.of(PlayerJoined) if event.is_spectator]
    assert (joined.name, joined.peer_id) == ("Eve", 256)
    assert [each.name for each in player.client.roster] == [each.name for each in watcher.client.roster] == ["Ann"]
    (seen,) = watcher.client.world.walkers
    real = own(meeting.room.world, player)
    assert abs(seen.x - real.x) < 12 * 3.1
    assert (seen.ammo, meeting.room.world.door) == (200, False)
    watcher.client.close("enough")
    meeting.run(1.0)
    assert meeting.room.spectators() == 0
    assert player.client.running


class Talking(Yard):
    """Answers whoever teleports, and tells all others."""

    def walk(self, walker: Walker, pressed: int) -> None:
        before = walker.jumps
        super().walk(walker, pressed)
        if walker.jumps != before:
            self.send(b"you", to=walker.player)
            self.send(b"somebody", reliable=False)


def test_messages_go_both_ways_from_the_world_and_the_application_to_one_some_or_all() -> None:
    meeting = Meeting(Talking, seed=5, latency=0.03, loss=0.1)
    names = ("Ann", "Bob", "Cid")
    visitors = {name: meeting.join(name, walks) for name in names}
    visitors["Eve"] = meeting.join("Eve", watch=True)
    meeting.run(2.0)
    seats = {name: visitors[name].client.local_players[0] for name in names}
    numbers = [bytes((number,)) for number in range(30)]
    for number in numbers:
        meeting.room.send(number)
        meeting.room.send(b"some" + number, to=[seats["Ann"], seats["Bob"]])
        meeting.room.send(b"note" + number, to=seats["Cid"], reliable=False)
        assert visitors["Bob"].client.send_message(number)
        assert visitors["Bob"].client.send_message(b"note" + number, reliable=False)
        meeting.run(0.05)
    meeting.run(2.0)
    got = {name: visitor.of(ServerMessageReceived) for name, visitor in visitors.items()}
    for name, received in got.items():
        reliable = [each.data for each in received if each.reliable]
        assert [data for data in reliable if len(data) == 1] == numbers
        assert [data[4:] for data in reliable if data[:4] == b"some"] == (numbers if name in ("Ann", "Bob") else [])
    notes = [each.data[4:] for each in got["Cid"] if not each.reliable]
    assert 15 < len(notes) < 31
    assert set(notes) <= set(numbers)
    assert not [each for name in ("Ann", "Bob", "Eve") for each in got[name] if not each.reliable]
    sent = meeting.of(MessageFromPlayer)
    assert {event.peer_id for event in sent} == {seats["Bob"]}
    assert [event.data for event in sent if event.reliable] == numbers
    assert 15 < len([event for event in sent if not event.reliable]) < 31
    visitors["Cid"].press = lambda client: TELEPORT
    meeting.run(0.4)
    visitors["Cid"].press = walks
    meeting.run(1.0)
    # The world sends once, however often clients run its code again.
    told = {name: [each.data for each in visitor.of(ServerMessageReceived)] for name, visitor in visitors.items()}
    assert told["Cid"].count(b"you") == own(meeting.room.world, visitors["Cid"]).jumps == 1
    assert [told[name].count(b"you") for name in ("Ann", "Bob", "Eve")] == [0, 0, 0]
    assert sum(told[name].count(b"somebody") for name in told) in range(1, 5)


def test_of_messages_at_a_lost_connection_both_sides_are_told() -> None:
    config = WorldServerConfig(timeout=1.0, rejoin_seconds=20.0)
    meeting = Meeting(Yard, seed=2, latency=0.02, config=config)
    visitor = meeting.join("Ann", config=WorldClientConfig(timeout=1.0))
    meeting.run(1.0)
    meeting.network.cut("Ann", "server", 2.0)
    (seat,) = visitor.client.local_players
    for number in range(5):
        assert visitor.client.send_message(bytes((number,)))
        meeting.room.send(bytes((number,)), to=seat)
    meeting.run(6.0)
    assert [event.message for event in meeting.of(MessageDropped)] == [bytes((number,)) for number in range(5)]
    lost = {event.ours: event.count for event in visitor.of(MessagesLost)}
    assert lost == {True: 5, False: 5}
    assert [event.is_rejoin for event in visitor.of(RoomJoined)] == [False, True]
    assert visitor.client.send_message(b"again")
    meeting.room.send(b"again", to=seat)
    meeting.run(1.0)
    assert meeting.of(MessageFromPlayer)[-1].data == visitor.of(ServerMessageReceived)[-1].data == b"again"


class OtherYard(Yard):
    extra: U8


@pytest.mark.parametrize(
    ("options", "reason", "words"),
    [
        ({"game": OtherYard}, Reason.GAME_VERSION, "the world is declared differently here"),
        ({}, Reason.FULL, "the room is full"),
        ({"watch": True}, Reason.FULL, "the room is full"),
        ({"room": "attic"}, Reason.DENIED, "there is no room 'attic'"),
    ],
    ids=["schema", "seats", "spectators", "room"],
)
def test_who_is_refused_is_told_why(options: dict[str, Any], reason: Reason, words: str) -> None:
    meeting = Meeting(Yard, latency=0.01, config=WorldServerConfig(max_spectators=1))
    for number in range(4):
        meeting.join(f"player {number}")
    meeting.join("watcher", watch=True)
    meeting.run(1.0)
    late = meeting.join("late", **options)
    meeting.run(2.0)
    assert [(event.reason, event.text) for event in late.events] == [(reason, words)]
    assert isinstance(late.events[0], JoinFailed)
    assert late.client.is_over
    assert not late.client.running
    assert late.client.next_timeout() is None


def test_a_banned_player_is_told_and_refused_with_words_from_then_on() -> None:
    meeting = Meeting(Yard, latency=0.02)
    bad = meeting.join("Bad", walks)
    other = meeting.join("other", walks)
    meeting.run(1.0)
    meeting.server.drop(bad.client.local_players[0], ban=True, text="no cheating")
    meeting.run(1.0)
    assert [(event.reason, event.text) for event in bad.of(RoomLeft)] == [(Ended.DROPPED, "no cheating")]
    assert bad.client.is_over
    assert len(meeting.of(PlayerLeft)) == 1
    meeting.vanish("Bad")
    again = meeting.join("Bad", walks, token=bad.client.seat_token)
    meeting.run(2.0)
    (refused,) = again.events
    assert isinstance(refused, JoinFailed)
    assert (refused.reason, refused.text) == (Reason.DENIED, "refused: this address is banned")
    assert again.client.is_over
    assert other.client.running
    assert len(meeting.room.world.walkers) == 1


def test_when_a_room_is_closed_all_are_told_and_the_next_one_can_be_joined() -> None:
    meeting = Meeting(Yard, latency=0.02, loss=0.05)
    visitors = [meeting.join("Ann", walks), meeting.join("Eve", watch=True)]
    meeting.run(1.0)
    meeting.server.close_room("", "closing time")
    meeting.run(2.0)
    for visitor in visitors:
        assert [(event.reason, event.text) for event in visitor.of(RoomLeft)] == [(Ended.CLOSED, "closing time")]
        assert visitor.client.is_over
        assert not any(event.will_rejoin for event in visitor.of(ConnectionLost))
    assert [event.text for event in meeting.of(RoomClosed)] == ["closing time"]
    meeting.server.open_room("")
    later = meeting.join("Bob", walks)
    meeting.run(1.0)
    assert later.client.running
    assert later.client.local_players == (0,)


def test_after_a_crash_of_the_server_clients_come_back_by_themselves_and_go_on_where_it_was_saved() -> None:
    meeting = Meeting(Yard, seed=4, latency=0.04, loss=0.02, config=WorldServerConfig(timeout=1.5))
    settings = {"config": WorldClientConfig(timeout=1.5)}
    visitors = [meeting.join(name, walks, **settings) for name in ("Ann", "Bob")]
    meeting.run(0.5)
    bot = meeting.room.add_bot(lambda seat, world: RIGHT, "robot")
    meeting.run(1.5)
    seats = [visitor.client.local_players for visitor in visitors]
    saved, tick = meeting.server.save_room(), meeting.room.tick
    meeting.run(1.0)
    meeting.network.detach("server")
    meeting.run(1.0)
    drawn = visitors[0].client.world
    server = WorldServer(Yard, entropy=Random(9).randbytes, config=WorldServerConfig(rooms=("lobby",), timeout=1.5))
    server.restore_room(saved, bots={bot: lambda seat, world: RIGHT})
    assert server.rooms[""].tick == tick
    meeting.serve(server)
    meeting.run(6.0)
    for visitor, seat in zip(visitors, seats, strict=True):
        client = visitor.client
        assert client.running
        assert client.local_players == seat
        assert [event.is_rejoin for event in visitor.of(RoomJoined)] == [False, True]
        assert {each.name for each in client.roster} == {"Ann", "Bob", "robot"}
    assert visitors[0].client.world is drawn
    assert [event.peer_id for event in meeting.of(PlayerRejoined)[-2:]] in ([0, 1], [1, 0])
    assert len(meeting.room.world.walkers) == 3
    meeting.run(2.0)
    before = [visitor.client.stats.corrections for visitor in visitors]
    meeting.run(3.0)
    assert [visitor.client.stats.corrections for visitor in visitors] == before
