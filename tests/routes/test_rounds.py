"""When a direct path is looked for."""

from itertools import pairwise

from retick.routes.peer_routes import AGAIN_SECONDS, MOST_OFFERS, PAUSE_SECONDS, ROUNDS, Rounds, RoundStep


def offers(rounds: Rounds, until: float, *, reply: bool = False, start: float = 0.0) -> list[tuple[float, int]]:
    """When it offers, and in which round; every offer is answered after 80 ms, or none is."""
    found, now = [], start
    while (due := rounds.next_timeout()) is not None and due <= until:
        now = max(now, due)
        while step := rounds.step(now, is_found=False, can_offer=True):
            if step is RoundStep.OFFER:
                found.append((round(now, 3), rounds.round))
                if reply:
                    now += 0.08
                    assert rounds.replied(rounds.round, now)
    return found


def test_three_rounds_and_then_one_every_minute() -> None:
    rounds = Rounds(is_first=True)
    rounds.start(0.0)
    found = offers(rounds, 200.0, reply=True)
    assert [number for _, number in found] == list(range(1, len(found) + 1))
    times = [time for time, _ in found]
    assert times[:ROUNDS] == [0.0, 1.0, 2.0]
    assert all(later - time >= PAUSE_SECONDS for time, later in pairwise(times[2:]))
    assert len(found) == 6
    assert rounds.is_vain


def test_an_offer_without_a_reply_is_repeated_a_few_times_in_a_round() -> None:
    rounds = Rounds(is_first=True)
    rounds.start(0.0)
    found = offers(rounds, 10.0)
    assert [number for _, number in found] == [1] * MOST_OFFERS + [2] * MOST_OFFERS + [3] * MOST_OFFERS
    assert [time for time, _ in found[:3]] == [0.0, 0.5, 1.0]


def test_both_probe_at_the_same_moment() -> None:
    rounds = Rounds(is_first=True)
    rounds.start(0.0)
    assert rounds.step(0.0, is_found=False, can_offer=True) is RoundStep.OFFER
    assert not rounds.replied(9, 0.1), "of another round"
    assert rounds.replied(1, 0.2)
    assert not rounds.replied(1, 0.2), "a second time"
    assert rounds.next_timeout() == 0.2 + 0.1
    assert rounds.step(0.31, is_found=False, can_offer=True) is RoundStep.FIRE


def test_it_ends_when_a_path_is_found_and_waits_for_a_relay_that_is_silent() -> None:
    rounds = Rounds(is_first=True)
    rounds.start(0.0)
    assert rounds.step(0.0, is_found=False, can_offer=False) is None
    assert rounds.next_timeout() == 0.5
    assert rounds.step(0.5, is_found=True, can_offer=True) is None
    assert rounds.next_timeout() is None


def test_a_new_reason_begins_anew_but_not_all_the_time() -> None:
    rounds = Rounds(is_first=True)
    rounds.start(0.0)
    rounds.step(0.0, is_found=True, can_offer=True)
    rounds.start(1.0)
    assert rounds.next_timeout() == AGAIN_SECONDS


def test_the_one_with_the_higher_number_lets_the_other_begin() -> None:
    rounds = Rounds(is_first=False)
    rounds.start(10.0)
    assert rounds.next_timeout() == 10.5
    rounds.offered()
    assert rounds.next_timeout() is None


def test_early_probes_go_a_little_further_in_each_round() -> None:
    assert [Rounds.ttl(number) for number in (1, 2, 3, 4, 255)] == [2, 3, 4, 2, 4]
