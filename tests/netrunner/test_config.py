"""The configuration: text in, values within bounds and complaints out."""

import json

import pytest

from retick.games.runner import Tuning
from retick.netrunner import LAN, WAN, RunnerConfig, parse_config


def test_keys_are_found_whatever_their_case() -> None:
    config, complaints = parse_config('{"SERVERTICKRATE": 30, "moveSpeed": 7.5, "wallrunmaxticks": 0}')
    assert complaints == ()
    assert config == RunnerConfig(server_tick_rate=30, tuning=Tuning(move_speed=7.5, wall_run_max_ticks=0))


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "[" * 100_000])
def test_text_that_is_no_object_gives_the_defaults_and_a_complaint(text: str) -> None:
    config, complaints = parse_config(text)
    assert config == WAN
    assert len(complaints) == 1


@pytest.mark.parametrize(
    "pair", [("gravity", "x"), ("gravity", 0), ("snapshotRate", 1.5), ("maxPlayers", 17), ("gravity", True), ("x", 1)]
)
def test_what_cannot_be_used_is_named_and_left_at_its_default(pair: tuple[str, object]) -> None:
    config, complaints = parse_config(json.dumps({pair[0]: pair[1], "jumpVelocity": 9.0}))
    assert config == RunnerConfig(tuning=Tuning(jump_velocity=9.0))
    assert len(complaints) == 1
    assert pair[0] in complaints[0]


def test_the_profiles_are_the_protocols() -> None:
    assert (WAN.snapshot_rate, WAN.input_delay_ticks, WAN.interpolation_delay_ms) == (20, 3, 100)
    assert (LAN.snapshot_rate, LAN.input_delay_ticks, LAN.interpolation_delay_ms) == (30, 1, 50)
