"""The Noise Protocol Framework, revision 34, for three patterns: NN, NNpsk0 and NK, with 25519, ChaChaPoly and BLAKE2s.

The three objects of the specification, with its names: CipherState (here the pair ``_key`` and ``_nonce`` of the
symmetric state, since no other is used during a handshake), SymmetricState and HandshakeState. Randomness is an
argument: an ephemeral key is 32 bytes that the caller draws. Reading a message works on a copy, and the handshake
changes only if the whole message was good: bad bytes from outside raise InvalidValue and change nothing.

    NN      -> e                    NNpsk0  -> psk, e               NK      <- s
            <- e, ee                        <- e, ee                        ...
                                                                            -> e, es
                                                                            <- e, ee
"""

from enum import IntEnum
from hashlib import blake2s
from typing import NamedTuple

from retick.errors import InvalidValue, UsageError
from retick.link.sealing.primitives import (
    KEY_SIZE,
    aead,
    hash_of,
    hkdf,
    open_sealed,
    public_key_of,
    shared_key,
)

MAX_MESSAGE = 65535
"""The most bytes of a Noise message."""


class Pattern(IntEnum):
    """The pattern of a handshake: a byte of HELLO."""

    NN = 0
    NNPSK0 = 1
    NK = 2


_NAMES = {
    Pattern.NN: b"Noise_NN_25519_ChaChaPoly_BLAKE2s",
    Pattern.NNPSK0: b"Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s",
    Pattern.NK: b"Noise_NK_25519_ChaChaPoly_BLAKE2s",
}
_MESSAGES = {
    Pattern.NN: (("e",), ("e", "ee")),
    Pattern.NNPSK0: (("psk", "e"), ("e", "ee")),
    Pattern.NK: (("e", "es"), ("e", "ee")),
}


def psk_of(secret: bytes) -> bytes:
    """Derive Noise's pre-shared key of 32 bytes from a secret of 16."""
    return blake2s(secret, person=b"link-psk", digest_size=KEY_SIZE).digest()


class Split(NamedTuple):
    """The result of a handshake. No ``repr`` shows the two keys."""

    initiator_key: bytes
    """The key that seals what the initiator sends."""
    responder_key: bytes
    """The key that seals what the responder sends."""
    hash: bytes
    """The handshake hash: equal on both sides, and not secret."""

    def __repr__(self) -> str:
        return f"Split(hash={self.hash.hex()})"


class SymmetricState:
    """Chaining key, handshake hash, and the key of the handshake's own payloads."""

    __slots__ = ("_chaining_key", "_key", "_nonce", "hash")

    def __init__(self, name: bytes) -> None:
        self.hash = name.ljust(KEY_SIZE, b"\0") if len(name) <= KEY_SIZE else hash_of(name)
        self._chaining_key = self.hash
        self._key: bytes | None = None
        self._nonce = 0

    def copy(self) -> "SymmetricState":
        twin = SymmetricState.__new__(SymmetricState)
        twin.hash, twin._chaining_key, twin._key, twin._nonce = self.hash, self._chaining_key, self._key, self._nonce
        return twin

    def mix_hash(self, data: bytes) -> None:
        self.hash = hash_of(self.hash, data)

    def mix_key(self, material: bytes) -> None:
        self._chaining_key, self._key = hkdf(self._chaining_key, material, 2)
        self._nonce = 0

    def mix_key_and_hash(self, material: bytes) -> None:
        self._chaining_key, mixed, self._key = hkdf(self._chaining_key, material, 3)
        self.mix_hash(mixed)
        self._nonce = 0

    def encrypt_and_hash(self, plaintext: bytes) -> bytes:
        sealed = plaintext
        if self._key is not None:
            sealed = aead(self._key).encrypt(self._next_nonce(), plaintext, self.hash)
        self.mix_hash(sealed)
        return sealed

    def decrypt_and_hash(self, sealed: bytes) -> bytes:
        plaintext = sealed
        if self._key is not None:
            plaintext = open_sealed(aead(self._key), self._next_nonce(), sealed, self.hash)
        self.mix_hash(sealed)
        return plaintext

    def split(self) -> Split:
        first, second = hkdf(self._chaining_key, b"", 2)
        return Split(first, second, self.hash)

    def _next_nonce(self) -> bytes:
        self._nonce += 1
        return bytes(4) + (self._nonce - 1).to_bytes(8, "little")


