"""Final inputs for a spectator.

::

    0E FEED   u32 first frame, u16 bytes of roster entries (0: the roster is as before), roster entries, inputs by frame
"""

import struct
from typing import NamedTuple

from retick.rollback.session.messages.kinds import Kind, need
from retick.rollback.session.messages.roster import RosterEntry, decode_entries, encode_entries

__all__ = ["Feed", "decode_feed", "encode_feed"]

_FEED = struct.Struct("<BIH")


class Feed(NamedTuple):
    """Frames that can no longer change."""

    first: int
    """The first frame."""
    rows: bytes
    """The inputs of all seats, frame after frame."""
    entries: tuple[RosterEntry, ...]
    """Who plays, the sender first; empty when that has not changed."""


def encode_feed(feed: Feed) -> bytes:
    entries = encode_entries(feed.entries) if feed.entries else b""
    return _FEED.pack(Kind.FEED, feed.first, len(entries)) + entries + feed.rows


def decode_feed(data: bytes) -> Feed:
    need(data, _FEED.size)
    _, first, length = _FEED.unpack_from(data)
    end = _FEED.size + length
    need(data, end)
    entries = decode_entries(data[:end], _FEED.size) if length else ()
    return Feed(first, data[end:], entries)
