"""Lasting keys: whose signature it is, over which handshake, in which role."""

import pytest

from retick.errors import DecodeError
from retick.link.sealing.keys import ROLE_ACCEPTOR, ROLE_DIALLER, check_identity, fingerprint_of, prove_identity

KEY, HASH = bytes(range(32)), bytes(32)


def test_a_key_is_recognised_by_its_fingerprint() -> None:
    proof = prove_identity(KEY, ROLE_DIALLER, HASH)
    assert len(proof) == 96
    found = check_identity(proof[:32], proof[32:], ROLE_DIALLER, HASH)
    assert found == fingerprint_of(proof[:32])
    assert len(found) == 32
    # Computed with this function when it was written; it never changes, since games keep it.
    assert found == "704691ba916d1d8ee41b88432e57b1c7"


def test_nobody_can_show_anothers_signature_in_another_handshake_role_or_key() -> None:
    proof = prove_identity(KEY, ROLE_DIALLER, HASH)
    other = prove_identity(bytes(32), ROLE_DIALLER, HASH)
    for public, signature, role, handshake_hash in (
        (proof[:32], proof[32:], ROLE_ACCEPTOR, HASH),
        (proof[:32], proof[32:], ROLE_DIALLER, bytes(31) + b"\1"),
        (other[:32], proof[32:], ROLE_DIALLER, HASH),
        (proof[:32], bytes(64), ROLE_DIALLER, HASH),
        (bytes([255]) * 32, proof[32:], ROLE_DIALLER, HASH),
    ):
        with pytest.raises(DecodeError):
            check_identity(public, signature, role, handshake_hash)


def test_without_a_key_nothing_is_proved() -> None:
    assert prove_identity(None, ROLE_DIALLER, HASH) == b""
