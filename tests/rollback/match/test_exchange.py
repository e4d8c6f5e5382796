"""What goes over the wire between two peers, and what of the other's packets is believed."""

import re
from operator import index
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import EncodeError
from retick.rollback.events import DesyncDetected, InputConflictDetected
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.peer import MatchPeer
from retick.wire import rbn1
from tests.effort import examples
from tests.rollback.session.matches import EXTENSIONS, lone_match, packet
from tests.toys import Tally

FRAME = 1 / 60


def advance(match: Match, frames: int, now: float = 0.0) -> None:
    for _ in range(frames):
        match.advance(match.engine.frame % 200, now)


def sent_by(match: Match, now: float = 0.0) -> rbn1.InputPacket:
    [(peer, data)] = match.packets(now)
    assert peer.peer_id == "them"
    return rbn1.decode(data, EXTENSIONS)


def test_every_packet_carries_the_oldest_unacknowledged_inputs() -> None:
    match = lone_match()
    advance(match, 5)
    sent = sent_by(match)
    assert (sent.start_frame, sent.inputs) == (0, (0, 1, 2, 3, 4))
    match.receive(match.exchanges[0], packet(0, (9,), ack=3), 0.0)
    advance(match, 1)
    sent = sent_by(match)
    assert (sent.start_frame, sent.inputs) == (4, (4, 5))


def test_an_acknowledgement_of_zero_takes_nothing_off() -> None:
    match = lone_match()
    advance(match, 3)
    match.receive(match.exchanges[0], packet(0, (9,), ack=0), 0.0)
    advance(match, 1)
    assert sent_by(match).start_frame == 0


def test_at_most_32_frames_and_always_the_oldest() -> None:
    match = lone_match(config=MatchConfig(input_delay=0, prediction_window=64))
    advance(match, 50)
    sent = sent_by(match)
    assert (sent.start_frame, len(sent.inputs)) == (0, 32)


def test_with_everything_acknowledged_the_newest_is_sent_again() -> None:
    match = lone_match()
    advance(match, 4)
    match.receive(match.exchanges[0], packet(0, (1, 1, 1, 1), ack=3), 0.0)
    match.packets(0.0)
    advance(match, 1)
    match.receive(match.exchanges[0], packet(0, (1, 1, 1, 1, 1), ack=4), 0.0)
    sent = sent_by(match)
    assert (sent.start_frame, sent.inputs, sent.ack_frame) == (4, (4,), 4)


def test_the_acknowledgement_stops_at_the_first_gap() -> None:
    match = lone_match()
    advance(match, 6)
    match.receive(match.exchanges[0], packet(0, (5, 5), ack=0), 0.0)
    match.receive(match.exchanges[0], packet(4, (5, 5), ack=0), 0.0)
    assert sent_by(match).ack_frame == 1
    match.receive(match.exchanges[0], packet(2, (5, 5), ack=0), 0.0)
    advance(match, 1)
    assert sent_by(match).ack_frame == 5


def test_of_inputs_that_were_never_acknowledged_the_oldest_that_are_remembered_are_sent() -> None:
    """Where nobody is expelled, as in the LAN mode."""
    config = MatchConfig(input_delay=0, history=16, max_backlog=32, inputs_remembered=160)
    match = lone_match(config=config)
    [exchange] = match.exchanges
    for frame in range(1000):
        match.receive(exchange, packet(frame, (1,)), frame * FRAME)
        match.advance(frame % 200, frame * FRAME)
        sent = sent_by(match, frame * FRAME)
        # 160 frames make a ring of 256; up to a history of them are for frames that are still to come.
        assert sent.start_frame == max(frame + 1 + 16 + 1 - 256, 0) == match.engine.held_from()
        assert sent.inputs == tuple(at % 200 for at in range(sent.start_frame, min(sent.start_frame + 32, frame + 1)))
    assert exchange.acknowledged == -1


