"""The relay: what it grants, what it refuses, what it forwards, and what it keeps."""

import tracemalloc
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.relay import MemberEntered, MemberGone, RelayConfig, RelayServer, RoomGone, RoomOpened, rooms, server
from retick.relay import packets as wire
from retick.relay.packets import Frame, Left, MemberLost, Place, Present, Refusal, RelayRefused, RelayRequest, Seen
from tests.relay.meeting import FIRST, SECOND, TAG, Direct, make_server


def opened(relay: RelayServer, address: Any = ("203.0.113.1", 5000), *, places: int = 2, now: float = 0.0) -> Any:
    """Somebody who has opened a room, and its place."""
    one = Direct(relay, address)
    place = one.ask(wire.OPEN, places=places, tag=TAG, now=now)
    return one, place


def pair(relay: RelayServer, *, places: int = 2, now: float = 0.0) -> tuple[Direct, Direct, bytes]:
    ann, place = opened(relay, places=places, now=now)
    bob = Direct(relay, ("203.0.113.2", 6000))
    assert isinstance(bob.ask(wire.JOIN, code=place.code, tag=TAG, now=now), Place)
    return ann, bob, place.ticket[:6]


def frame(room: bytes, sender: int = 0, receiver: int = 1, payload: bytes = b"payload") -> bytes:
    return wire.encode_frame(Frame(wire.DATA, room, sender, receiver, payload))


# Reflection and proof of addresses.


def test_who_asks_is_told_its_address_and_the_other_port() -> None:
    relay = make_server()
    one = Direct(relay, ("203.0.113.9", 4321))
    seen = wire.decode_answer(one.raw(wire.encode_request(RelayRequest(wire.ASK, b"nonce678")))[0][0])
    assert isinstance(seen, Seen)
    assert (str(seen.host), seen.port, seen.other_port, seen.version) == ("203.0.113.9", 4321, SECOND[1], 1)


def test_the_second_port_answers_asks_only_and_each_port_can_answer_for_the_other() -> None:
    relay = make_server()
    for flags in (0, 1):
        data = wire.encode_request(RelayRequest(wire.ASK, b"nonce678", flags=flags))
        for port, endpoint in enumerate((relay, relay.second)):
            endpoint.receive_datagram(data, ("203.0.113.9", 4321), now=0.0)
            answers = (relay.datagrams_to_send(now=0.0), relay.second.datagrams_to_send(now=0.0))
            assert [len(out) for out in answers] == ([1, 0] if port == flags else [0, 1])
            seen = wire.decode_answer(answers[port ^ flags][0][0])
            assert isinstance(seen, Seen)
            assert seen.other_port == (SECOND, FIRST)[port][1]
    relay.second.receive_datagram(
        wire.encode_request(RelayRequest(wire.OPEN, b"nonce678", places=2, tag=TAG)), ("203.0.113.9", 4321), now=0.0
    )
    assert relay.second.datagrams_to_send(now=0.0) == relay.datagrams_to_send(now=0.0) == []
    assert relay.dropped["second_port"] == 1
    assert relay.second.next_timeout() is None
    assert relay.second.events() == []


@pytest.mark.parametrize("kind", [wire.OPEN, wire.JOIN])
def test_without_a_cookie_of_this_address_and_time_nothing_happens(kind: int) -> None:
    relay = make_server()
    own = {wire.OPEN: {"places": 2, "tag": TAG}, wire.JOIN: {"code": b"12345", "tag": TAG}}[kind]
    first, other = Direct(relay, ("203.0.113.1", 1)), Direct(relay, ("203.0.113.1", 2))
    data = wire.encode_request(RelayRequest(kind, b"nonce678", **own))  # type: ignore[arg-type]  # fields by name
    cookie = wire.decode_answer(first.raw(data)[0][0]).cookie  # type: ignore[union-attr]  # it is SEEN
    proven = wire.encode_request(RelayRequest(kind, b"nonce678", cookie, **own))  # type: ignore[arg-type]  # fields by name
    for whom, now in ((other, 0.0), (first, 20.0)):
        (answer,) = whom.raw(proven, now=now)
        assert isinstance(wire.decode_answer(answer[0]), Seen)
    assert relay.rooms == 0
    assert relay.refused == {}
    (answer,) = first.raw(proven, now=9.0)
    assert not isinstance(wire.decode_answer(answer[0]), Seen)


