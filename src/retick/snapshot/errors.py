"""Turns a status and its fault into an exception, with a code, a sentence and details.

The codes are listed in docs/formats/snapshot.md. Decoding raises a DecodeError of the fitting class, encoding an
EncodeError.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from retick.errors import (
    BadMagic,
    BaselineMissing,
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    RetickError,
    SchemaMismatch,
    TrailingData,
    Truncated,
    UnsupportedVersion,
    with_code,
)
from retick.snapshot import layout
from retick.snapshot.layout import FULL, SECTION_NAMES

_LIMITS = {
    layout.PACKET_BYTES: "Wire.LimitsExceeded.PacketBytes",
    layout.SECTION_COUNT: "Wire.LimitsExceeded.SectionCount",
    layout.SECTION_LENGTH: "Wire.LimitsExceeded.SectionLength",
    layout.LIMIT_CREATE: "LimitsExceeded.EntitiesCreate",
    layout.LIMIT_UPDATE: "LimitsExceeded.EntitiesUpdate",
    layout.LIMIT_DESTROY: "LimitsExceeded.EntitiesDestroy",
    layout.LIMIT_TOTAL: "LimitsExceeded.TotalEntitiesAfterApply",
    layout.LIMIT_COMPONENTS: "LimitsExceeded.ComponentsPerEntity",
    layout.LIMIT_FIELDS: "LimitsExceeded.FieldsPerComponent",
    layout.LIMIT_SECTION_BYTES: "LimitsExceeded.SectionBytes",
}
_TRUNCATED = {
    layout.PACKET_TOO_SMALL: ("Wire.PacketTooSmall", "bytes are needed for a header", "required", "actual"),
    layout.FRAMING_TRUNCATED: (
        "Wire.SectionFraming.Truncated",
        "bytes are needed for a section",
        "needed",
        "available",
    ),
    layout.UNEXPECTED_EOF: ("Bitstream.UnexpectedEof", "bits are needed for a value", "requested", "available"),
    layout.COMPONENT_MASK_BITS: (
        "InvalidMask.ComponentMask.NotEnoughBits",
        "bits are needed for a component mask",
        "expected",
        "available",
    ),
    layout.FIELD_MASK_BITS: (
        "InvalidMask.FieldMask.NotEnoughBits",
        "bits are needed for a field mask",
        "expected",
        "available",
    ),
}


class _Invalid(NamedTuple):
    """Code and text for a status: names in braces, and the values of ``details``, are numbers of the fault."""

    code: str
    sentence: str
    details: Mapping[str, str] = MappingProxyType({})
    """The names of the numbers in the error's details."""