def test_of_a_packet_that_reaches_beyond_what_can_be_held_the_first_inputs_are_used() -> None:
    """A peer that is further behind than its history is long gets 32 frames at a time."""
    config = MatchConfig(input_delay=0, prediction_window=4, history=4, max_backlog=8, inputs_remembered=136)
    match = lone_match(config=config)
    [exchange] = match.exchanges
    assert match.receive(exchange, packet(0, tuple(range(32))), 0.0)
    assert match.engine.first_missing(1) == 5
    assert not match.receive(exchange, packet(5, tuple(range(5, 37))), 0.0)
    advance(match, 3)
    assert match.receive(exchange, packet(5, tuple(range(5, 37))), 0.0)
    assert match.engine.first_missing(1) == 8
    assert [match.engine.inputs_at(frame)[1] for frame in range(3)] == [0, 1, 2]
    assert exchange.dropped == {"ProtocolViolation": 1}


def test_inputs_that_their_sender_cannot_have_made_are_refused() -> None:
    """Its window and its delay are five frames: with our inputs up to frame 2 it has made those up to frame 7."""
    match = Match(Tally(), seed=1, local_players=(0,), config=MatchConfig(input_delay=0))
    exchange = match.add_peer(MatchPeer("them", (1,)), reach=5)
    advance(match, 3)
    assert not match.receive(exchange, packet(7, (1, 1)), 0.0)
    assert exchange.dropped == {"InputsTooFarAhead": 1}
    assert match.receive(exchange, packet(0, (1,) * 8), 0.0)
    advance(match, 1)
    assert match.receive(exchange, packet(8, (1,)), 0.0)
    assert match.engine.first_missing(1) == 9


def test_a_newcomer_refuses_nothing_before_it_plays_and_then_what_nobody_can_have_made() -> None:
    state = Tally().initial_state(1)
    config = MatchConfig(input_delay=0)
    match = Match(Tally(), seed=1, local_players=(0,), config=config, state=state, start_frame=50, joins_at=None)
    exchange = match.add_peer(MatchPeer("them", (1,)), reach=5, first_frame=50)
    assert match.receive(exchange, packet(50, (1,) * 32), 0.0)
    match.advance(0, 0.0)
    # Nobody waits for the inputs of one who does not play: only the newest goes out, with what it acknowledges.
    sent = sent_by(match)
    assert (sent.start_frame, sent.inputs, sent.ack_frame) == (50, (0,), 81)
    assert exchange.unacknowledged == 0
    match.joins_at = 90
    assert match.receive(exchange, packet(82, (1,) * 13), 0.0)
    assert not match.receive(exchange, packet(95, (1,)), 0.0)
    assert exchange.dropped == {"InputsTooFarAhead": 1}
    assert match.receive(exchange, packet(94, (1,), ack=89), 0.0)
    while match.engine.frame < 93:
        match.advance(7, 0.0)
    sent = sent_by(match)
    assert (sent.start_frame, sent.inputs) == (90, (7, 7, 7))
    assert exchange.unacknowledged == 3


def test_one_who_comes_in_after_a_newcomer_gets_the_neutral_inputs_before_its_first_own_frame() -> None:
    state, config = Tally(3).initial_state(1), MatchConfig(input_delay=0, prediction_window=20)
    match = Match(Tally(3), seed=1, local_players=(0,), config=config, state=state, start_frame=50, joins_at=None)
    match.add_peer(MatchPeer("them", (1,)), first_frame=50)
    match.joins_at = 60
    match.engine.drop_player(2, 50)
    match.receive(match.exchanges[0], packet(50, (1,) * 10), 0.0)
    while match.engine.frame < 62:
        match.advance(7, 0.0)
    later = match.add_peer(MatchPeer("later", (2,)), first_frame=55)
    sent = {peer.peer_id: rbn1.decode(data) for peer, data in match.packets(0.0)}
    assert (sent["them"].start_frame, sent["them"].inputs) == (60, (7, 7))
    assert (sent["later"].start_frame, sent["later"].inputs) == (55, (0, 0, 0, 0, 0, 7, 7))
    assert later.unacknowledged == 7


def test_input_delay_is_on_the_wire() -> None:
    match = lone_match(config=MatchConfig(input_delay=3))
    match.advance(77, 0.0)
    assert sent_by(match).inputs == (0, 0, 0, 77)


