"""Schemas declared as classes, and snapshots made of objects.

::

    class Body(Replicated, id=1):
        x: Annotated[float, Fixed.between(-1000, 1000, scale=100)]
        y: Annotated[float, Fixed.between(-1000, 1000, scale=100), Threshold(3)]
        alive: Annotated[bool, Bool()] = True

    SCHEMA = schema_of(Body)
    snapshot = snapshot_of_objects(SCHEMA, tick=7, entities={5: [Body(x=1.5, y=-2.0)]})

Such a class is an ordinary dataclass. Fields get the ids 1, 2, 3 in order unless they say otherwise. Floats of
fixed-point fields are quantised on the way in (:meth:`Fixed.quantise`) and come back as floats. Reading attributes
costs many times what columns do: use it where convenience counts, and columns where entities are many.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, dataclass_transform, get_type_hints

from retick.errors import EncodeError, SchemaError, with_code
from retick.snapshot.columns import ObjectPlan, columns_of_objects
from retick.snapshot.fields import FieldCodec, Fixed
from retick.snapshot.model import Snapshot, check_tick
from retick.snapshot.schema import Component, Field, Schema

_EXACT = 1 << 53
"""Integers up to this are exact as floats."""


@dataclasses.dataclass(frozen=True, slots=True)
class Threshold:
    """In a field's annotation: send the field only if it differs by more than this."""

    value: int
    """The largest difference that is not sent, in raw or quantised units."""


@dataclasses.dataclass(frozen=True, slots=True)
class FieldId:
    """In a field's annotation: its id, if the order would give another."""

    value: int
    """The id, 1 to 65535."""


@dataclass_transform(kw_only_default=True)
class Replicated:
    """Subclass it to declare a component: its id as a class argument, its fields as annotations."""

    component: ClassVar[Component]
    """The component that the class declares."""

    def __init_subclass__(cls, *, id: int, **options: Any) -> None:  # noqa: A002 - reads best where it is used
        super().__init_subclass__(**options)
        fields: list[Field] = []
        for name, hint in get_type_hints(cls, include_extras=True).items():
            if name != "component":
                fields.append(_declared(cls, name, getattr(hint, "__metadata__", ()), len(fields) + 1))
        cls.component = Component(id, fields, name=cls.__name__)
        dataclasses.dataclass(kw_only=True)(cls)


def _declared(cls: type, name: str, notes: tuple[Any, ...], position: int) -> Field:
    codecs = [note for note in notes if isinstance(note, FieldCodec)]
    if len(codecs) != 1:
        raise SchemaError(f"{cls.__name__}.{name} needs one codec: Annotated[float, Fixed(...)]")
    threshold = next((note.value for note in notes if isinstance(note, Threshold)), None)
    identity = next((note.value for note in notes if isinstance(note, FieldId)), position)
    return Field(identity, codecs[0], threshold=threshold, name=name)


def schema_of(*classes: type[Replicated]) -> Schema:
    """Make the schema with these components, in this order."""
    return Schema(cls.component for cls in classes)


def snapshot_of_objects(schema: Schema, *, tick: int, entities: Mapping[int, Iterable[Replicated]]) -> Snapshot:
    """Make a snapshot of the component objects of each entity id; ids are sorted."""
    check_tick(tick)
    items = [(entity, tuple(held)) for entity, held in sorted(entities.items(), key=itemgetter(0))]
    made = columns_of_objects(Snapshot, schema.table, tick, items, schema.object_plans, partial(_plan, schema))
    if made is not None:
        return made  # type: ignore[no-any-return]  # mypy sees kernels untyped
    rows = {}
    for entity, held in items:
        rows[entity] = {item.component.id: _values(entity, item) for item in held}
    return Snapshot.of(schema, tick=tick, entities=rows)


def _plan(schema: Schema, cls: type) -> ObjectPlan | None:
    """How objects of a class become rows of this schema; None if only the slow path is correct."""
    component = getattr(cls, "component", None)
    index = schema.by_id.get(component.id) if isinstance(component, Component) else None
    if component is None or index is None or len(schema.components[index].fields) != len(component.fields):
        return None
    fixed = []
    for field in component.fields:
        codec = field.codec
        if not isinstance(codec, Fixed):
            fixed.append((0, 0, 0))
        elif max(abs(codec.min_q), abs(codec.max_q)) <= _EXACT:
            fixed.append((codec.scale, codec.min_q, codec.max_q))
        else:
            return None
    return ObjectPlan(index, tuple(field.name for field in component.fields), fixed)


def _values(entity: int, item: Replicated) -> tuple[Any, ...]:
    values = []
    for field in item.component.fields:
        value = getattr(item, field.name)
        if isinstance(field.codec, Fixed):
            try:
                value = field.codec.quantise(value)
            except (TypeError, EncodeError):
                message = f"entity {entity}, {item.component.name}.{field.name}: {value!r} is not a number"
                raise with_code(EncodeError(message, entity=entity, value=value), "InvalidValue.TypeMismatch") from None
        values.append(value)
    return tuple(values)


def objects_of_snapshot(snapshot: Snapshot, *classes: type[Replicated]) -> dict[int, list[Replicated]]:
    """The component objects of each entity; components of other classes are left out."""
    by_id = {cls.component.id: cls for cls in classes}
    found: dict[int, list[Replicated]] = {}
    for entity, components in snapshot.entities():
        found[entity] = [_object(by_id[c], values) for c, values in components.items() if c in by_id]
    return found


def _object(cls: type[Replicated], values: tuple[Any, ...]) -> Replicated:
    named = {}
    for field, value in zip(cls.component.fields, values, strict=True):
        named[field.name] = field.codec.value_of(value) if isinstance(field.codec, Fixed) else value
    return cls(**named)
