"""The member's side: coming in, staying, frames, other addresses, and relays that die. Two real ends on a network."""

from ipaddress import ip_address
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.relay import (
    AddressSeen,
    Entered,
    FrameReceived,
    LeftRoom,
    MemberState,
    PresentChanged,
    Refusal,
    RelayBack,
    RelayConfig,
    RelayMember,
    RelaySilent,
    member,
)
from retick.relay import packets as wire
from retick.relay.packets import MemberLost, Place, Present, RelayRequest, Seen
from retick.transport import Conditions, Nat, NatKind
from tests.relay.meeting import FIRST, TAG, Meeting


def make(relay: Any = FIRST) -> RelayMember:
    return RelayMember(relay, tag=TAG, entropy=Random(3).randbytes)


def test_two_meet_by_a_code_and_send_to_each_other() -> None:
    meeting = Meeting()
    ann, bob = meeting.room()
    assert (ann.number, bob.number, bob.code) == (0, 1, ann.code)
    assert ann.present == bob.present == {0, 1}
    meeting.send(ann, bob, b"hello", is_signal=True)
    meeting.send(bob, ann, b"play")
    meeting.run(1.0)
    assert meeting.of(bob, FrameReceived) == [FrameReceived(sender=0, payload=b"hello", is_signal=True)]
    assert meeting.of(ann, FrameReceived) == [FrameReceived(sender=1, payload=b"play", is_signal=False)]
    seen = meeting.of(ann, AddressSeen)
    assert [(str(each.host), each.port, each.other_port) for each in seen] == [("203.0.113.1", 5000, 7789)]


def test_coming_in_takes_two_round_trips() -> None:
    meeting = Meeting()
    ann = meeting.member()
    ann.open(2)
    meeting.flush(ann)
    meeting.run(0.17)
    assert meeting.of(ann, Entered) == [Entered(member=0, code=ann.code, seconds=599, present=frozenset({0}))]


@given(st.integers(0, 2**30))
@settings(max_examples=20, deadline=None)
def test_over_a_bad_link_all_come_in_each_once(seed: int) -> None:
    conditions = Conditions(latency=0.04, jitter=0.03, loss=0.2, duplicate=0.1, reorder=0.1)
    meeting = Meeting(seed=seed, conditions=conditions)
    ann = meeting.member()
    ann.open(4)
    meeting.flush(ann)
    meeting.run(6.0)
    others = [meeting.member() for _ in range(3)]
    for each in others:
        each.join(ann.code)
        meeting.flush(each)
    meeting.run(8.0)
    assert {each.number for each in (ann, *others)} == {0, 1, 2, 3}
    assert {each.present for each in (ann, *others)} == {frozenset({0, 1, 2, 3})}
    assert meeting.server.members == 4


@pytest.mark.parametrize("kind", NatKind)
def test_members_behind_routers_of_every_kind_meet_at_the_relay(kind: NatKind) -> None:
    meeting = Meeting()
    ann, bob = meeting.room(nat=Nat(kind=kind, timeout=20.0))
    meeting.run(60.0)
    meeting.send(ann, bob, b"still here")
    meeting.run(1.0)
    assert [each.payload for each in meeting.of(bob, FrameReceived)] == [b"still here"]


def test_a_member_whose_router_forgot_it_is_found_at_its_new_address() -> None:
    meeting = Meeting()
    ann, bob = meeting.room(nat=Nat(keeps_ports=False))
    meeting.network._routing.routers["203.0.113.2"].forget()
    meeting.run(4.0)
    meeting.send(ann, bob, b"found")
    meeting.run(1.0)
    assert [each.payload for each in meeting.of(bob, FrameReceived)] == [b"found"]
    assert len(meeting.of(bob, AddressSeen)) == 2


def test_a_relay_that_is_killed_and_restarted_has_its_members_back_within_three_seconds() -> None:
    for offset in range(10):
        meeting = Meeting(seed=offset)
        ann, bob = meeting.room()
        meeting.run(offset * 0.2)
        meeting.stop_relay()
        meeting.run(5.0)
        assert ann.is_silent
        meeting.start_relay()
        meeting.run(3.0)
        meeting.send(ann, bob, b"again")
        meeting.run(0.1)
        assert [each.payload for each in meeting.of(bob, FrameReceived)] == [b"again"]
        for each in (ann, bob):
            assert len(meeting.of(each, RelaySilent)) == len(meeting.of(each, RelayBack)) == 1
            assert meeting.of(each, LeftRoom) == []