def test_several_local_players_travel_in_one_packet_and_are_read_back() -> None:
    sims = Tally(4), Tally(4)
    config = MatchConfig(input_delay=0)
    left = Match(sims[0], seed=1, local_players=(0, 2), config=config)
    right = Match(sims[1], seed=1, local_players=(1, 3), config=config)
    left.add_peer(MatchPeer("right", (1, 3)), extensions=EXTENSIONS)
    right.add_peer(MatchPeer("left", (0, 2)), extensions=EXTENSIONS)
    for frame in range(40):
        now = frame * FRAME
        left.advance((frame, 100 + frame), now)
        right.advance((200, frame % 7), now)
        for peer, data in left.packets(now):
            assert peer.peer_id == "right"
            assert right.receive(right.exchanges[0], data, now)
        for _, data in right.packets(now):
            assert left.receive(left.exchanges[0], data, now)
    assert left.engine.confirmed_frame == right.engine.confirmed_frame == 39
    assert left.engine.state == right.engine.state
    assert left.engine.inputs_at(7) == (7, 200, 107, 0)


def test_one_bad_seat_refuses_the_whole_packet() -> None:
    match = Match(Tally(3), seed=1, local_players=(0,), config=MatchConfig(input_delay=0))
    match.add_peer(MatchPeer("them", (1, 2)), extensions=EXTENSIONS)
    advance(match, 3)

    def wide(*inputs: int) -> bytes:
        return rbn1.encode(rbn1.InputPacket(0, 0, inputs, seats=2), EXTENSIONS)

    assert match.receive(match.exchanges[0], wide(1, 2), 0.0)
    before = match.engine.state
    assert not match.receive(match.exchanges[0], wide(1, 3, 4, 5), 0.0)
    assert match.exchanges[0].dropped == {"InputConflict": 1}
    assert match.engine.first_missing(1) == 1
    assert match.engine.state == before


def long_match(numbered: bool) -> tuple[Match, Match]:
    """Two peers shortly before the frame at which 24 bits are used up."""
    start = (1 << 24) - 30
    config = MatchConfig(input_delay=0, checksum_interval=8)
    state = Tally().initial_state(1)._replace(frame=start)
    pair = [Match(Tally(), seed=1, local_players=(p,), config=config, state=state, start_frame=start) for p in (0, 1)]
    for player, match in enumerate(pair):
        match.add_peer(MatchPeer("them", (1 - player,)), extensions=EXTENSIONS, first_frame=start, numbered=numbered)
    return pair[0], pair[1]


@pytest.mark.parametrize("numbered", [True, False])
def test_a_match_goes_on_when_the_bits_of_its_frames_are_used_up(numbered: bool) -> None:
    pair = long_match(numbered)
    for number in range(200):
        now = number * FRAME * 1.01
        for match in pair:
            assert match.due(now)
            match.advance(number, now)
        for match, other in (pair, pair[::-1]):
            for _, data in match.packets(now):
                assert other.receive(other.exchanges[0], data, now)
    for match in pair:
        assert match.engine.confirmed_frame == (1 << 24) + 169
        exchange = match.exchanges[0]
        assert exchange.acknowledged >= (1 << 24) + 167
        assert exchange.book is not None
        assert exchange.book.last_agreed > (1 << 24) + 140
        assert exchange.their_frame >= (1 << 24) + 160
        assert not exchange.dropped


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 60))
def test_no_shape_of_inputs_makes_a_packet_that_cannot_be_sent(size: int, seats: int, frames: int) -> None:
    """Several players at one peer, with large inputs: the packet is cut to what it may carry, the oldest first."""

    class Large(Tally):
        input_size = size

    game = Large(seats + 1)
    config = MatchConfig(input_delay=0, prediction_window=64)
    match = Match(game, seed=1, local_players=tuple(range(seats)), config=config)
    match.add_peer(MatchPeer("them", (seats,)), extensions=EXTENSIONS)
    for frame in range(frames):
        match.advance((frame,) * seats if seats > 1 else frame, 0.0)
    sent = sent_by(match)
    assert sent.start_frame == 0
    assert len(sent.inputs) == seats * min(frames, 32, 1024 // (size * seats))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Truncated"),
        (b"RBN2" + bytes(20), "BadMagic"),
        (packet(0, (1,))[:-1], "Truncated"),
        (packet(0, (1,)) + b"x", "TrailingData"),
        (packet(0, (1,), ack=3), "AckFromTheFuture"),
        (packet(0, (1,), ack=0xFFFFFF), "AckFromTheFuture"),
        (packet(0, (1,), ack=0xFFFFFFFF), "AnotherMatch"),
        (packet(500, (1,)), "ProtocolViolation"),
        (packet(0xFFFFFE, (1, 2)), "ProtocolViolation"),
        (packet(0xFFFFFFFE, (1, 2)), "AnotherMatch"),
        (rbn1.encode(rbn1.InputPacket(0, 0, (1, 2), seats=2), EXTENSIONS), "UnsupportedVersion"),
    ],
)
def test_a_packet_that_cannot_be_is_dropped_counted_and_changes_nothing(data: bytes, reason: str) -> None:
    match = lone_match()
    advance(match, 3)
    before = (match.engine.state, match.engine.confirmed_frame, match.exchanges[0].acknowledged)
    assert not match.receive(match.exchanges[0], data, 0.0)
    assert match.exchanges[0].dropped == {reason: 1}
    assert (match.engine.state, match.engine.confirmed_frame, match.exchanges[0].acknowledged) == before
    assert match.receive(match.exchanges[0], packet(0, (1, 2, 3), ack=2), 0.0)
    assert match.engine.confirmed_frame == 2


