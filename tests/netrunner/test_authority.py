"""What every game and its servers share: control messages, counters and session numbers."""

import struct
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, InvalidValue, UnsupportedVersion, UsageError
from retick.host.stats import InputStats
from retick.netrunner.messages import (
    INPUT_STATS_FORMAT,
    ClientHello,
    ControlMessages,
    DelayUpdate,
    Ping,
    Pong,
    ResyncHint,
    SessionNumbers,
)
from retick.wire.values import round32


class Welcome(NamedTuple):
    version: int
    peer_id: int
    share: float


EXACT = ControlMessages(Welcome, "Iif", version=3)
PADDED = ControlMessages(Welcome, "Iif", version=3, size=40)
u16, u32 = st.integers(0, 2**16 - 1), st.integers(0, 2**32 - 1)
i32 = st.integers(-(2**31), 2**31 - 1)
messages = st.one_of(
    st.just(ClientHello(3)),
    st.builds(Welcome, st.just(3), i32, st.floats(width=32, allow_nan=False, allow_infinity=False)),
    st.builds(Ping, u16, u32),
    st.builds(Pong, u16, u32, u32),
    st.builds(DelayUpdate, i32),
    st.builds(ResyncHint, u32),
)


@given(messages, st.sampled_from([EXACT, PADDED]))
def test_a_control_message_reads_back_as_itself(message: Any, control: ControlMessages[Welcome]) -> None:
    data = control.encode(message)
    assert control.decode(data) == message
    assert data[0] == 3
    with pytest.raises(InvalidValue, match="bytes, not"):
        control.decode(data + b"\0")


@given(messages, st.binary(min_size=40, max_size=40))
def test_a_padded_message_has_zeros_that_nobody_reads(message: Any, rest: bytes) -> None:
    exact, padded = EXACT.encode(message), PADDED.encode(message)
    assert padded == exact.ljust(40, b"\0")
    assert PADDED.decode((exact + rest)[:40]) == message


@given(st.binary(max_size=20), st.integers(0, 8), st.sampled_from([EXACT, PADDED]))
def test_any_bytes_are_a_control_message_or_refused(
    data: bytes, subtype: int, control: ControlMessages[Welcome]
) -> None:
    for given_bytes in (data, bytes((3, subtype)) + data, (bytes((3, subtype)) + data).ljust(40, b"\0")):
        with suppress(DecodeError):
            control.decode(given_bytes)


@pytest.mark.parametrize("control", [EXACT, PADDED])
@pytest.mark.parametrize("message", [ClientHello(4), Welcome(4, 1, 1.0)])
def test_another_version_is_refused_before_its_length_is_looked_at(
    control: ControlMessages[Welcome], message: Any
) -> None:
    for data in (control.encode(message), control.encode(message) + b"more"):
        with pytest.raises(UnsupportedVersion) as caught:
            control.decode(data)
        assert caught.value.version == 4


@pytest.mark.parametrize("message", [Ping(1 << 16, 0), DelayUpdate(1 << 31), Welcome(3, 1, inf), Welcome(3, 1, 1e39)])
def test_a_value_that_does_not_fit_is_an_encode_error(message: Any) -> None:
    with pytest.raises(EncodeError):
        EXACT.encode(message)


def test_a_float_that_is_no_number_refuses_the_message() -> None:
    with pytest.raises(InvalidValue, match="finite"):
        EXACT.decode(bytes((3, 2)) + struct.pack("<Iif", 3, 1, inf))


def test_the_statistics_have_one_code_for_each_field() -> None:
    stats = InputStats(1, 2, 3, 4, 5, 6, 7, -8, 9.5, 10.25)
    layout = struct.Struct("<" + INPUT_STATS_FORMAT)
    assert layout.size == 40
    assert InputStats._make(layout.unpack(layout.pack(*stats))) == stats


def test_session_numbers_are_rounded_to_what_a_welcome_can_say() -> None:
    assert SessionNumbers(reconcile_snap_threshold=0.1).reconcile_snap_threshold == round32(0.1) != 0.1


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