def test_another_version_is_told_ours_whatever_else_it_says() -> None:
    relay = make_server()
    for rest in (b"", bytes(51), b"?" * 500):
        data = b"\xd7RTR\x02nonce678" + bytes(16) + rest
        assert Direct(relay).raw(data) == []
        ((answer, _),) = Direct(relay).raw(b"\xd0" + data[1:])
        assert wire.decode_answer(answer) == RelayRefused(b"nonce678", Refusal.VERSION, 1)
        assert len(answer) < len(data)


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=1500)), max_size=20), st.integers(0, 2**32))
@settings(max_examples=50)
def test_no_stranger_gets_more_bytes_than_it_sent_and_none_is_kept(packets: list[tuple[int, bytes]], seed: int) -> None:
    relay = make_server()
    pair(relay)
    relay.datagrams_to_send(now=0.0)
    kept = relay.rooms, relay.members
    random = Random(seed)
    for kind, body in packets:
        data = bytes((kind,)) + body
        if random.random() < 0.5:  # one that looks right
            kind = random.choice([wire.ASK, wire.OPEN, wire.JOIN, wire.HERE, wire.LEAVE])
            fields = {"places": 2, "tag": TAG, "code": random.randbytes(5), "ticket": random.randbytes(49)}
            data = wire.encode_request(RelayRequest(kind, random.randbytes(8))._replace(**fields))
        relay.receive_datagram(data, ("192.0.2.66", 666), now=0.0)
        out = relay.datagrams_to_send(now=0.0)
        assert sum(len(answer) for answer, _ in out) <= len(data)
        assert all(address == ("192.0.2.66", 666) for _, address in out)
    assert (relay.rooms, relay.members) == kept


# Rooms.


def test_a_room_has_a_code_and_who_joins_by_it_gets_the_next_place() -> None:
    relay = make_server()
    _, place = opened(relay, places=3)
    assert (place.member, place.seconds, place.present) == (0, 600, 1)
    for number in (1, 2):
        joined = Direct(relay, (f"203.0.113.{number + 1}", 6000)).ask(wire.JOIN, code=place.code, tag=TAG)
        assert (joined.member, joined.present) == (number, 2 ** (number + 1) - 1)
        assert joined.seconds == (0 if number == 2 else wire.UNTIL_FULL)
    assert relay.rooms == 1
    assert relay.members == 3
    late = Direct(relay, ("203.0.113.9", 6000)).ask(wire.JOIN, code=place.code, tag=TAG)
    assert late.reason is Refusal.ROOM_FULL


def test_members_are_told_when_somebody_comes_or_goes() -> None:
    relay = make_server()
    ann, place = opened(relay)
    room = place.ticket[:6]
    bob = Direct(relay, ("203.0.113.2", 6000))
    bob.ask(wire.JOIN, code=b"wrong", tag=TAG)  # it has a cookie now
    out = bob.raw(wire.encode_request(RelayRequest(wire.JOIN, b"nonce678", bob.cookie, code=place.code, tag=TAG)))
    assert [address for _, address in out] == [bob.address, ann.address]
    joined, told = (wire.decode_answer(data) for data, _ in out)
    assert told == Present(room, 0b11)
    assert isinstance(joined, Place)
    out = bob.raw(wire.encode_request(RelayRequest(wire.LEAVE, b"12345678", ticket=joined.ticket)), now=1.0)
    assert {(wire.decode_answer(data), address) for data, address in out} == {
        (Left(b"12345678"), bob.address),
        (Present(room, 0b01), ann.address),
    }
    assert relay.events()[-1] == MemberGone(room=1, member=1, silent=False)


def test_one_that_comes_and_goes_without_end_does_not_flood_the_others() -> None:
    relay = make_server()
    ann, place = opened(relay)
    bob = Direct(relay, ("203.0.113.2", 6000))
    ticket = bob.ask(wire.JOIN, code=place.code, tag=TAG).ticket
    told = []
    for step in range(200):
        now = 1.0 + step / 100
        kind = (wire.LEAVE, wire.HERE)[step % 2]
        out = bob.raw(
            wire.encode_request(RelayRequest(kind, step.to_bytes(8, "little"), bob.cookie, ticket=ticket)), now=now
        )
        relay.handle_timeout(now=now)
        out += relay.datagrams_to_send(now=now)
        told += [wire.decode_answer(data) for data, address in out if address == ann.address]
    relay.handle_timeout(now=3.5)
    told += [wire.decode_answer(data) for data, address in relay.datagrams_to_send(now=3.5) if address == ann.address]
    assert 4 < len(told) <= 11
    assert told[-1] == Present(place.ticket[:6], 0b11)


