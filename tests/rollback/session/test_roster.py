"""The messages that make machines a match: what is written is read back, and any bytes are read or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, UsageError
from retick.rollback.session import roster as lobby
from retick.rollback.session.roster import Member, Roster

hosts = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)
addresses = st.one_of(hosts, st.tuples(hosts, st.integers(0, 65535)))


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    count = draw(st.integers(1, 8))
    numbers = draw(st.lists(st.integers(0, 255), min_size=count, max_size=count, unique=True))
    seats = draw(st.permutations(range(16)))
    members = []
    for number in numbers:
        share = draw(st.integers(1, 2))
        players, seats = tuple(sorted(seats[:share])), seats[share:]
        members.append(Member(number, players, draw(addresses)))
    return Roster(draw(st.sampled_from(numbers)), draw(st.binary(min_size=8, max_size=8)), tuple(members))


@given(rosters())
def test_a_roster_is_read_as_it_was_written(roster: Roster) -> None:
    assert lobby.decode_roster(lobby.encode_roster(roster)) == roster


@given(rosters(), st.data())
def test_a_roster_that_was_cut_or_grew_is_refused(roster: Roster, data: st.DataObject) -> None:
    encoded = lobby.encode_roster(roster)
    with pytest.raises(DecodeError):
        lobby.decode_roster(encoded[: data.draw(st.integers(0, len(encoded) - 1))])
    with pytest.raises(DecodeError):
        lobby.decode_roster(encoded + data.draw(st.binary(min_size=1, max_size=8)))


@given(st.one_of(st.binary(max_size=200), st.builds(lambda tail: b"\x01" + tail, st.binary(max_size=200))))
def test_any_bytes_are_a_roster_or_a_decode_error(data: bytes) -> None:
    try:
        roster = lobby.decode_roster(data)
    except DecodeError:
        return
    seats = [player for member in roster.members for player in member.players]
    assert len(set(seats)) == len(seats)
    assert roster.number in {member.number for member in roster.members}


@given(st.binary(max_size=12))
def test_any_bytes_are_a_start_or_a_decode_error(data: bytes) -> None:
    try:
        seed = lobby.decode_start(data)
    except DecodeError:
        return
    assert 1 <= seed <= 0xFFFFFFFF


@given(st.integers(1, 0xFFFFFFFF))
def test_a_start_is_read_as_it_was_written(seed: int) -> None:
    assert lobby.decode_start(lobby.encode_start(seed)) == seed


@given(st.binary(max_size=90))
def test_any_bytes_are_an_address_or_a_decode_error(data: bytes) -> None:
    try:
        address = lobby.unpack_address(data)
    except DecodeError:
        return
    assert isinstance(address, str | tuple)


def test_an_address_of_another_kind_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match="address"):
        lobby.pack_address(17)


def test_two_machines_with_one_seat_or_one_number_are_refused() -> None:
    token = bytes(8)
    for members in (
        (Member(0, (0,), "a"), Member(1, (0,), "b")),
        (Member(0, (0,), "a"), Member(0, (1,), "b")),
    ):
        with pytest.raises(DecodeError, match="claim the same"):
            lobby.decode_roster(lobby.encode_roster(Roster(0, token, members)))


def test_a_machine_without_seats_and_a_roster_without_its_reader_are_refused() -> None:
    for roster in (Roster(0, bytes(8), (Member(0, (), "a"),)), Roster(5, bytes(8), (Member(0, (0,), "a"),))):
        with pytest.raises(DecodeError):
            lobby.decode_roster(lobby.encode_roster(roster))
