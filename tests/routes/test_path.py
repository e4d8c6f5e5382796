"""One path: round trip, doubt, silence, rest."""

import pytest

from retick.routes import path as paths
from retick.routes.path import (
    FIRST_REST,
    GOOD_ANSWERS,
    LONGEST_REST,
    MOST_LATER,
    MOST_PENDING,
    MOST_RETRIES,
    Path,
    PathKind,
)


def made() -> Path:
    return Path(("203.0.113.1", 5000), PathKind.REFLEXIVE)


def probe(path: Path, number: int, now: float) -> bytes:
    token = number.to_bytes(8, "little")
    path.probed(token, now)
    return token


def test_it_works_when_a_probe_was_answered_and_its_round_trip_is_smoothed() -> None:
    path = made()
    token = probe(path, 1, 0.0)
    assert not path.is_answered
    assert path.answered(token, 0.08)
    assert path.is_answered
    assert path.round_trip == pytest.approx(0.08)
    assert not path.answered(token, 0.09), "each answer counts once"
    assert path.answered(probe(path, 2, 1.0), 1.16)
    assert path.round_trip == pytest.approx(0.1)


def test_an_answer_that_was_not_asked_for_is_none() -> None:
    path = made()
    probe(path, 1, 0.0)
    assert not path.answered(b"whatever", 0.1)
    assert not path.is_answered


def test_without_answers_it_is_doubted_and_then_silent_but_only_after_some_probes() -> None:
    path = made()
    path.answered(probe(path, 0, 0.0), 0.04)
    probe(path, 1, 1.0)
    assert path.silent_at() is None
    probe(path, 2, 1.25)
    probe(path, 3, 1.35)
    assert path.doubted_at() == pytest.approx(1.3)
    assert path.silent_at() == pytest.approx(1.7)


def test_an_old_answer_ends_the_silence_up_to_its_probe() -> None:
    path = made()
    tokens = [probe(path, n, n * 0.25) for n in range(4)]
    path.answered(tokens[1], 1.0)
    assert path.silent_at() is None
    probe(path, 9, 1.0)
    assert path.silent_at() == pytest.approx(0.5 + 0.7 + 0.65), "the round trip is 0.75"


def test_it_is_probed_often_in_use_oftener_when_an_answer_is_overdue_and_seldom_otherwise() -> None:
    path = made()
    path.answered(probe(path, 0, 0.0), 0.04)
    assert path.next_probe(in_use=True) == pytest.approx(0.2)
    assert path.next_probe(in_use=False) == pytest.approx(5.0)
    probe(path, 1, 0.25)
    probe(path, 2, 0.5)
    assert path.next_probe(in_use=True) == pytest.approx(0.6)


def test_one_that_was_heard_and_never_answered_is_probed_a_few_times() -> None:
    path = made()
    for number in range(MOST_RETRIES):
        probe(path, number, number * 0.2)
        expected = None if number == MOST_RETRIES - 1 else pytest.approx(number * 0.2 + 0.2)
        assert path.next_probe(in_use=False) == expected


def test_one_that_has_answered_once_is_probed_for_some_minutes_after_it_was_left() -> None:
    path = made()
    path.answered(probe(path, 0, 0.0), 0.01)
    path.left(1.0)
    times: list[float] = []
    while (due := path.next_probe(in_use=False)) is not None:
        probe(path, len(times) + 1, due)
        times.append(due)
    assert len(times) == MOST_LATER
    assert 100 < times[-1] < 200


def test_one_that_was_left_rests_longer_each_time() -> None:
    path = made()
    rests = []
    for number in range(8):
        path.answered(probe(path, number, 0.0), 0.01)
        path.left(100.0)
        assert not path.is_answered
        rests.append(path.rests_until - 100.0)
    assert rests[:3] == [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST]
    assert max(rests) == LONGEST_REST
    for number in range(GOOD_ANSWERS):
        path.answered(probe(path, number, 0.0), 0.01)
    path.left(100.0)
    assert path.rests_until == 100.0 + FIRST_REST
    path_before = made()
    token = probe(path_before, 1, 0.0)
    path_before.left(0.5)
    assert not path_before.answered(token, 0.6), "it must answer anew"


def test_probes_without_an_answer_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MOST_PENDING", 4)
    path = made()
    tokens = [probe(path, n, n * 0.1) for n in range(10)]
    assert not path.answered(tokens[5], 2.0)
    assert path.answered(tokens[6], 2.0)
    assert MOST_PENDING > 4
