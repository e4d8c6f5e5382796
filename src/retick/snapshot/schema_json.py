"""Schemas as JSON, in the form that sdec's command-line tools read and write.

::

    {"components": [{"id": 1, "fields": [{"id": 1, "codec": CODEC, "change": CHANGE}]}]}

CODEC is ``"Bool"``, ``"VarUInt"``, ``"VarSInt"``, ``{"UInt": {"bits": n}}``, ``{"SInt": {"bits": n}}`` or
``{"FixedPoint": {"min_q": a, "max_q": b, "scale": s}}``; CHANGE is ``"Always"`` or
``{"Threshold": {"threshold_q": t}}``.
A component or field may also have a ``"name"``, and the schema ``"groups"`` for compact deltas, which those tools do
not know: ``names=False`` leaves them out. A group is ``{"component": 1, "fields": [1, 2], "predictor": {"Motion":
{"damping": 0.99}}}``, with the names of :mod:`retick.snapshot.predictors`.
"""

import json
from dataclasses import asdict, fields
from typing import Any, get_args

from retick.errors import SchemaError
from retick.snapshot.fields import KINDS, FieldCodec
from retick.snapshot.predictors import Group, Predictor
from retick.snapshot.schema import Component, Field, Schema

__all__ = ["schema_from_json", "schema_to_json"]


def schema_from_json(text: str | bytes) -> Schema:
    """The schema in a JSON text, or a SchemaError."""
    try:
        document = json.loads(text)
        return Schema(
            [
                Component(entry["id"], [_field_of(item) for item in entry["fields"]], name=entry.get("name", ""))
                for entry in document["components"]
            ],
            [_group_of(entry) for entry in document.get("groups", ())],
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SchemaError(f"not a schema: {type(error).__name__} {error}") from None
    except ValueError as error:
        raise SchemaError(f"not JSON: {error}") from None


def schema_to_json(schema: Schema, *, names: bool = True) -> str:
    """The JSON text of a schema; without ``names`` also without groups, for tools that know neither.

    Compact codecs at both ends need names and groups: fields in no group are predicted by their names.
    """
    components = []
    for component in schema.components:
        entry: dict[str, Any] = {"id": component.id, "fields": [_entry_of(item, names) for item in component.fields]}
        if names and component.name:
            entry["name"] = component.name
        components.append(entry)
    document: dict[str, Any] = {"components": components}
    if names and schema.groups:
        document["groups"] = [_group_entry(group) for group in schema.groups]
    return json.dumps(document)


def _group_of(entry: Any) -> Group:
    ((name, given),) = entry["predictor"].items()
    kind = {kind.__name__: kind for kind in get_args(Predictor)}[name]
    known = {field.name for field in fields(kind)}
    if not known >= set(given):
        raise SchemaError(f"a {name} has no {', '.join(sorted(set(given) - known))}")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    return Group(entry["component"], tuple(entry["fields"]), kind(**values))


def _group_entry(group: Group) -> dict[str, Any]:
    return {
        "component": group.component,
        "fields": list(group.fields),
        "predictor": {type(group.predictor).__name__: asdict(group.predictor)},
    }


def _field_of(entry: Any) -> Field:
    change = entry.get("change", "Always")
    threshold = None if change == "Always" else change["Threshold"]["threshold_q"]
    return Field(entry["id"], _codec_of(entry["codec"]), threshold=threshold, name=entry.get("name", ""))


def _codec_of(entry: Any) -> FieldCodec:
    kinds: dict[str, Any] = {entry: {}} if isinstance(entry, str) else entry
    name, given = next(iter(kinds.items()), ("", entry))
    kind = {kind.json_name: kind for kind in KINDS}[name]
    return kind(**{ours: given[theirs] for theirs, ours in kind.json_keys.items()})


def _entry_of(item: Field, names: bool) -> dict[str, Any]:
    codec = item.codec
    shape: Any = codec.json_name
    if codec.json_keys:
        shape = {shape: {theirs: getattr(codec, ours) for theirs, ours in codec.json_keys.items()}}
    change: Any = "Always" if item.threshold is None else {"Threshold": {"threshold_q": item.threshold}}
    entry = {"id": item.id, "codec": shape, "change": change}
    if names and item.name:
        entry["name"] = item.name
    return entry
