"""Messages of the feed: one JSON object with a ``type``. What a page sends is bounded, and checked field by field."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from retick.errors import RetickError

__all__ = ["LONGEST_NAME", "LONGEST_TEXT", "FeedError", "FileSent", "Message", "read_message", "write_message"]

LONGEST_TEXT = 65536
"""Bytes of a text message from a page."""
LONGEST_NAME = 200
"""Characters of a file's name: what is longer is cut."""


class FeedError(RetickError):
    """A page sent something wrong; the text is shown on the page."""


class FileSent(NamedTuple):
    """A file that a page sent."""

    name: str
    """Only for showing."""
    slot: int
    data: bytes


class Message:
    """One message of a page; every getter checks what it gives."""

    __slots__ = ("_fields", "type")

    def __init__(self, kind: str, fields: Mapping[str, Any]) -> None:
        self.type = kind
        self._fields = fields

    def integer(self, name: str, least: int, most: int) -> int:
        """A whole number in its range."""
        value = self._fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise FeedError(f"{self.type}: {name} must be a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """A number in its range."""
        value = self._fields.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
            raise FeedError(f"{self.type}: {name} must be a number")
        if not least <= value <= most:
            raise FeedError(f"{self.type}: {name} must be from {least:g} to {most:g}")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._fields.get(name)
        if not isinstance(value, bool):
            raise FeedError(f"{self.type}: {name} must be true or false")
        return value

    def text(self, name: str, longest: int = LONGEST_NAME) -> str:
        """A text that is not too long."""
        value = self._fields.get(name)
        if not isinstance(value, str) or len(value) > longest:
            raise FeedError(f"{self.type}: {name} must be a text of at most {longest} characters")
        return value

    def choice(self, name: str, *allowed: str) -> str:
        """One of a few words."""
        value = self._fields.get(name)
        if value not in allowed:
            raise FeedError(f"{self.type}: {name} must be one of {', '.join(allowed)}")
        return str(value)


def read_message(text: str) -> Message:
    """Raises FeedError unless it is a bounded JSON object with a type."""
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "surrogatepass")) > LONGEST_TEXT:
        raise FeedError(f"a message has at most {LONGEST_TEXT} bytes")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise FeedError("a message must be JSON") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        raise FeedError("a message must be an object with a type")
    return Message(fields["type"], fields)


def write_message(kind: str, /, **fields: Any) -> str:
    """The text of a message to the page."""
    return json.dumps({"type": kind, **fields}, separators=(",", ":"), allow_nan=False)
