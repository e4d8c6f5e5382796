import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.cli import trace_notes
from retick.cli.trace_notes import FURTHEST, KINDS, Note, fingerprint, header_line, note_line, read_notes
from retick.errors import BadMagic, DecodeError, InvalidValue, LimitExceeded, UnsupportedVersion

HEAD = header_line("host", clock=1000, rate=60)
NUMBERS = st.integers(-FURTHEST, FURTHEST)


@st.composite
def lines(draw: st.DrawFn) -> Note:
    kind = draw(st.sampled_from(sorted(KINDS)))
    values = [draw(NUMBERS if type_ is int else st.text(max_size=200)) for type_ in KINDS[kind]]
    return Note(kind, values[0], tuple(values[1:]))


@given(st.lists(lines(), max_size=8), st.text(max_size=64))
def test_what_is_noted_is_read_back(said: list[Note], name: str) -> None:
    text = header_line(name, clock=5, rate=60) + "".join(note_line(one.kind, one.time, *one.values) for one in said)
    read = read_notes(text.encode())
    assert (read.name, read.clock, read.rate, read.lines) == (name, 5, 60, said)


@given(st.binary() | st.binary().map(lambda tail: HEAD.encode() + tail))
def test_any_bytes_are_notes_or_a_decode_error(data: bytes) -> None:
    try:
        read_notes(data)
    except DecodeError:
        return


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists, max_leaves=8))
def test_any_json_is_a_note_or_a_decode_error(value: Any) -> None:
    try:
        read = read_notes(f"{HEAD}{json.dumps(value)}\n".encode())
    except DecodeError:
        return
    assert [[one.kind, one.time, *one.values] for one in read.lines] == [value]


def test_a_last_line_that_is_cut_off_is_left_out() -> None:
    whole = HEAD + note_line("w", 1) + note_line("g", 2)
    for cut in range(len(HEAD), len(whole)):
        assert len(read_notes(whole[:cut].encode()).lines) == whole[:cut].count("\n") - 1


def test_faults_are_named_by_their_line() -> None:
    with pytest.raises(InvalidValue, match="line 3"):
        read_notes((HEAD + note_line("w", 1) + note_line("w", 1, 2)).encode())
    with pytest.raises(BadMagic):
        read_notes(b'{"format":"other"}\n')
    with pytest.raises(UnsupportedVersion):
        read_notes(b'{"format":"retick trace","version":2}\n')


def test_more_notes_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_notes, "MOST_NOTES", 3)
    text = HEAD + 3 * note_line("w", 1)
    assert len(read_notes(text.encode()).lines) == 3
    with pytest.raises(LimitExceeded):
        read_notes((text + note_line("w", 1)).encode())


def test_a_fingerprint_tells_datagrams_apart() -> None:
    assert fingerprint(b"one") != fingerprint(b"two")
    assert len(fingerprint(b"one")) == 16