def test_a_packet_of_another_shape_is_dropped_even_where_shapes_are_known() -> None:
    match = lone_match(extensions=EXTENSIONS)
    assert not match.receive(match.exchanges[0], rbn1.encode(rbn1.InputPacket(0, 0, (1, 2), seats=2), EXTENSIONS), 0.0)
    assert match.exchanges[0].dropped == {"WrongShape": 1}


def test_a_contradiction_is_reported_once_and_the_first_word_stands() -> None:
    match = lone_match()
    advance(match, 4)
    match.receive(match.exchanges[0], packet(0, (5, 6, 7)), 0.0)
    for _ in range(1000):
        assert not match.receive(match.exchanges[0], packet(1, (9, 9, 9)), 0.0)
    [event] = match.events()
    assert isinstance(event, InputConflictDetected)
    assert (event.peer, event.player, event.frame, event.confirmed, event.received) == ("them", 1, 1, 6, 9)
    assert match.exchanges[0].dropped == {"InputConflict": 1000}
    assert match.engine.inputs_at(1) == (1, 6)
    assert match.engine.first_missing(1) == 3


def play_out(match: Match, frames: int) -> None:
    """Both sides press; "them" acknowledges everything at once."""
    for _ in range(frames):
        frame = match.engine.frame
        match.receive(match.exchanges[0], packet(frame, (1,), ack=max(frame - 1, 0)), 0.0)
        match.advance(2, 0.0)


def test_final_checksums_go_out_and_equal_ones_raise_no_alarm() -> None:
    match = lone_match()
    sent = []
    for _ in range(60):
        play_out(match, 1)
        sent += [rbn1.decode(data) for _, data in match.packets(0.0)]
    claims = {(each.checksum_frame, each.checksum) for each in sent if each.checksum is not None}
    sim, state = Tally(), Tally().initial_state(1)
    expected = {}
    for frame in range(60):
        expected[frame] = sim.checksum(state)
        state = sim.step(state, (2, 1))
    assert claims == {(frame, expected[frame]) for frame in (16, 32, 48)}
    for frame in (16, 32, 48):
        match.receive(match.exchanges[0], packet(59, (1,), ack=58, checksum=(frame, expected[frame])), 0.0)
    assert match.events() == []
    assert match.stats(0.0).compared_frames == 3


def test_checksums_that_were_compared_with_a_peer_still_count_when_it_has_left() -> None:
    match = lone_match()
    play_out(match, 60)
    state = Tally().initial_state(1)
    for _ in range(16):
        state = Tally().step(state, (2, 1))
    match.receive(match.exchanges[0], packet(59, (1,), ack=58, checksum=(16, Tally().checksum(state))), 0.0)
    match.remove_peer(match.exchanges[0].peer)
    assert match.exchanges == []
    assert match.stats(0.0).compared_frames == 1


