"""Compact packets with the standard header: version 3, and the compact schema's hash.

The checks stand in the order of docs/formats/snapshot.md, with the same codes.
"""

import struct
from typing import Any, NamedTuple

from retick.errors import SchemaMismatch, with_code
from retick.snapshot.compact.defaults import Prediction
from retick.snapshot.compact.plan import GroupRow
from retick.snapshot.compact.priors.prior import Prior
from retick.snapshot.kernels import status as st
from retick.snapshot.kernels.errors import decode_error
from retick.snapshot.kernels.fault import Fault
from retick.snapshot.kernels.layout import DELTA, FULL, HEADER, HEADER_BYTES, MAGIC, MAGIC_WORD
from retick.snapshot.limits import Limits
from retick.snapshot.predictors import Angle, Group, Integral, Motion, Rotation
from retick.snapshot.schema import Schema

__all__ = ["VERSION", "Header", "compact_hash", "fault_error", "open_header", "read_header"]

VERSION = 3


def compact_hash(schema: Schema, prediction: Prediction, prior: Prior) -> int:
    """The schema's hash with its groups and the prior: first eight bytes of blake3, little-endian."""
    # Imported here so that programs without snapshots do not load it.
    from blake3 import blake3

    rows = zip(prediction.groups, prediction.plan.groups, strict=True)
    groups = struct.pack("<I", len(prediction.groups)) + b"".join(_group_bytes(group, row) for group, row in rows)
    digest = blake3(schema.hash_preimage() + groups + prior.digest.to_bytes(4, "little")).digest()
    return int.from_bytes(digest[:8], "little")


def _group_bytes(group: Group, row: GroupRow) -> bytes:
    """A group as it is hashed: everything that a decoder's predictions depend on."""
    count = len(group.fields)
    made = struct.pack(f"<BBHI{count}H", row.kind, row.doubtful, group.component, count, *group.fields)
    given = group.predictor
    if isinstance(given, Motion):
        return made + struct.pack(f"<{1 + count}d", given.damping, *(given.acceleration or [0.0] * count))
    if isinstance(given, Angle):
        return made + struct.pack("<Qd", row.modulus, given.damping)
    if isinstance(given, Integral):
        return made + struct.pack("<Id", row.source, given.rate)
    if isinstance(given, Rotation):
        return made + struct.pack("<d", given.damping)
    return made


def read_header(
    data: Any, flags: int, base_tick: int | None, expected_hash: int, limits: Limits, schema: Schema
) -> tuple[int, bytes]:
    """Tick and payload of a packet of this kind, on this baseline."""
    found = open_header(data, limits, schema)
    if found.flags != flags:
        raise fault_error(schema, st.INVALID_FLAGS, flags=found.flags)
    if base_tick is not None and found.baseline_tick != base_tick:
        raise fault_error(schema, st.BASELINE_TICK, expected=base_tick, found=found.baseline_tick)
    if found.hash != expected_hash:
        message = (
            f"written with compact schema {found.hash:016x}, read with {expected_hash:016x}: "
            "fields, their names, groups and the prior must be the same"
        )
        raise with_code(
            SchemaMismatch(message, expected=expected_hash, found=found.hash),
            "SchemaMismatch",
            expected=expected_hash,
            found=found.hash,
        )
    return found.tick, found.payload


class Header(NamedTuple):
    """What a packet says before its payload, checked for itself."""

    flags: int
    hash: int
    tick: int
    baseline_tick: int
    payload: bytes


def open_header(data: Any, limits: Limits, schema: Schema) -> Header:
    """The header of any compact packet, whatever its schema; ``schema`` is only for the words of errors."""
    packet = bytes(data)
    if len(packet) < HEADER_BYTES:
        raise fault_error(schema, st.PACKET_TOO_SMALL, needed=HEADER_BYTES, available=len(packet))
    if len(packet) > limits.max_packet_bytes:
        raise fault_error(schema, st.PACKET_BYTES, limit=limits.max_packet_bytes, actual=len(packet))
    magic, version, found_flags, found_hash, tick, baseline, size = HEADER.unpack(packet[:HEADER_BYTES])
    if magic != MAGIC:
        raise fault_error(schema, st.INVALID_MAGIC, expected=MAGIC_WORD, found=int.from_bytes(magic, "little"))
    if version != VERSION:
        raise fault_error(schema, st.UNSUPPORTED_VERSION, expected=VERSION, found=version)
    if found_flags not in (FULL, DELTA):
        raise fault_error(schema, st.INVALID_FLAGS, flags=found_flags)
    if (baseline == 0) != (found_flags == FULL):
        raise fault_error(schema, st.INVALID_BASELINE_TICK, found=baseline, flags=found_flags)
    if size != len(packet) - HEADER_BYTES:
        raise fault_error(schema, st.PAYLOAD_LENGTH, expected=size, found=len(packet) - HEADER_BYTES)
    return Header(found_flags, found_hash, tick, baseline, packet[HEADER_BYTES:])


def fault_error(schema: Schema, status: int, **numbers: int) -> Exception:
    """The decoder's error for a status, with the numbers that go with it."""
    fault = Fault()
    for name, value in numbers.items():
        setattr(fault, name, value)
    return decode_error(status, fault, schema)
