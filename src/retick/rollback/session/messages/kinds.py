"""The first byte of every session message, the layout that short ones share, and the reader of all of them.

::

    kind, u8 value                       CANCEL (a peer id), ASK (a match number)

To add a kind: a number here, its layout in a module beside this one, and its row in ``routes``.
"""

import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from retick.errors import TrailingData, Truncated
from retick.link import describe as describe_link_reason


class MessageKind(IntEnum):
    """The kind of a message."""

    APPLICATION = 0x00
    ROSTER = 0x01
    READY = 0x02
    START = 0x03
    STATEMENT = 0x04
    WELCOME = 0x05
    STATE = 0x06
    MEET = 0x07
    JOINED = 0x08
    CONSENT = 0x09
    DECIDED = 0x0A
    OUTCOME = 0x0B
    CANCEL = 0x0C
    TAKEN = 0x0D
    FEED = 0x0E
    EVIDENCE = 0x0F
    ASK = 0x13
    PROFILE = 0x14
    LIST = 0x15
    RETURN = 0x16
    RANGE = 0x18
    SIGNED = 0x19


_BYTE = struct.Struct("<BB")


class MessageReader:
    """Reads the fields of a message one after the other."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data = data
        self.at = at
        """The offset of the next field."""

    def take(self, size: int) -> bytes:
        """The next bytes; raises Truncated if there are not so many."""
        end, available = self.at + size, len(self._data)
        if end > available:
            raise Truncated(f"a message of {available} bytes where {end} are needed", needed=end, available=available)
        found = self._data[self.at : end]
        self.at = end
        return found

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        return layout.unpack(self.take(layout.size))

    def byte(self) -> int:
        return self.take(1)[0]

    def short(self) -> bytes:
        """Bytes behind their number, which is one byte."""
        return self.take(self.byte())

    def rest(self) -> bytes:
        return self.take(len(self._data) - self.at)

    def end(self) -> None:
        """Raise TrailingData if there is more."""
        extra = len(self._data) - self.at
        if extra:
            raise TrailingData(f"{extra} bytes after a message", extra=extra)


def fields_of(layout: struct.Struct, data: bytes) -> tuple[Any, ...]:
    """The fields of a message that has this layout, and nothing behind it."""
    if len(data) != layout.size:
        reader = MessageReader(data)
        reader.take(layout.size)
        reader.end()
    return layout.unpack(data)


def inputs_to_bytes(inputs: Iterable[int], size: int) -> bytes:
    """Inputs as they are sent, each in ``size`` bytes."""
    return b"".join(value.to_bytes(size, "little") for value in inputs)


def inputs_from_bytes(data: bytes, size: int) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size))


def encode_byte(kind: MessageKind, value: int) -> bytes:
    return _BYTE.pack(kind, value)


def decode_byte(data: bytes) -> int:
    value: int = fields_of(_BYTE, data)[1]
    return value


# The session protocol's reasons for refusing or expelling a peer, as codes and in words; other codes are the link's.

ASK_SPONSOR = 200
"""For a refusal: the text is the address of the sponsor."""
OTHER_VERSION = 201
"""The other side speaks another version of the session protocol."""
REACHES_TOO_FAR = 210
"""The other side's window and delay exceed our history."""
NO_INPUTS = 211
"""The peer does not send inputs that everyone waits for."""
NO_ACKNOWLEDGEMENTS = 212
"""The peer does not acknowledge our inputs."""
RETURNED = 213
"""The peer of this connection has come back over another one."""
GAVE_UP = 214
"""The sender has given up its match to come back to that of others: the last it showed may not be theirs."""
NO_MATCH = 215
"""For a refusal: there is no match here to come back to."""
EQUIVOCATION = 216
"""The peer told two others different inputs for the same frame; the two signatures prove it."""
UNSIGNED = 217
"""The peer does not sign its inputs, or signs other inputs than it sends."""

WORDS = {
    ASK_SPONSOR: "another peer lets newcomers in",
    OTHER_VERSION: "another version of the session protocol",
    REACHES_TOO_FAR: "its window and delay are too large",
    NO_INPUTS: "sends no inputs",
    NO_ACKNOWLEDGEMENTS: "acknowledges no inputs",
    RETURNED: "came back over another connection",
    GAVE_UP: "comes back to the match of others",
    NO_MATCH: "has no match",
    EQUIVOCATION: "told two others different inputs, as its signatures prove",
    UNSIGNED: "does not sign the inputs that it sends",
}


def describe(reason: int) -> str:
    """Describe a code of the session protocol or of the link, known or not, in words."""
    return WORDS.get(reason) or describe_link_reason(reason)
