"""Seals of notes: for one pair and direction, each note once."""

from hashlib import blake2s
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.routes import notes
from retick.routes.notes import WINDOW, NoteSeal, pair_key

KIND = 0xCE


def sealed(seal: NoteSeal, body: bytes) -> bytes:
    found = seal.seal(KIND, body)
    assert found is not None
    return found


def pair(material: bytes = b"secret of sixte!", *, other: bytes | None = None) -> tuple[NoteSeal, NoteSeal]:
    ends = ((material, 0, 3, b"one stay"), (material if other is None else other, 3, 0, b"the stay"))
    one, two = (NoteSeal(m, b"code!", b"roomid", own, to, stay=stay) for m, own, to, stay in ends)
    return one, two


def test_a_note_opens_at_the_other_end_once() -> None:
    one, two = pair()
    note = sealed(one, b"body")
    assert two.open(KIND, note) == b"body"
    with pytest.raises(DecodeError):
        two.open(KIND, note)
    with pytest.raises(DecodeError):
        one.open(KIND, sealed(one, b"to oneself"))


def test_another_secret_kind_or_stay_opens_nothing_and_changes_nothing() -> None:
    one, two = pair(other=b"secret of others")
    with pytest.raises(DecodeError):
        two.open(KIND, sealed(one, b"body"))
    one, two = pair()
    note = sealed(one, b"body")
    with pytest.raises(DecodeError):
        two.open(0xDF, note)
    assert two.open(KIND, note) == b"body"
    stranger = NoteSeal(b"secret of sixte!", b"code!", b"roomid", 0, 3, stay=b"2nd stay")
    for _ in range(3):
        with pytest.raises(DecodeError):
            two.open(KIND, sealed(stranger, b"body"))
    assert two.open(KIND, sealed(one, b"more")) == b"more"


@given(st.lists(st.integers(0, 3 * WINDOW), min_size=1, max_size=200))
def test_each_note_of_the_window_opens_once_in_any_order(order: list[int]) -> None:
    one, two = pair()
    sent = [sealed(one, bytes((n % 256,))) for n in range(3 * WINDOW + 1)]
    opened: set[int] = set()
    for number in order:
        is_new = number not in opened and (not opened or number > max(opened) - WINDOW)
        try:
            assert two.open(KIND, sent[number]) == bytes((number % 256,))
            assert is_new
            opened.add(number)
        except DecodeError:
            assert not is_new


@given(st.binary(max_size=80))
def test_any_bytes_are_a_note_or_a_decode_error(data: bytes) -> None:
    _, two = pair()
    with pytest.raises(DecodeError):
        two.open(KIND, data)


def test_the_key_is_that_of_the_page() -> None:
    expected = blake2s(b"code!" + b"roomid" + b"\0\3", key=b"m" * 16, person=b"routekey", digest_size=32).digest()
    assert pair_key(b"m" * 16, b"code!", b"roomid", 0, 3) == expected
    keys = {pair_key(Random(n % 2).randbytes(16), b"code!", b"roomid", n, 3 - n) for n in range(4)}
    assert len(keys) == 4


def test_a_counter_never_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST_NOTES", 2)
    one, two = pair()
    assert [two.open(KIND, sealed(one, b"x")) for _ in range(2)] == [b"x", b"x"]
    assert one.seal(KIND, b"x") is None
