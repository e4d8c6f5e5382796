"""A running match without a connection: pace, waiting, resending, final inputs, numbers."""

import gc
import weakref
from enum import IntFlag
from random import Random
from typing import Any

import pytest

from retick.errors import PredictionLimit, UsageError
from retick.rollback.events import Resumed, Stalled
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Exchange, Match, missing_of
from retick.rollback.match.peer import MatchPeer
from retick.wire import rbn1
from tests.rollback.session.matches import lone_match, packet
from tests.toys import Tally

FRAME = 1 / 60
CONFIG = MatchConfig(input_delay=0, prediction_window=4)


def run_into_the_window(match: Match) -> float:
    """Advance on time until nothing is due any more; the time then."""
    now = 0.0
    while match.due(now):
        match.advance(1, now)
        now += FRAME
    return now


def test_frames_run_until_the_window_is_full_and_then_wait_with_one_event() -> None:
    match = lone_match(config=CONFIG)
    now = run_into_the_window(match)
    assert match.engine.frame == 4
    for _ in range(100):
        assert not match.due(now)
        now += FRAME
    [event] = match.events()
    assert isinstance(event, Stalled)
    assert (event.frame, event.waiting_for) == (4, (1,))
    assert match.stats(now).stalls == 1
    assert match.stats(now).stalled_seconds == pytest.approx(100 * FRAME)


def test_advancing_all_the_same_is_refused_and_harms_nothing() -> None:
    match = lone_match(config=CONFIG)
    now = run_into_the_window(match)
    with pytest.raises(PredictionLimit):
        match.advance(1, now)
    assert match.engine.frame == 4


def test_inputs_that_come_let_it_go_on_by_itself_without_making_up_the_time() -> None:
    match = lone_match(config=CONFIG)
    now = run_into_the_window(match)
    assert not match.due(now)
    match.events()
    later = now + 5.0
    match.receive(match.exchanges[0], packet(0, (7, 7)), later)
    ran = 0
    while match.due(later):
        match.advance(1, later)
        ran += 1
    assert ran == 1
    [event] = match.events()
    assert isinstance(event, Resumed)
    assert (event.frame, event.seconds) == (4, 5.0)
    assert not match.due(later + 0.99 * FRAME)
    assert match.due(later + (1 + CONFIG.most_slowing) * FRAME)


def test_while_waiting_packets_are_sent_again_at_the_resend_interval() -> None:
    match = lone_match(config=CONFIG)
    assert match.next_timeout() is None
    now = run_into_the_window(match)
    match.packets(now)
    sent = []
    while now < 1.0:
        due = match.next_timeout()
        assert due is not None
        now = max(now, due)
        sent += [now] * len(match.packets(now))
        assert match.packets(now) == []
        now += 0.0001
    assert len(sent) == pytest.approx((1.0 - 4 * FRAME) / CONFIG.resend_interval, abs=2)


def test_nothing_is_sent_twice_for_one_frame() -> None:
    match = lone_match()
    match.advance(1, 0.0)
    assert len(match.packets(0.0)) == 1
    assert match.packets(0.0) == []
    assert match.packets(10.0) == []


def test_a_hiccup_is_made_up_and_a_long_sleep_is_let_go() -> None:
    config = MatchConfig(input_delay=0, prediction_window=64, longest_catch_up=0.25)
    for pause, most in ((0.1, 8), (3.0, 2)):
        match = lone_match(config=config)
        match.advance(1, 0.0)
        ran = 0
        while match.due(pause):
            match.advance(1, pause)
            ran += 1
        assert 1 <= ran <= most
        assert ran >= (5 if pause < 0.25 else 1)


def test_stats_count_rollbacks_by_depth() -> None:
    match = lone_match()
    for _ in range(5):
        match.advance(1, 0.0)
    match.receive(match.exchanges[0], packet(0, (0, 0, 9)), 0.0)
    match.advance(1, 0.0)
    stats = match.stats(0.0)
    assert (stats.frame, stats.confirmed_frame) == (6, 2)
    assert (stats.rollbacks, stats.resimulated_frames, stats.deepest_rollback) == (1, 3, 3)
    assert stats.rollback_depths == {3: 1}
    assert stats.peers["them"].unacknowledged == 6


def test_the_same_key_cannot_take_part_twice() -> None:
    match = lone_match()
    with pytest.raises(UsageError, match="them"):
        match.add_peer(MatchPeer("them", (1,)))


def test_lockstep_is_a_window_of_zero() -> None:
    match = lone_match(config=MatchConfig(prediction_window=0, input_delay=1))
    assert not match.due(0.0)
    [(_, data)] = match.packets(0.0)
    assert rbn1.decode(data).inputs == (0,), "the delay's inputs go out before any frame has run"
    match.receive(match.exchanges[0], packet(0, (0, 3)), 0.0)
    for pressed in (1, 2):
        assert match.due(float(pressed))
        match.advance(pressed, float(pressed))
    assert not match.due(3.0)
    assert match.stats(3.0).rollbacks == 0
    assert [match.engine.inputs_at(frame) for frame in (0, 1)] == [(0, 0), (1, 3)]


