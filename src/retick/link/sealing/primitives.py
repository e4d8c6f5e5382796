"""X25519, ChaCha20-Poly1305, BLAKE2s, Ed25519 and scrypt, each as one function over bytes.

The only module that imports ``cryptography``. Its complaints about bytes from outside become an InvalidValue without
them: no error contains keys or plaintexts.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2s
from hmac import digest as hmac_digest
from typing import Protocol

from retick.errors import InvalidValue, MissingExtra

NEEDED = 43
"""The oldest major version of ``cryptography`` that sealed links run with."""

try:
    from cryptography import __version__ as _found
    from cryptography.exceptions import InvalidSignature, InvalidTag
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
except ImportError:
    _found = "none"
if not _found.partition(".")[0].isdecimal() or int(_found.partition(".")[0]) < NEEDED:
    raise MissingExtra(
        f"sealed links need cryptography {NEEDED} or newer, and found {_found}: pip install 'cryptography>={NEEDED}' "
        "(or plain links: sealed=False, or --plain, on both sides)"
    )

__all__ = [
    "KEY_SIZE",
    "Aead",
    "InvalidTag",
    "aead",
    "hash_of",
    "hkdf",
    "open_sealed",
    "public_key_of",
    "scrypt",
    "shared_key",
    "sign",
    "signer_of",
    "signing",
    "verify",
]

KEY_SIZE = 32
"""Bytes of every key here, public or private, and of a hash."""

NewAead = Callable[[bytes], "Aead"]


class Aead(Protocol):
    """A key that seals and opens; the key itself cannot be read back."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None, /) -> bytes: ...

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None, /) -> bytes: ...


aead: NewAead = ChaCha20Poly1305
"""ChaCha20-Poly1305 with a key of 32 bytes. A seal that does not open raises InvalidTag: see ``open_sealed``."""


def open_sealed(key: Aead, nonce: bytes, sealed: bytes, associated: bytes) -> bytes:
    """Open a sealed text; raises InvalidValue if it does not open."""
    try:
        return key.decrypt(nonce, sealed, associated)
    except InvalidTag:
        raise InvalidValue("the seal does not open") from None


def public_key_of(private: bytes) -> bytes:
    """The public half of an X25519 key."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def shared_key(private: bytes, public: bytes) -> bytes:
    """X25519 of our private and their public key. Raises InvalidValue for a public key that gives all zeros."""
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise InvalidValue("this is not a public key") from None


def hkdf(chaining_key: bytes, material: bytes, count: int) -> list[bytes]:
    """Noise's HKDF with HMAC-BLAKE2s: ``count`` outputs of 32 bytes."""
    secret = hmac_digest(chaining_key, material, "blake2s")
    outputs = [b""]
    for number in range(1, count + 1):
        outputs.append(hmac_digest(secret, outputs[-1] + bytes((number,)), "blake2s"))
    return outputs[1:]


def signer_of(private: bytes) -> bytes:
    """The public half of an Ed25519 key."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, text: bytes) -> bytes:
    """An Ed25519 signature."""
    return signing(private)(text)


def signing(private: bytes) -> Callable[[bytes], bytes]:
    """A function that signs texts with one key, in half the time of ``sign``."""
    return Ed25519PrivateKey.from_private_bytes(private).sign


@lru_cache(maxsize=64)
def _verifier(public: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(public)


def verify(public: bytes, signature: bytes, text: bytes) -> None:
    """Check a signature of this text; raises InvalidValue if it is not that key's."""
    try:
        _verifier(public).verify(signature, text)
    except (InvalidSignature, ValueError):
        raise InvalidValue("the signature was not made with this key") from None


def scrypt(text: bytes, salt: bytes, size: int) -> bytes:
    """A slow hash: about 50 ms and 16 MB."""
    return Scrypt(salt=salt, length=size, n=1 << 14, r=8, p=1).derive(text)


def hash_of(*parts: bytes) -> bytes:
    """BLAKE2s, 32 bytes."""
    return blake2s(b"".join(parts)).digest()