def test_a_request_that_comes_twice_gives_one_place() -> None:
    relay = make_server()
    ann = Direct(relay)
    places = [ann.ask(wire.OPEN, nonce=b"nonce678", places=2, tag=TAG, now=now) for now in (0.0, 1.0)]
    assert places[0][:3] == places[1][:3]
    assert relay.rooms == 1
    bob = Direct(relay, ("203.0.113.2", 6000))
    joins = [bob.ask(wire.JOIN, nonce=b"again678", code=places[0].code, tag=TAG) for _ in range(2)]
    assert [place.member for place in joins] == [1, 1]


def test_a_code_expires_unless_somebody_has_joined() -> None:
    relay = make_server()
    ann, place = opened(relay, places=3)
    for now in range(1, 620, 2):
        place = ann.ask(wire.HERE, ticket=place.ticket, now=float(now))
        relay.handle_timeout(now=float(now))
    assert place.seconds == 0
    refused = Direct(relay, ("203.0.113.2", 6000)).ask(wire.JOIN, code=place.code, tag=TAG, now=619.0)
    assert refused.reason is Refusal.CODE_EXPIRED
    relay = make_server()
    ann, place = opened(relay, places=3)
    code = place.code
    assert isinstance(Direct(relay, ("203.0.113.2", 6000)).ask(wire.JOIN, code=code, tag=TAG, now=1.0), Place)
    for now in range(1, 620, 2):
        place = ann.ask(wire.HERE, ticket=place.ticket, now=float(now))
        relay.handle_timeout(now=float(now))
    assert isinstance(Direct(relay, ("203.0.113.3", 6000)).ask(wire.JOIN, code=code, tag=TAG, now=619.0), Place)


def test_a_code_of_nobody_and_one_of_another_game_are_named() -> None:
    relay = make_server()
    _, place = opened(relay)
    bob = Direct(relay, ("203.0.113.2", 6000))
    assert bob.ask(wire.JOIN, code=b"wrong", tag=TAG).reason is Refusal.NO_SUCH_CODE
    assert bob.ask(wire.JOIN, code=place.code, tag=bytes(16)).reason is Refusal.OTHER_GAME
    assert relay.refused == {Refusal.NO_SUCH_CODE: 1, Refusal.OTHER_GAME: 1}


def test_wrong_codes_are_limited_and_then_the_right_one_does_not_help_either() -> None:
    relay = make_server()
    _, place = opened(relay)
    bob = Direct(relay, ("2001:db8::1", 6000))
    reasons = [bob.ask(wire.JOIN, code=b"wrong", tag=TAG).reason for _ in range(11)]
    assert reasons == [Refusal.NO_SUCH_CODE] * 10 + [Refusal.SLOW_DOWN]
    neighbour = Direct(relay, ("2001:db8::abcd", 6001))
    refused = neighbour.ask(wire.JOIN, code=place.code, tag=TAG)
    assert (refused.reason, refused.number) == (Refusal.SLOW_DOWN, 10)
    assert isinstance(Direct(relay, ("2001:db9::1", 6000)).ask(wire.JOIN, code=place.code, tag=TAG), Place)


def test_rooms_and_members_are_limited() -> None:
    relay = make_server(RelayConfig(rooms=3, rooms_per_address=2, members=4))
    for port in (1, 2):
        assert isinstance(opened(relay, ("203.0.113.1", port))[1], Place)
    assert opened(relay, ("203.0.113.1", 3))[1].reason is Refusal.TOO_MANY_ROOMS
    _, place = opened(relay, ("203.0.113.2", 1), places=8)
    assert opened(relay, ("203.0.113.3", 1))[1].reason is Refusal.RELAY_FULL
    answers = [Direct(relay, ("203.0.113.4", port)).ask(wire.JOIN, code=place.code, tag=TAG) for port in (1, 2)]
    assert isinstance(answers[0], Place)
    assert answers[1].reason is Refusal.RELAY_FULL