_INVALID = {
    layout.INVALID_FLAGS: _Invalid(
        "Wire.InvalidFlags", "flags {flags} are not those of this kind of packet", {"flags": "flags"}
    ),
    layout.INVALID_BASELINE_TICK: _Invalid(
        "Wire.InvalidBaselineTick",
        "count ticks from 1: no delta starts from tick {found}",
        {"baseline_tick": "found", "flags": "flags"},
    ),
    layout.PAYLOAD_LENGTH: _Invalid(
        "Wire.PayloadLengthMismatch",
        "the header says {expected} payload bytes, there are {found}",
        {"header_len": "expected", "actual_len": "found"},
    ),
    layout.UNKNOWN_TAG: _Invalid("Wire.UnknownSectionTag", "section tag {tag} is not known", {"tag": "tag"}),
    layout.FRAMING_VARINT: _Invalid("Wire.SectionFraming.InvalidVarint", "a length or tick is not a valid varint"),
    layout.BODY_VARINT: _Invalid("Bitstream.InvalidVarint", "a varint in a section is not valid"),
    layout.PADDING: _Invalid("Bitstream.NonZeroPadding", "padding bits are not zero"),
    layout.UNKNOWN_COMPONENT: _Invalid(
        "InvalidMask.ComponentMask.UnknownComponent",
        "component {component} is not in the schema",
        {"component": "component"},
    ),
    layout.INVALID_COMPONENT_ID: _Invalid(
        "InvalidMask.ComponentMask.InvalidComponentId", "{found} is not a component id", {"raw": "found"}
    ),
    layout.EMPTY_FIELD_MASK: _Invalid(
        "InvalidMask.FieldMask.EmptyFieldMask",
        "component {component} is updated without any field",
        {"component": "component"},
    ),
    layout.FIELD_COUNT_MISMATCH: _Invalid(
        "InvalidMask.FieldMask.FieldCountMismatch",
        "{found} fields where there are {expected}",
        {"actual": "found", "expected": "expected"},
    ),
    layout.INVALID_FIELD_INDEX: _Invalid(
        "InvalidMask.FieldMask.InvalidFieldIndex",
        "field index {found} of component {component} is out of range or out of order",
        {"component": "component", "field_index": "found"},
    ),
    layout.PRESENCE_MISMATCH: _Invalid(
        "InvalidMask.ComponentMask.ComponentPresenceMismatch",
        "component {component} was added to or removed from a living entity: destroy and create it instead",
        {"component": "component"},
    ),
    layout.ENTITY_ORDER: _Invalid(
        "InvalidEntityOrder",
        "{current} does not come after {previous}",
        {"previous": "previous", "current": "current"},
    ),
    layout.DUPLICATE_UPDATE: _Invalid("DuplicateUpdateEncoding", "masked and sparse updates stand in one packet"),
    layout.ENTITY_NOT_FOUND: _Invalid("EntityNotFound", "entity {entity} is not there", {"entity_id": "entity"}),
    layout.COMPONENT_NOT_FOUND: _Invalid(
        "ComponentNotFound",
        "entity {entity} has no component {component}",
        {"entity_id": "entity", "component_id": "component"},
    ),
    layout.ENTITY_EXISTS: _Invalid("EntityAlreadyExists", "entity {entity} is there already", {"entity_id": "entity"}),
}
_BY_SECTION = {
    layout.UNEXPECTED_SECTION: ("UnexpectedSection", "section {name} may not stand in this kind of packet"),
    layout.DUPLICATE_SECTION: ("DuplicateSection", "section {name} stands in the packet twice"),
}
_RESYNC = {
    "SessionMissing",
    "SessionInitInvalid",
    "SessionUnsupportedMode",
    "SchemaMismatch",
    "BaselineNotFound",
    "BaselineTickMismatch",
    "Wire.InvalidBaselineTick",
    "Wire.InvalidFlags",
}


def needs_resync(error: RetickError) -> bool:
    """Whether the receiver should ask for a new session and a full snapshot; other packets are just dropped."""
    return error.code in _RESYNC


def decode_error(status: int, fault: Any, schema: Any) -> DecodeError:
    """The error for a decoder's status; ``fault`` holds its numbers."""
    if status in _LIMITS:
        code = _LIMITS[status]
        what = code.rpartition(".")[2]
        message = f"{fault.actual} is above the limit of {fault.limit} ({what})"
        error = LimitExceeded(message, what=what, limit=fault.limit, actual=fault.actual)
        return with_code(error, code, limit=fault.limit, actual=fault.actual)
    if status in _TRUNCATED:
        code, what, needed, available = _TRUNCATED[status]
        message = f"{fault.needed} {what}, {fault.available} are left"
        truncated = Truncated(message, needed=fault.needed, available=fault.available)
        return with_code(truncated, code, **{needed: fault.needed, available: fault.available})
    if status in _INVALID:
        code, sentence, details = _filled_in(status, _numbers_of(status, fault), schema)
        return with_code(InvalidValue(sentence), code, **details)
    if status in _BY_SECTION:
        code, text = _BY_SECTION[status]
        name = SECTION_NAMES[fault.tag]
        return with_code(InvalidValue(text.format(name=name)), f"{code}.{name}")
    if status in (layout.VALUE_RANGE, layout.MISSING_FIELD):
        return _field_error(status, fault, *schema.fields[fault.field])
    return _rare_decode_error(status, fault, schema)


def _field_error(status: int, fault: Any, owner: Any, item: Any) -> DecodeError:
    if status == layout.MISSING_FIELD:
        message = f"component {owner.id} is created without field {item.id}{owner.named(item)}"
        return with_code(InvalidValue(message), "InvalidMask.FieldMask.MissingField", component=owner.id, field=item.id)
    # Only ever too high; beyond 63 bits the compiled decoder passes it on wrapped.
    value = fault.value if fault.value >= item.codec.lowest else fault.value + (1 << 64)
    message = f"component {owner.id} field {item.id}{owner.named(item)}: {value} is out of range"
    code = f"InvalidValue.{item.codec.range_code}"
    return with_code(InvalidValue(message), code, component=owner.id, field=item.id, value=value)


