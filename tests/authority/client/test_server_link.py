"""Coming in, coming back, messages, the end of a room; and whatever a server says, nothing raises and bounds hold."""

from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick import authority, routes
from retick.authority.client import WorldClientConfig, WorldClientEvent, server_link
from retick.authority.client.events import MessagesLost, PlayerChanged, RoomJoined, RoomLeft, ServerMessageReceived
from retick.authority.frames import encode_note
from retick.authority.messages import (
    Ended,
    Gone,
    LossNotice,
    Presence,
    RoomMessage,
    RoomOver,
    RoomWelcome,
    SeatNews,
)
from retick.errors import UsageError
from retick.host.events import ConnectionLost, JoinFailed
from retick.link import Reason
from retick.routes.online import OnlineEvent
from tests.authority.client.scripted import Guest, Site
from tests.authority.client.yard import RIGHT, Yard


def test_every_event_of_a_client_is_found_beside_it() -> None:
    online = [each for each in vars(routes.online).values() if isinstance(each, type) and issubclass(each, OnlineEvent)]
    events = [*get_args(WorldClientEvent), *(each for each in online if each is not OnlineEvent)]
    for package in (authority, authority.client):
        assert {event.__name__ for event in events} <= set(package.__all__)
        assert all(getattr(package, event.__name__) is event for event in events)


def only_guest(site: Site) -> Guest:
    (guest,) = site.server.guests.values()
    return guest


def of_kind(events: list[Any], kind: type) -> list[Any]:
    return [each for each in events if isinstance(each, kind)]


def test_a_client_is_welcomed_with_its_seat_its_name_and_a_token() -> None:
    site = Site(latency=0.02)
    client = site.add(name="Ann")
    assert not client.running
    assert client.frame == 0
    assert client.next_frame_at is None
    site.run(1.0)
    assert client.running
    assert (client.local_players, len(client.seat_token)) == ((0,), 16)
    (player,) = client.roster
    assert player == (0, (0,), "Ann", Presence.PLAYING)
    assert client.frame > site.server.tick
    assert client.next_frame_at is not None


def test_after_a_lost_connection_the_client_comes_back_to_its_seat_by_itself() -> None:
    site = Site(seed=4, latency=0.03)
    client = site.add(lambda _tick: RIGHT, config=WorldClientConfig(timeout=2.0))
    site.run(2.0)
    token, drawn = client.seat_token, client.world
    site.network.cut("client 0", "server", 3.0)
    site.run(2.6)
    assert client.reconnecting
    assert client.world is drawn
    assert drawn.walkers
    site.run(3.0)
    events = site.events[0]
    (lost,) = of_kind(events, ConnectionLost)
    assert (lost.reason, lost.will_rejoin) == (Reason.TIMEOUT, True)
    first, again = of_kind(events, RoomJoined)
    assert (first.is_rejoin, again.is_rejoin, again.seat) == (False, True, first.seat)
    assert client.running
    assert not client.reconnecting
    assert (client.seat_token, client.stats.rejoins) == (token, 1)
    assert len(site.server.world.walkers) == 1


def test_a_program_that_was_started_again_gets_its_seat_with_the_token() -> None:
    site = Site(seed=4)
    first = site.add(name="Ann")
    site.run(1.0)
    site.network.detach("client 0")
    second = site.add(name="Ann", token=first.seat_token)
    site.run(1.0)
    assert second.local_players == (0,)
    assert second.running
    assert len(site.server.world.walkers) == 1


def test_a_client_gives_up_after_some_attempts() -> None:
    site = Site(seed=4)
    config = WorldClientConfig(timeout=1.0, rejoin_attempts=1)
    client = site.add(config=config)
    site.run(1.0)
    site.network.detach("server")
    site.run(30.0)
    assert client.is_over
    assert [each.will_rejoin for each in of_kind(site.events[0], ConnectionLost)] == [True, False]
    (left,) = of_kind(site.events[0], RoomLeft)
    assert left is site.events[0][-1]
    assert (left.reason, left.text) == (None, "no answer")


def test_a_client_that_the_server_disconnects_leaves_the_room() -> None:
    site = Site()
    client = site.add()
    site.run(1.0)
    only_guest(site).connection.close(Reason.VIOLATION, "too many messages were sent")
    site.run(1.0)
    assert client.is_over
    assert of_kind(site.events[0], RoomLeft) == [RoomLeft(reason=None, text="too many messages were sent")]


