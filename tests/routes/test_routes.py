"""The whole between link and socket: what is dropped, what is told, and what a hostile relay can do."""

from collections import Counter
from ipaddress import ip_address
from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.relay import MemberState
from retick.relay import packets as wire
from retick.routes import Online, Routes, member_name, routes
from retick.routes.online import MOST_OWN
from retick.routes.routes import LONGEST, NOTE
from retick.transport import Nat
from tests.routes.matches import between

RELAY = ("198.51.100.1", 7788)
THIRD = ("192.0.2.99", 53)
TAG = b"tag of the game."


def inside(number: int = 0, *, seen: str = "203.0.113.1", **details: Any) -> Routes:
    """Routes that a relay, played by hand, has let in."""
    code = None if number == 0 else "00000000"
    made = Routes(Online(relay=RELAY, code=code, **details), tag=TAG, entropy=Random(number).randbytes, places=4)
    [(request, _)] = made.drain(0.0)
    nonce = request[5:13]
    answer = wire.Seen(nonce, 1, 0, ip_address(seen), 5000, bytes(range(16)))
    made.receive(wire.encode_answer(answer), RELAY, 0.01)
    made.drain(0.02)
    place = wire.Place(nonce, number, b"12345", 600, 3, b"roomid" + bytes(43))
    made.receive(wire.encode_answer(place), RELAY, 0.03)
    assert made.is_open
    made.drain(0.03)
    made.events()
    return made


def frame(sender: int, receiver: int, payload: bytes, kind: int = wire.DATA) -> bytes:
    return wire.encode_frame(wire.Frame(kind, b"roomid", sender, receiver, payload))


def test_the_links_datagrams_go_through_the_relay_at_first_and_names_stand_for_members() -> None:
    made = inside()
    made.send([(b"\x80hello", "member-1")], 0.1)
    assert (frame(0, 1, b"\x80hello"), RELAY) in made.drain(0.1)
    assert made.receive(frame(1, 0, b"\x80back"), RELAY, 0.2) == [(b"\x80back", "member-1")]


@pytest.mark.parametrize(
    "name", ["member-0", "member-64", "member-01", "member-x", "host", ("203.0.113.1", 5000), None]
)
def test_what_is_no_name_of_another_member_is_not_sent(name: Any) -> None:
    made = inside()
    made.send([(b"\x80hello", name)], 0.1)
    assert made.dropped["unsendable"] == 1
    assert made.drain(0.1) == []
    assert member_name(3) == "member-3"


def test_a_datagram_that_no_frame_can_carry_is_dropped() -> None:
    made = inside()
    made.send([(bytes(size), "member-1") for size in (LONGEST + 1, LONGEST, 0)], 0.1)
    assert made.dropped["unsendable"] == 2
    assert len([data for data, *_ in made.drain(0.1) if len(data) == wire.MAX_DATAGRAM]) == 1


def test_what_waits_for_the_socket_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MOST_WAITING", 3)
    made = inside()
    made.send([(b"\x80hello", "member-1")] * 5, 0.1)
    assert len(made.drain(0.1)) == 3
    assert made.dropped["queue"] == 2


def test_strangers_and_bad_notes_change_nothing() -> None:
    made = inside()
    made.send([(b"\x80hello", "member-1")], 0.1)
    made.drain(0.1)
    note = bytes((NOTE,)) + b"roomid\1\0"
    for data in (b"", b"\x80link", bytes((NOTE,)), note, note + bytes(50), bytes((NOTE,)) + b"otherr\1\0" + bytes(50),
                 bytes((NOTE,)) + b"roomid\2\0" + bytes(50)):  # fmt: skip
        assert made.receive(data, THIRD, 0.2) == []
    assert made.receive(frame(1, 0, bytes(50), wire.SIGNAL), RELAY, 0.2) == []
    assert dict(made.dropped) == {"unknown_address": 2, "bad_note": 6}
    assert made.drain(0.2) == []


def exchange(one: Routes, two: Routes, now: float) -> list[tuple[Any, ...]]:
    """Pass on what goes through the relay; the rest is returned."""
    others: list[tuple[Any, ...]] = []
    for _ in range(6):
        for sender, receiver in ((one, two), (two, one)):
            for datagram in sender.drain(now):
                if datagram[1] == RELAY and datagram[0][0] in (wire.DATA, wire.SIGNAL):
                    receiver.receive(datagram[0], RELAY, now)
                elif datagram[1] == RELAY:
                    place = wire.Place(datagram[0][5:13], sender.number, b"12345", 600, 3, b"roomid" + bytes(43))
                    sender.receive(wire.encode_answer(place), RELAY, now)
                else:
                    others.append(datagram)
    return others


