"""What a person types or pastes to come into a match: an address, or an invite. docs/joining.md has the grammar.

An invite is a secret. So nothing that looks like one, or like a piece of one, is taken for the name of a host: it would
be shown in an error, and asked of a name server.
"""

import re
from typing import NamedTuple

from retick.errors import InvalidValue, UsageError
from retick.link import Invite
from retick.link.sealing.invite import ALPHABET
from retick.transport import parse_address

__all__ = ["WayIn", "address_text", "way_in"]

_SCHEME = "retick:"
_QUOTES = "\"'`<>"
_MANY_LETTERS = 24
"""A word of so many letters and digits, without a dot or colon, is no host: it is a piece of an invite."""
_SOME_LETTERS = 12
"""So is one of so many, with a digit before a letter, and without a letter that an invite has not."""
_MIXED = re.compile("[0-9][a-z]", re.IGNORECASE)


class WayIn(NamedTuple):
    """Where to go, and with what."""

    target: tuple[str, int]
    """Name or address of the host, and its port."""
    invite: Invite | None
    """None where only an address was given."""


def way_in(text: str, *, default_port: int) -> WayIn:
    """What was typed, with the port if it names none. UsageError says what is wrong with it, without a secret."""
    line = text.strip().strip(_QUOTES)
    if line.lower().startswith(_SCHEME) or "#" in line:
        return _invited(line, default_port)
    if _is_piece(line):
        raise UsageError("this is a piece of an invite: paste the whole line, from retick: on")
    return WayIn(parse_address(line, default_port=default_port), None)


def _is_piece(word: str) -> bool:
    is_of_secrets = set(word.lower()) <= set(ALPHABET) and _MIXED.search(word) is not None
    return word.isalnum() and len(word) >= (_SOME_LETTERS if is_of_secrets else _MANY_LETTERS)


def _invited(line: str, default_port: int) -> WayIn:
    try:
        invite = Invite.parse(line)
    except InvalidValue as error:
        raise UsageError(str(error)) from None
    if not invite.address:
        raise UsageError("this invite has no address of a host: ask for the line that the host prints")
    return WayIn(parse_address(invite.address, default_port=default_port), invite)


def address_text(host: str, port: int, *, usual_port: int | None = None) -> str:
    """An address as people write it; the usual port may be left out."""
    where = f"[{host}]" if ":" in host else host
    return where if port == usual_port else f"{where}:{port}"
