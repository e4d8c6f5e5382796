"""A note that was sent directly, in words; what is inside of it is sealed."""

from typing import Final

from retick.routes.routes import NOTE
from retick.wire.explain import Explanation, RowReader
from retick.wire.field_table import FieldSpec

__all__ = ["explain_note", "is_note"]

_HEAD: Final = (
    FieldSpec("kind", "B", "NOTE", "0x{:02x}"),
    FieldSpec("room", "6s"),
    FieldSpec("sender", "B"),
    FieldSpec("receiver", "B"),
    FieldSpec("stay", "8s", "drawn by the sender"),
    FieldSpec("counter", "I"),
)
LEAST: Final = 38
"""Bytes of a note with a body of one byte."""


def is_note(data: bytes) -> bool:
    """Whether the first byte is that of a note."""
    return data[:1] == bytes((NOTE,))


def explain_note(data: bytes) -> Explanation:
    """Every field of a datagram for which ``is_note`` is true."""
    reader = RowReader(data)
    found = reader.read(_HEAD)
    reader.raw(len(data) - reader.at, "sealed")
    fault = f"cut: a note has at least {LEAST} bytes, not {len(data)}" if len(data) < LEAST else None
    summary = "NOTE" if fault else f"NOTE {found['counter']} from member {found['sender']} to {found['receiver']}"
    return Explanation("routes NOTE", summary, reader.rows, fault)
