"""Errors name the value as it was given."""

from typing import Any

import pytest

from retick.errors import DecodeError, EncodeError
from retick.snapshot import Codec, Component, Field, Fixed, Schema, Snapshot
from tests.snapshot.sdec import schema_named

MIXED = schema_named("neg_mix")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({1: (2, 0)}, "InvalidValue.TypeMismatch"), ({1: (True, "x")}, "InvalidValue.TypeMismatch"),
        ({1: (True, 1.5)}, "InvalidValue.TypeMismatch"), ({1: (True, True)}, "InvalidValue.TypeMismatch"),
        ({1: (True, -1)}, "InvalidValue.UnsignedOutOfRange"), ({1: (True, 1 << 70)}, "InvalidValue.UnsignedOutOfRange"),
        ({2: (0, 1 << 63, 0)}, "InvalidValue.FixedPointOutOfRange"),
        ({2: (0, 0, -(1 << 80))}, "InvalidValue.SignedOutOfRange"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_named(values: Any, code: str) -> None:
    codec = Codec(MIXED)
    with pytest.raises(EncodeError) as caught:
        codec.encode_full(Snapshot.of(MIXED, tick=1, entities={77: values}))
    error = caught.value
    [(component, _)] = values.items()
    assert (error.code, error.entity, error.component) == (code, 77, component)
    assert error.field is not None
    assert "entity 77" in str(error)


def test_a_value_beyond_63_bits_is_named_as_it_is() -> None:
    schema = Schema([Component(1, [Field(1, Fixed(min_q=2**63 - 10, max_q=2**63 - 1, scale=1))])])
    codec = Codec(schema)
    packet = bytearray(codec.encode_full(Snapshot.of(schema, tick=1, entities={1: {1: (2**63 - 1,)}})))
    packet[-1] |= 0b00111100
    with pytest.raises(DecodeError) as caught:
        codec.decode_full(packet)
    assert caught.value.details["value"] == 2**63 + 5
