"""Tickets hold what they say and cannot be made without the key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.relay.tickets import Ticket, TicketOffice
from tests.relay.meeting import KEY, TAG

TICKET = Ticket(b"roomid", 1, 4, 2, 1_800_000_000, 1_800_000_300, TAG)


def test_a_ticket_is_read_by_every_process_with_the_key_and_by_no_other() -> None:
    data = TicketOffice(KEY).signed(TICKET)
    assert len(data) == 49
    assert data[:6] == b"roomid"
    assert TicketOffice(KEY).read_ticket(data) == TICKET
    with pytest.raises(InvalidValue, match="not made with this key"):
        TicketOffice(bytes(32)).read_ticket(data)


@given(st.integers(0, 48), st.integers(1, 255))
def test_no_changed_byte_passes(at: int, change: int) -> None:
    office = TicketOffice(KEY)
    data = bytearray(office.signed(TICKET))
    data[at] ^= change
    with pytest.raises(InvalidValue):
        office.read_ticket(bytes(data))


@given(st.binary(max_size=60))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        TicketOffice(KEY).read_ticket(data)


def test_the_layout_and_the_code_are_pinned() -> None:
    """Made with hashlib from the tables of docs/formats/relay.md."""
    office = TicketOffice(KEY)
    assert office.signed(TICKET)[:33] == b"roomid\x01\x04\x02\x00\xd2\x49\x6b\x2c\xd3\x49\x6b" + TAG
    assert office.signed(TICKET)[33:].hex() == "2e3f81b726cbaf046b469f7a946cd355"
    assert office.code_of(b"roomid").hex() == "ebd0b2344a"


def test_a_key_of_another_size_is_refused() -> None:
    with pytest.raises(UsageError, match="32 bytes"):
        TicketOffice(b"short")