def test_members_that_are_silent_for_half_a_minute_are_gone_and_so_is_an_empty_room() -> None:
    relay = make_server(RelayConfig(rooms_per_address=1))
    ann, _, room = pair(relay)
    assert ann.raw(frame(room), now=29.0)
    for now in (30.0, 30.5, 31.0):
        relay.handle_timeout(now=now)
    assert (relay.rooms, relay.members) == (1, 1)
    assert [wire.decode_answer(data) for data, _ in relay.datagrams_to_send(now=31.0)] == [Present(room, 0b01)]
    for now in (60.0, 60.5):
        relay.handle_timeout(now=now)
    assert (relay.rooms, relay.members) == (0, 0)
    assert relay.next_timeout() is None
    events = relay.events()
    assert [type(event) for event in events] == [
        RoomOpened, MemberEntered, MemberEntered, MemberGone, MemberGone, RoomGone
    ]  # fmt: skip
    assert isinstance(opened(relay, ("203.0.113.1", 5000), now=61.0)[1], Place)


# Frames.


def test_a_frame_goes_from_a_member_to_a_member_as_it_is() -> None:
    relay = make_server()
    ann, bob, room = pair(relay)
    for kind in (wire.DATA, wire.SIGNAL):
        data = wire.encode_frame(Frame(kind, room, 0, 1, b"payload"))
        assert ann.raw(data) == ann.raw(data) == [(data, bob.address)]
    back = frame(room, 1, 0)
    assert bob.raw(back) == [(back, ann.address)]
    assert relay.forwarded == 5
    assert relay.forwarded_bytes == 5 * 16


@pytest.mark.parametrize("is_known", [False, True])
def test_frames_of_strangers_and_for_strangers_go_nowhere(is_known: bool) -> None:
    relay = make_server()
    ann, bob, room = pair(relay, places=3)
    if is_known:
        assert ann.raw(frame(room))
    stranger = Direct(relay, ("192.0.2.66", 666))
    lost = [(wire.encode_answer(MemberLost(room + b"\0\1")), stranger.address)]
    assert stranger.raw(frame(room)) == lost
    assert bob.raw(frame(room))[0][1] == bob.address
    assert len(stranger.raw(frame(b"noroom"))[0][0]) == 9
    assert ann.raw(frame(room, 0, 2)) == []
    assert ann.raw(frame(room)[:9]) == []
    assert ann.raw(b"\xe0" + frame(room)[1:]) == []
    assert ann.raw(frame(room) + bytes(1500)) == []
    assert relay.forwarded == is_known


def test_a_member_may_send_so_many_bytes_a_second_and_the_relay_so_many_in_all() -> None:
    for config, reason in (
        (RelayConfig(member_bytes=1280), "member_bytes"),
        (RelayConfig(total_bytes=1280), "relay_bytes"),
    ):
        relay = make_server(config)
        ann, bob, room = pair(relay)
        data = frame(room, payload=bytes(91))  # 128 bytes with headers

        def passed(now: float, ann: Direct = ann, data: bytes = data) -> int:
            return sum(bool(ann.raw(data, now=now)) for _ in range(30))

        assert passed(0.0) == 10
        assert passed(0.5) == 5
        assert passed(9.0) == 10
        assert relay.dropped[reason] == 90 - 25
        if reason == "member_bytes":
            assert bob.raw(frame(room, 1, 0), now=9.0)


def test_the_table_of_channels_begins_anew_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_CHANNELS", 2)
    relay = make_server()
    ann, place = opened(relay, places=5)
    for number in range(1, 5):
        Direct(relay, (f"203.0.113.{number + 1}", 6000)).ask(wire.JOIN, code=place.code, tag=TAG)
    for number in (1, 2, 3, 4, 1, 2):
        assert ann.raw(frame(place.ticket[:6], 0, number))
        assert len(relay._channels) <= 2


# Tickets, other addresses, and a relay that starts again.


def test_a_member_with_a_ticket_takes_its_place_to_another_address_when_that_is_proven() -> None:
    relay = make_server()
    ann, bob, room = pair(relay)
    ann.raw(frame(room))
    ticket = bob.ask(wire.HERE, ticket=ticket_of(bob)).ticket
    moved = Direct(relay, ("203.0.113.77", 7000))
    out = moved.raw(wire.encode_request(RelayRequest(wire.HERE, b"nonce678", ticket=ticket)))
    assert isinstance(wire.decode_answer(out[0][0]), Seen)
    assert ann.raw(frame(room))[0][1] == bob.address
    assert moved.ask(wire.HERE, ticket=ticket).member == 1
    assert ann.raw(frame(room))[0][1] == moved.address
    assert wire.decode_answer(bob.raw(frame(room, 1, 0))[0][0]) == MemberLost(room + b"\1\0")
    assert moved.raw(frame(room, 1, 0))[0][1] == ann.address


