"""What every game and its servers share: control messages, counters and session numbers."""

from typing import Any

import pytest

from retick.authority import (
    SessionNumbers,
)
from retick.errors import UsageError


@pytest.mark.parametrize(
    "wrong",
    [
        {"server_tick_rate": 0},
        {"server_tick_rate": 1001},
        {"snapshot_rate": -1},
        {"client_tick_rate": 59.5},
        {"max_players": 0},
        {"max_players": 256},
        {"input_delay_ticks": 11},
        {"interpolation_delay_ms": -1},
        {"reconcile_snap_threshold": float("nan")},
        {"reconcile_smooth_ms": "100"},
    ],
)
def test_session_numbers_that_no_session_has_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SessionNumbers(**wrong)
