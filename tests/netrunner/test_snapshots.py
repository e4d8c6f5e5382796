"""The snapshot to the byte: the worked example, strictness, changed bytes."""

import struct
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import (
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
)
from retick.games.runner import LocomotionState, RunnerState
from retick.host.stats import InputStats
from retick.netrunner import PlayerSnapshot
from retick.netrunner.packets import STATE_SIZE, decode_state, encode_state
from tests.netrunner.worked_examples import NET, PLAYER, STATE


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
