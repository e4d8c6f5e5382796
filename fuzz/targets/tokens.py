"""Join tokens: the readable part, the sealed part, and their text. A bad token changes nothing at the server."""

import random
from hashlib import blake2s

from fuzz.target import Bug, Target, name_of, of
from retick.errors import DecodeError
from retick.link import Refuse
from retick.link.sealing.primitives import aead
from retick.tokens import Applicant, JoinToken, Shown, Tokens, from_text, issue, open_token, show, to_text

__all__ = ["TARGETS"]

KEY, SERVER_KEY = bytes(range(32)), b"S" * 32
PLACES = (("192.0.2.1", 7777), ("2001:db8::1", 1), ("eu.example.org", 65535))


def _issued(**more: object) -> bytes:
    given = {"player": 7, "server_key": SERVER_KEY, "addresses": PLACES[:1], "now": 1e9} | more
    return issue(KEY, entropy=random.Random(1).randbytes, **given)  # type: ignore[arg-type]  # all fit


TOKENS = (_issued(), _issued(addresses=PLACES, room="red 1", data=b"own"), _issued(data=bytes(256), room="r" * 32))
HEAD = TOKENS[0][:100]
"""The readable part without the size of what follows."""
INSIDES = (bytes(8) + b"\0" + bytes(2), bytes(8) + b"\3red\2\0ok")


def _open(data: bytes) -> JoinToken:
    """Check that a refused token leaves the server unchanged, and that both readers show the same."""
    tokens = Tokens(KEY, clock=lambda: 1e9)
    applicant = Applicant(room="", address="here", token=data, server_key=SERVER_KEY)
    try:
        found = open_token(data, KEY)
    except DecodeError:
        if not isinstance(tokens(applicant), Refuse) or tokens._used.origins:
            raise Bug("a token that does not open was taken") from None
        raise
    if found.nonce != show(data).nonce:
        raise Bug("two readers read two tokens")
    tokens(applicant)
    return found


def _sealed(data: bytes) -> JoinToken:
    """The bytes are sealed by a backend, so that the checks behind the seal are reached."""
    head = HEAD + (len(data) + 16).to_bytes(2, "little", signed=False) if len(data) < 60000 else HEAD
    subkey = blake2s(head[12:36], key=KEY, person=b"tokn-sub").digest()
    return open_token(head + aead(subkey).encrypt(bytes(12), data, head), KEY)


def _law_of_show(data: bytes, found: Shown) -> None:
    if not found.addresses or len(data) > 700 or found.issued_at >= found.expires_at:
        raise Bug("a token that breaks the rules was read")


def _law_of_inside(data: bytes, found: JoinToken) -> None:
    room = found.room.encode()
    made = found.player.to_bytes(8, "little") + bytes((len(room),)) + room + len(found.data).to_bytes(2, "little")
    if made + found.data != data or not found.room.isprintable():
        raise Bug("what was read does not write the same")


TARGETS: tuple[Target, ...] = (
    of("token/show", show, *TOKENS, law=_law_of_show),
    Target(name="token/open", read=_open, seeds=TOKENS, decoders=(name_of(open_token),)),
    Target(name="token/inside", read=_sealed, seeds=INSIDES, decoders=(name_of(open_token),), law=_law_of_inside),
    of("token/text", from_text, *(to_text(token).encode() for token in TOKENS)),
)