def test_a_relay_that_restarts_at_once_is_noticed_by_the_first_frame() -> None:
    meeting = Meeting()
    ann, bob = meeting.room()
    meeting.stop_relay()
    meeting.start_relay()
    for _ in range(3):
        meeting.send(ann, bob, b"play")
        meeting.send(bob, ann, b"play")
        meeting.run(0.3)
    assert meeting.of(bob, FrameReceived)
    assert meeting.of(ann, RelaySilent) == []


def test_who_leaves_is_gone_at_once_and_who_falls_silent_after_a_while() -> None:
    meeting = Meeting()
    ann, bob, eve = meeting.room(3)
    bob.close()
    meeting.flush(bob)
    meeting.run(0.2)
    assert bob.state is MemberState.OUT
    assert meeting.of(bob, LeftRoom) == [LeftRoom(reason=None, text="left")]
    assert ann.present == {0, 2}
    meeting.network.detach(meeting.addresses[eve])
    meeting.run(32.0)
    assert ann.present == {0}
    assert [each.present for each in meeting.of(ann, PresentChanged)][-1] == {0}


def test_leaving_ends_although_the_relay_is_dead() -> None:
    meeting = Meeting()
    ann, _ = meeting.room()
    meeting.stop_relay()
    ann.close()
    ann.close()
    meeting.flush(ann)
    meeting.run(3.0)
    assert ann.state is MemberState.OUT
    assert ann.next_timeout() is None


def test_a_relay_that_does_not_answer_is_given_up_in_words() -> None:
    meeting = Meeting()
    meeting.stop_relay()
    ann = meeting.member()
    ann.open(2)
    meeting.flush(ann)
    meeting.run(11.0)
    (left,) = meeting.of(ann, LeftRoom)
    assert left.reason is None
    assert "does not answer" in left.text
    assert ann.next_timeout() is None


def test_refusals_are_told_in_words() -> None:
    meeting = Meeting(config=RelayConfig(wrong_codes=1))
    ann = meeting.member()
    ann.open(2)
    meeting.flush(ann)
    meeting.run(1.0)
    told = []
    for code, tag in ((ann.code, bytes(16)), (b"wrong", TAG)):
        bob = meeting.member(tag=tag)
        bob.join(code)
        meeting.flush(bob)
        meeting.run(1.0)
        told += meeting.of(bob, LeftRoom)
    assert [left.reason for left in told] == [Refusal.OTHER_GAME, Refusal.NO_SUCH_CODE]
    assert "another game" in told[0].text


def test_every_refusal_has_words() -> None:
    assert set(member._WORDS) == set(Refusal)


def test_a_ticket_that_the_relay_does_not_know_ends_the_stay() -> None:
    meeting = Meeting(config=RelayConfig(ticket_seconds=4.0))
    ann, _ = meeting.room()
    meeting.stop_relay()
    meeting.run(6.0)
    meeting.start_relay()
    meeting.run(3.0)
    (left,) = meeting.of(ann, LeftRoom)
    assert left.reason is Refusal.TICKET
    assert "join again" in left.text


def test_frames_that_nobody_reads_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member, "MOST_UNREAD", 3)
    meeting = Meeting()
    ann, bob = meeting.room()
    data = ann.frame(1, b"x")
    for _ in range(9):
        bob.receive_datagram(data, FIRST, now=2.0)
    assert len(bob.events()) == 3
    assert bob.dropped["unread"] == 6


def inside() -> tuple[RelayMember, bytes]:
    """A member that is in, and its room's id."""
    one = make()
    one.open(2)
    ((data, _),) = one.datagrams_to_send(now=0.0)
    nonce = wire.decode_request(data).nonce
    ticket = b"roomid" + bytes(43)
    one.receive_datagram(wire.encode_answer(Place(nonce, 0, b"12345", 600, 1, ticket)), FIRST, now=0.1)
    one.events()
    return one, ticket[:6]


