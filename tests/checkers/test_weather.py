"""A short storm; five minutes of it are ``python -m benchmarks authority --part weather``."""

import pytest

from tests.checkers.weather import run_weather


@pytest.mark.long
def test_after_bad_weather_no_client_is_stuck_and_corrections_end() -> None:
    """The short form; five minutes of it are ``python -m benchmarks authority --part weather``."""
    found = run_weather(2, seconds=24.0, clients=2)
    assert found.loss > 0.15
    assert found.stuck == 0
    assert found.pending <= 256
    assert found.late_corrections == 0
