"""From the kernels' status numbers to exceptions: each with its code, its numbers and a sentence.

The codes are listed in docs/formats/snapshot.md. Decoding raises a DecodeError of the fitting class, encoding an
EncodeError.
"""

from typing import Any

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
from retick.snapshot.fields import KINDS
from retick.snapshot.kernels import status as st

__all__ = [
    "SECTION_NAMES",
    "baseline_fault",
    "decode_fault",
    "encode_fault",
    "invalid_fault",
    "limit_fault",
    "needs_resync",
    "value_fault",
]

SECTION_NAMES = {
    1: "EntityCreate",
    2: "EntityDestroy",
    3: "EntityUpdate",
    4: "EntityUpdateSparse",
    5: "EntityUpdateSparsePacked",
    6: "SessionInit",
}

_LIMITS = {
    st.PACKET_BYTES: "Wire.LimitsExceeded.PacketBytes",
    st.SECTION_COUNT: "Wire.LimitsExceeded.SectionCount",
    st.SECTION_LENGTH: "Wire.LimitsExceeded.SectionLength",
    st.LIMIT_CREATE: "LimitsExceeded.EntitiesCreate",
    st.LIMIT_UPDATE: "LimitsExceeded.EntitiesUpdate",
    st.LIMIT_DESTROY: "LimitsExceeded.EntitiesDestroy",
    st.LIMIT_TOTAL: "LimitsExceeded.TotalEntitiesAfterApply",
    st.LIMIT_COMPONENTS: "LimitsExceeded.ComponentsPerEntity",
    st.LIMIT_FIELDS: "LimitsExceeded.FieldsPerComponent",
    st.LIMIT_SECTION_BYTES: "LimitsExceeded.SectionBytes",
}
_TRUNCATED = {
    st.PACKET_TOO_SMALL: ("Wire.PacketTooSmall", "bytes are needed for a header", "required", "actual"),
    st.FRAMING_TRUNCATED: ("Wire.SectionFraming.Truncated", "bytes are needed for a section", "needed", "available"),
    st.UNEXPECTED_EOF: ("Bitstream.UnexpectedEof", "bits are needed for a value", "requested", "available"),
    st.COMPONENT_MASK_BITS: (
        "InvalidMask.ComponentMask.NotEnoughBits",
        "bits are needed for a component mask",
        "expected",
        "available",
    ),
    st.FIELD_MASK_BITS: (
        "InvalidMask.FieldMask.NotEnoughBits",
        "bits are needed for a field mask",
        "expected",
        "available",
    ),
}
# Code and sentence; {a} and {b} are the status's numbers.
_INVALID = {
    st.INVALID_FLAGS: ("Wire.InvalidFlags", "flags {a} are not those of this kind of packet"),
    st.INVALID_BASELINE_TICK: ("Wire.InvalidBaselineTick", "baseline tick {a} does not go with flags {b}"),
    st.PAYLOAD_LENGTH: ("Wire.PayloadLengthMismatch", "the header says {a} payload bytes, there are {b}"),
    st.UNKNOWN_TAG: ("Wire.UnknownSectionTag", "section tag {a} is not known"),
    st.FRAMING_VARINT: ("Wire.SectionFraming.InvalidVarint", "a length or tick is not a valid varint"),
    st.BODY_VARINT: ("Bitstream.InvalidVarint", "a varint in a section is not valid"),
    st.PADDING: ("Bitstream.NonZeroPadding", "padding bits are not zero"),
    st.MISSING_FIELD: ("InvalidMask.FieldMask.MissingField", "component {a} is created without field {b}"),
    st.UNKNOWN_COMPONENT: ("InvalidMask.ComponentMask.UnknownComponent", "component {a} is not in the schema"),
    st.INVALID_COMPONENT_ID: ("InvalidMask.ComponentMask.InvalidComponentId", "{a} is not a component id"),
    st.EMPTY_FIELD_MASK: ("InvalidMask.FieldMask.EmptyFieldMask", "component {a} is updated without any field"),
    st.FIELD_COUNT_MISMATCH: ("InvalidMask.FieldMask.FieldCountMismatch", "{a} fields where there are {b}"),
    st.INVALID_FIELD_INDEX: (
        "InvalidMask.FieldMask.InvalidFieldIndex",
        "field index {b} of component {a} is out of range or out of order",
    ),
    st.PRESENCE_MISMATCH: (
        "InvalidMask.ComponentMask.ComponentPresenceMismatch",
        "component {a} was added to or removed from a living entity: destroy and create it instead",
    ),
    st.ENTITY_ORDER: ("InvalidEntityOrder", "{b} does not come after {a}"),
    st.DUPLICATE_UPDATE: ("DuplicateUpdateEncoding", "masked and sparse updates stand in one packet"),
    st.ENTITY_NOT_FOUND: ("EntityNotFound", "entity {a} is not there"),
    st.COMPONENT_NOT_FOUND: ("ComponentNotFound", "entity {a} has no component {b}"),
    st.ENTITY_EXISTS: ("EntityAlreadyExists", "entity {a} is there already"),
}
# What the numbers a and b are called in an error's details.
_NAMES: dict[int, tuple[str, ...]] = {
    st.INVALID_FLAGS: ("flags",),
    st.INVALID_BASELINE_TICK: ("baseline_tick", "flags"),
    st.PAYLOAD_LENGTH: ("header_len", "actual_len"),
    st.UNKNOWN_TAG: ("tag",),
    st.MISSING_FIELD: ("component", "field"),
    st.UNKNOWN_COMPONENT: ("component",),
    st.INVALID_COMPONENT_ID: ("raw",),
    st.EMPTY_FIELD_MASK: ("component",),
    st.FIELD_COUNT_MISMATCH: ("actual", "expected"),
    st.INVALID_FIELD_INDEX: ("component", "field_index"),
    st.PRESENCE_MISMATCH: ("component",),
    st.ENTITY_ORDER: ("previous", "current"),
    st.ENTITY_NOT_FOUND: ("entity_id",),
    st.COMPONENT_NOT_FOUND: ("entity_id", "component_id"),
    st.ENTITY_EXISTS: ("entity_id",),
}
_BY_SECTION = {
    st.UNEXPECTED_SECTION: ("UnexpectedSection", "section {name} may not stand in this kind of packet"),
    st.DUPLICATE_SECTION: ("DuplicateSection", "section {name} stands in the packet twice"),
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


def decode_fault(status: int, kernel: Any) -> DecodeError:
    """The error for what the decoder found."""
    a, b = kernel.a, kernel.b
    if status in _LIMITS:
        code = _LIMITS[status]
        message = f"{b} is above the limit of {a} ({code.rpartition('.')[2]})"
        error = LimitExceeded(message, what=code.rpartition(".")[2], limit=a, actual=b)
        return with_code(error, code, limit=a, actual=b)
    if status in _TRUNCATED:
        code, what, *names = _TRUNCATED[status]
        error_details = dict(zip(names, (a, b), strict=True))
        return with_code(Truncated(f"{a} {what}, {b} are left", needed=a, available=b), code, **error_details)
    if status in _INVALID:
        code, text = _INVALID[status]
        return with_code(InvalidValue(text.format(a=a, b=b)), code, **_named(status, a, b))
    if status in _BY_SECTION:
        code, text = _BY_SECTION[status]
        name = SECTION_NAMES[a]
        return with_code(InvalidValue(text.format(name=name)), f"{code}.{name}")
    if status == st.VALUE_RANGE:
        owner, item = kernel.schema.fields[kernel.field]
        code = f"InvalidValue.{KINDS[item.codec.tag].range_code}"
        # Only ever too high; beyond 63 bits the compiled decoder hands it over wrapped.
        value = a if a >= item.codec.lowest else a + (1 << 64)
        message = f"component {owner.id} field {item.id}: {value} is out of range"
        return with_code(InvalidValue(message), code, component=owner.id, field=item.id, value=value)
    return _rare_decode_fault(status, kernel)


def _rare_decode_fault(status: int, kernel: Any) -> DecodeError:
    a, b = kernel.a, kernel.b
    if status == st.TRAILING_SECTION:
        name = SECTION_NAMES[a]
        message = f"{b} bits follow the last item of section {name}"
        return with_code(TrailingData(message, extra=b // 8), f"TrailingSectionData.{name}", remaining_bits=b)
    if status == st.TRAILING_BYTES:
        return with_code(TrailingData(f"{a} bytes follow the frame", extra=a), "Wire.TrailingBytes")
    if status == st.INVALID_MAGIC:
        return with_code(BadMagic(f"magic {a:#010x} is not that of a snapshot packet"), "Wire.InvalidMagic", found=a)
    if status == st.UNSUPPORTED_VERSION:
        message = f"wire version {a} where {b} is spoken"
        return with_code(UnsupportedVersion(message, version=a), "Wire.UnsupportedVersion", found=a)
    if status == st.SCHEMA_MISMATCH:
        expected, found = kernel.schema.hash, a & 0xFFFFFFFFFFFFFFFF
        message = f"written with schema {found:016x}, read with {expected:016x}"
        error = SchemaMismatch(message, expected=expected, found=found)
        return with_code(error, "SchemaMismatch", expected=expected, found=found)
    message = f"a delta against tick {b}, given the snapshot of tick {a}: ask for a full one"
    return with_code(BaselineMissing(message, tick=b), "BaselineTickMismatch", expected=a, found=b)


def _named(status: int, a: int, b: int) -> dict[str, int]:
    return dict(zip(_NAMES.get(status, ()), (a, b), strict=False))


def encode_fault(status: int, kernel: Any) -> EncodeError:
    """The error for what the encoder met."""
    if status == st.VALUE_RANGE:
        owner, item = kernel.schema.fields[kernel.field]
        value = kernel.a
        if item.codec.kind == "uint" and value < 0:
            value += 1 << 64
        return value_fault(kernel.entity, owner.id, item, value)
    if status in _LIMITS:
        return limit_fault(status, kernel.a, kernel.b)
    if status == st.BASELINE_TICK:
        return baseline_fault(kernel.a, kernel.b)
    return invalid_fault(status, kernel.a, kernel.b)


def limit_fault(status: int, limit: int, actual: int) -> EncodeError:
    """More than a limit allows to send."""
    code = _LIMITS[status]
    message = f"{actual} is above the limit of {limit} ({code.rpartition('.')[2]})"
    return with_code(EncodeError(message), code, limit=limit, actual=actual)


def invalid_fault(status: int, a: int, b: int = 0) -> EncodeError:
    """A fault whose sentence is in the table above."""
    code, text = _INVALID[status]
    return with_code(EncodeError(text.format(a=a, b=b)), code, **_named(status, a, b))


def baseline_fault(expected: int, found: int) -> EncodeError:
    """A baseline of another tick than stated, or one after the snapshot."""
    message = f"the baseline's tick is {expected}, not {found}"
    return with_code(EncodeError(message), "BaselineTickMismatch", expected=expected, found=found)


def value_fault(entity: int, component: int, item: Any, value: object, reason: str = "") -> EncodeError:
    """A value that its field cannot hold."""
    code = f"InvalidValue.{reason or item.codec.range_code}"
    message = (
        f"entity {entity}, component {component}, field {item.id}: {value!r} does not fit "
        f"{item.codec.kind} {item.codec.lowest} to {item.codec.highest}"
    )
    return with_code(EncodeError(message, entity=entity, component=component, field=item.id, value=value), code)
