"""Every NetRunner packet to the byte: the specification's worked examples, strictness, and arbitrary bytes."""

import contextlib
import struct
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import (
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    TrailingData,
    Truncated,
    UnsupportedVersion,
)
from retick.games.runner import (
    Command,
    InputStats,
    LocomotionState,
    NetRunner,
    PlayerSnapshot,
    RunnerConfig,
    RunnerState,
    Tuning,
)
from retick.games.runner.netrunner.control import DelayUpdate, Hello, Ping, Pong, ResyncHint, Welcome
from retick.games.runner.netrunner.fire import NOBODY, Fire, FireResult, FireVisual
from retick.games.runner.netrunner.inputs import BUNDLE_SIZE, COMMAND_SIZE
from retick.games.runner.netrunner.snapshots import SNAPSHOT_SIZE, STATE_SIZE, decode_state, encode_state

NET = NetRunner()

WELCOME = bytes.fromhex(
    "030206000000020000003c0000003c000000140000006400000064000000640000000000c03f"
    "0000b2420000104100003442000060413333b33e00000c410000c041030000000000803ecdcc"
    "ccbd58020000"
    "18003333b33e00000c410000c040"
)
COMMAND = bytes.fromhex("0700000069000000010000008988883c000000000000803f030000003f000080be")
STATE = bytes.fromhex(
    "02000000620000000000c03f3333b3be000080c00000000000000000000010c10000003f0000"
    "80be010c000000000000004e0200000300000007000000000000000500000006000000000016"
    "43000008410a0b0d00007f"
)
STANDING = struct.unpack("<f", struct.pack("<f", -0.35))[0]
PLAYER = PlayerSnapshot(
    2,
    98,
    RunnerState(1.5, STANDING, -4.0, 0.0, 0.0, -9.0, 0.5, -0.25, True).with_locomotion(
        LocomotionState(2, 11, (-1.0, 0.0, 0.0), 13, 0)
    ),
    InputStats(12, 0, 590, 3, 7, 0, 5, 6, 150.0, 8.5),
)
ORDER = Command(7, 105, 1, struct.unpack("<f", struct.pack("<f", 1 / 60))[0], 0.0, 1.0, 3, 0.5, -0.25)


def test_packets_have_the_sizes_of_protocol_6() -> None:
    assert (COMMAND_SIZE, BUNDLE_SIZE, STATE_SIZE, SNAPSHOT_SIZE) == (33, 167, 87, 1398)
    assert len(NET.encode_inputs([ORDER])) == 167
    assert len(NET.encode_snapshot(600, [PLAYER])) == 1398
    assert len(NET.encode_control(Hello())) == 96


