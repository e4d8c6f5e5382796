"""Schemas as JSON, in the form that sdec's command-line tools read and write.

::

    {"components": [{"id": 1, "fields": [{"id": 1, "codec": CODEC, "change": CHANGE}]}]}

CODEC is ``"Bool"``, ``"VarUInt"``, ``"VarSInt"``, ``{"UInt": {"bits": n}}``, ``{"SInt": {"bits": n}}`` or
``{"FixedPoint": {"min_q": a, "max_q": b, "scale": s}}``; CHANGE is ``"Always"`` or
``{"Threshold": {"threshold_q": t}}``.
A component or field may also have a ``"name"``, which those tools do not know: it is written only on request.
"""

import json
from typing import Any

from retick.errors import SchemaError
from retick.snapshot.fields import KINDS, FieldCodec
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
            ]
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SchemaError(f"not a schema: {type(error).__name__} {error}") from None
    except ValueError as error:
        raise SchemaError(f"not JSON: {error}") from None


def schema_to_json(schema: Schema, *, names: bool = False) -> str:
    """The JSON text of a schema."""
    components = []
    for component in schema.components:
        fields = [_entry_of(item, names) for item in component.fields]
        entry: dict[str, Any] = {"id": component.id, "fields": fields}
        if names and component.name:
            entry["name"] = component.name
        components.append(entry)
    return json.dumps({"components": components})


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
