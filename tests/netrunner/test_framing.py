"""What all packets share: their types, their lengths, and what is refused."""

import contextlib
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import (
    DecodeError,
    EncodeError,
    InvalidValue,
    TrailingData,
    Truncated,
)
from retick.netrunner.messages import ClientHello, DelayUpdate, Ping
from retick.netrunner.packets import (
    BUNDLE_SIZE,
    COMMAND_SIZE,
    NOBODY,
    SNAPSHOT_SIZE,
    STATE_SIZE,
    Fire,
    FireResult,
    FireVisual,
)
from tests.netrunner.worked_examples import NET, ORDER, PLAYER


def test_packets_have_the_sizes_of_protocol_6() -> None:
    assert (COMMAND_SIZE, BUNDLE_SIZE, STATE_SIZE, SNAPSHOT_SIZE) == (33, 167, 87, 1398)
    assert len(NET.encode_inputs([ORDER])) == 167
    assert len(NET.encode_snapshot(600, [PLAYER])) == 1398
    assert len(NET.encode_control(ClientHello(6))) == 96


def test_bytes_past_the_count_and_past_a_message_are_not_looked_at() -> None:
    bundle = NET.encode_inputs([ORDER])
    assert NET.decode_inputs(bundle[:35] + b"\xff" * 132) == (ORDER,)
    snapshot = NET.encode_snapshot(600, [PLAYER])
    assert NET.decode_snapshot(snapshot[:93] + b"\xff" * (1398 - 93)) == (600, (PLAYER,))
    assert NET.decode_control(NET.encode_control(Ping(7, 8))[:8] + b"\xff" * 88) == Ping(7, 8)


@pytest.mark.parametrize(
    "data",
    [
        NET.encode_inputs([ORDER]),
        NET.encode_snapshot(1, [PLAYER]),
        NET.encode_control(ClientHello(6)),
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
    data = NET.encode_control(ClientHello(6))
    for reader in (NET.decode_inputs, NET.decode_snapshot, NET.decode_fire):
        with pytest.raises(InvalidValue):
            reader(data)


def test_what_does_not_fit_elsewhere_is_an_encode_error() -> None:
    with pytest.raises(EncodeError):
        NET.encode_snapshot(-1, [])
    for commands in ([], [ORDER] * 6, [ORDER._replace(seq=1 << 32)], [ORDER._replace(yaw=1e39)]):
        with pytest.raises(EncodeError):
            NET.encode_inputs(commands)
    for message in (Ping(1 << 16, 0), DelayUpdate(1 << 31), ClientHello(-1)):
        with pytest.raises(EncodeError):
            NET.encode_control(message)
    with pytest.raises(EncodeError):
        NET.encode_control(NET.welcome(peer_id=2, delay_ticks=3, server_tick=1)._replace(gravity=nan))
    for shot in (Fire(1, 1, 1, 1, (nan, 0.0, 0.0)), FireResult(1, 1 << 31, 1)):
        with pytest.raises(EncodeError):
            NET.encode_fire(shot)


TYPES = st.sampled_from([(1, 167), (2, 1398), (3, 96), (4, 29), (5, 13), (6, 42)])


@given(TYPES, st.randoms(use_true_random=False), st.integers(0, 255), st.integers(-1, 1))
def test_any_bytes_are_a_packet_or_a_decode_error(kind: tuple[int, int], random: Any, second: int, excess: int) -> None:
    number, size = kind
    data = bytes((number, second)) + random.randbytes(size - 2 + excess)
    with contextlib.suppress(DecodeError):
        NET.decode(data)