@pytest.mark.parametrize(
    ("message", "start"),
    [
        (Hello(), "030106000000"),
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


def test_the_command_is_the_worked_example() -> None:
    bundle = NET.encode_inputs([ORDER])
    assert bundle == (b"\x01\x01" + COMMAND).ljust(167, b"\0")
    assert NET.decode_inputs(bundle) == (ORDER,)


def test_the_state_is_the_worked_example() -> None:
    assert encode_state(PLAYER) == STATE
    assert decode_state(STATE) == PLAYER


def test_the_snapshot_is_a_header_states_and_zeros() -> None:
    data = NET.encode_snapshot(600, [PLAYER])
    assert data == (bytes.fromhex("025802000001") + STATE).ljust(1398, b"\0")
    assert NET.decode_snapshot(data) == (600, (PLAYER,))
    assert NET.decode_snapshot(NET.encode_snapshot(1, [PLAYER] * 16)).players == (PLAYER,) * 16
    assert NET.decode_snapshot(NET.encode_snapshot(0, [])) == (0, ())


def test_every_state_field_lies_at_its_offset() -> None:
    offsets = (0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 41, 45, 49, 53, 57, 61, 65, 69, 73, 77, 81, 82, 83, 84)
    other = PlayerSnapshot(
        3,
        99,
        RunnerState(2.5, 1.0, 4.0, 1.0, 1.0, 9.0, 0.75, 0.25, False).with_locomotion(
            LocomotionState(3, 12, (0.0, 1.0, 0.0), 14, 1)
        ),
        InputStats(13, 1, 591, 4, 8, 1, 6, 7, 151.0, 9.5),
    )
    flat = (
        [(0, other._replace(peer_id=2)), (1, other._replace(ack=98))]
        + [(2 + i, other._replace(state=other.state._replace(**{name: PLAYER.state[i]}))) for i, name in
           enumerate(RunnerState._fields[:9])]
        + [(11 + i, other._replace(stats=other.stats._replace(**{name: PLAYER.stats[i]}))) for i, name in
           enumerate(InputStats._fields)]
    )  # fmt: skip
    blank = encode_state(other)
    for index, changed in flat:
        data = encode_state(changed)
        differing = [at for at in range(STATE_SIZE) if data[at] != blank[at]]
        assert differing, index
        assert all(offsets[index] <= at < offsets[index + 1] for at in differing), index


def test_bytes_past_the_count_and_past_a_message_are_not_looked_at() -> None:
    bundle = NET.encode_inputs([ORDER])
    assert NET.decode_inputs(bundle[:35] + b"\xff" * 132) == (ORDER,)
    snapshot = NET.encode_snapshot(600, [PLAYER])
    assert NET.decode_snapshot(snapshot[:93] + b"\xff" * (1398 - 93)) == (600, (PLAYER,))
    assert NET.decode_control(NET.encode_control(Ping(7, 8))[:8] + b"\xff" * 88) == Ping(7, 8)


@pytest.mark.parametrize(("count", "error"), [(0, InvalidValue), (6, LimitExceeded), (255, LimitExceeded)])
def test_a_bundle_of_no_or_too_many_commands_is_refused(count: int, error: type[DecodeError]) -> None:
    bundle = bytearray(NET.encode_inputs([ORDER] * 5))
    bundle[1] = count
    with pytest.raises(error):
        NET.decode_inputs(bytes(bundle))


def test_a_snapshot_of_seventeen_players_is_refused_and_never_written() -> None:
    data = bytearray(NET.encode_snapshot(1, [PLAYER] * 16))
    data[5] = 17
    with pytest.raises(LimitExceeded) as caught:
        NET.decode_snapshot(bytes(data))
    assert (caught.value.what, caught.value.limit, caught.value.actual) == ("players", 16, 17)
    with pytest.raises(EncodeError, match="at most 16"):
        NET.encode_snapshot(1, [PLAYER] * 17)


@pytest.mark.parametrize("offset", [8, 12, 16, 20, 24, 28, 32, 36, 73, 77])
@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_float_that_is_no_number_refuses_the_snapshot(offset: int, value: float) -> None:
    data = bytearray(NET.encode_snapshot(1, [PLAYER, PLAYER]))
    struct.pack_into("<f", data, 6 + 87 + offset, value)
    with pytest.raises(InvalidValue, match="finite"):
        NET.decode_snapshot(bytes(data))


@pytest.mark.parametrize("payload", ["050000007f7f", "100000007f7f", "0a001800ff7f", "02001800fe7f"])
def test_a_bad_locomotion_payload_refuses_the_snapshot(payload: str) -> None:
    data = bytearray(NET.encode_snapshot(1, [PLAYER, PLAYER]))
    data[6 + 87 + 81 : 6 + 2 * 87] = bytes.fromhex(payload)
    with pytest.raises(InvalidValue):
        NET.decode_snapshot(bytes(data))


@pytest.mark.parametrize(
    "data",
    [
        NET.encode_inputs([ORDER]),
        NET.encode_snapshot(1, [PLAYER]),
        NET.encode_control(Hello()),
        NET.encode_fire(Fire(1, 2, 3, 4, (0.0, 0.0, -1.0))),
        NET.encode_fire(FireResult(2, NOBODY, 600)),
        NET.encode_fire(FireVisual(2, 600, (0.0, 1.5, 0.0), 0.5, 0.25, True, (1.0, 2.0, 3.0))),
    ],
    ids=["inputs", "snapshot", "control", "fire", "result", "visual"],
)
def test_a_packet_is_read_only_at_its_exact_length(data: bytes) -> None:
    NET.decode(data)
    for short in (data[:-1], data[:1]):
        with pytest.raises(Truncated) as caught:
            NET.decode(short)
        assert (caught.value.needed, caught.value.available) == (len(data), len(short))
    with pytest.raises(TrailingData) as long:
        NET.decode(data + b"\0")
    assert long.value.extra == 1


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\x07" * 96, b"\xff" * 1398, b"\x03\x00" + bytes(94), b"\x03\x07" + bytes(94)]
)
def test_empty_packets_and_unknown_types_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        NET.decode(data)


def test_a_packet_of_another_type_is_refused_by_each_reader() -> None:
    data = NET.encode_control(Hello())
    for reader in (NET.decode_inputs, NET.decode_snapshot, NET.decode_fire):
        with pytest.raises(InvalidValue):
            reader(data)


@pytest.mark.parametrize("version", [0, 5, 7, 0xFFFFFFFF])
def test_another_version_is_refused_in_both_directions(version: int) -> None:
    welcome = NET.welcome(peer_id=2, delay_ticks=3, server_tick=600)
    for message in (Hello(version), welcome._replace(version=version)):
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
    fields = dict.fromkeys(Welcome._fields, -1000)
    low = Welcome(**(fields | {"version": 6, "wall_run_max_ticks": 0, "slide_max_ticks": 0})).config()
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
    high = Welcome(
        **(dict.fromkeys(Welcome._fields, 1000) | {"wall_run_max_ticks": 255, "slide_max_ticks": 255})
    ).config()
    assert high.input_delay_ticks == 10
    assert high.pitch_clamp_degrees == 89.0
    assert high.tuning.air_control_factor == 1.0
    assert high.tuning.floor_snap_length == 2.0
    assert high.tuning.ground_stick_velocity == pytest.approx(-0.01)


def test_spare_bytes_of_zero_switch_wall_running_off() -> None:
    welcome = NET.decode_control(WELCOME[:82] + bytes(14))
    assert isinstance(welcome, Welcome)
    assert welcome.config().tuning.wall_run_max_ticks == 0


@pytest.mark.parametrize(
    "broken",
    [
        PLAYER._replace(ack=-1),
        PLAYER._replace(peer_id=1 << 31),
        PLAYER._replace(stats=PLAYER.stats._replace(ticks_held=1 << 32)),
        PLAYER._replace(stats=PLAYER.stats._replace(rtt_ms=nan)),
        PLAYER._replace(state=PLAYER.state._replace(vx=inf)),
        PLAYER._replace(state=PLAYER.state._replace(x=1e39)),
        PLAYER._replace(state=PLAYER.state._replace(mode=5)),
    ],
)
def test_what_does_not_fit_a_state_is_an_encode_error(broken: PlayerSnapshot) -> None:
    with pytest.raises(EncodeError):
        NET.encode_snapshot(1, [broken])


def test_what_does_not_fit_elsewhere_is_an_encode_error() -> None:
    with pytest.raises(EncodeError):
        NET.encode_snapshot(-1, [])
    for commands in ([], [ORDER] * 6, [ORDER._replace(seq=1 << 32)], [ORDER._replace(yaw=1e39)]):
        with pytest.raises(EncodeError):
            NET.encode_inputs(commands)
    for message in (Ping(1 << 16, 0), DelayUpdate(1 << 31), Hello(-1)):
        with pytest.raises(EncodeError):
            NET.encode_control(message)
    with pytest.raises(EncodeError):
        NET.encode_control(NET.welcome(peer_id=2, delay_ticks=3, server_tick=1)._replace(gravity=nan))
    for shot in (Fire(1, 1, 1, 1, (nan, 0.0, 0.0)), FireResult(1, 1 << 31, 1)):
        with pytest.raises(EncodeError):
            NET.encode_fire(shot)


def test_the_fire_packets_lie_as_specified() -> None:
    fire = NET.encode_fire(Fire(1, 2, 3, -4, (0.0, 0.0, -1.0)))
    assert fire.hex() == "04010000000200000003000000fcffffff0000000000000000000080bf"
    result = NET.encode_fire(FireResult(2, NOBODY, 600))
    assert result.hex() == "0502000000ffffffff58020000"
    visual = FireVisual(2, 600, (0.0, 1.5, 0.0), 0.5, 0.25, True, (1.0, 2.0, 3.0))
    data = NET.encode_fire(visual)
    assert data.hex() == ("060200000058020000000000000000c03f000000000000003f0000803e010000803f0000004000004040")
    assert NET.decode_fire(data) == visual
    with pytest.raises(InvalidValue, match="finite"):
        NET.decode_fire(data[:-4] + struct.pack("<f", inf))


TYPES = st.sampled_from([(1, 167), (2, 1398), (3, 96), (4, 29), (5, 13), (6, 42)])


@given(TYPES, st.randoms(use_true_random=False), st.integers(0, 255), st.integers(-1, 1))
def test_any_bytes_are_a_packet_or_a_decode_error(kind: tuple[int, int], random: Any, second: int, excess: int) -> None:
    number, size = kind
    data = bytes((number, second)) + random.randbytes(size - 2 + excess)
    with contextlib.suppress(DecodeError):
        NET.decode(data)


@given(st.integers(6, 6 + 2 * 87 - 1), st.integers(0, 255))
def test_a_snapshot_with_one_byte_changed_reads_back_as_itself_or_is_refused(at: int, value: int) -> None:
    data = bytearray(NET.encode_snapshot(77, [PLAYER, PLAYER]))
    data[at] = value
    try:
        snapshot = NET.decode_snapshot(bytes(data))
    except DecodeError:
        return
    again = NET.encode_snapshot(*snapshot)
    assert NET.decode_snapshot(again) == snapshot
