"""What all NetRunner packets have in common: byte 0 is the type, and every type has one length.

::

    1 input bundle  167   client to server   unreliable
    2 snapshot     1398   server to client   unreliable
    3 control        96   both               reliable
    4 fire           29   client to server   reliable
    5 fire result    13   server to client   reliable
    6 fire visual    42   server to client   reliable
"""

from typing import Final

from retick.errors import InvalidValue, TrailingData, Truncated

__all__ = [
    "CONTROL",
    "FIRE",
    "FIRE_RESULT",
    "FIRE_VISUAL",
    "INPUT_BUNDLE",
    "PROTOCOL_VERSION",
    "SNAPSHOT",
    "check_packet",
    "packet_type",
]

PROTOCOL_VERSION: Final = 6

INPUT_BUNDLE: Final = 1
SNAPSHOT: Final = 2
CONTROL: Final = 3
FIRE: Final = 4
FIRE_RESULT: Final = 5
FIRE_VISUAL: Final = 6


def packet_type(data: bytes) -> int:
    """Byte 0, if it is a type of this protocol; the length is not checked."""
    if not data:
        raise Truncated("an empty packet", needed=1, available=0)
    if not INPUT_BUNDLE <= data[0] <= FIRE_VISUAL:
        raise InvalidValue(f"packet type {data[0]} is unknown")
    return data[0]


def check_packet(data: bytes, kind: int, size: int, what: str) -> None:
    """Raise unless ``data`` is of this type and of exactly this length."""
    if packet_type(data) != kind:
        raise InvalidValue(f"{what} begins with {kind}, not {data[0]}")
    if len(data) < size:
        raise Truncated(f"{what} is {size} bytes, not {len(data)}", needed=size, available=len(data))
    if len(data) > size:
        raise TrailingData(f"{what} is {size} bytes, not {len(data)}", extra=len(data) - size)