def _rare_decode_error(status: int, fault: Any, schema: Any) -> DecodeError:
    found, expected = fault.found, fault.expected
    if status == layout.TRAILING_SECTION:
        name = SECTION_NAMES[fault.tag]
        message = f"{fault.extra} bits follow the last item of section {name}"
        error = TrailingData(message, extra=fault.extra // 8)
        return with_code(error, f"TrailingSectionData.{name}", remaining_bits=fault.extra)
    if status == layout.TRAILING_BYTES:
        return with_code(TrailingData(f"{fault.extra} bytes follow the frame", extra=fault.extra), "Wire.TrailingBytes")
    if status == layout.INVALID_MAGIC:
        message = f"magic {found:#010x} is not that of a snapshot packet"
        return with_code(BadMagic(message), "Wire.InvalidMagic", found=found)
    if status == layout.UNSUPPORTED_VERSION:
        message = f"wire version {found} where {expected} is spoken"
        return with_code(UnsupportedVersion(message, version=found), "Wire.UnsupportedVersion", found=found)
    if status == layout.SCHEMA_MISMATCH:
        expected, found = schema.hash, found & 0xFFFFFFFFFFFFFFFF
        message = f"written with schema {found:016x}, read with {expected:016x}"
        mismatch = SchemaMismatch(message, expected=expected, found=found)
        return with_code(mismatch, "SchemaMismatch", expected=expected, found=found)
    message = f"a delta against tick {found}, given the snapshot of tick {expected}: ask for a full one"
    return with_code(BaselineMissing(message, tick=found), "BaselineTickMismatch", expected=expected, found=found)


def _numbers_of(status: int, fault: Any) -> dict[str, int]:
    return {number: getattr(fault, number) for number in _INVALID[status].details.values()}


def _filled_in(status: int, numbers: dict[str, int], schema: Any) -> tuple[str, str, dict[str, int]]:
    """Code, sentence and details of a status in the table above; a component's name follows its id."""
    code, sentence, details = _INVALID[status]
    if status == layout.INVALID_BASELINE_TICK and numbers["flags"] == FULL:
        sentence = "a full snapshot has no baseline, and this one names tick {found}"
    shown: dict[str, object] = {**numbers}
    index = None if schema is None else schema.by_id.get(numbers.get("component"))
    if index is not None:
        shown["component"] = schema.components[index].label
    return code, sentence.format_map(shown), {name: numbers[number] for name, number in details.items()}


def encode_error(status: int, fault: Any, schema: Any) -> EncodeError:
    """The error for an encoder's status; ``fault`` holds its numbers."""
    if status == layout.VALUE_RANGE:
        owner, item = schema.fields[fault.field]
        return value_error(fault.entity, owner, item, fault.value)
    if status in _LIMITS:
        return limit_error(status, fault.limit, fault.actual)
    if status == layout.BASELINE_TICK:
        return baseline_error(fault.expected, fault.found)
    return invalid_error(status, schema, **_numbers_of(status, fault))


def limit_error(status: int, limit: int, actual: int) -> EncodeError:
    """The error for exceeding a limit on sending."""
    code = _LIMITS[status]
    message = f"{actual} is above the limit of {limit} ({code.rpartition('.')[2]})"
    return with_code(EncodeError(message), code, limit=limit, actual=actual)


def invalid_error(status: int, schema: Any = None, **numbers: int) -> EncodeError:
    """An error whose sentence is in the table above; ``numbers`` are named as in a fault."""
    code, sentence, details = _filled_in(status, numbers, schema)
    return with_code(EncodeError(sentence), code, **details)


def baseline_error(expected: int, found: int) -> EncodeError:
    """The error for a baseline of another tick than stated, or one after the snapshot."""
    message = f"the baseline's tick is {expected}, not {found}"
    return with_code(EncodeError(message), "BaselineTickMismatch", expected=expected, found=found)


def value_error(entity: int, owner: Any, item: Any, value: object, reason: str = "") -> EncodeError:
    """The error for a value that its field cannot hold."""
    code = f"InvalidValue.{reason or item.codec.range_code}"
    message = (
        f"entity {entity}, component {owner.id}, field {item.id}{owner.named(item)}: {value!r} does not fit "
        f"{item.codec.kind} {item.codec.lowest} to {item.codec.highest}"
    )
    return with_code(EncodeError(message, entity=entity, component=owner.id, field=item.id, value=value), code)
