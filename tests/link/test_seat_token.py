"""Seat tokens: only the token itself fits its commitment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.link.request import COMMITMENT_SIZE, NO_COMMITMENT, NO_SEAT_TOKEN, check_token, commitment_of, fits

tokens = st.binary(min_size=16, max_size=16)


@given(tokens, tokens)
def test_only_the_token_itself_fits_its_commitment(token: bytes, other: bytes) -> None:
    commitment = commitment_of(token)
    assert len(commitment) == COMMITMENT_SIZE
    assert fits(token, commitment) == (token != NO_SEAT_TOKEN)
    assert fits(other, commitment) == (other == token != NO_SEAT_TOKEN)
    assert not fits(token, NO_COMMITMENT)


def test_a_commitment_is_half_of_a_hash_as_the_page_says() -> None:
    """Computed with sha256sum from the text ``retick seat`` and the bytes 00 to 0F."""
    assert commitment_of(bytes(range(16))).hex() == "14dcdd80d9dc73d2e2a04500bf842195"


def test_a_token_has_sixteen_bytes() -> None:
    assert check_token(bytes(16)) == bytes(16)
    with pytest.raises(UsageError, match="a seat token has 16 bytes, not 15"):
        check_token(bytes(15))