def ticket_of(one: Direct, member: int = 1) -> bytes:
    """A ticket as the server makes it."""
    (room,) = one.server._hall.rooms.values()
    return one.server._office.signed(room.ticket(member, 2_000_000_000))


def test_a_ticket_that_is_wrong_or_old_is_refused() -> None:
    relay = make_server()
    ann, place = opened(relay)
    assert ann.ask(wire.HERE, ticket=bytes(49)).reason is Refusal.TICKET
    assert ann.ask(wire.HERE, ticket=place.ticket, now=299.0).member == 0
    assert ann.ask(wire.HERE, ticket=place.ticket, now=300.0).reason is Refusal.TICKET


def test_a_relay_that_starts_again_has_the_room_its_code_and_its_places_back() -> None:
    ann, place = opened(make_server(), places=3)
    bob = Direct(ann.server, ("203.0.113.2", 6000))
    joined = bob.ask(wire.JOIN, code=place.code, tag=TAG)
    fresh = ann.ask(wire.HERE, ticket=place.ticket)
    relay = ann.server = bob.server = make_server(seed=99, epoch=1_800_000_100.0)
    assert wire.decode_answer(ann.raw(frame(place.ticket[:6]))[0][0]) == MemberLost(place.ticket[:6] + b"\0\1")
    again = ann.ask(wire.HERE, ticket=fresh.ticket)
    assert (again.member, again.code, again.present, again.ticket[:6]) == (0, place.code, 1, place.ticket[:6])
    late = Direct(relay, ("203.0.113.3", 6000)).ask(wire.JOIN, code=place.code, tag=TAG)
    assert late.member == 2
    assert bob.ask(wire.HERE, ticket=joined.ticket).present == 0b111
    assert ann.raw(frame(place.ticket[:6]))[0][1] == bob.address
    assert relay.events()[0] == RoomOpened(room=1, places=3, returned=True)


def test_a_relay_with_another_key_knows_nobody() -> None:
    ann, place = opened(make_server())
    ann.server = RelayServer(key=bytes(32), entropy=Random(1).randbytes, epoch=1_800_000_000.0)
    assert ann.ask(wire.HERE, ticket=place.ticket).reason is Refusal.TICKET


def test_rooms_that_return_are_limited_too() -> None:
    tickets = [opened(make_server(seed=seed))[1].ticket for seed in (1, 2)]
    relay = make_server(RelayConfig(rooms=1))
    ann = Direct(relay)
    assert isinstance(ann.ask(wire.HERE, ticket=tickets[0]), Place)
    assert ann.ask(wire.HERE, ticket=tickets[1]).reason is Refusal.RELAY_FULL


def test_whoever_leaves_twice_is_answered_twice() -> None:
    relay = make_server()
    ann, place = opened(relay)
    assert isinstance(ann.ask(wire.LEAVE, ticket=place.ticket), Left)
    assert relay.rooms == 0
    assert isinstance(ann.ask(wire.LEAVE, ticket=place.ticket), Left)


# Limits of what strangers cause.


def test_answers_to_strangers_are_limited_and_members_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    relay = make_server(RelayConfig(answers=20))
    ann, place = opened(relay)
    data = wire.encode_request(RelayRequest(wire.ASK, b"nonce678"))
    answers = sum(len(Direct(relay, (f"192.0.2.{last}", 1)).raw(data, now=1.0)) for last in range(100))
    assert answers == 20
    assert relay.dropped["answers"] == 80
    assert isinstance(ann.ask(wire.HERE, ticket=place.ticket, now=1.0), Place)
    monkeypatch.setattr(server, "MOST_WAITING", 5)
    for last in range(9):
        relay.receive_datagram(data, (f"192.0.2.{last}", 1), now=2.0)
    assert len(relay.datagrams_to_send(now=2.0)) == 5
    assert relay.dropped["queue"] == 4


