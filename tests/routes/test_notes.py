"""Bodies of notes: bytes, strictness, and which candidates may be probed."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, LimitExceeded
from retick.routes.notes import (
    MOST_CANDIDATES,
    Candidate,
    Candidates,
    Go,
    Note,
    Probe,
    decode_note,
    encode_note,
    is_usable,
)
from retick.routes.path import PathKind

KINDS = (PathKind.LOCAL, PathKind.IPV6, PathKind.REFLEXIVE, PathKind.MAPPED)
candidates = st.builds(Candidate, st.sampled_from(KINDS), st.ip_addresses(), st.integers(1, 65535))
notes = st.one_of(
    st.builds(
        Candidates, st.integers(0, 255), st.lists(candidates, max_size=MOST_CANDIDATES).map(tuple), st.booleans()
    ),
    st.builds(Go, st.integers(0, 255)),
    st.builds(Probe, st.binary(min_size=8, max_size=8), st.booleans()),
)


@given(notes)
def test_a_note_reads_as_it_was_written(note: Note) -> None:
    assert decode_note(encode_note(note)) == note


@given(st.binary(max_size=200))
def test_any_bytes_are_a_note_or_a_decode_error(data: bytes) -> None:
    try:
        note = decode_note(data)
    except DecodeError:
        return
    assert encode_note(note) == data


def test_the_bytes_are_those_of_the_page() -> None:
    assert encode_note(Go(7)) == bytes.fromhex("0307")
    assert encode_note(Probe(b"8 bytes.", False)) == b"\4" + b"8 bytes."
    assert encode_note(Probe(b"8 bytes.", True)) == b"\5" + b"8 bytes."
    seen = Candidate(PathKind.REFLEXIVE, ip_address("203.0.113.7"), 5000)
    assert encode_note(Candidates(1, (seen,), False)) == bytes.fromhex("01010103048813cb007107") + bytes(12)


def test_more_candidates_than_the_limit_are_refused() -> None:
    one = encode_note(Candidates(1, (Candidate(PathKind.LOCAL, ip_address("10.0.0.1"), 1),), False))[3:]
    with pytest.raises(LimitExceeded):
        decode_note(bytes((1, 1, MOST_CANDIDATES + 1)) + one * (MOST_CANDIDATES + 1))


@pytest.mark.parametrize("body", ["", "06", "0100", "010101", "0307ff", "04", "01010103040000cb007107" + "00" * 12])
def test_what_is_no_note_is_refused(body: str) -> None:
    with pytest.raises(DecodeError):
        decode_note(bytes.fromhex(body))


def test_candidates_that_no_other_machine_can_have_are_not_probed() -> None:
    for host in ("224.0.0.1", "0.0.0.0", "0.1.2.3", "255.255.255.255", "169.254.1.1", "::", "ff02::1", "fe80::1",
                 "::ffff:203.0.113.1"):  # fmt: skip
        assert not is_usable(ip_address(host), loopback=True), host
    for host in ("203.0.113.1", "10.0.0.1", "2001:db8::1", "fd00::1"):
        assert is_usable(ip_address(host), loopback=False), host
    for host in ("127.0.0.1", "::1"):
        assert is_usable(ip_address(host), loopback=True)
        assert not is_usable(ip_address(host), loopback=False)
