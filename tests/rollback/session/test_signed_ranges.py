"""Signed ranges in whole matches: honest machines are never accused, and one that signs two stories is out."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.games.scramble import Scramble
from retick.link import Refuse, Request
from retick.rollback import MatchConfig
from retick.rollback.desync.equivocation import EquivocationProof, ShownRange, SignedBy, SignedRange, sign_range
from retick.rollback.events import EquivocationProved, PeerConnected, PeerDisconnected
from retick.rollback.session import signing
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.connect import encode_play
from retick.rollback.session.messages.forward import InputRange, Signed, encode_range, encode_signed
from retick.rollback.session.messages.kinds import EQUIVOCATION, UNSIGNED
from retick.rollback.session.messages.roster import Reach
from retick.rollback.session.peer import Role
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.checkers.cheats import CHEATS, CheatingSession, ComposedCheat

NAMES = ("anna", "ben", "cleo", "dora")
QUICK = MatchConfig(tick_rate=60)
LOSSY = Conditions(latency=0.03, jitter=0.01, loss=0.1)


def sealed(*arguments: Any, **options: Any) -> RollbackSession:
    return RollbackSession(*arguments, sealed=True, **options)


def mesh(peers: int, *, seed: int = 1, cheat: str = "", identity: bytes | None = None, **options: Any) -> Mesh:
    """``identity``: the lasting key of the one that cheats."""
    names = NAMES[:peers]
    make: dict[str, Any] = dict.fromkeys(names, sealed)
    if cheat:
        liar = partial(ComposedCheat, rules=CHEATS[cheat])
        cheater = partial(CheatingSession, cheat=liar, dice=Random(seed), sealed=True, identity=identity)
        make[names[-1]] = cheater
    dice = Random(seed)
    options.setdefault("config", QUICK)
    found = Mesh(
        partial(Scramble, peers),
        seats=dict.fromkeys(names, 1),
        seed=seed,
        conditions=LOSSY,
        press=lambda player, state: dice.randrange(16),
        make_session=make,
        **options,
    )
    found.start()
    return found


def proved(found: Mesh, name: str) -> list[EquivocationProved]:
    return [event for event in found[name].events if isinstance(event, EquivocationProved)]


def lost_for(found: Mesh, name: str) -> set[int]:
    return {event.reason for event in found[name].events if isinstance(event, PeerDisconnected)}


@pytest.mark.parametrize("peers", [3, 4])
def test_honest_machines_sign_everything_and_accuse_nobody(peers: int) -> None:
    found = mesh(peers, seed=peers)
    found.play(600)
    found.verify()
    for name in NAMES[:peers]:
        part = inside_of(found[name].session).signed_ranges
        assert part._end >= 480
        assert {book.end for book in part._books.values()} <= {240, 480, 720}
        assert not proved(found, name)


def test_two_machines_sign_nothing_and_three_do_from_the_newcomers_first_frame_on() -> None:
    found = mesh(3, seed=7)
    found.crash("cleo")
    found.play(900)
    ends = {name: inside_of(found[name].session).signed_ranges._end for name in ("anna", "ben")}
    found.restart("cleo")
    found.run(12.0)
    found.verify()
    for name in NAMES[:3]:
        part = inside_of(found[name].session).signed_ranges
        assert part._end > max(ends.values())
        assert not lost_for(found, name) & {UNSIGNED, EQUIVOCATION}


@pytest.mark.parametrize("peers", [3, 4])
def test_one_that_signs_two_stories_is_proved_a_liar_to_all_and_dropped_by_all(peers: int) -> None:
    found = mesh(peers, seed=20 + peers, cheat="signs-both")
    liar = found[NAMES[peers - 1]].session.peer_id
    found.run(15.0)
    honest = NAMES[: peers - 1]
    for name in honest:
        [event] = proved(found, name)
        assert event.peer == liar
        proof = EquivocationProof.decode(event.proof.encode())
        assert proof.check() == event.frame
        assert str(event.frame) in str(proof)
        assert EQUIVOCATION in lost_for(found, name)
        assert liar not in inside_of(found[name].session).peers


def test_one_that_signs_other_inputs_than_it_sends_is_left() -> None:
    found = mesh(3, seed=31, cheat="signs-others")
    found.run(8.0)
    for name in NAMES[:2]:
        assert UNSIGNED in lost_for(found, name)
        assert not proved(found, name)


def test_one_that_signs_nothing_is_left() -> None:
    found = mesh(3, seed=32, cheat="signs-nothing")
    found.run(30.0)
    for name in NAMES[:2]:
        assert UNSIGNED in lost_for(found, name)


def test_one_that_shows_signatures_which_nobody_made_is_expelled_and_the_others_stay() -> None:
    found = mesh(4, seed=33, cheat="forges-signatures")
    found.run(10.0)
    for name in NAMES[:3]:
        assert len(inside_of(found[name].session).peers) == 2
        assert not proved(found, name)


def test_over_plain_links_nothing_is_signed() -> None:
    found = Mesh(
        partial(Scramble, 3), seats=dict.fromkeys(NAMES[:3], 1), make_session=partial(RollbackSession, sealed=False)
    )
    found.start()
    found.play(400)
    assert all(inside_of(found[name].session).signed_ranges._end is None for name in NAMES[:3])


# Limits.


def a_range(sender: Any, first: int, frames: int = 1) -> bytes:
    inside = inside_of(sender)
    by = inside.signed_ranges.by(inside.peer_id, inside.local_players, inside.match)
    found = sign_range(inside.sign, by, first, bytes(frames * by.width))
    return encode_range(InputRange(inside.match.number, found, ()))


def three() -> tuple[Mesh, Any, Any]:
    """Two sessions of a match of three, before anybody has signed; the second one as the first sees it."""
    found = mesh(3, seed=40)
    one, two = found["anna"].session, found["ben"].session
    return found, one, inside_of(one).peers[two.peer_id]


def test_a_range_that_its_sender_cannot_have_played_expels_it() -> None:
    found, one, ben = three()
    inside_of(one).receive_message(ben, a_range(found["ben"].session, 0, 500))
    assert ben.is_heard
    inside_of(one).receive_message(ben, a_range(found["ben"].session, 500, 10_000))
    assert not ben.is_heard


def test_ranges_that_wait_and_do_not_follow_each_other_expel_their_sender() -> None:
    found, one, ben = three()
    for number in range(20):
        inside_of(one).receive_message(ben, a_range(found["ben"].session, 100 + number))
    assert ben.is_heard
    assert len(inside_of(one).signed_ranges._books[ben.peer_id].held) == 20
    inside_of(one).receive_message(ben, a_range(found["ben"].session, 121))
    assert not ben.is_heard


def test_more_ranges_that_come_too_early_than_there_can_be_expel_their_sender_alone() -> None:
    found, one, ben = three()
    cleo = inside_of(one).peers[found["cleo"].session.peer_id]
    early = [bytearray(a_range(found[name].session, 0)) for name in ("ben", "cleo")]
    for message in early:
        message[1] = 1
    inside_of(one).receive_message(cleo, bytes(early[1]))
    for _ in range(signing.MOST_EARLY):
        assert ben.is_heard
        inside_of(one).receive_message(ben, bytes(early[0]))
    inside_of(one).receive_message(ben, bytes(early[0]))
    assert not ben.is_heard
    assert inside_of(one).signed_ranges._early[cleo] == [bytes(early[1])]


def test_a_range_after_a_gap_expels_its_sender() -> None:
    found, one, ben = three()
    found.play(60)
    inside_of(one).receive_message(ben, a_range(found["ben"].session, 5))
    assert not ben.is_heard
    assert UNSIGNED in {event.reason for event in one.events() if isinstance(event, PeerDisconnected)}


def test_more_ranges_of_others_than_may_be_shown_expel_their_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "MOST_SHOWN", 3)
    found, one, ben = three()
    cleo = inside_of(found["cleo"].session)
    by = cleo.signed_ranges.by(cleo.peer_id, cleo.local_players, cleo.match)
    for number in range(4):
        assert ben.is_heard
        shown = sign_range(cleo.sign, by, number, bytes(by.width))
        inside_of(one).receive_message(ben, encode_signed(Signed(0, cleo.peer_id, shown, b"")))
    assert not ben.is_heard


def test_ranges_are_shorter_where_little_is_remembered_or_inputs_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    _, one, _ = three()
    part, match = inside_of(one).signed_ranges, inside_of(one).match
    assert part._frames_of(match) == 240
    monkeypatch.setattr(signing, "MOST_INPUT_BYTES", 100)
    assert part._frames_of(match) == 50


def test_ranges_of_the_next_match_wait_until_it_begins() -> None:
    found, one, ben = three()
    part = inside_of(one).signed_ranges
    message = bytearray(a_range(found["ben"].session, 0))
    message[1] = 1
    inside_of(one).receive_message(ben, bytes(message))
    assert ben.is_heard
    assert part._early == {ben: [bytes(message)]}
    message[1] = 2
    inside_of(one).receive_message(ben, bytes(message))
    assert len(part._early[ben]) == 1


# Nobody honest is accused.


def test_a_host_that_chooses_one_token_and_seed_for_two_matches_gets_no_proof_against_a_lasting_key() -> None:
    lasting, by = bytes(range(32)), SignedBy(bytes(8), 0, 1, 2)
    sides = [
        inside_of(RollbackSession(Scramble(3), host_address="host", entropy=Random(number).randbytes, identity=lasting))
        for number in range(2)
    ]
    one, other = (
        ShownRange(sign_range(side.sign, by, 0, bytes((number, 0))), bytes((number, 0)))
        for number, side in enumerate(sides)
    )
    for side in sides:
        with pytest.raises(InvalidValue):
            EquivocationProof(by=by, key=side.public_key, one=one, other=other).check()


def test_a_proved_liar_with_a_lasting_key_is_refused_whatever_it_signs_with_the_next_time() -> None:
    found = mesh(3, seed=23, cheat="signs-both", identity=bytes(range(32)))
    [fingerprint] = {
        event.fingerprint
        for event in found["anna"].events
        if isinstance(event, PeerConnected) and event.peer == found["cleo"].session.peer_id
    }
    assert fingerprint is not None
    found.run(15.0)
    assert proved(found, "anna")
    admission = inside_of(found["anna"].session).admission
    request = Request(
        connection=next(iter(inside_of(found["anna"].session).peers.values())).connection,
        address="elsewhere",
        capabilities=0,
        tick_rate=60,
        seats=1,
        data=encode_play(Reach(8, 2), key=bytes(31) + b"1"),
        fingerprint=fingerprint,
    )
    answer = admission.admit(request)
    assert isinstance(answer, Refuse)
    assert answer.reason == EQUIVOCATION


def test_ranges_that_come_all_at_once_after_a_long_cut_accuse_nobody() -> None:
    slow = MatchConfig(tick_rate=1, prediction_window=60, disconnect_after=40.0, input_timeout=60.0)
    found = mesh(3, seed=0, config=slow)
    found.run(10.0)
    found.cut("anna", "ben", 30.0)
    found.run(60.0)
    for name in NAMES[:3]:
        assert not found[name].events_of(PeerDisconnected)


def test_a_range_of_a_newcomer_that_is_not_a_member_here_yet_waits_for_it() -> None:
    found, one, ben = three()
    part, data = inside_of(one).signed_ranges, a_range(found["ben"].session, 0)
    ben.role = Role.NEWCOMER
    inside_of(one).receive_message(ben, data)
    assert ben.is_heard
    assert part._early == {ben: [data]}
    ben.role = Role.PLAYER
    part.newcomer_became_player(ben, 0, inside_of(one).match)
    part.after_frame(inside_of(one).match, found.network.now)
    assert ben.is_heard
    assert [each.first for each in part._books[ben.peer_id].held] == [0]


def test_what_was_shown_of_the_last_match_does_not_count_in_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "MOST_SHOWN", 3)
    found, one, ben = three()
    cleo = inside_of(found["cleo"].session)
    by = cleo.signed_ranges.by(cleo.peer_id, cleo.local_players, cleo.match)
    shown = sign_range(cleo.sign, by, 0, bytes(by.width))
    for _ in range(4):
        inside_of(one).receive_message(ben, encode_signed(Signed(255, cleo.peer_id, shown, b"")))
    assert ben.is_heard


# No liar escapes by the way in which it cuts its ranges.


class SignsEachFrameApart(ComposedCheat):
    """Lies about one frame only, and signs every frame in a range of its own: the lie is soon not among the newest."""

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice, rules=CHEATS["signs-both"])
        self.inside.signed_ranges._frames_of = lambda match: 1

    def changes(self, frame: int) -> bool:
        return frame == self._from


def test_one_that_signs_each_frame_apart_is_proved_a_liar_too() -> None:
    names = NAMES[:3]
    make: dict[str, Any] = dict.fromkeys(names, sealed)
    make["cleo"] = partial(CheatingSession, cheat=SignsEachFrameApart, dice=Random(1), sealed=True, begins=2.0)
    found = Mesh(partial(Scramble, 3), seats=dict.fromkeys(names, 1), seed=1, config=QUICK, make_session=make)
    found.start()
    found.run(10.0)
    for name in NAMES[:2]:
        assert [event.peer for event in proved(found, name)] == [found["cleo"].session.peer_id]


def test_what_is_shown_for_an_alarm_or_for_one_peer_leaves_room_for_the_claims_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signing, "MOST_FOR_ONE", 3)
    found, one, ben = three()
    part, match = inside_of(one).signed_ranges, inside_of(one).match
    cleo = inside_of(one).peers[found["cleo"].session.peer_id]
    ranges = [ShownRange(SignedRange(first, 1, bytes(32), bytes(64)), b"") for first in range(9)]
    for shown in ranges[:5]:
        part._show(cleo, shown, match, because=cleo.peer_id)
    assert len(part._have_shown) == 3
    part._show(cleo, ranges[5], match, because=ben.peer_id)
    assert len(part._have_shown) == 4


def test_one_that_was_told_a_wrong_key_does_not_leave_those_who_show_what_it_has_signed() -> None:
    found, one, ben = three()
    cleo, known = inside_of(found["cleo"].session), inside_of(one).peers[found["cleo"].session.peer_id]
    by = cleo.signed_ranges.by(cleo.peer_id, cleo.local_players, cleo.match)
    right, known.key = known.key, bytes(31) + b"1"
    shown = encode_signed(Signed(0, cleo.peer_id, sign_range(cleo.sign, by, 0, bytes(by.width)), b""))
    inside_of(one).receive_message(ben, shown)
    assert ben.is_heard
    known.key = right
    found.play(300)
    forged = sign_range(inside_of(found["ben"].session).sign, by, 0, bytes(by.width))
    inside_of(one).receive_message(ben, encode_signed(Signed(0, cleo.peer_id, forged, b"")))
    assert not ben.is_heard


class SignsBothLate(ComposedCheat):
    """Lies about a frame that no tail shows, long before the next checksum."""

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice, rules=CHEATS["signs-both"])
        self.inside.signed_ranges._frames_of = lambda match: 226

    def changes(self, frame: int) -> bool:
        return frame == 150


def test_one_that_leaves_before_its_lie_is_seen_is_proved_a_liar_too() -> None:
    names = NAMES[:3]
    make: dict[str, Any] = dict.fromkeys(names, sealed)
    make["cleo"] = partial(CheatingSession, cheat=SignsBothLate, dice=Random(1), sealed=True)
    config = replace(QUICK, checksum_interval=240)
    found = Mesh(
        partial(Scramble, 3),
        seats=dict.fromkeys(names, 1),
        seed=1,
        config=config,
        make_session=make,
    )
    found.start()
    liar = found["cleo"].session.peer_id
    parts = [inside_of(found[name].session).signed_ranges for name in NAMES[:2]]
    found.run_until(
        lambda: all(liar in part._books and part._books[liar].end == 226 for part in parts), limit=9.0, what="signs"
    )
    inside_of(found["cleo"].session).leave_now("", 0.0)
    found.run(5.0)
    for name in NAMES[:2]:
        assert [event.peer for event in proved(found, name)] == [liar]
        assert inside_of(found[name].session).signed_ranges._books[liar].key in (
            inside_of(found[name].session).admission.shown_out
        )
