"""Another time and another user: what a game can ask there, and that everything is as before afterwards."""

import datetime as dt
import os
import sys
import time
from types import ModuleType
from typing import Any

import pytest

from retick.testing.elsewhere import ENVIRONMENT, Elsewhere

REAL = [time.time]
"""The real clock, where nothing replaces it."""
CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns", "perf_counter_ns")


@pytest.mark.parametrize("name", CLOCKS)
def test_each_reading_of_a_clock_is_later_than_the_one_before(name: str) -> None:
    here = getattr(time, name)()
    with Elsewhere():
        read = [getattr(time, name)() for _ in range(50)]
    assert read == sorted(read)
    assert read[0] > here
    second = 1_000_000_000 if name.endswith("_ns") else 1
    assert {int(value // second) % 2 for value in read} == {0, 1}
    assert type(read[0]) is type(here)


def test_dates_are_of_the_other_time_and_of_the_usual_classes() -> None:
    before = dt.datetime.now()
    moment, day = dt.datetime(2020, 1, 2), dt.date(2020, 1, 2)
    with Elsewhere():
        read = [dt.datetime.now(), dt.datetime.today(), dt.datetime.utcnow()]
        assert type(dt.datetime(2020, 1, 2)) is type(moment)
        assert type(dt.date(2020, 1, 2)) is type(day)
        assert isinstance(moment, dt.datetime)
        assert isinstance(moment, dt.date)
        assert not isinstance(day, dt.datetime)
        assert dt.datetime.fromisoformat("2020-01-02") == moment
        assert dt.date.today() >= before.date()
    assert all(type(each) is type(before) for each in read)
    assert len({each.second for each in read}) > 1
    assert dt.datetime is type(before)


def test_calendars_without_an_argument_are_of_the_other_time_and_with_one_the_same() -> None:
    with Elsewhere():
        seconds = {time.localtime().tm_sec for _ in range(9)} | {time.gmtime().tm_sec for _ in range(9)}
        assert len(seconds) > 3
        assert len({time.strftime("%M:%S") for _ in range(9)}) > 3
        assert len({time.ctime() for _ in range(9)} | {time.asctime() for _ in range(9)}) > 3
        assert time.gmtime(0).tm_year == 1970
        assert time.strftime("%Y", time.gmtime(0)) == "1970"


def test_the_environment_is_another_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "Ann")
    monkeypatch.delenv("TZ", raising=False)
    before = dict(os.environ)
    with Elsewhere():
        assert os.environ["USER"] == ENVIRONMENT["USER"]
        assert os.getpid() != elsewhere_pid()
    assert dict(os.environ) == before


def elsewhere_pid() -> int:
    return int(os.readlink("/proc/self")) if sys.platform == "linux" else -1


def test_what_a_game_has_imported_by_name_is_replaced_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = ModuleType("a_game")
    game.__file__ = "/somewhere/a_game.py"
    game.now, game.datetime = time.time, dt.datetime
    monkeypatch.setitem(sys.modules, "a_game", game)
    place = Elsewhere()
    for _ in range(2):
        with place:
            assert game.now() > REAL[0]()
            assert game.datetime is dt.datetime
        assert game.now is REAL[0]
    assert time.time is game.now
