"""Turns a status and its fault into an exception, with a code, a sentence and details.

The codes are listed in docs/formats/snapshot.md. Decoding raises a DecodeError of the fitting class, encoding an
EncodeError.
"""

from functools import cache
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
from retick.snapshot import layout
from retick.snapshot.layout import FULL, SECTION_NAMES

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


@cache
def _errors() -> dict[str, dict[int, Any]]:
    """errors.toml, by status. It is read for the first error, since most programs never see one."""
    from importlib.resources import files
    from tomllib import loads

    text = files("retick.snapshot").joinpath("errors.toml").read_text(encoding="utf-8")
    return {kind: {getattr(layout, name): row for name, row in rows.items()} for kind, rows in loads(text).items()}


def needs_resync(error: RetickError) -> bool:
    """Whether the receiver should ask for a new session and a full snapshot; other packets are just dropped."""
    return error.code in _RESYNC


def decode_error(status: int, fault: Any, schema: Any) -> DecodeError:
    """The error for a decoder's status; ``fault`` holds its numbers."""
    errors = _errors()
    if status in errors["limits"]:
        code = errors["limits"][status]
        what = code.rpartition(".")[2]
        message = f"{fault.actual} is above the limit of {fault.limit} ({what})"
        error = LimitExceeded(message, what=what, limit=fault.limit, actual=fault.actual)
        return with_code(error, code, limit=fault.limit, actual=fault.actual)
    if row := errors["truncated"].get(status):
        message = f"{fault.needed} {row['what']}, {fault.available} are left"
        truncated = Truncated(message, needed=fault.needed, available=fault.available)
        return with_code(truncated, row["code"], **{row["needed"]: fault.needed, row["available"]: fault.available})
    if status in errors["invalid"]:
        code, sentence, details = _filled_in(status, _numbers_of(status, fault), schema)
        return with_code(InvalidValue(sentence), code, **details)
    if row := errors["sections"].get(status):
        name = SECTION_NAMES[fault.tag]
        return with_code(InvalidValue(row["sentence"].format(name=name)), f"{row['code']}.{name}")
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


def _details_of(status: int) -> dict[str, str]:
    """The names of the numbers in an error's details, and which numbers of the fault they are."""
    return _errors()["invalid"][status].get("details", {})  # type: ignore[no-any-return]  # the file says so


def _numbers_of(status: int, fault: Any) -> dict[str, int]:
    return {number: getattr(fault, number) for number in _details_of(status).values()}


def _filled_in(status: int, numbers: dict[str, int], schema: Any) -> tuple[str, str, dict[str, int]]:
    """Code, sentence and details of a status in the table above; a component's name follows its id."""
    row = _errors()["invalid"][status]
    sentence = row["sentence"]
    if status == layout.INVALID_BASELINE_TICK and numbers["flags"] == FULL:
        sentence = "a full snapshot has no baseline, and this one names tick {found}"
    shown: dict[str, object] = {**numbers}
    index = None if schema is None else schema.by_id.get(numbers.get("component"))
    if index is not None:
        shown["component"] = schema.components[index].label
    details = {name: numbers[number] for name, number in _details_of(status).items()}
    return row["code"], sentence.format_map(shown), details


def encode_error(status: int, fault: Any, schema: Any) -> EncodeError:
    """The error for an encoder's status; ``fault`` holds its numbers."""
    if status == layout.VALUE_RANGE:
        owner, item = schema.fields[fault.field]
        return value_error(fault.entity, owner, item, fault.value)
    if status in _errors()["limits"]:
        return limit_error(status, fault.limit, fault.actual)
    if status == layout.BASELINE_TICK:
        return baseline_error(fault.expected, fault.found)
    return invalid_error(status, schema, **_numbers_of(status, fault))


def limit_error(status: int, limit: int, actual: int) -> EncodeError:
    """The error for exceeding a limit on sending."""
    code = _errors()["limits"][status]
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