def test_a_match_may_start_in_the_middle() -> None:
    sim = Tally()
    state = sim.initial_state(9)
    match = Match(sim, seed=9, local_players=(0,), config=MatchConfig(input_delay=0), state=state, start_frame=1000)
    match.add_peer(MatchPeer("them", (1,)))
    match.advance(4, 0.0)
    match.receive(match.exchanges[0], packet(1000, (3,)), 0.0)
    assert match.engine.confirmed_frame == 1000
    assert match.engine.inputs_at(1000) == (4, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tick_rate": 0},
        {"tick_rate": 1001},
        {"tick_rate": 60.5},
        {"checksum_interval": -16},
        {"resend_interval": -0.1},
        {"longest_catch_up": -1.0},
        {"disconnect_after": 0.0},
        {"disconnect_after": float("nan")},
        {"input_timeout": 0.0},
        {"input_timeout": float("nan")},
        {"max_backlog": 255},
        {"max_backlog": 31, "history": 16},
        {"max_backlog": 300.0},
        {"inputs_remembered": 1024 + 2 * 128 - 1},
        {"inputs_remembered": 131, "history": 2, "max_backlog": 4, "prediction_window": 2, "input_delay": 1},
        {"inputs_remembered": 1e9},
        {"prediction_window": -1},
        {"prediction_window": 129, "history": 128},
        {"prediction_window": 0, "input_delay": 0},
        {"input_delay": 65, "history": 128},
        {"most_slowing": 0.6},
    ],
)
def test_a_configuration_that_cannot_work_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        MatchConfig(**wrong)


def test_the_smallest_configuration_is_the_one_on_the_page() -> None:
    MatchConfig(history=2, max_backlog=4, inputs_remembered=132, prediction_window=2, input_delay=1)


def test_whatever_a_peer_sends_the_clock_is_kept() -> None:
    """Over any time T no more than T * tick_rate + history + 1 frames are run, however often it is asked."""
    for seed in range(30):
        dice = Random(seed)
        window, history = dice.randint(1, 40), dice.choice((40, 64, 128))
        config = MatchConfig(input_delay=0, prediction_window=window, history=history, checksum_interval=0)
        match = lone_match(config=config)
        [exchange] = match.exchanges
        now, ran = 0.0, list[float]()
        while now < 30.0:
            now += dice.choice((0.0001, 0.002, 0.002, 0.02, dice.random() if dice.random() < 0.1 else 0.005))
            if dice.random() < 0.7:
                first, newest = match.engine.first_missing(1), match.engine.frame + dice.randint(-5, history + 20)
                match.receive(exchange, packet(first, (0,) * max(min(newest - first, 32), 1)), now)
            while match.due(now):
                match.advance(0, now)
                ran.append(now)
        assert len(ran) > 300
        for step in (1, 10, 100, 300, 600, len(ran) - 1):
            for early, late in zip(ran, ran[step:], strict=False):
                assert step + 1 <= (late - early) * 60 + history + 1 + 1e-6


def test_a_peer_that_lost_time_runs_what_others_have_sent_and_no_more() -> None:
    config = MatchConfig(input_delay=0, prediction_window=4, history=32)
    match = lone_match(config=config)
    [exchange] = match.exchanges
    for frame in range(60):
        assert match.receive(exchange, packet(frame, (0,)), frame * FRAME)
        assert match.due(frame * FRAME + 1e-6)
        match.advance(0, frame * FRAME)
    now = 60 * FRAME
    ran = []
    # Far ahead for ever: first a history of frames is caught up with, then the clock is kept.
    while now < 11.0:
        first = match.engine.first_missing(1)
        match.receive(exchange, packet(first, (0,) * 16), now)
        while match.due(now):
            match.advance(0, now)
            ran.append(now)
        now += 0.001
    assert sum(when < 1.1 for when in ran) <= 32 + 7
    assert 590 <= sum(when >= 1.1 for when in ran) <= 596


def test_nobody_is_waited_for_whose_inputs_the_next_frame_does_not_need() -> None:
    match = Match(Tally(4), seed=1, local_players=(0,), config=CONFIG)
    exchanges = [match.add_peer(MatchPeer(player, (player,))) for player in (1, 2, 3)]
    match.engine.drop_player(3, 0)
    match.receive(exchanges[1], packet(0, (7,)), 0.0)
    run_into_the_window(match)
    assert match.engine.frame == 4
    assert [missing_of(exchange, match.engine, match.frontier) for exchange in exchanges] == [[1], [], []]
    [event] = match.events()
    assert event.waiting_for == (1,)  # type: ignore[attr-defined]  # it is Stalled


