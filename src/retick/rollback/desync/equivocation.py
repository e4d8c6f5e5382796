"""Signed ranges of inputs, and the proof that a peer told two others different inputs for one frame.

A peer signs what it has sent: a statement names the match, the peer, the frames, and a hash of the inputs. If two
statements of one peer disagree about a frame, they prove to anybody who knows the peer's key that it lied.
docs/formats/session-messages.md has the layouts.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2s
from typing import NamedTuple, TypeAlias

from retick.errors import InvalidValue, TrailingData, Truncated

TEXT = b"retick input range 2"
KEY_SIZE = 32
NO_KEY = bytes(KEY_SIZE)
"""Used for peers that do not sign."""
DIGEST_SIZE = 32
SIGNATURE_SIZE = 64
MOST_INPUT_BYTES = 64 * 1024
"""The most bytes of inputs that are shown with a range."""
Sign: TypeAlias = Callable[[bytes], bytes]
"""A function that signs bytes."""
MAGIC = b"RTEQ"
VERSION = 2

_NAME = struct.Struct("<16sIBH")
_RANGE = struct.Struct(f"<IH{DIGEST_SIZE}s{SIGNATURE_SIZE}s")
_HEAD = struct.Struct(f"<4sB{KEY_SIZE}s")
_LENGTH = struct.Struct("<I")


class SignedBy(NamedTuple):
    """The match and the peer of a range, which are part of what is signed."""

    token: bytes
    """The name of the roster, 16 bytes."""
    number: int
    """How many matches the session had before this one: this number never wraps."""
    peer_id: int
    width: int
    """Bytes per frame for the inputs of all seats of the peer."""


class SignedRange(NamedTuple):
    """A peer's signed statement about its inputs of the frames ``first`` to ``end - 1``."""

    first: int
    frames: int
    digest: bytes
    """The hash of the inputs: frame by frame, in each the peer's seats in order, each as the game's input bytes."""
    signature: bytes

    @property
    def end(self) -> int:
        """The frame after the last one."""
        return self.first + self.frames


def digest_of(inputs: bytes) -> bytes:
    """The digest of a range's inputs."""
    return blake2s(inputs, person=b"rangein").digest()


def _statement(by: SignedBy, first: int, count: int, digest: bytes) -> bytes:
    return TEXT + _NAME.pack(*by) + struct.pack("<IH", first, count) + digest


def keys_of(private_key: bytes) -> tuple[Sign, bytes]:
    """A function that signs with a private key, and the public key with which others verify."""
    from retick.link.sealing import primitives  # with cryptography, which plain links do without

    return primitives.signing(private_key), primitives.signer_of(private_key)


def sign_range(sign: Sign, by: SignedBy, first: int, inputs: bytes) -> SignedRange:
    """Make a signed range of these inputs."""
    count, digest = len(inputs) // by.width, digest_of(inputs)
    return SignedRange(first, count, digest, sign(_statement(by, first, count, digest)))


def check_signature(key: bytes, by: SignedBy, found: SignedRange) -> None:
    """Raise InvalidValue unless the range was signed with this key, by that peer, in that match."""
    from retick.link.sealing import primitives

    primitives.verify(key, found.signature, _statement(by, found.first, found.frames, found.digest))


def pack_range(found: SignedRange) -> bytes:
    return _RANGE.pack(*found)


def unpack_range(data: bytes, at: int) -> tuple[SignedRange, int]:
    """Read a range; returns it with the offset after it."""
    if len(data) < at + _RANGE.size:
        raise Truncated("a signed range that ends early", needed=at + _RANGE.size, available=len(data))
    found = SignedRange(*_RANGE.unpack_from(data, at))
    if not found.frames or found.end > 0xFFFFFFFF:
        raise InvalidValue(f"a signed range of {found.frames} frames from {found.first} on")
    return found, at + _RANGE.size