def test_what_is_not_from_the_relay_or_not_for_this_member_changes_nothing() -> None:
    one, room = inside()
    state = {name: repr(value) for name, value in vars(one).items() if name != "dropped"}
    for data in (
        b"",
        b"\xde",
        wire.encode_answer(Seen(b"othernon", 1, 0, ip_address("192.0.2.1"), 7, bytes(16))),
        wire.encode_answer(Place(b"othernon", 0, b"12345", 0, 1, bytes(49))),
        wire.encode_answer(Present(b"others", 7)),
        wire.encode_answer(MemberLost(b"others\0\1")),
        b"\xde" + room + b"\1\2x",
        b"\xdeothers\1\0x",
    ):
        one.receive_datagram(data, FIRST, now=0.2)
    one.receive_datagram(b"\xde" + room + b"\1\0x", ("192.0.2.1", 7788), now=0.2)
    assert {name: repr(value) for name, value in vars(one).items() if name != "dropped"} == state
    assert one.dropped == {"malformed": 2, "old": 2, "not_for_us": 2, "address": 1}


def test_a_relay_that_says_lost_without_end_gets_few_requests() -> None:
    one, room = inside()
    sent = 0
    for tick in range(1000):
        now = 0.2 + tick / 100
        one.receive_datagram(wire.encode_answer(MemberLost(room + b"\0\1")), FIRST, now=now)
        one.handle_timeout(now=now)
        sent += len(one.datagrams_to_send(now=now))
    assert 30 < sent < 55


def test_a_relay_that_sends_new_cookies_without_end_gets_few_requests() -> None:
    one = make()
    one.open(2)
    sent = 0
    for tick in range(400):
        now = tick / 100
        one.handle_timeout(now=now)
        sent += len(one.datagrams_to_send(now=now))
        seen = Seen(one._nonce, 1, 0, ip_address("192.0.2.1"), 7, tick.to_bytes(16, "little"))
        one.receive_datagram(wire.encode_answer(seen), FIRST, now=now)
        sent += len(one.datagrams_to_send(now=now))
    assert 10 < sent <= 4 * 10


def test_a_place_in_another_room_is_not_taken() -> None:
    one, room = inside()
    one.handle_timeout(now=2.2)
    ((data, _),) = one.datagrams_to_send(now=2.2)
    nonce = wire.decode_request(data).nonce
    one.receive_datagram(wire.encode_answer(Place(nonce, 0, b"12345", 0, 1, bytes(49))), FIRST, now=2.3)
    assert one.dropped["malformed"] == 1
    assert one.frame(1, b"x")[1:7] == room


@given(st.lists(st.binary(max_size=100), max_size=20))
def test_any_bytes_from_the_relay_are_survived(packets: list[bytes]) -> None:
    one, _ = inside()
    for number, data in enumerate(packets):
        for head in (b"", bytes((0xD8 + number % 8,))):
            one.receive_datagram(head + data, FIRST, now=1.0 + number)
            one.handle_timeout(now=1.0 + number)
            one.datagrams_to_send(now=1.0 + number)
    one.events()


def test_calls_that_make_no_sense_are_refused() -> None:
    one = make()
    with pytest.raises(UsageError, match="only inside a room"):
        one.send(1, b"x")
    with pytest.raises(UsageError, match="2 to 64 places"):
        one.open(1)
    with pytest.raises(UsageError, match="see parse_code"):
        one.join(b"4XK7M2QP")
    one.open(2)
    with pytest.raises(UsageError, match="make a new one"):
        one.open(2)
    with pytest.raises(UsageError, match="16 bytes"):
        RelayMember(FIRST, tag=b"", entropy=Random(1).randbytes)
    inner, _ = inside()
    for number in (0, 64, -1):
        with pytest.raises(UsageError, match="not another member"):
            inner.send(number, b"x")
    early = make()
    early.close()
    early.close()
    assert early.state is MemberState.OUT
    assert len(early.events()) == 1
    assert wire.decode_request(one.datagrams_to_send(now=0.0)[0][0]) == RelayRequest(
        wire.OPEN, Random(3).randbytes(8), places=2, tag=TAG
    )