def forged_asks(relay: RelayServer, random: Random, count: int, now: float) -> None:
    """Requests for a cookie from addresses that their sender does not have."""
    for _ in range(count):
        address = (f"{random.randrange(1, 224)}.{random.randrange(256)}.{random.randrange(256)}.9", 9)
        relay.receive_datagram(wire.encode_request(RelayRequest(wire.ASK, random.randbytes(8))), address, now=now)
    relay.datagrams_to_send(now=now)


def test_forged_requests_of_a_few_megabits_keep_no_newcomer_out() -> None:
    """4,100 a second of 80 bytes and their headers are 3.5 Mbit/s; all of them come before the honest ones."""
    relay, random = make_server(), Random(3)
    _, place = opened(relay)
    for tick in range(500):
        now = tick / 100
        forged_asks(relay, random, 41, now)
        if tick % 100 == 99:
            newcomer = Direct(relay, (f"198.18.0.{tick // 100}", 5))
            assert isinstance(newcomer.ask(wire.OPEN, places=2, tag=TAG, now=now), Place)
            assert isinstance(Direct(relay, ("198.18.1.1", tick)).ask(wire.HERE, ticket=place.ticket, now=now), Place)
    assert not relay.dropped


def test_a_member_whose_address_changed_comes_back_whatever_flood_there_is() -> None:
    relay, random = make_server(RelayConfig(answers=500)), Random(4)
    _, place = opened(relay)
    for tick in range(100):
        now = tick / 100
        forged_asks(relay, random, 100, now)
        if tick % 33 == 32:
            moved = Direct(relay, ("198.18.1.1", tick))
            assert isinstance(moved.ask(wire.HERE, ticket=place.ticket, now=now), Place)
            assert Direct(relay, ("198.18.2.2", tick)).ask(wire.OPEN, places=2, tag=TAG, now=now) is None
    assert relay.dropped["answers"] > 9000


def test_one_ticket_and_one_address_get_few_answers_however_often_they_ask() -> None:
    relay = make_server()
    _, place = opened(relay)
    request = wire.encode_request(RelayRequest(wire.HERE, b"nonce678", ticket=place.ticket))
    shown = sum(len(Direct(relay, (f"198.18.3.{last}", 1)).raw(request, now=1.0)) for last in range(100))
    assert shown == 8, "although each came from another address"
    ask = wire.encode_request(RelayRequest(wire.ASK, b"nonce678"))
    assert sum(len(Direct(relay, ("198.18.4.4", port)).raw(ask, now=1.0)) for port in range(1, 1001)) == 100
    assert len(Direct(relay, ("198.18.4.5", 1)).raw(ask, now=1.0)) == 1
    changed = place.ticket[:-1] + bytes([place.ticket[-1] ^ 1])
    forged = wire.encode_request(RelayRequest(wire.HERE, b"nonce678", ticket=changed))
    assert sum(len(Direct(relay, ("198.18.4.4", port)).raw(forged, now=1.0)) for port in range(1, 100)) == 0


def test_events_that_nobody_reads_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_UNREAD", 3)
    relay = make_server()
    for port in (1, 2, 3):
        opened(relay, ("203.0.113.1", port))
    assert len(relay.events()) == 3


def test_spoofed_requests_leave_nothing_behind() -> None:
    relay = make_server()
    pair(relay)
    random = Random(7)

    def flood(count: int) -> None:
        for number in range(count):
            now = number / 100_000
            fields = {"places": 2, "tag": TAG, "code": random.randbytes(5), "ticket": random.randbytes(49)}
            request = RelayRequest((wire.OPEN, wire.JOIN, wire.HERE, wire.LEAVE)[number % 4], random.randbytes(8))
            address = (f"192.0.{random.randrange(256)}.{random.randrange(256)}", random.randrange(65536))
            for data in (
                wire.encode_request(RelayRequest(wire.ASK, random.randbytes(8))),
                wire.encode_request(request._replace(cookie=random.randbytes(16), **fields)),
                frame(random.randbytes(6)),
            ):
                relay.receive_datagram(data, address, now=now)
            relay.datagrams_to_send(now=now)

    flood(2500)  # Python keeps up to 2,000 freed tuples of each size
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    flood(2500)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20_000
    assert relay.rooms == 1


def test_an_address_that_is_none_of_a_socket_is_dropped() -> None:
    relay = make_server()
    assert Direct(relay, "name").raw(wire.encode_request(RelayRequest(wire.ASK, b"nonce678"))) == []
    assert relay.dropped["address"] == 1
