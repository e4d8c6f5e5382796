from dataclasses import fields
from math import nan

import pytest

from retick.errors import UsageError
from retick.games.runner import Tuning
from retick.netrunner import NetRunner, RunnerConfig
from retick.wire.values import round32


def test_tuning_is_rounded_to_what_the_welcome_can_say() -> None:
    assert Tuning().air_control_factor == round32(0.35) != 0.35
    config = RunnerConfig(tuning=Tuning(move_speed=9.1, ground_stick_velocity=-0.123))
    server = NetRunner(config)
    client = NetRunner().adopt(
        server.decode_control(server.encode_control(server.welcome(peer_id=2, delay_ticks=3, server_tick=1)))
    )  # type: ignore[arg-type]  # a welcome went in
    assert client.config == server.config


@pytest.mark.parametrize("field", fields(Tuning), ids=lambda field: field.name)
def test_tuning_out_of_bounds_is_refused(field: object) -> None:
    name = field.name  # type: ignore[attr-defined]  # a dataclass field
    for bad in (nan, "9", None, 1e39, -1e39):
        with pytest.raises(UsageError, match=name):
            Tuning(**{name: bad})
