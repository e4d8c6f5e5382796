"""Lasting keys: an end signs the handshake hash, so that others recognise it the next time.

The role is signed too: an acceptor cannot send a dialler's own signature back as its own.
"""

from hashlib import blake2s

from retick.link.sealing.primitives import sign, signer_of, verify

__all__ = ["ROLE_ACCEPTOR", "ROLE_DIALLER", "check_identity", "fingerprint_of", "prove_identity"]

ROLE_DIALLER = b"retick link 2 dialler"
ROLE_ACCEPTOR = b"retick link 2 acceptor"


def fingerprint_of(public_key: bytes) -> str:
    """How applications and people name a lasting key: 32 hexadecimal digits."""
    return blake2s(public_key, person=b"link-fpr", digest_size=16).hexdigest()


def prove_identity(private_key: bytes | None, role: bytes, handshake_hash: bytes) -> bytes:
    """Public key and signature, as they stand in ENTER and ADMIT; empty without a key."""
    if private_key is None:
        return b""
    return signer_of(private_key) + sign(private_key, role + handshake_hash)


def check_identity(public_key: bytes, signature: bytes, role: bytes, handshake_hash: bytes) -> str:
    """The fingerprint of a key whose signature is right; else InvalidValue."""
    verify(public_key, signature, role + handshake_hash)
    return fingerprint_of(public_key)
