"""The schema: the components of entities, the fields of components, and the hash by which two ends agree.

Order matters everywhere: masks, indices and the hash follow the order of declaration. A schema cannot change once
made, so its hash and the kernels' table are made once. Names are for people; they are not part of the hash.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, TypeVar, get_args

from retick.errors import SchemaError, with_code
from retick.snapshot.columns import FieldRow, FieldTable, ObjectPlan
from retick.snapshot.fields import KINDS, FieldCodec, Group, Predictor, is_int

T = TypeVar("T")

_IDS = range(1, 0x10000)


def _check_id(value: object, what: str, code: str) -> None:
    if not is_int(value) or value not in _IDS:
        raise with_code(SchemaError(f"a {what} id must be from 1 to 65535, not {value!r}"), code)


def _all_of(kind: type[T], given: Iterable[T], what: str) -> tuple[T, ...]:
    try:
        items = tuple(given)
    except TypeError:
        raise SchemaError(f"{what} come as a list of {kind.__name__}s, not {given!r}") from None
    for item in items:
        if not isinstance(item, kind):
            raise SchemaError(f"{what} are {kind.__name__}s, not {item!r}")
    return items


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a component."""

    id: int
    """The id, 1 to 65535, unique within the component."""
    codec: FieldCodec
    """The values that the field may hold."""
    threshold: int | None = None
    """A delta carries the field only if it differs from the baseline by more than this, in raw or quantised units; None
    and 0 both send every difference, but hash differently."""
    name: str = field(default="", compare=False)
    """The name for people and for objects' attributes."""

    def __post_init__(self) -> None:
        _check_id(self.id, "field", "ZeroFieldId")
        if not isinstance(self.codec, FieldCodec):
            raise SchemaError(f"field {self.id} needs a codec such as UInt(8), not {self.codec!r}")
        if self.threshold is not None and not (is_int(self.threshold) and 0 <= self.threshold <= 0xFFFFFFFF):
            raise SchemaError(f"a threshold must be from 0 to 4294967295, not {self.threshold!r}")

    def row(self) -> FieldRow:
        """The field in the form that the kernels' table takes."""
        codec = self.codec
        threshold = 0 if codec.holds_bools else self.threshold or 0
        return FieldRow(
            codec.coding,
            codec.bits,
            codec.lowest,
            codec.highest,
            codec.flip,
            codec.wraps,
            threshold,
            codec.holds_bools,
            codec.takes_unsigned,
        )

    def hash_bytes(self) -> bytes:
        policy = b"\x00" if self.threshold is None else b"\x01" + self.threshold.to_bytes(4, "little")
        return self.id.to_bytes(2, "little") + self.codec.hash_bytes() + policy


@dataclass(frozen=True, slots=True)
class Component:
    """A group of fields that an entity has all of, or none."""

    id: int
    """The id, 1 to 65535, unique within the schema. Sparse updates need ids that ascend in schema order."""
    fields: tuple[Field, ...]
    """The fields in wire order."""
    name: str = field(default="", compare=False)
    """The name, for people."""

    def __init__(self, id: int, fields: Iterable[Field], name: str = "") -> None:  # noqa: A002 - the field's own name
        _check_id(id, "component", "ZeroComponentId")
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "fields", _all_of(Field, fields, f"fields of component {id}"))
        object.__setattr__(self, "name", name)

    @property
    def label(self) -> str:
        """The id for messages, with the name if there is one."""
        return f"{self.id} ({self.name})" if self.name else f"{self.id}"

    def named(self, item: Field) -> str:
        """`` (component.field)`` to follow ids in messages; empty if the field has no name."""
        return f" ({self.name or self.id}.{item.name})" if item.name else ""

    def hash_bytes(self) -> bytes:
        head = self.id.to_bytes(2, "little") + len(self.fields).to_bytes(4, "little")
        return head + b"".join(item.hash_bytes() for item in self.fields)