def test_a_different_checksum_of_a_final_frame_is_an_alarm_and_only_one() -> None:
    match = lone_match()
    play_out(match, 60)
    for frame in (32, 48):
        match.receive(match.exchanges[0], packet(59, (1,), ack=58, checksum=(frame, 1)), 0.0)
    [event] = match.events()
    assert isinstance(event, DesyncDetected)
    assert (event.frame, event.theirs, event.last_agreed) == (32, 1, -1)


def test_a_claim_that_comes_before_our_own_frame_is_kept_and_judged_later() -> None:
    match = lone_match()
    play_out(match, 10)
    match.receive(match.exchanges[0], packet(9, (1,), checksum=(16, 12345)), 0.0)
    assert match.events() == []
    play_out(match, 10)
    [event] = match.events()
    assert isinstance(event, DesyncDetected)
    assert (event.frame, event.theirs) == (16, 12345)


@pytest.mark.parametrize("frame", [0xFFFFFFF0, 4096, 200])
def test_checksums_of_frames_that_cannot_be_are_counted_and_forgotten(frame: int) -> None:
    match = lone_match()
    play_out(match, 20)
    for _ in range(100):
        assert match.receive(match.exchanges[0], packet(19, (1,), checksum=(frame, 7)), 0.0)
    assert match.exchanges[0].dropped == {"ChecksumOfNoFrame": 100}
    play_out(match, 40)
    assert match.events() == []


def test_claims_of_frames_between_the_compared_ones_are_ignored() -> None:
    match = lone_match()
    play_out(match, 40)
    match.receive(match.exchanges[0], packet(39, (1,), checksum=(17, 7)), 0.0)
    assert match.events() == []


def test_time_sync_goes_only_to_those_who_know_it() -> None:
    for extensions, wanted in ((0, False), (EXTENSIONS, True)):
        match = lone_match(extensions=extensions)
        syncs = []
        for _ in range(8):
            play_out(match, 1)
            syncs += [rbn1.decode(data, EXTENSIONS).time_sync for _, data in match.packets(0.0)]
        assert any(sync is not None for sync in syncs) == wanted


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=100), st.builds(lambda tail: b"RBN1\x01" + tail, st.binary(max_size=90)))))
def test_any_bytes_are_taken_or_dropped_and_an_honest_match_goes_on(garbage: list[bytes]) -> None:
    match = lone_match(extensions=EXTENSIONS)
    play_out(match, 3)
    for data in garbage:
        match.receive(match.exchanges[0], data, 0.0)
    assert sum(match.exchanges[0].dropped.values()) <= len(garbage)
    match.advance(2, 0.0)
    assert match.engine.frame == 4


class Stamped(Tally):
    """A game whose checksum is what the test says."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def checksum(self, state: Any) -> Any:
        return self.value


class Indexed:
    """A number that is no int, as NumPy has them."""

    def __index__(self) -> int:
        return 77


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1 << 32, "checksum is 0 to 4294967295, not 4294967296"),
        (-5, "checksum is 0 to 4294967295, not -5"),
        (1 << 80, f"checksum is 0 to 4294967295, not {1 << 80}"),
    ],
)
def test_a_checksum_that_the_wire_cannot_carry_is_an_error_and_no_false_alarm(value: Any, words: str) -> None:
    match = lone_match(lambda: Stamped(value))
    match.receive(match.exchanges[0], packet(0, (0,) * 16), 0.0)
    with pytest.raises(EncodeError, match=re.escape(words)):
        advance(match, 17)
    assert match.events() == []


@pytest.mark.parametrize("value", [1.5, None, "7"])
def test_a_checksum_that_is_no_number_is_said(value: Any) -> None:
    exchange = lone_match().exchanges[0]
    with pytest.raises(EncodeError, match=f"checksum is a whole number, not {value!r}"):
        exchange.write_checksum(16, value)


@pytest.mark.parametrize("value", [Indexed(), True, 0xFFFFFFFF])
def test_a_checksum_of_another_kind_is_sent_as_the_number_that_it_is(value: Any) -> None:
    match = lone_match(lambda: Stamped(value))
    match.receive(match.exchanges[0], packet(0, (0,) * 16, checksum=(16, index(value))), 0.0)
    advance(match, 17)
    assert sent_by(match).checksum == index(value)
    assert match.stats(0.0).compared_frames == 1
    assert match.events() == []
