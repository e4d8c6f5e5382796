"""Groups by names and types, and declarations that do not fit."""

import pytest

from retick.errors import SchemaError
from retick.snapshot import (
    Angle,
    Bool,
    Choice,
    Codec,
    Component,
    Field,
    Fixed,
    Group,
    Hold,
    Integral,
    Motion,
    Rotation,
    Schema,
    SInt,
    Snapshot,
    UInt,
    VarUInt,
    schema_from_json,
    schema_to_json,
)
from retick.snapshot.compact.defaults import prediction_of

PLACE = Fixed(min_q=-99, max_q=99, scale=1)


def schema(*fields: tuple[str, object], groups: tuple[Group, ...] = ()) -> Schema:
    made = [Field(at + 1, codec, name=name) for at, (name, codec) in enumerate(fields)]  # type: ignore[arg-type]  # any codec
    return Schema([Component(1, made)], groups)


def kinds(made: Schema) -> dict[tuple[int, ...], type]:
    return {group.fields: type(group.predictor) for group in prediction_of(made).groups}


def test_names_and_types_say_what_a_field_does() -> None:
    made = schema(
        ("pos_x", PLACE), ("pos_y", PLACE), ("yaw", UInt(8)), ("alive", Bool()), ("health", UInt(7)),
        ("weapon", UInt(3)), ("q_largest", UInt(2)), ("q_a", UInt(9)), ("q_b", UInt(9)), ("q_c", UInt(9)),
        ("speed", SInt(9)), ("score", VarUInt()),
    )  # fmt: skip
    assert kinds(made) == {
        (1, 2): Motion, (3,): Angle, (4,): Choice, (5,): Hold, (6,): Choice, (7, 8, 9, 10): Rotation,
        (11,): Motion, (12,): Motion,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["yaw", "Heading", "turret_angle", "left_wheel_rotation"])
def test_a_name_that_ends_in_a_word_for_an_angle_is_one(name: str) -> None:
    schema = Schema([Component(1, [Field(1, UInt(12), name=name)])])
    assert [type(group.predictor) for group in prediction_of(schema).groups] == [Angle]


def test_fields_without_names_gain_too() -> None:
    made = Schema([Component(1, [Field(1, PLACE), Field(2, UInt(64)), Field(3, Bool())])])
    assert kinds(made) == {(1,): Motion, (2,): Hold, (3,): Choice}


def test_what_is_declared_comes_first_and_the_rest_by_default() -> None:
    made = schema(("x", PLACE), ("y", PLACE), groups=(Group(1, (2,), Hold()),))
    assert kinds(made) == {(2,): Hold, (1,): Motion}


@pytest.mark.parametrize(
    "group",
    [
        lambda: Group(1, (), Hold()),
        lambda: Group([1], (1,), Hold()),  # type: ignore[arg-type]  # as JSON may have it
        lambda: Group(1, ("1",), Hold()),  # type: ignore[arg-type]  # as JSON may have it
        lambda: Group(1, (1,), Angle(modulus=1.5)),  # type: ignore[arg-type]  # as JSON may have it
        lambda: Group(1, (1, 1), Hold()),
        lambda: Group(1, (1,), "Hold"),
        lambda: Group(1, (1,), Motion(damping=0.0)),
        lambda: Group(1, (1,), Motion(acceleration=(1.0, 2.0))),
        lambda: Group(1, (1, 2), Angle()),
        lambda: Group(1, (1, 2), Rotation()),
        lambda: Group(1, (1,), Integral(of=(1, 2), rate=1.0)),
        lambda: Group(1, (1,), Motion(acceleration=(1e99,))),
        lambda: Group(1, (9,), Hold()),
        lambda: Group(2, (1,), Hold()),
        lambda: Group(1, (3,), Motion()),
        lambda: Group(1, (3,), Choice()),
        lambda: Group(1, (1,), Angle(modulus=999)),
        lambda: Group(1, (1, 2, 3, 4), Rotation()),
        lambda: Group(1, (1,), Integral(of=(2,), rate=1.0)),
    ],
)
def test_a_group_that_does_not_fit_is_refused(group: object) -> None:
    fields = (("a", PLACE), ("b", PLACE), ("c", UInt(64)), ("d", UInt(9)))
    with pytest.raises(SchemaError):
        Codec(schema(*fields, groups=(group(),)), compact=True)  # type: ignore[operator]  # a function


def test_a_field_in_two_groups_is_refused() -> None:
    with pytest.raises(SchemaError, match="two groups"):
        prediction_of(schema(("a", PLACE), groups=(Group(1, (1,), Hold()), Group(1, (1,), Hold()))))


def test_groups_go_through_json_and_change_no_hash() -> None:
    groups = (Group(1, (1, 2), Motion(damping=0.5, acceleration=(1.0, 0.0))), Group(1, (3,), Angle(modulus=100)))
    made = schema(("a", PLACE), ("b", PLACE), ("c", UInt(8)), groups=groups)
    again = schema_from_json(schema_to_json(made, names=True))
    assert again.groups == groups
    assert again.hash == made.hash == schema(("a", PLACE), ("b", PLACE), ("c", UInt(8))).hash
    assert "groups" not in schema_to_json(made, names=False)


def test_an_even_motion_costs_next_to_nothing_without_any_declaration() -> None:
    made = Schema([Component(1, [Field(1, SInt(30)), Field(2, SInt(30))])])

    def world(tick: int) -> Snapshot:
        return Snapshot.of(made, tick=tick, entities={at: {1: (at * tick * 7, -at * tick)} for at in range(1, 30)})

    codec = Codec(made, compact=True, sealed=True)
    history = [world(40 - age) for age in (1, 3, 8)]
    assert len(codec.encode_payload(world(40), world(46), history=history)) < 16
    assert len(Codec(made, version=2).encode_payload(world(40), world(46))) > 250
