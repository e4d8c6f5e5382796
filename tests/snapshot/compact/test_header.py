"""The compact hash, built by hand from the format page."""

import struct
from typing import Any

import pytest
from blake3 import blake3

from retick.snapshot import (
    Angle,
    Codec,
    Component,
    Field,
    Group,
    Hold,
    Integral,
    Motion,
    Rotation,
    Schema,
    UInt,
)
from retick.snapshot.compact.prior import empty_prior, generic_prior
from tests.snapshot.compact.test_packet import BODY

ONE = [Component(1, [Field(1, UInt(10), name="x")])]
LINEAGE = bytes.fromhex("03d7a0ac")


def hash_of(schema: bytes, *groups: bytes) -> int:
    made = schema + len(groups).to_bytes(4, "little") + b"".join(groups) + LINEAGE
    return int.from_bytes(blake3(made).digest()[:8], "little")


def test_the_hashes_on_the_format_page() -> None:
    one = bytes.fromhex("010000000100010000000100010a00")
    motion = bytes.fromhex("0100 01000000 0100 000000000000f03f 0000000000000000")
    assert hash_of(one, b"\x01\x01" + motion) == Codec(Schema(ONE), compact=True).schema_hash == 0x07E11A742C781C6B
    declared = Schema(ONE, [Group(1, (1,), Motion())])
    assert hash_of(one, b"\x01\x00" + motion) == Codec(declared, compact=True).schema_hash == 0xBA153CC4C2773D77


def test_every_kind_of_group_by_hand() -> None:
    double = struct.Struct("<d").pack
    groups = [
        bytes.fromhex("01 00 0100 02000000 0300 0400") + double(0.9) + double(0.0) + double(-3.0),
        bytes.fromhex("03 00 0100 02000000 0100 0200 00000000") + double(0.1),
        bytes.fromhex("02 00 0100 01000000 0500 0001000000000000") + double(1.0),
        bytes.fromhex("04 00 0100 04000000 0600 0700 0800 0900") + double(0.99),
        bytes.fromhex("05 00 0100 01000000 0a00"),
        bytes.fromhex("00 00 0100 01000000 0b00"),
    ]
    assert hash_of(BODY.hash_preimage(), *groups) == Codec(BODY, compact=True).schema_hash


@pytest.mark.parametrize(
    "predictor",
    [
        Motion(damping=0.99),
        Motion(acceleration=(1.0, 0.0)),
        Integral(of=(3, 4), rate=0.5),
        Integral(of=(3, 4), rate=0.25),
        Hold(),
    ],
)
def test_whatever_changes_a_prediction_changes_the_hash(predictor: Any) -> None:
    fields = [Field(at, UInt(10)) for at in range(1, 5)]
    first = Group(1, (3, 4), Hold())
    plain = Codec(Schema([Component(1, fields)], [first, Group(1, (1, 2), Motion())]), compact=True)
    other = Codec(Schema([Component(1, fields)], [first, Group(1, (1, 2), predictor)]), compact=True)
    assert plain.schema_hash != other.schema_hash


def test_one_number_as_a_float_or_as_an_integer_is_one_hash_and_another_modulus_or_prior_is_not() -> None:
    def hash_with(predictor: Any, prior: Any = None) -> int:
        schema = Schema([Component(1, [Field(1, UInt(10))])], [Group(1, (1,), predictor)])
        return Codec(schema, compact=True, prior=prior).schema_hash

    assert hash_with(Motion(damping=1)) == hash_with(Motion(damping=1.0, acceleration=(0,)))
    assert hash_with(Angle()) == hash_with(Angle(modulus=1024)) != hash_with(Angle(modulus=360))
    assert hash_with(Hold()) == hash_with(Hold(), generic_prior()) != hash_with(Hold(), empty_prior())
    fields = [Field(1, UInt(2)), *(Field(at, UInt(9)) for at in (2, 3, 4))]
    turning = [Schema([Component(1, fields)], [Group(1, (1, 2, 3, 4), Rotation(damping=d))]) for d in (1.0, 0.99)]
    assert len({Codec(schema, compact=True).schema_hash for schema in turning}) == 2