class ShownRange(NamedTuple):
    """A range with its inputs, or without them if only the hash is known."""

    range: SignedRange
    inputs: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivocationProof:
    """Two ranges signed by one peer that cannot both be true. ``check`` verifies them without any other file."""

    by: SignedBy
    """The match and the peer."""
    key: bytes
    """The peer's public key: whoever knows its owner knows who lied."""
    one: ShownRange
    other: ShownRange

    def check(self) -> int:
        """The first frame on which the two differ; raises InvalidValue if this proves nothing."""
        for shown in (self.one, self.other):
            check_signature(self.key, self.by, shown.range)
            if shown.inputs and not is_of(shown.range, shown.inputs, self.by.width):
                raise InvalidValue("inputs that were not signed")
        frame = difference(self.one, self.other, self.by.width)
        if frame is None:
            raise InvalidValue("two ranges that do not contradict each other")
        return frame

    def encode(self) -> bytes:
        """Write the proof as bytes, to keep or to show."""
        parts = [_HEAD.pack(MAGIC, VERSION, self.key), _NAME.pack(*self.by)]
        for shown in (self.one, self.other):
            parts += (pack_range(shown.range), _LENGTH.pack(len(shown.inputs)), shown.inputs)
        return b"".join(parts)

    @classmethod
    def decode(cls, data: bytes) -> "EquivocationProof":
        """Read a proof; raises DecodeError if the bytes are not one. Call ``check`` on it."""
        at = _HEAD.size + _NAME.size
        if len(data) < at:
            raise Truncated("a proof that ends in its head", needed=at, available=len(data))
        magic, version, key = _HEAD.unpack_from(data)
        if magic != MAGIC or version != VERSION:
            raise InvalidValue("these bytes are not a proof of equivocation of version 2")
        by = SignedBy(*_NAME.unpack_from(data, _HEAD.size))
        if not by.width:
            raise InvalidValue("a proof about inputs without bytes")
        one, at = _unpack_shown(data, at, by.width)
        other, at = _unpack_shown(data, at, by.width)
        if at != len(data):
            raise TrailingData(f"{len(data) - at} bytes after the proof", extra=len(data) - at)
        return cls(by=by, key=key, one=one, other=other)

    def __str__(self) -> str:
        return (
            f"peer {self.by.peer_id} told two others different inputs for frame {self.check()}, and signed both: key "
            f"{self.key.hex()}"
        )


def _unpack_shown(data: bytes, at: int, width: int) -> tuple[ShownRange, int]:
    found, at = unpack_range(data, at)
    if len(data) < at + _LENGTH.size:
        raise Truncated("a proof that ends before its inputs", needed=at + _LENGTH.size, available=len(data))
    size = _LENGTH.unpack_from(data, at)[0]
    at += _LENGTH.size
    if size not in (0, found.frames * width) or size > MOST_INPUT_BYTES:
        raise InvalidValue(f"{size} bytes of inputs for {found.frames} frames of {width}")
    if len(data) < at + size:
        raise Truncated("a proof that ends in its inputs", needed=at + size, available=len(data))
    return ShownRange(found, data[at : at + size]), at + size


def is_of(found: SignedRange, inputs: bytes, width: int) -> bool:
    """Whether these are the inputs that were signed."""
    return len(inputs) == found.frames * width and digest_of(inputs) == found.digest


def difference(one: ShownRange, other: ShownRange, width: int) -> int | None:
    """The first frame for which two ranges of one peer have different inputs; None if both may be true."""
    a, b = one.range, other.range
    if one.inputs and other.inputs:
        for frame in range(max(a.first, b.first), min(a.end, b.end)):
            ours, theirs = (frame - a.first) * width, (frame - b.first) * width
            if one.inputs[ours : ours + width] != other.inputs[theirs : theirs + width]:
                return frame
        return None
    is_same_range = (a.first, a.frames) == (b.first, b.frames)
    return a.first if is_same_range and a.digest != b.digest else None
