"""The two keys of a connection: what one side seals the other opens, under its own number only."""

from hypothesis import given
from hypothesis import strategies as st

from retick.link.connection import Seal
from retick.link.sealing.primitives import InvalidTag, aead

ONE, TWO = aead(bytes(32)), aead(bytes([1]) * 32)
here = Seal(ONE.encrypt, TWO.decrypt, InvalidTag)
there = Seal(TWO.encrypt, ONE.decrypt, InvalidTag)
numbers = st.integers(0, 2**63 - 1)


@given(numbers, st.binary(min_size=8, max_size=8), st.binary(max_size=1200))
def test_what_is_sealed_opens_with_the_other_half_and_is_noises_ciphertext(
    number: int, head: bytes, body: bytes
) -> None:
    sealed = here.seal(number, head, body)
    assert sealed == head + ONE.encrypt(bytes(4) + number.to_bytes(8, "little"), body, head)
    assert len(sealed) == len(head) + len(body) + 16
    assert there.open(number, sealed) == body
    assert here.open(number, sealed) is None


@given(numbers, numbers, st.binary(max_size=20))
def test_it_opens_under_its_own_number_only(number: int, other: int, body: bytes) -> None:
    sealed = here.seal(number, bytes(8), body)
    assert (there.open(other, sealed) is not None) == (number == other)


@given(numbers, st.binary(max_size=60))
def test_any_bytes_open_to_nothing(number: int, data: bytes) -> None:
    assert there.open(number, data) is None


def test_its_keys_are_in_no_repr() -> None:
    assert bytes(32).hex() not in repr(here)
    assert not hasattr(here, "__dict__") or set(vars(here)) == {"_encrypt", "_decrypt", "_refusal"}