def test_a_server_that_welcomes_only_to_end_the_connection_is_left() -> None:
    site = Site(latency=0.001)
    site.add(config=WorldClientConfig(rejoin_attempts=3))
    server, joined = site.server, 0
    for _ in range(600):
        site.run(0.02)
        for connection in list(server.guests):
            del server.guests[connection]
            connection.close(Reason.TIMEOUT)
            joined += 1
    assert joined == 1 + 3
    assert site.clients[0].is_over


def test_a_long_stay_gives_all_attempts_back() -> None:
    site = Site(latency=0.001)
    site.add(config=WorldClientConfig(rejoin_attempts=1, timeout=1.0))
    for _ in range(4):
        site.run(1.5)
        [connection] = site.server.guests
        del site.server.guests[connection]
        connection.close(Reason.TIMEOUT)
    site.run(1.5)
    assert site.clients[0].running


def test_a_server_that_never_welcomes_is_left() -> None:
    site = Site()
    site.server.silent = True
    client = site.add()
    site.run(8.0)
    (failed,) = of_kind(site.events[0], JoinFailed)
    assert (failed.reason, failed.text) == (Reason.NO_ANSWER, "the server did not welcome us")
    assert client.is_over


@pytest.mark.parametrize(
    "welcome", [RoomWelcome(0, 3, 60, 3, 1), RoomWelcome(0, 4, 1001, 3, 1)], ids=["players", "rate"]
)
def test_a_welcome_to_another_game_ends_the_client_with_words(welcome: RoomWelcome) -> None:
    site = Site()
    site.server.welcome = welcome
    client = site.add()
    site.run(1.0)
    (failed,) = of_kind(site.events[0], JoinFailed)
    assert "no client of this game can play like this" in failed.text
    assert client.is_over


def test_messages_go_both_ways_reliable_and_not() -> None:
    site = Site(seed=3, latency=0.02, loss=0.1)
    client = site.add()
    site.run(1.0)
    for number in range(20):
        assert client.send_message(bytes((number,)))
        site.server.say(only_guest(site), RoomMessage(bytes((number,))))
    only_guest(site).connection.send_unreliable(encode_note(b"note"))
    assert client.send_message(b"note", reliable=False)
    site.run(2.0)
    assert site.server.messages == [bytes((number,)) for number in range(20)]
    received = of_kind(site.events[0], ServerMessageReceived)
    assert [each.data for each in received if each.reliable] == [bytes((number,)) for number in range(20)]
    assert [each.data for each in received if not each.reliable] in ([], [b"note"])


def test_a_message_that_is_too_long_is_refused_here() -> None:
    site = Site()
    client = site.add()
    site.run(1.0)
    assert client.send_message(bytes(4095))
    assert client.send_message(bytes(1000), reliable=False)
    with pytest.raises(UsageError, match="at most 4095 bytes, not 4096"):
        client.send_message(bytes(4096))
    with pytest.raises(UsageError, match="at most 1000 bytes, not 1001"):
        client.send_message(bytes(1001), reliable=False)


def test_a_message_that_is_wrong_is_refused_before_anybody_has_joined() -> None:
    client = Site().add()
    with pytest.raises(UsageError, match="at most 4095 bytes"):
        client.send_message(bytes(5000))
    with pytest.raises(UsageError, match="a message is bytes, not str"):
        client.send_message("hello")  # type: ignore[arg-type]  # the mistake that is tested


def test_a_name_that_cannot_be_shown_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="a name must be printable"):
        Site().add(name="a\nb")


def test_messages_that_are_lost_are_told_on_both_sides() -> None:
    site = Site(seed=3)
    client = site.add(config=WorldClientConfig(timeout=1.0))
    site.run(1.0)
    site.server.say(only_guest(site), LossNotice(Gone.TOO_MANY, 7))
    site.run(0.5)
    site.network.cut("client 0", "server", 5.0)
    client.send_message(b"one")
    client.send_message(b"two")
    site.run(4.0)
    theirs, ours = of_kind(site.events[0], MessagesLost)
    assert theirs == MessagesLost(count=7, ours=False, reason=Gone.TOO_MANY)
    assert ours == MessagesLost(count=2, ours=True, reason=None)


