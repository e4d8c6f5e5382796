"""Why a connection was refused or ended, and why a datagram was dropped."""

from enum import IntEnum

__all__ = ["DROPS", "Reason", "describe"]


class Reason(IntEnum):
    """The codes of REFUSE and BYE; an application's own are 128 to 255."""

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


_WORDS = {
    Reason.GOODBYE: "goodbye",
    Reason.VERSION: "another version of the link protocol",
    Reason.GAME: "another game",
    Reason.GAME_VERSION: "another version of the game",
    Reason.CAPABILITY: "a required capability is missing",
    Reason.TICK_RATE: "another tick rate",
    Reason.FULL: "no more connections are taken",
    Reason.SEATS: "not that many seats are free",
    Reason.DENIED: "turned down",
    Reason.TIMEOUT: "nothing heard for too long",
    Reason.NO_ANSWER: "no answer",
    Reason.VIOLATION: "the rules of the protocol were broken",
    Reason.SHUTDOWN: "the program ends",
}

DROPS = (
    "unknown_kind",
    "malformed",
    "unknown_connection",
    "unproven_address",
    "bad_proof",
    "duplicate",
    "stale",
    "bad_cookie",
    "rate_limited",
    "not_accepting",
    "unexpected",
    "unread",
    "fragment_window",
    "duplicate_fragment",
)
"""Every name under which a dropped datagram or fragment is counted; docs/formats/link.md has their meanings."""


def describe(reason: int) -> str:
    """Words for a code, known or not."""
    try:
        return _WORDS[Reason(reason)]
    except ValueError:
        return f"reason {reason}"