def test_a_stall_names_players_of_peers_that_are_not_heard_too() -> None:
    """Their inputs come through others, and the match waits for them as for any."""
    match = Match(Tally(4), seed=1, local_players=(0,), config=CONFIG)
    peers = [MatchPeer(player, (player,)) for player in (1, 2, 3)]
    for peer in peers:
        match.add_peer(peer)
    for peer in peers[:2]:
        match.remove_peer(peer)
    match.engine.add_remote_inputs(2, 0, [1, 1, 1])
    run_into_the_window(match)
    [event] = match.events()
    assert isinstance(event, Stalled)
    assert event.waiting_for == (1, 3)


def test_a_newcomer_is_told_of_no_stall_before_its_first_frame_is_agreed() -> None:
    match = Match(Tally(3), seed=1, local_players=(1,), config=CONFIG, start_frame=5, joins_at=None)
    assert not match.due(0.0)
    assert match.is_stalled
    assert match.next_timeout() == 0.0
    match.joins_at = 5
    match.engine.add_remote_inputs(0, 5, [1])
    match.engine.add_remote_inputs(2, 5, [1])
    assert match.due(0.1)
    assert match.events() == []


def test_a_stall_at_a_barrier_names_the_free_seats_or_else_all_others() -> None:
    """Nobody's input is missing there: a newcomer's first frame is agreed, or peers agree on a state."""
    for dropped, named in ((), (1, 2)), ((2,), (2,)):
        match = Match(Tally(3), seed=1, local_players=(0,), config=CONFIG)
        for player in (1, 2):
            if player not in dropped:
                match.engine.add_remote_inputs(player, 0, [1, 1])
        for player in dropped:
            match.engine.drop_player(player, 0)
        match.barrier = 0
        assert not match.due(0.0)
        [event] = match.events()
        assert isinstance(event, Stalled)
        assert event.waiting_for == named


def test_a_match_and_an_exchange_that_were_never_begun_raise_and_do_not_end_the_process() -> None:
    match, exchange = Match.__new__(Match), Exchange.__new__(Exchange)
    for call in (match.due, match.stats, lambda now: exchange.packet(), lambda now: match.advance(0, now)):
        with pytest.raises(AttributeError):
            call(0.0)
    with pytest.raises(AttributeError):
        exchange.next_expected  # noqa: B018 - reading it is the test


@pytest.mark.parametrize("seat", [2, -1, 50_000_000, 1 << 70, None, 0.5])
def test_a_peer_that_plays_a_seat_which_the_game_has_not_is_refused(seat: Any) -> None:
    match = Match(Tally(), seed=1, local_players=(0,), config=CONFIG)
    with pytest.raises(UsageError, match=f"player must be from 0 to 1, not {seat!r}"):
        match.add_peer(MatchPeer("them", (seat,)))
    with pytest.raises(UsageError, match="player 0 is local here"):
        match.add_peer(MatchPeer("them", (1, 0)))
    assert not match.exchanges


@pytest.mark.parametrize("number", [256, -1, 1 << 40, 0.5, None])
def test_the_number_of_a_match_is_a_byte(number: Any) -> None:
    with pytest.raises(UsageError, match=f"the number of a match is 0 to 255, not {number!r}"):
        Match(Tally(), seed=1, local_players=(0,), config=CONFIG, number=number)


class Bit(IntFlag):
    ONE = 1
    FOUR = 4


def test_numbers_of_other_kinds_and_beyond_what_is_known_are_taken_as_they_are() -> None:
    seeds = []

    class Seeded(Tally):
        def initial_state(self, seed: Any) -> Any:
            seeds.append(seed)
            return super().initial_state(1)

    rare = MatchConfig(input_delay=0, checksum_interval=10**30)
    match = Match(Seeded(), seed=Bit.FOUR, local_players=[0], config=rare, number=True)  # type: ignore[arg-type]  # an untyped caller
    assert seeds == [match.seed] == [Bit.FOUR]
    assert seeds[0] is Bit.FOUR
    for key, extensions in enumerate((-1, 1 << 40, Bit.ONE | Bit.FOUR)):
        assert match.add_peer(MatchPeer(key, [1]), extensions=extensions).players == (1,)  # type: ignore[arg-type]  # an untyped caller
    match.barrier = match.joins_at = Bit.FOUR
    assert (match.barrier, match.joins_at) == (4, 4)
    for frame in range(12):
        match.advance(0, frame * FRAME)
    assert len(match.packets(1.0)) == 3


def test_a_match_and_its_exchanges_can_be_held_weakly() -> None:
    match = lone_match()
    held = [weakref.ref(match), weakref.ref(match.exchanges[0])]
    assert all(ref() is not None for ref in held)
    del match
    gc.collect()
    assert all(ref() is None for ref in held)
