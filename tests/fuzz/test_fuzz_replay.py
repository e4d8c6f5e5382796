"""The fuzz target of the replay readers: a short run finds nothing, and a planted bug is found."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from retick import replay
from retick.errors import DecodeError

TARGET = Path(__file__).parents[2] / "fuzz" / "fuzz_replay.py"


@pytest.fixture(scope="module")
def target() -> Any:
    spec = importlib.util.spec_from_file_location("fuzz_replay", TARGET)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_short_run_finds_no_bug_and_reaches_both_outcomes(target: Any) -> None:
    count, decoded = target.fuzz(1, lambda n: n < 3000)
    assert count == 3000
    assert 100 < decoded < 2900


def test_a_reader_that_trips_is_caught(target: Any) -> None:
    def trips(data: bytes) -> bool:
        try:
            found = replay.loads(data)
        except DecodeError:
            return False
        return bool(found.frames[3])

    with pytest.raises(SystemExit, match="IndexError"):
        target.fuzz(1, lambda n: n < 3000, trips)


def test_every_file_of_the_corpus_is_what_it_seems(target: Any) -> None:
    assert [target.check(data) for data in target.corpus()] == [True] * 4 + [False] * 2
