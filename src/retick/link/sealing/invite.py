"""An invite: a host's address and the secret that lets someone in, as one line to paste.

``retick:ADDRESS#SECRET``, or ``retick:CODE@RELAY#SECRET`` for a room at a relay: the secret is 128 random bits and a
checksum of the whole line, in Crockford's base 32.
docs/formats/link.md has the layout; docs/guides/joining.md lists what else people may type.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2s

from retick.errors import InvalidValue, UsageError
from retick.link.layout import SECRET_SIZE

SCHEME = "retick:"
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 without i, l, o and u; i and l are read as 1, o as 0, and u is refused."""
CHECK_BITS = 22
SECRET_LETTERS = (8 * SECRET_SIZE + CHECK_BITS) // 5
"""30 letters of five bits: 128 bits of secret, 22 of checksum."""
LONGEST_ADDRESS = 255
_READ_AS = str.maketrans("ilo", "110")


@dataclass(frozen=True, slots=True)
class Invite:
    """What a host gives to those who may come in. ``text`` contains the secret; ``repr`` does not."""

    address: str
    """HOST:PORT of the host, or CODE@HOST:PORT of a room at a relay; empty if it is sent separately, and then the text
    has only the secret."""
    secret: bytes = field(repr=False)
    """16 random bytes."""

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != SECRET_SIZE:
            raise UsageError(f"the secret of an invite is {SECRET_SIZE} bytes")
        if len(self.address) > LONGEST_ADDRESS or not self.address.isascii() or set(self.address) & set("# \t\r\n"):
            raise UsageError(f"the address of an invite has at most {LONGEST_ADDRESS} ASCII characters, no # or space")

    @classmethod
    def new(cls, address: str = "", *, entropy: Callable[[int], bytes]) -> "Invite":
        """Make an invite with a new secret; ``entropy(n)`` gives n random bytes, as ``os.urandom``."""
        return cls(address, entropy(SECRET_SIZE))

    @property
    def code(self) -> str | None:
        """The code of a room at a relay; None if the host is reached at its address."""
        code, at, _ = self.address.partition("@")
        return code if at else None

    @property
    def relay(self) -> str | None:
        """HOST:PORT of the relay; None if the host is reached at its address."""
        _, at, relay = self.address.partition("@")
        return relay if at else None

    def text(self) -> str:
        """The line to paste: whoever reads it can come in."""
        number = int.from_bytes(self.secret, "big") << CHECK_BITS | _check(self.address, self.secret)
        letters = (ALPHABET[number >> shift & 31] for shift in range(5 * SECRET_LETTERS - 5, -1, -5))
        return f"{SCHEME}{self.address}#{''.join(letters)}"

    @classmethod
    def parse(cls, text: str) -> "Invite":
        """Read an invite; raises InvalidValue if a letter is missing or wrong. No error contains the secret."""
        line = text.strip()
        scheme, address, letters = line[: len(SCHEME)], *line[len(SCHEME) :].partition("#")[::2]
        letters = letters.lower().translate(_READ_AS)
        if scheme.lower() != SCHEME or "#" not in line:
            raise InvalidValue(f"an invite begins with {SCHEME} and has a # in it: paste the whole line")
        if len(letters) != SECRET_LETTERS:
            raise InvalidValue(
                f"an invite has {SECRET_LETTERS} letters after the #, and this one {len(letters)}: paste the whole line"
            )
        if not set(letters) <= set(ALPHABET):
            raise InvalidValue("an invite has digits and letters but no u after the #: paste the line again")
        number = 0
        for letter in letters:
            number = number << 5 | ALPHABET.index(letter)
        secret = (number >> CHECK_BITS).to_bytes(SECRET_SIZE, "big")
        if number & (1 << CHECK_BITS) - 1 != _check(address, secret):
            raise InvalidValue("a letter of this invite is wrong: paste the line again")
        try:
            return cls(address, secret)
        except UsageError as error:
            raise InvalidValue(str(error)) from None


def _check(address: str, secret: bytes) -> int:
    digest = blake2s(address.encode() + b"#" + secret, person=b"link-inv").digest()
    return int.from_bytes(digest[:4], "big") >> 32 - CHECK_BITS
