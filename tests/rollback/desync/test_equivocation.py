"""A proof proves what it says to anybody, and nothing that is not true can be made to look like one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue
from retick.rollback.desync.equivocation import (
    EquivocationProof,
    ShownRange,
    SignedBy,
    keys_of,
    sign_range,
)

LIAR, OTHER = bytes(range(32)), bytes(range(1, 33))
BY = SignedBy(b"token of a roster"[:16], 300, 2, 4)
ONE, TWO = bytes(range(40)), bytes(range(20)) + b"\xff" + bytes(range(21, 40))


def proof(private: bytes = LIAR, by: SignedBy = BY, one: bytes = ONE, two: bytes = TWO) -> EquivocationProof:
    first, second = (ShownRange(sign_range(keys_of(private)[0], by, 100, inputs), inputs) for inputs in (one, two))
    return EquivocationProof(by=by, key=keys_of(LIAR)[1], one=first, other=second)


def test_a_proof_names_the_frame_and_survives_its_bytes() -> None:
    made = proof()
    assert made.check() == 105
    read = EquivocationProof.decode(made.encode())
    assert (read, read.check()) == (made, 105)
    assert str(read).startswith("peer 2 told two others different inputs for frame 105")


def test_a_proof_without_the_inputs_of_one_range_still_proves_it() -> None:
    made = proof()
    assert replace(made, other=ShownRange(made.other.range, b"")).check() == 100


@pytest.mark.parametrize(
    "made",
    [
        proof(private=OTHER),
        proof(two=ONE),
        replace(proof(), by=BY._replace(peer_id=1)),
        replace(proof(), by=BY._replace(number=4)),
        replace(proof(), by=BY._replace(token=b"rosterta")),
        replace(proof(), one=ShownRange(proof().one.range, TWO)),
    ],
    ids=["key", "one story", "peer", "match", "roster", "inputs"],
)
def test_what_was_not_signed_so_proves_nothing(made: EquivocationProof) -> None:
    with pytest.raises(InvalidValue):
        made.check()


@given(st.integers(0, 8 * len(proof().encode()) - 1))
def test_no_flipped_bit_leaves_a_proof(bit: int) -> None:
    data = bytearray(proof().encode())
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises(DecodeError):
        EquivocationProof.decode(bytes(data)).check()


@given(st.binary(max_size=600))
def test_any_bytes_are_no_proof(data: bytes) -> None:
    with pytest.raises(DecodeError):
        EquivocationProof.decode(data).check()
