"""Reasons why a connection was refused or ended, as code and text; and reasons why datagrams are dropped."""

from enum import IntEnum

from retick.errors import InvalidValue
from retick.link.layout import MAX_TEXT


class Reason(IntEnum):
    """The codes of REFUSE and BYE; 128 to 255 are free for applications."""

    GOODBYE = 1
    VERSION = 2
    GAME = 3
    GAME_VERSION = 4
    CAPABILITY = 5
    TICK_RATE = 6
    FULL = 7
    SEATS = 8
    DENIED = 9
    TIMEOUT = 10
    NO_ANSWER = 11
    VIOLATION = 12
    SHUTDOWN = 13
    REDIRECT = 14
    KEYS_USED_UP = 15
    SECRET = 16


_WORDS = {
    Reason.GOODBYE: "goodbye",
    Reason.VERSION: "another version of the link protocol",
    Reason.GAME: "another game",
    Reason.GAME_VERSION: "another version of the game",
    Reason.CAPABILITY: "a required capability is missing",
    Reason.TICK_RATE: "another tick rate",
    Reason.FULL: "no more connections are accepted",
    Reason.SEATS: "not that many seats are free",
    Reason.DENIED: "refused",
    Reason.TIMEOUT: "nothing heard for too long",
    Reason.NO_ANSWER: "no answer",
    Reason.VIOLATION: "the rules of the protocol were broken",
    Reason.SHUTDOWN: "the program ends",
    Reason.REDIRECT: "another port of this host has to be asked",
    Reason.KEYS_USED_UP: "the keys of this connection are used up: connect again",
    Reason.SECRET: "the secret or the server's key does not fit",
}

DROPS = (
    "unknown_kind",
    "malformed",
    "unknown_connection",
    "unproven_address",
    "bad_proof",
    "bad_seal",
    "duplicate",
    "stale",
    "bad_cookie",
    "rate_limited",
    "unconfirmed",
    "not_accepting",
    "unexpected",
    "unread",
    "fragment_window",
    "duplicate_fragment",
)
"""Every name under which a dropped datagram or fragment is counted; docs/formats/link.md explains them."""


def describe(reason: int) -> str:
    """Describe a code in words, known or not."""
    try:
        return _WORDS[Reason(reason)]
    except ValueError:
        return f"reason {reason}"


def cut_text(text: str) -> bytes:
    """The text as UTF-8 of at most MAX_TEXT bytes, cut between characters."""
    return text.encode("utf-8", "replace")[:MAX_TEXT].decode("utf-8", "ignore").encode()


def decode_text(data: bytes) -> str:
    """Read UTF-8 from outside, or raise InvalidValue."""
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        raise InvalidValue("text that is not UTF-8") from None


def printable_text(data: bytes) -> str:
    """Text from outside for people to see: unprintable characters, above all terminal commands, become "?"."""
    return "".join(c if c.isprintable() else "?" for c in decode_text(data))
