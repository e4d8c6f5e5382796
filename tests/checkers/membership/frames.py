"""Frames that are recognised by their size, so that a state can be moved along the timeline.

A match of the model begins at frame ``ORIGIN``. No other number in a session, and no other four bytes in a message, are
near it. So everything that is a frame is found without a list of fields, in objects and in bytes, and two states that
differ only by how long the match has run are seen to be the same.
"""

import re
from functools import lru_cache
from typing import Any

from retick.wire import rbn1
from retick.wire.explain import is_rbn1_payload

__all__ = ["FRAME_IN_BYTES", "ORIGIN", "frames_in", "is_frame", "shift_fact", "shift_item", "shift_message"]

ORIGIN = 0xA58000
"""The first frame of every match in the model."""
NEAR = 0x1000
"""Frames that a run stays below; one that came further would not be recognised."""
FRAME_IN_BYTES = re.compile(rb"[\x00-\xff][\x70-\x8f]\xa5\x00", re.DOTALL)
"""A frame as four bytes, lowest first, as every session message has it."""


def is_frame(number: int) -> bool:
    return ORIGIN - NEAR <= number < ORIGIN + NEAR


def frames_in(message: bytes) -> list[int]:
    """The frames that a session message has."""
    return [int.from_bytes(found, "little") for found in FRAME_IN_BYTES.findall(message)]


@lru_cache(maxsize=1 << 17)
def shift_message(data: bytes, by: int) -> bytes:
    """A message or payload with every frame in it moved by so many frames."""
    if not by:
        return data
    if is_rbn1_payload(data):
        return _shift_inputs(data, by)
    return FRAME_IN_BYTES.sub(lambda found: _shift_frame(found[0], by), data)


def _shift_frame(frame: bytes, by: int) -> bytes:
    """Modulo 2^32: to be read, frames are counted from ORIGIN, and some lie before it."""
    return ((int.from_bytes(frame, "little") + by) & 0xFFFFFFFF).to_bytes(4, "little")


def _shift_inputs(data: bytes, by: int) -> bytes:
    """An input packet also says its sender's frame, in the two bytes of the time sync block."""
    packet = rbn1.decode(data, rbn1.ALL_EXTENSIONS)
    sync = packet.time_sync
    moved = packet._replace(
        start_frame=packet.start_frame + by,
        ack_frame=packet.ack_frame + by if is_frame(packet.ack_frame) else packet.ack_frame,
        time_sync=sync._replace(frame=(sync.frame + by) & 0xFFFF) if sync is not None else None,
    )
    return rbn1.encode(moved, rbn1.ALL_EXTENSIONS)


def shift_item(item: tuple[Any, ...], by: int) -> tuple[Any, ...]:
    """The same for what travels in the model's network: a tuple whose byte strings may have frames."""
    return tuple(shift_message(part, by) if isinstance(part, bytes) else part for part in item)


def shift_fact(event: tuple[Any, ...], by: int) -> tuple[Any, ...]:
    """The same for a fact: a tuple whose numbers may be frames."""
    return tuple(part + by if isinstance(part, int) and is_frame(part) else part for part in event)
