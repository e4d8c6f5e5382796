"""Deltas from explicit change lists (wire version 2).

For a game that tracks its own changes and need not compare snapshots. The lists are written as they are: ids must
ascend in each, but the order of components and of field indices is the caller's, and readers refuse what does not
ascend. Thresholds are not consulted. Not compiled: lists of Python objects cost more than the bits made of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from retick.errors import EncodeError
from retick.snapshot.kernels import status as st
from retick.snapshot.kernels.errors import invalid_error, limit_error, value_error
from retick.snapshot.kernels.layout import CREATES, DESTROYS, PACKED
from retick.snapshot.limits import Limits
from retick.snapshot.model import Snapshot
from retick.snapshot.schema import Component, Field, Schema
from retick.wire.bits import BitWriter
from retick.wire.varint import encode_varuint

__all__ = ["Updates", "encode_change_lists"]

Updates = Mapping[int, Mapping[int, Iterable[tuple[int, Any]]]]
"""Entity id to component id to pairs of field index (not id) and value."""
_Listed = Sequence[tuple[int, Mapping[int, Iterable[tuple[int, Any]]]]]


def encode_change_lists(
    schema: Schema,
    limits: Limits,
    longest: int,
    destroys: Sequence[int],
    create_body: Callable[[Snapshot], bytes],
    created: Snapshot,
    updates: _Listed,
) -> bytes:
    """The payload: destroy, create and packed update sections, each left out when its list is empty.

    ``longest`` bounds a section's body beside ``limits.max_section_bytes``.
    """
    _check_length(st.LIMIT_CREATE, limits.max_entities_create, created.count)
    _check_length(st.LIMIT_UPDATE, limits.max_entities_update, len(updates))
    _check_length(st.LIMIT_DESTROY, limits.max_entities_destroy, len(destroys))
    payload = b""
    if destroys:
        _check_ascending(destroys)
        body = encode_varuint(len(destroys)) + b"".join(identity.to_bytes(4, "little") for identity in destroys)
        payload += _section(DESTROYS, body, limits, longest)
    if created.count:
        payload += _section(CREATES, create_body(created), limits, longest)
    if updates:
        _check_ascending([identity for identity, _ in updates])
        payload += _section(PACKED, _packed_body(schema, limits, updates), limits, longest)
    return payload


def _check_length(status: int, limit: int, actual: int) -> None:
    if actual > limit:
        raise limit_error(status, limit, actual)


def _check_ascending(ids: Sequence[int]) -> None:
    previous = -1
    for identity in ids:
        if not isinstance(identity, int) or not 0 <= identity <= 0xFFFFFFFF:
            raise EncodeError(f"an entity id must be from 0 to 4294967295, not {identity!r}")
        if identity <= previous:
            raise invalid_error(st.ENTITY_ORDER, previous=previous, current=identity)
        previous = identity


def _section(tag: int, body: bytes, limits: Limits, longest: int) -> bytes:
    _check_length(st.LIMIT_SECTION_BYTES, limits.max_section_bytes, len(body))
    _check_length(st.SECTION_LENGTH, longest, len(body))
    return bytes((tag,)) + encode_varuint(len(body)) + body


def _packed_body(schema: Schema, limits: Limits, updates: _Listed) -> bytes:
    writer = BitWriter()
    writer.write_varuint(sum(len(components) for _, components in updates))
    for entity, components in updates:
        _check_length(st.LIMIT_COMPONENTS, limits.max_components_per_entity, len(components))
        for identity, fields in components.items():
            index = schema.by_id.get(identity)
            if index is None:
                raise invalid_error(st.UNKNOWN_COMPONENT, schema, component=identity)
            component = schema.components[index]
            _check_length(st.LIMIT_FIELDS, limits.max_fields_per_component, len(component.fields))
            _write_entry(schema, writer, entity, component, list(fields))
    writer.align()
    return writer.to_bytes()


def _write_entry(
    schema: Schema, writer: BitWriter, entity: int, component: Component, fields: list[tuple[int, Any]]
) -> None:
    if not fields:
        raise invalid_error(st.EMPTY_FIELD_MASK, schema, component=component.id)
    index_bits = (len(component.fields) - 1).bit_length()
    writer.align()
    writer.write_varuint(entity)
    writer.write_varuint(component.id)
    writer.write_varuint(len(fields))
    for index, value in fields:
        if not 0 <= index < len(component.fields):
            raise invalid_error(st.INVALID_FIELD_INDEX, schema, component=component.id, found=index)
        writer.write_bits(index, index_bits)
        _write_value(writer, entity, component, component.fields[index], value)


def _write_value(writer: BitWriter, entity: int, component: Component, item: Field, value: Any) -> None:
    codec = item.codec
    if not isinstance(value, int) or (isinstance(value, bool) and not codec.holds_bools):
        raise value_error(entity, component, item, value, "TypeMismatch")
    if not codec.lowest <= value <= codec.highest:
        raise value_error(entity, component, item, value)
    codec.write(writer, value)
