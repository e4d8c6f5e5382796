"""The groups of a schema: those that it declares, then one for each other field, by its name and type.

==============================================  =======================================================
field                                           predictor
==============================================  =======================================================
a bool, or another of at most 16 values         Choice
quat_largest, quat_a, quat_b, quat_c            Rotation (any first part), if they fit one
x, y, z; pos_x, pos_y; pos0, pos1, pos2         one Motion of all that differ only in the last part
yaw, heading, turret_angle, body_rotation       Angle, of as many steps as the field has values
fixed-point, signed and varint fields           Motion, where it would have held before; else as it is
any other                                       Hold
==============================================  =======================================================

A velocity gets the last rule but one: that it changes evenly is a guess, which must prove itself.
"""

import re
from array import array
from typing import NamedTuple

from retick.errors import SchemaError
from retick.snapshot.compact import numbers as n
from retick.snapshot.compact.coder import CompactPlan, GroupRow
from retick.snapshot.fields import (
    Angle,
    Choice,
    FieldCodec,
    Fixed,
    Group,
    Hold,
    Integral,
    Motion,
    Predictor,
    Real,
    Rotation,
    SInt,
    VarSInt,
    VarUInt,
)
from retick.snapshot.schema import Component, Schema

FEW = 16
"""The most values of a field that is a Choice by default."""
WIDEST = 40
"""The most bits of a field that may move or turn; a wider one is held."""
_AXIS = re.compile(r"^(.*?)_?([xyzXYZ]|[0-3])$")
_PART = re.compile(r"^(.*?)_?(largest|a|b|c)$")
_PLACES = ("", "pos", "position", "p", "loc", "location", "place", "translation", "centre", "center", "origin")
_ANGLES = ("yaw", "roll", "heading", "angle", "rotation", "direction", "facing", "bearing", "azimuth")


class FieldPrediction(NamedTuple):
    """Everything that the kernels need of a schema's groups."""

    plan: CompactPlan
    groups: tuple[Group, ...]
    """The groups in coding order."""
    dampings: tuple[float, ...]
    """The damping of each group."""
    acceleration: "array[float]"
    """The acceleration of each scalar."""


def _range_of(codec: FieldCodec) -> int:
    return codec.highest - codec.lowest + 1


def _moves(codec: FieldCodec) -> bool:
    return _range_of(codec) <= 1 << WIDEST


def default_groups(component: Component, taken: set[int]) -> list[Group]:
    """Groups for those fields of a component that are not in a group."""
    left = [item for item in component.fields if item.id not in taken]
    found: list[Group] = []
    for pattern, size in ((_PART, 4), (_AXIS, 0)):
        families: dict[str, list[int]] = {}
        for item in left:
            match = pattern.match(item.name)
            if match is not None:
                families.setdefault(match[1].lower(), []).append(item.id)
        for name, ids in families.items():
            codecs = [item.codec for item in left if item.id in ids]
            if size and len(ids) == size and _is_rotation(codecs):
                found.append(Group(component.id, tuple(ids), Rotation()))
            elif not size and name in _PLACES and all(_moves(codec) for codec in codecs):
                found.append(Group(component.id, tuple(ids), Motion()))
            else:
                continue
            left = [item for item in left if item.id not in ids]
    found += [Group(component.id, (item.id,), _alone(item.name.lower(), item.codec)) for item in left]
    return found


def _alone(name: str, codec: FieldCodec) -> Predictor:
    if _range_of(codec) <= FEW:
        return Choice()
    if name.rpartition("_")[2] in _ANGLES and _moves(codec):
        return Angle()
    if isinstance(codec, Fixed | SInt | VarSInt | VarUInt) and _moves(codec):
        return Motion()
    return Hold()


def _is_rotation(codecs: list[FieldCodec]) -> bool:
    first, *others = codecs
    bits = others[0].bits
    return (
        (first.lowest, first.highest) == (0, 3)
        and 2 <= bits <= 16
        and all((codec.lowest, codec.highest) == (0, (1 << bits) - 1) for codec in others)
    )


def prediction_of(schema: Schema) -> FieldPrediction:
    """The plan of a schema; raises SchemaError if a group does not fit its fields."""
    declared = schema.groups
    groups = list(declared)
    for component in schema.components:
        taken = {field for group in declared if group.component == component.id for field in group.fields}
        groups += default_groups(component, taken)
    places = {(owner.id, item.id): at for at, (owner, item) in enumerate(schema.fields)}
    rows: list[GroupRow] = []
    acceleration = array("d")
    seen: set[tuple[int, int]] = set()
    for number, group in enumerate(groups):
        keys = [(group.component, field) for field in group.fields]
        for key in keys:
            if key not in places or key in seen:
                raise SchemaError(f"field {key[1]} of component {key[0]} is not in the schema, or in two groups")
            seen.add(key)
        codecs = [schema.fields[places[key]][1].codec for key in keys]
        doubtful = number >= len(declared) and len(keys) == 1
        fields = tuple(places[key] for key in keys)
        rows.append(_row(group, codecs, schema.by_id[group.component], fields, groups[:number], doubtful))
        given = group.predictor.acceleration if isinstance(group.predictor, Motion) else ()
        acceleration.extend([float(a) for a in given] or [0.0] * len(keys))
    acceleration.append(0.0)
    dampings = tuple(float(getattr(group.predictor, "damping", 1.0)) for group in groups)
    return FieldPrediction(CompactPlan(rows), tuple(groups), dampings, acceleration)


def _row(
    group: Group, codecs: list[FieldCodec], component: int, fields: tuple[int, ...], before: list[Group], doubtful: bool
) -> GroupRow:
    given = group.predictor
    what = f"group {group.fields} of component {group.component}"
    if isinstance(given, Choice):
        bits = max(1, (_range_of(codecs[0]) - 1).bit_length())
        if bits > 8:
            raise SchemaError(f"{what} has more values than a Choice can have")
        return GroupRow(n.CHOICE, component, fields, bits=bits)
    if isinstance(given, Hold):
        return GroupRow(n.HOLD, component, fields)
    if isinstance(given, Real):
        if (codecs[0].lowest, codecs[0].highest) != (0, (1 << 64) - 1):
            raise SchemaError(f"{what} cannot be a Real, which needs an unsigned field of 64 bits")
        return GroupRow(n.REAL, component, fields)
    if not all(_moves(codec) for codec in codecs):
        raise SchemaError(f"{what} has a field of more than {WIDEST} bits, which can only be held")
    if isinstance(given, Rotation):
        if not _is_rotation(codecs):
            raise SchemaError(
                f"{what} cannot be a Rotation, which needs a field of 0 to 3, and three of 2 to 16 bits from 0"
            )
        return GroupRow(n.ROTATION, component, fields, bits=codecs[1].bits)
    if isinstance(given, Angle):
        modulus = given.modulus or _range_of(codecs[0])
        if not 2 <= modulus <= _range_of(codecs[0]):
            raise SchemaError(f"{what}: the field cannot hold an angle of {modulus} steps")
        return GroupRow(n.ANGLE, component, fields, modulus=modulus, doubtful=doubtful)
    if isinstance(given, Integral):
        for number, other in enumerate(before):
            if other.component == group.component and other.fields == given.of:
                return GroupRow(n.INTEGRAL, component, fields, source=number, rate=float(given.rate))
        raise SchemaError(f"{what} is the integral of {given.of}, which is not an earlier group")
    return GroupRow(n.MOTION, component, fields, accelerated=any(given.acceleration), doubtful=doubtful)