class Handshake:
    """HandshakeState: one side of one handshake. Two messages, then ``split``."""

    __slots__ = (
        "_ephemeral", "_initiator", "_messages", "_pattern", "_psk", "_remote", "_remote_static", "_static",
        "_symmetric",
    )  # fmt: skip

    def __init__(
        self,
        pattern: Pattern,
        *,
        initiator: bool,
        prologue: bytes,
        psk: bytes = b"",
        static: bytes = b"",
        remote_static: bytes = b"",
    ) -> None:
        """``psk``: for NNpsk0. ``static``: the responder's private key in NK; ``remote_static``: its public half."""
        needed = {"psk": pattern is Pattern.NNPSK0, "static": pattern is Pattern.NK and not initiator}
        needed["remote_static"] = pattern is Pattern.NK and initiator
        for name, key in (("psk", psk), ("static", static), ("remote_static", remote_static)):
            if len(key) != (KEY_SIZE if needed[name] else 0):
                raise UsageError(f"{name} has {KEY_SIZE} bytes where the pattern uses it, else none, not {len(key)}")
        self._pattern = pattern
        self._initiator = initiator
        self._psk = psk
        self._static = static
        self._remote_static = remote_static
        self._ephemeral = b""
        self._remote = b""
        self._messages = 0
        self._symmetric = SymmetricState(_NAMES[pattern])
        self._symmetric.mix_hash(prologue)
        if pattern is Pattern.NK:
            self._symmetric.mix_hash(remote_static if initiator else public_key_of(static))

    def __repr__(self) -> str:
        return f"<Handshake {self._pattern.name}, {self._messages} messages>"

    @property
    def is_complete(self) -> bool:
        return self._messages == 2

    def write_message(self, payload: bytes, ephemeral: bytes) -> bytes:
        """Write the next message. ``ephemeral`` is a private key of 32 random bytes, used nowhere else."""
        if self.is_complete or (self._messages == 0) != self._initiator:
            raise UsageError("it is not this side's turn to write")
        if len(ephemeral) != KEY_SIZE:
            raise UsageError(f"an ephemeral key has {KEY_SIZE} bytes, not {len(ephemeral)}")
        self._ephemeral = ephemeral
        public = public_key_of(ephemeral)
        for token in _MESSAGES[self._pattern][self._messages]:
            if token == "e":
                self._mix_ephemeral(self._symmetric, public)
            else:
                self._mix(self._symmetric, token, self._remote)
        self._messages += 1
        return public + self._symmetric.encrypt_and_hash(payload)

    def read_message(self, message: bytes) -> bytes:
        """Read the payload of the peer's message. If it is wrong, raises InvalidValue and changes nothing."""
        if self.is_complete or (self._messages == 0) == self._initiator:
            raise UsageError("it is not this side's turn to read")
        if not KEY_SIZE <= len(message) <= MAX_MESSAGE:
            raise InvalidValue(f"a Noise message has {KEY_SIZE} to {MAX_MESSAGE} bytes, not {len(message)}")
        symmetric, public = self._symmetric.copy(), message[:KEY_SIZE]
        for token in _MESSAGES[self._pattern][self._messages]:
            if token == "e":
                self._mix_ephemeral(symmetric, public)
            else:
                self._mix(symmetric, token, public)
        payload = symmetric.decrypt_and_hash(message[KEY_SIZE:])
        self._symmetric, self._remote = symmetric, public
        self._messages += 1
        return payload

    def split(self) -> Split:
        """The keys of both directions. Erases the handshake's own secrets."""
        if not self.is_complete:
            raise UsageError("the handshake is not complete")
        found = self._symmetric.split()
        self._ephemeral = self._psk = self._static = b""
        self._symmetric = SymmetricState(b"")
        return found

    def _mix_ephemeral(self, symmetric: SymmetricState, public: bytes) -> None:
        symmetric.mix_hash(public)
        if self._pattern is Pattern.NNPSK0:
            symmetric.mix_key(public)

    def _mix(self, symmetric: SymmetricState, token: str, remote: bytes) -> None:
        if token == "psk":
            symmetric.mix_key_and_hash(self._psk)
        elif token == "ee":
            symmetric.mix_key(shared_key(self._ephemeral, remote))
        elif self._initiator:
            symmetric.mix_key(shared_key(self._ephemeral, self._remote_static))
        else:
            symmetric.mix_key(shared_key(self._static, remote))