class Schema:
    """An ordered, immutable list of components."""

    def __init__(self, components: Iterable[Component], groups: Iterable[Group] = ()) -> None:
        """``groups`` say how values change, for compact deltas; they are not part of the schema's hash and equality."""
        self._components = _all_of(Component, components, "components of a schema")
        self._groups = _all_of(Group, groups, "groups of a schema")
        self._check()

    def _check(self) -> None:
        component_ids: set[int] = set()
        for component in self._components:
            if component.id in component_ids:
                raise with_code(SchemaError(f"component id {component.id} is used twice"), "DuplicateComponentId")
            component_ids.add(component.id)
            field_ids: set[int] = set()
            for item in component.fields:
                if item.id in field_ids:
                    raise with_code(
                        SchemaError(f"component {component.id} uses field id {item.id} twice"), "DuplicateFieldId"
                    )
                field_ids.add(item.id)

    @property
    def components(self) -> tuple[Component, ...]:
        return self._components

    @property
    def groups(self) -> tuple[Group, ...]:
        """The declared groups."""
        return self._groups

    @cached_property
    def by_id(self) -> dict[int, int]:
        """The index of each component by its id."""
        return {component.id: index for index, component in enumerate(self._components)}

    @cached_property
    def fields(self) -> tuple[tuple[Component, Field], ...]:
        """Every field with its component, in wire order: the order of the columns."""
        return tuple((component, item) for component in self._components for item in component.fields)

    @cached_property
    def table(self) -> FieldTable:
        """The kernels' form of this schema."""
        table = FieldTable(
            [(component.id, [item.row() for item in component.fields]) for component in self._components]
        )
        table.schema = self
        return table

    @cached_property
    def object_plans(self) -> dict[type, ObjectPlan]:
        """How objects of each class become rows; cached so that each plan is made once."""
        return {}

    def hash_preimage(self) -> bytes:
        """The input of the hash: see docs/formats/snapshot.md."""
        return len(self._components).to_bytes(4, "little") + b"".join(c.hash_bytes() for c in self._components)

    @cached_property
    def hash(self) -> int:
        """The first eight bytes of blake3 over :meth:`hash_preimage`, little-endian."""
        # Imported here so that programs without snapshots do not load it.
        from blake3 import blake3

        return int.from_bytes(blake3(self.hash_preimage()).digest()[:8], "little")

    def label(self, component: int, item: int) -> str:
        """``component.field`` by names if there are any, else by ids; takes indices."""
        owner = self._components[component]
        inner = owner.fields[item]
        return f"{owner.name or owner.id}.{inner.name or inner.id}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self._components == other._components

    def __hash__(self) -> int:
        return hash(self._components)

    def __repr__(self) -> str:
        return f"Schema({len(self._components)} components, {len(self.fields)} fields, hash {self.hash:016x})"


# Schemas as JSON, in the form that sdec's command-line tools read and write.
#
# ::
#
#     {"components": [{"id": 1, "fields": [{"id": 1, "codec": CODEC, "change": CHANGE}]}]}
#
# CODEC is ``"Bool"``, ``"VarUInt"``, ``"VarSInt"``, ``{"UInt": {"bits": n}}``, ``{"SInt": {"bits": n}}`` or
# ``{"FixedPoint": {"min_q": a, "max_q": b, "scale": s}}``; CHANGE is ``"Always"`` or
# ``{"Threshold": {"threshold_q": t}}``.
# A component or field may also have a ``"name"``, and the schema ``"groups"`` for compact deltas, which those tools do
# not know: ``names=False`` leaves them out. A group is ``{"component": 1, "fields": [1, 2], "predictor": {"Motion":
# {"damping": 0.99}}}``, with the names of :mod:`retick.snapshot.fields`.


def schema_from_json(text: str | bytes) -> Schema:
    """Read a schema from JSON, or raise SchemaError."""
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
    """Write a schema as JSON; without ``names`` also without groups, for tools that know neither.

    Compact codecs at both ends need names and groups: names decide how fields without a group are predicted.
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
