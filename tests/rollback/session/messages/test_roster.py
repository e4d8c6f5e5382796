"""The messages that make peers a match: what is written is read back, and any bytes are read or refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.roster import (
    Reach,
    Roster,
    RosterEntry,
    decode_roster,
    decode_start,
    encode_roster,
    encode_start,
)
from tests.rollback.session.messages.values import addresses, keys, reaches


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    count = draw(st.integers(1, 8))
    ids = draw(st.lists(st.integers(0, 255), min_size=count, max_size=count, unique=True))
    seats = draw(st.permutations(range(16)))
    found = draw(st.lists(addresses, min_size=count, max_size=count, unique=True))
    entries = []
    for peer_id, address in zip(ids, found, strict=True):
        share = draw(st.integers(1, 2))
        players, seats = tuple(sorted(seats[:share])), seats[share:]
        token = draw(st.binary(min_size=8, max_size=8))
        entries.append(RosterEntry(peer_id, players, address, token, draw(keys), draw(reaches)))
    seconds = draw(st.integers(0, 2**32 - 1)) / 1000
    return Roster(draw(st.sampled_from(ids)), draw(st.binary(min_size=8, max_size=8)), seconds, tuple(entries))


@given(rosters())
def test_a_roster_is_read_as_it_was_written(roster: Roster) -> None:
    assert decode_roster(encode_roster(roster)) == roster


@given(rosters(), st.data())
def test_a_roster_that_was_cut_or_grew_is_refused(roster: Roster, data: st.DataObject) -> None:
    encoded = encode_roster(roster)
    with pytest.raises(DecodeError):
        decode_roster(encoded[: data.draw(st.integers(0, len(encoded) - 1))])
    with pytest.raises(DecodeError):
        decode_roster(encoded + data.draw(st.binary(min_size=1, max_size=8)))


@given(st.one_of(st.binary(max_size=200), st.builds(lambda tail: b"\x01" + tail, st.binary(max_size=200))))
def test_any_bytes_are_a_roster_or_a_decode_error(data: bytes) -> None:
    try:
        roster = decode_roster(data)
    except DecodeError:
        return
    seats = [player for entry in roster.entries for player in entry.players]
    assert len(set(seats)) == len(seats)
    assert roster.peer_id in {entry.peer_id for entry in roster.entries}


@given(st.binary(max_size=12))
def test_any_bytes_are_a_start_or_a_decode_error(data: bytes) -> None:
    try:
        seed = decode_start(data)
    except DecodeError:
        return
    assert 1 <= seed <= 0xFFFFFFFF


@given(st.integers(1, 0xFFFFFFFF))
def test_a_start_is_read_as_it_was_written(seed: int) -> None:
    assert decode_start(encode_start(seed)) == seed


def test_two_peers_with_one_seat_or_one_peer_id_are_refused() -> None:
    token = bytes(8)
    for entries in (
        (RosterEntry(0, (0,), "a"), RosterEntry(1, (0,), "b")),
        (RosterEntry(0, (0,), "a"), RosterEntry(0, (1,), "b")),
    ):
        with pytest.raises(DecodeError, match="claim the same"):
            decode_roster(encode_roster(Roster(0, token, 8.0, entries)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "a"),
        (("10.0.0.2", 7), ("10.0.0.2", 7)),
        (("2001:db8::1", 7), ("2001:DB8:0::1", 7)),
        (("::ffff:10.0.0.2", 7), ("10.0.0.2", 7)),
    ],
)
def test_two_peers_at_one_address_are_refused_however_it_is_written(one: Any, other: Any) -> None:
    entries = (RosterEntry(0, (0,), ""), RosterEntry(1, (1,), one), RosterEntry(2, (2,), other))
    with pytest.raises(DecodeError, match="two peers at"):
        decode_roster(encode_roster(Roster(1, bytes(8), 8.0, entries)))


def test_a_peer_without_seats_and_a_roster_without_its_reader_are_refused() -> None:
    for roster in (
        Roster(0, bytes(8), 8.0, (RosterEntry(0, (), "a"),)),
        Roster(5, bytes(8), 8.0, (RosterEntry(0, (0,), "a"),)),
    ):
        with pytest.raises(DecodeError):
            decode_roster(encode_roster(roster))


@given(rosters(), st.data())
def test_rosters_that_differ_in_what_all_must_know_have_different_tokens(roster: Roster, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(roster.entries) - 1))
    entry = roster.entries[at]
    window, delay = entry.reach
    changed = data.draw(
        st.sampled_from(
            [
                entry._replace(key=bytes(31) + bytes((entry.key[-1] ^ 1,))),
                entry._replace(reach=Reach(window ^ 1, delay)),
                entry._replace(players=tuple(player for player in range(16) if player not in entry.players)),
            ]
        )
    )
    entries = (*roster.entries[:at], changed, *roster.entries[at + 1 :])
    assert roster._replace(entries=entries).token != roster.token
    later = roster._replace(disconnect_after=roster.disconnect_after / 2 + 1)
    assert later.token != roster.token or later.disconnect_after == roster.disconnect_after


@given(rosters())
def test_what_only_one_reader_is_told_is_not_in_the_token(roster: Roster) -> None:
    entries = tuple(entry._replace(address="elsewhere", pair_token=bytes(8)) for entry in roster.entries)
    assert roster._replace(peer_id=roster.entries[-1].peer_id, entries=entries).token == roster.token