def test_the_roster_follows_the_news_and_the_end_of_the_room_is_told() -> None:
    site = Site()
    client = site.add(name="Ann")
    site.run(1.0)
    guest = only_guest(site)
    site.server.say(guest, SeatNews(2, Presence.BOT, "Rob"))
    site.server.say(guest, SeatNews(0, Presence.CONNECTION_LOST, "Ann"))
    site.server.say(guest, SeatNews(9, Presence.PLAYING, "nobody"))
    site.run(0.5)
    assert [(each.peer_id, each.name) for each in client.roster] == [(0, "Ann"), (2, "Rob")]
    site.server.say(guest, SeatNews(2, Presence.LEFT, "Rob"))
    site.server.say(guest, RoomOver(Ended.CLOSED, "thank you"))
    site.run(0.5)
    assert [each.peer_id for each in client.roster] == [0]
    assert PlayerChanged(seat=2, state=Presence.LEFT, name="Rob") in site.events[0]
    assert of_kind(site.events[0], RoomLeft) == [RoomLeft(reason=Ended.CLOSED, text="thank you")]
    assert client.is_over
    assert client.stats.refused == 1


def test_a_client_that_is_closed_says_goodbye_and_does_not_come_back() -> None:
    site = Site()
    client = site.add()
    site.run(1.0)
    client.close("bye", linger=0.5)
    site.run(2.0)
    assert not site.server.guests
    assert client.is_over
    assert client.next_timeout() is None


@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.sampled_from([b"", b"\x21", b"\x22", b"\x23", b"\x31", b"\x32", b"\x33"]),
            st.binary(max_size=40),
        ),
        max_size=30,
    ),
    st.integers(0, 2**32),
)
@settings(max_examples=40)
def test_whatever_a_server_says_nothing_raises_and_the_game_goes_on(said: list[Any], seed: int) -> None:
    site = Site(seed=2, latency=0.01)
    client = site.add(lambda tick: tick & 15)
    site.run(0.5)
    guest, dice = only_guest(site), Random(seed)

    def mangle(payload: bytes) -> bytes:
        changed = bytearray(payload)
        changed[dice.randrange(len(changed))] ^= dice.choice((0, 1 << dice.randrange(8)))
        return bytes(changed)

    site.server.mangle = mangle
    for reliable, kind, rest in said:
        if kind + rest:
            send = guest.connection.send_reliable if reliable else guest.connection.send_unreliable
            send(kind + rest)
        site.run(0.05)
        client.world  # noqa: B018 - it is drawn
    site.run(0.3)
    assert client.world.save()


def test_wrong_bytes_are_counted_and_change_nothing() -> None:
    site = Site()
    client = site.add()
    site.run(1.0)
    before = client.stats.refused
    for data in (b"\x22", b"\x22" + bytes(9), b"\x99", b"\x22" + b"\xff" * 40, b"\x22\xff\xff\xfe\x7f" + bytes(20)):
        client._on_payload(data, site.network.now)
        client._on_message(b"\x31" + data, site.network.now)
    assert client.stats.refused == before + 10
    assert client.running
    client._on_message(b"\x31\x01\x00\x04\x3c\x00\x03\x00\x00\x00\x00", site.network.now)
    assert client.stats.refused == before + 11


def test_events_that_nobody_reads_hold_messages_back_and_lose_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_link, "MOST_UNREAD", 5)
    site = Site()
    client = site.add()
    site.run(1.0)
    guest, events = only_guest(site), client.events
    read = True
    monkeypatch.setattr(client, "events", lambda: events() if read else [])
    read = False
    for number in range(40):
        site.server.say(guest, RoomMessage(bytes((number,))))
        site.run(0.02)
    assert len(client._events) < 10
    read = True
    site.run(1.0)
    assert [each.data for each in of_kind(site.events[0], ServerMessageReceived)] == [
        bytes((each,)) for each in range(40)
    ]


def test_the_world_that_is_shown_survives_a_server_that_gives_one_id_twice() -> None:
    site = Site()
    client = site.add()
    site.run(1.0)
    play = client._play
    assert play is not None
    other = Yard()
    other.load(play._prediction.present)
    while other.next_id < 60:
        other.drones = [*other.drones[:2], type(other.drones[0])(x=1.0, y=1.0, target=None)]
    play._past._kept.clear()
    play._past.add(site.server.tick, other.save())
    assert client.world.save()
