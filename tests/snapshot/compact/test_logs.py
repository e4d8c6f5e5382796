"""Lengths, logarithms and rounding: by definition, and the same in both forms at every border."""

from math import floor

import pytest

from retick.snapshot import Codec, Component, Field, Group, Hold, Motion, Schema, SInt, Snapshot, UInt
from retick.snapshot.compact.numbers import length_of, log_of, rounded
from tests.twin import Twin


@pytest.mark.parametrize(
    ("value", "log"), [(0, 0), (1, 16), (-1, 16), (2, 24), (3, 32), (2**40 - 1, 640), (2**63, 640)]
)
def test_logs_are_in_sixteenths(value: int, log: int) -> None:
    assert log_of(value) == log
    assert length_of(abs(value)) == abs(value).bit_length()


def test_rounding_goes_up_at_a_half_and_gives_up_beyond_what_a_field_holds() -> None:
    assert [rounded(x) for x in (-1.5, -0.5, -0.2, 0.5, 1.49, 1e15, -1e16, float("nan"))] == [-1, 0, 0, 1, 1, 0, 0, 0]
    assert all(rounded(x / 8) == floor(x / 8 + 0.5) for x in range(-50, 50))


def story() -> list[str]:
    """Residuals just below, at and above each power of two, up to 64 bits; motions of up to 40 bits both ways."""
    fields = [Field(1, UInt(64)), Field(2, SInt(40))]
    schema = Schema([Component(1, fields)], [Group(1, (2,), Motion(damping=0.97)), Group(1, (1,), Hold())])
    codec = Codec(schema, compact=True)
    lines = []
    for bits in range(1, 64):
        snapshots = []
        for tick in (1, 2, 5):
            value = (1 << bits) - 2 + tick // 2
            way = (1 << min(bits, 37)) + tick if bits % 2 else -(1 << min(bits, 37)) * tick // 2
            snapshots.append(Snapshot.of(schema, tick=tick, entities={1: {1: (value if tick == 5 else 0, way)}}))
        older, base, current = snapshots
        packet = codec.encode_delta(base, current, history=[older])
        assert codec.apply_delta(base, packet, history=[older]) == current
        lines.append(packet[28:].hex())
    return lines


def test_both_forms_agree_at_every_power_of_two(twin: Twin) -> None:
    twin.agrees(story)
