"""The sealed connections of a capture: which they are, and how they are opened where there is a key log."""

from typing import TYPE_CHECKING

from retick.errors import LimitExceeded
from retick.link import layout
from retick.link.explain import is_link, is_sealed
from retick.link.handshake.packets import version_of
from retick.link.packets import ENVELOPE

if TYPE_CHECKING:
    from retick.link.sealing.keylog import KeyLog

__all__ = ["MOST_CONNECTIONS", "MOST_KEYLOG", "SealedLinks", "keylog_in"]

MOST_CONNECTIONS = 65536
"""Ids that are remembered; of others, a datagram without a key is taken for a plain one."""
MOST_KEYLOG = 16 * 1024 * 1024
"""Bytes of a key log's file."""
_ID = slice(29, 33)
"""Of the dialler, in HELLO."""


def keylog_in(data: bytes) -> "KeyLog":
    """The key log in a file; a DecodeError names the first line that is none, and shows no key."""
    from retick.link.sealing.keylog import KeyLog  # imports cryptography, which only sealed links need

    if len(data) > MOST_KEYLOG:
        text = f"a key log has at most {MOST_KEYLOG} bytes, not {len(data)}"
        raise LimitExceeded(text, what="key log bytes", limit=MOST_KEYLOG, actual=len(data))
    return KeyLog.parse(data.decode("utf-8", "replace"))


class SealedLinks:
    """Is shown the datagrams of a capture: the handshakes say which connections are sealed."""

    def __init__(self, keylog: "KeyLog | None" = None) -> None:
        self.keylog = keylog
        self.connections: set[int] = set()
        """Ids that are on datagrams of sealed connections."""

    def note(self, data: bytes) -> None:
        """Learn from HELLO, ENTER and ADMIT; from any other datagram nothing."""
        if len(self.connections) >= MOST_CONNECTIONS or len(data) < layout.ENVELOPE_SIZE:
            return
        if data[0] in (layout.ENTER, layout.ADMIT):
            self.connections.add(ENVELOPE.unpack_from(data)[1])
        elif data[0] == layout.HELLO and version_of(data) == layout.SEALED_VERSION and len(data) >= _ID.stop:
            self.connections.add(int.from_bytes(data[_ID], "little"))

    def readable(self, data: bytes) -> bytes:
        """A plain datagram as it is; of a sealed one envelope and body, or the envelope alone if it does not open."""
        if not is_link(data):
            return data
        if self.keylog is not None and self.keylog.has(data):
            return self.keylog.open(data) or data[: layout.ENVELOPE_SIZE]
        return data[: layout.ENVELOPE_SIZE] if is_sealed(data, self.connections) else data
