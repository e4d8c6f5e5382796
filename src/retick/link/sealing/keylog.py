"""Reads a key log and opens captured datagrams with it: see docs/formats/link.md.

For people who look at captures of their own. Nothing here is used by a connection.
"""

from retick.errors import InvalidValue
from retick.link.layout import ENVELOPE_SIZE, SEALED_KINDS_END, SEQUENCE_HALF, SEQUENCE_MASK
from retick.link.packets import ENVELOPE
from retick.link.sealing.primitives import Aead, aead, open_sealed

__all__ = ["KeyLog"]

MOST_LINES = 65536
"""Connections of one log."""
MOST_TURNS = 64
"""Times that the sequence has wrapped, as far as they are tried for a datagram that does not follow the last."""


class KeyLog:
    """The keys of connections, by the id that is on their datagrams."""

    def __init__(self) -> None:
        self._keys: dict[int, Aead] = {}
        self._newest: dict[int, int] = {}
        self.opened = 0
        """Datagrams that it has opened."""

    @classmethod
    def parse(cls, text: str) -> "KeyLog":
        """Of the lines of a file; InvalidValue names the first line that is wrong, and shows no key."""
        found = cls()
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            raise InvalidValue(f"a key log has at most {MOST_LINES} lines, not {len(lines)}")
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                mark, dialler, acceptor, first, second = words
                ids = (int(acceptor, 16), int(dialler, 16))
                keys = (bytes.fromhex(first), bytes.fromhex(second))
            except ValueError:
                mark, ids, keys = "", (0, 0), (b"", b"")
            if mark != "RETICK1" or {len(key) for key in keys} != {32}:
                raise InvalidValue(f"line {number} is none of a key log: RETICK1, two ids, two keys") from None
            for connection_id, key in zip(ids, keys, strict=True):
                found._keys[connection_id] = aead(key)
                found._newest[connection_id] = 0
        return found

    def has(self, data: bytes) -> bool:
        """Whether the key of this datagram's connection is known."""
        return len(data) > ENVELOPE_SIZE and data[0] < SEALED_KINDS_END and ENVELOPE.unpack_from(data)[1] in self._keys

    def open(self, data: bytes) -> bytes | None:
        """Envelope and body of a datagram for which ``has`` is true; None when it does not open."""
        _, connection_id, sequence, _ = ENVELOPE.unpack_from(data)
        newest = self._newest[connection_id]
        ahead = (sequence - newest) & SEQUENCE_MASK
        near = newest + ahead - (0 if ahead < SEQUENCE_HALF else SEQUENCE_MASK + 1)
        for number in (near, *range(sequence, sequence + MOST_TURNS * (SEQUENCE_MASK + 1), SEQUENCE_MASK + 1)):
            body = self._try(connection_id, number, data) if number >= 0 else None
            if body is not None:
                self._newest[connection_id] = max(newest, number)
                self.opened += 1
                return data[:ENVELOPE_SIZE] + body
        return None

    def _try(self, connection_id: int, number: int, data: bytes) -> bytes | None:
        nonce = bytes(4) + number.to_bytes(8, "little")
        try:
            return open_sealed(self._keys[connection_id], nonce, data[ENVELOPE_SIZE:], data[:ENVELOPE_SIZE])
        except InvalidValue:
            return None
