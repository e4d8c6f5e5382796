"""Tickets: what a relay needs to know of a member's place to make the room anew, signed with the relay's own key.

The layout is in docs/formats/relay.md. Time is in Unix seconds, since a ticket outlives the process that made it.
"""

import struct
from hashlib import blake2s
from hmac import compare_digest
from typing import Final, NamedTuple

from retick.errors import InvalidValue, UsageError
from retick.relay.packets import CODE_SIZE, MAX_PLACES, TICKET_SIZE

KEY_SIZE: Final = 32
_TICKET = struct.Struct("<6sBBBII16s")


class Ticket(NamedTuple):
    """The content of a ticket."""

    room: bytes
    member: int
    places: int
    given: int
    """How many places had been given out when the ticket was made."""
    opened: int
    expires: int
    tag: bytes


class TicketOffice:
    """Makes and checks tickets, and derives the code of each room."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise UsageError(f"the key of a relay has {KEY_SIZE} bytes, not {len(key)}")
        self._key = key

    def signed(self, ticket: Ticket) -> bytes:
        data = _TICKET.pack(*ticket)
        return data + self._hash(data, b"ticket__", TICKET_SIZE - len(data))

    def read_ticket(self, data: bytes) -> Ticket:
        """Read a ticket that was made with this key; raises DecodeError for any other bytes."""
        if len(data) != TICKET_SIZE:
            raise InvalidValue(f"a ticket has {TICKET_SIZE} bytes, not {len(data)}")
        content, mac = data[: _TICKET.size], data[_TICKET.size :]
        if not compare_digest(mac, self._hash(content, b"ticket__", len(mac))):
            raise InvalidValue("this ticket was not made with this key")
        found = Ticket(*_TICKET.unpack(content))
        assert found.member < found.given <= found.places <= MAX_PLACES, "we made it ourselves"
        return found

    def code_of(self, room: bytes) -> bytes:
        return self._hash(room, b"code____", CODE_SIZE)

    def _hash(self, data: bytes, person: bytes, size: int) -> bytes:
        return blake2s(data, key=self._key, person=person, digest_size=size).digest()