def test_a_hostile_relay_that_shows_a_third_party_as_a_members_address_makes_one_small_probe_go_there() -> None:
    one, two = inside(0), inside(1, seen=THIRD[0])
    one.send([(b"\x80hello", "member-1")], 0.1)
    sent: Counter[str] = Counter()
    now = 0.1
    for _ in range(2000):
        now += 0.1
        for each in (one, two):
            each.handle_timeout(now)
        for datagram in exchange(one, two, now):
            assert len(datagram[0]) == 46
            if len(datagram) == 2 and datagram[1][0] == THIRD[0]:
                sent[datagram[1][0]] += 1
    assert sent == {THIRD[0]: 1}
    assert "no probe came through" in one.report()[0].text


def test_the_keys_of_notes_need_the_invite_where_there_is_one() -> None:
    mesh = between(Nat(), Nat())
    mesh.run(3.0)
    assert mesh["peer0"].session.routes.dropped["bad_note"] == 0
    one, two = (mesh[name].session.routes for name in ("peer0", "peer1"))
    forged = inside(0)
    forged._relay.room, forged._relay.code = two._relay.room, two._relay.code
    forged._relay.number = 0
    seal = forged._seal(1).seal(wire.SIGNAL, b"\3\1")
    assert seal is not None
    two.receive(wire.encode_frame(wire.Frame(wire.SIGNAL, two._relay.room, 0, 1, seal)), RELAY, mesh.network.now)
    assert two.dropped["bad_note"] == 1
    assert one.number == 0


def test_with_relay_only_nothing_but_the_relay_is_heard_or_sent_to() -> None:
    one, two = inside(0, relay_only=True), inside(1)
    two.send([(b"\x80hello", "member-0")], 0.1)
    one.send([(b"\x80hello", "member-1")], 0.1)
    assert exchange(one, two, 0.2) == []
    assert one.candidates() == ()
    assert one.receive(bytes((NOTE,)) + bytes(60), THIRD, 0.3) == []
    assert one.dropped == {"relay_only": 1}
    with pytest.raises(UsageError, match="relay_only"):
        one.add_mapped("203.0.113.1", 9, now=0.3)


def test_candidates_are_the_own_addresses_mapped_ports_and_what_the_relay_sees_each_once() -> None:
    made = inside(own=(("10.0.0.2", 5000), ("2001:db8::2", 5000), ("fd00::2", 5000)))
    made.add_mapped("203.0.113.1", 5001, now=0.2)
    made.add_mapped("203.0.113.1", 5001, now=0.2)
    assert [(kind.name, str(host), port) for kind, host, port in made.candidates()] == [
        ("LOCAL", "10.0.0.2", 5000),
        ("IPV6", "2001:db8::2", 5000),
        ("LOCAL", "fd00::2", 5000),
        ("MAPPED", "203.0.113.1", 5001),
        ("REFLEXIVE", "203.0.113.1", 5000),
    ]
    many = inside(own=tuple((f"10.0.0.{n}", 5000) for n in range(1, MOST_OWN + 1)))
    many.add_mapped("203.0.113.1", 5001, now=0.2)
    assert [each.kind.name for each in many.candidates()][-1] == "REFLEXIVE", "what the relay sees is always told"
    assert len(inside(own=(("203.0.113.1", 5000),)).candidates()) == 1


def test_a_note_of_the_wrong_sort_for_its_way_is_dropped() -> None:
    one, two = inside(0), inside(1)
    one.send([(b"\x80hello", "member-1")], 0.1)
    exchange(one, two, 0.1)
    direct = two._seal(0).seal(NOTE, b"\3\1")
    probe = two._seal(0).seal(wire.SIGNAL, b"\4" + bytes(8))
    assert direct is not None
    assert probe is not None
    one.receive(bytes((NOTE,)) + b"roomid\1\0" + direct, THIRD, 0.2)
    one.receive(frame(1, 0, probe, wire.SIGNAL), RELAY, 0.2)
    assert one.dropped["bad_note"] == 2


def test_after_closing_it_leaves_the_room_and_is_silent() -> None:
    made = inside()
    made.close()
    for step in range(6):
        made.drain(1.0 + step)
        made.handle_timeout(1.5 + step)
    assert made._relay.state is MemberState.OUT
    assert made.next_timeout() is None
    made.send([(b"\x80hello", "member-1")], 20.0)
    assert made.dropped["no_relay"] == 1
