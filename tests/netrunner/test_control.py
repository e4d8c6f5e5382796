"""The control packets to the byte: worked examples, versions, and the Welcome."""

import struct
from math import nan
from typing import Any

import pytest

from retick.errors import (
    InvalidValue,
    UnsupportedVersion,
)
from retick.games.runner import Tuning
from retick.netrunner import RunnerConfig
from retick.netrunner.messages import ClientHello, DelayUpdate, Ping, Pong, ResyncHint
from retick.netrunner.packets import RunnerWelcome
from tests.netrunner.worked_examples import NET, WELCOME


@pytest.mark.parametrize(
    ("message", "start"),
    [
        (ClientHello(6), "030106000000"),
        (Ping(1, 123456), "0303010040e20100"),
        (Pong(1, 123456, 600), "0304010040e2010058020000"),
        (DelayUpdate(6), "030506000000"),
        (ResyncHint(601), "030659020000"),
        (DelayUpdate(-1), "0305ffffffff"),
    ],
)
def test_control_messages_are_the_worked_examples(message: Any, start: str) -> None:
    data = NET.encode_control(message)
    assert data == bytes.fromhex(start).ljust(96, b"\0")
    assert NET.decode_control(data) == message


def test_the_welcome_is_the_worked_example() -> None:
    welcome = NET.welcome(peer_id=2, delay_ticks=3, server_tick=600)
    assert NET.encode_control(welcome) == WELCOME
    assert NET.decode_control(WELCOME) == welcome
    assert welcome.config() == NET.config


@pytest.mark.parametrize("version", [0, 5, 7, 0xFFFFFFFF])
def test_another_version_is_refused_in_both_directions(version: int) -> None:
    welcome = NET.welcome(peer_id=2, delay_ticks=3, server_tick=600)
    for message in (ClientHello(version), welcome._replace(version=version)):
        with pytest.raises(UnsupportedVersion) as caught:
            NET.decode_control(NET.encode_control(message))
        assert caught.value.version == version


def test_the_version_is_read_before_the_rest() -> None:
    data = bytearray(NET.encode_control(NET.welcome(peer_id=2, delay_ticks=3, server_tick=600)))
    data[2] = 5
    data[34:96] = b"\xff" * 62
    with pytest.raises(UnsupportedVersion):
        NET.decode_control(bytes(data))


def test_a_welcome_with_a_float_that_is_no_number_is_refused() -> None:
    for offset in (34, 38, 42, 46, 50, 54, 58, 62, 70, 74, 84, 88, 92):
        data = bytearray(WELCOME)
        struct.pack_into("<f", data, offset, nan)
        with pytest.raises(InvalidValue, match="finite"):
            NET.decode_control(bytes(data))


def test_a_welcome_is_clamped_where_it_is_adopted() -> None:
    fields = dict.fromkeys(RunnerWelcome._fields, -1000)
    low = RunnerWelcome(**(fields | {"version": 6, "wall_run_max_ticks": 0, "slide_max_ticks": 0})).config()
    assert low == RunnerConfig(
        server_tick_rate=1,
        client_tick_rate=1,
        snapshot_rate=1,
        input_delay_ticks=0,
        interpolation_delay_ms=0,
        max_extrapolation_ms=0,
        reconcile_smooth_ms=1,
        reconcile_snap_threshold=0.1,
        pitch_clamp_degrees=1.0,
        tuning=Tuning(
            move_speed=0.1,
            ground_acceleration=0.1,
            air_acceleration=0.1,
            air_control_factor=0.0,
            jump_velocity=0.1,
            gravity=0.1,
            floor_snap_length=0.0,
            ground_stick_velocity=-1000.0,
            wall_run_max_ticks=0,
            slide_max_ticks=0,
            wall_run_gravity_scale=0.0,
            wall_jump_up_velocity=0.0,
            wall_jump_away_velocity=0.0,
        ),
    )
    high = RunnerWelcome(
        **(dict.fromkeys(RunnerWelcome._fields, 1000) | {"wall_run_max_ticks": 255, "slide_max_ticks": 255})
    ).config()
    assert high.input_delay_ticks == 10
    assert high.pitch_clamp_degrees == 89.0
    assert high.tuning.air_control_factor == 1.0
    assert high.tuning.floor_snap_length == 2.0
    assert high.tuning.ground_stick_velocity == pytest.approx(-0.01)


def test_spare_bytes_of_zero_switch_wall_running_off() -> None:
    welcome = NET.decode_control(WELCOME[:82] + bytes(14))
    assert isinstance(welcome, RunnerWelcome)
    assert welcome.config().tuning.wall_run_max_ticks == 0
