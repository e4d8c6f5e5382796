"""The six locomotion bytes against the published vectors, and the laws that hold for every state."""

import json
from math import acos, cos, degrees, inf, nan, pi, sin, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, InvalidValue, TrailingData, Truncated
from retick.games.runner import locomotion
from retick.games.runner.locomotion import LocomotionState, Mode

VECTORS = json.loads((Path(__file__).parents[2] / "vectors/runner/locomotion.json").read_text(encoding="utf-8"))
FIELDS = ("mode", "mode_ticks", "wall_run_ticks", "slide_ticks")
REASONS: dict[str, type[DecodeError] | tuple[type[DecodeError], ...]] = {
    "mode": InvalidValue,
    "reserved_bits": InvalidValue,
    "oct_range": InvalidValue,
    "oct_not_canonical": InvalidValue,
    "length": (Truncated, TrailingData),
}


def assert_is(found: LocomotionState, expected: dict[str, Any]) -> None:
    for name in FIELDS:
        assert getattr(found, name) == expected[name], name
    assert found.wall_normal == pytest.approx(expected["wall_normal"], abs=1e-6)
    assert any(found.wall_normal) == expected["wall_normal_valid"]
    assert Mode(found.mode).name.replace("_", "") == expected["mode_name"].upper()


@pytest.mark.parametrize("case", VECTORS["encode_cases"], ids=lambda case: case["name"])
def test_published_states_pack_to_the_published_bytes(case: dict[str, Any]) -> None:
    state = LocomotionState(**{name: case[name] for name in FIELDS}, wall_normal=tuple(case["wall_normal"]))
    assert locomotion.pack(state).hex() == case["bytes"]
    assert_is(locomotion.unpack(bytes.fromhex(case["bytes"])), case["decoded"])


@pytest.mark.parametrize("case", VECTORS["decode_cases"], ids=lambda case: case["name"])
def test_published_bytes_are_read_or_refused_as_published(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["bytes"])
    if case["ok"]:
        assert_is(locomotion.unpack(data), case["decoded"])
    else:
        with pytest.raises(REASONS[case["reason"]]):
            locomotion.unpack(data)


@pytest.mark.parametrize(
    ("normal", "octahedral"),
    [((1, 0, 1), "bf7f"), ((-1, 0, 1), "3f7f"), ((1, 0, -1), "febf"), ((-1, 0, -1), "00bf"), ((1, 0.5, 0.5), "bf9f")],
)
def test_walls_at_45_degrees_are_ties_and_round_to_even(normal: tuple[float, float, float], octahedral: str) -> None:
    assert locomotion.pack(LocomotionState(Mode.WALL_RUN, wall_normal=normal)).hex()[8:] == octahedral


@pytest.mark.parametrize("axis", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
def test_directions_along_an_axis_survive_exactly(axis: tuple[float, float, float]) -> None:
    assert locomotion.as_sent(LocomotionState(Mode.WALL_RUN, wall_normal=axis)).wall_normal == axis


@pytest.mark.parametrize(
    "normal", [(nan, 0, 1), (0, inf, 0), (0, 0, -inf), (0.0, 0.0, 0.0), (1e-3, 0.0, 0.0), (5e-324, 0, 0)]
)
def test_a_normal_that_is_none_is_marked_so(normal: tuple[float, float, float]) -> None:
    packed = locomotion.pack(LocomotionState(Mode.WALL_CLING, 1, normal, 2, 3))
    assert packed == bytes((3, 1, 2, 3, 127, 127))
    assert locomotion.unpack(packed).wall_normal == (0.0, 0.0, 0.0)


def test_a_normal_just_long_enough_counts() -> None:
    assert locomotion.encode_normal((1.001e-3, 0.0, 0.0)) == (254, 127)


@pytest.mark.parametrize("size", [1e200, 1.7e308])
def test_a_very_long_normal_keeps_its_direction(size: float) -> None:
    assert locomotion.encode_normal((size, size, -size)) == locomotion.encode_normal((1.0, 1.0, -1.0))


@pytest.mark.parametrize("mode", [-1, 5, 7, 8, 300])
def test_a_mode_without_a_number_on_the_wire_is_never_sent(mode: int) -> None:
    with pytest.raises(EncodeError, match="mode"):
        locomotion.pack(LocomotionState(mode))


def test_every_code_but_507_on_the_border_survives_decoding_and_encoding() -> None:
    aliases = [
        (x, y)
        for x in range(255)
        for y in range(255)
        if locomotion.encode_normal(locomotion.decode_normal(x, y)) != (x, y)
    ]
    assert len(aliases) == 507
    assert all({x, y} & {0, 254} for x, y in aliases)


def test_a_horizontal_normal_decodes_horizontal() -> None:
    for x in range(255):
        assert locomotion.decode_normal(x, 127)[1] == 0.0
        assert str(locomotion.decode_normal(x, 127)[1]) == "0.0"


counters = st.integers(0, 255)
codes = st.tuples(st.integers(0, 254), st.integers(0, 254))
sendable = st.builds(
    LocomotionState,
    mode=st.integers(0, 4),
    mode_ticks=counters,
    wall_normal=st.one_of(st.just((0.0, 0.0, 0.0)), codes.map(lambda code: locomotion.decode_normal(*code))),
    wall_run_ticks=counters,
    slide_ticks=counters,
)


@given(sendable)
def test_whatever_was_received_once_travels_on_unchanged(state: LocomotionState) -> None:
    assert locomotion.as_sent(state) == state


@given(st.floats(-pi, pi), st.floats(-1, 1))
def test_no_direction_is_off_by_more_than_a_degree(around: float, up: float) -> None:
    flat = sqrt(1 - up * up)
    normal = (flat * cos(around), flat * sin(around), up)
    code = locomotion.encode_normal(normal)
    assert code is not None
    found = locomotion.decode_normal(*code)
    assert degrees(acos(min(1.0, sum(a * b for a, b in zip(normal, found, strict=True))))) < 0.95


@given(st.binary(max_size=8))
def test_any_bytes_are_a_state_or_a_decode_error(data: bytes) -> None:
    try:
        state = locomotion.unpack(data)
    except DecodeError:
        return
    assert locomotion.pack(state)[:4] == data[:4]


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_any_buffer_of_bytes_is_read(kind: Any) -> None:
    assert locomotion.unpack(kind(bytes.fromhex("0a001800fe7f"))).wall_normal == (1.0, 0.0, 0.0)
