"""Settings that cannot work are refused."""

from typing import Any

import pytest

from retick.authority.server import WorldServerConfig
from retick.errors import UsageError


@pytest.mark.parametrize(
    "setting",
    [
        {"tick_rate": 0}, {"tick_rate": 1001}, {"snapshot_rate": 0}, {"snapshot_rate": 61}, {"snapshot_rate": 7},
        {"tick_rate": 600, "snapshot_rate": 1}, {"snapshot_bytes": 1101}, {"max_spectators": -1}, {"hold_ticks": -1},
        {"most_early": 0}, {"packets_per_tick": 0}, {"messages_per_second": 0}, {"most_rewind": 0}, {"view_delay": 0},
        {"most_rewind": 11}, {"checksum_every": 0}, {"rooms": ("a", "a")}, {"catch_up_ticks": 0},
    ],
    ids=str,
)  # fmt: skip
def test_a_setting_that_cannot_work_is_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        WorldServerConfig(**setting)


def test_rates_follow() -> None:
    assert WorldServerConfig().snapshot_ticks == 3
    assert WorldServerConfig(tick_rate=30, snapshot_rate=30, most_rewind=0.001).rewind_ticks == 1
