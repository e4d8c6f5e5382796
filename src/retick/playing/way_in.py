"""What a person types or pastes to come into a match: an address, an invite or a code. Grammar: docs/guides/joining.md.

An invite is a secret. So nothing that looks like one, or like a piece of one, is taken for the name of a host: it would
be shown in an error, and asked of a name server.
"""

import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from retick.errors import InvalidValue, UsageError
from retick.link import Invite
from retick.link.sealing.invite import ALPHABET
from retick.relay import code_text, parse_code
from retick.transport import parse_address

__all__ = [
    "NO_RELAY",
    "RELAY_PORT",
    "RELAY_VARIABLE",
    "OnlineWay",
    "WayIn",
    "address_text",
    "relay_address",
    "shown_code",
    "way_in",
]


# Which relay to use: the one that was named, or that of the environment. docs/joining.md says so.

RELAY_PORT = 7788
RELAY_VARIABLE = "RETICK_RELAY"
NO_RELAY = (
    f"no relay is configured: name one with --relay ADDRESS, or set {RELAY_VARIABLE}. To start one, on a machine that "
    "the internet reaches: retick relay"
)


def relay_address(named: str | None, environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Host and port of the relay that was named, or of the environment's; None where there is neither."""
    text = (named or environment.get(RELAY_VARIABLE, "")).strip()
    if not text:
        return None
    try:
        return parse_address(text, default_port=RELAY_PORT)
    except UsageError as error:
        where = "" if named else f"{RELAY_VARIABLE}: "
        raise UsageError(f"{where}{error}") from None


_SCHEME = "retick:"
_QUOTES = "\"'`<>"
_MANY_LETTERS = 24
"""A word of so many letters and digits, without a dot or colon, is no host: it is a piece of an invite."""
_CODE = re.compile(r"[0-9A-Za-z]{4}[- ][0-9A-Za-z]{4}")
"""Eight letters and digits in two groups: a code, or one that was mistyped."""
_SOME_LETTERS = 12
"""So is one of so many, with a digit before a letter, and without a letter that an invite has not."""
_MIXED = re.compile("[0-9][a-z]", re.IGNORECASE)


class WayIn(NamedTuple):
    """Where to go, and with what."""

    target: tuple[str, int]
    """Name or address of the host, and its port."""
    invite: Invite | None
    """None where only an address was given."""


class OnlineWay(NamedTuple):
    """Which room to join at a relay."""

    code: str
    """As it is shown: XXXX-XXXX."""
    relay: tuple[str, int] | None
    """Name or address of the relay, and its port; None where only a code was given."""
    invite: Invite | None
    """None where only a code was given: then the relay vouches for the keys."""


def way_in(text: str, *, default_port: int, is_online: bool = False) -> WayIn | OnlineWay:
    """What was typed, with the port if it names none. UsageError says what is wrong with it, without a secret.

    With ``is_online`` it is a code or an invite, and never the name of a host.
    """
    line = text.strip().strip(_QUOTES)
    if line.lower().startswith(_SCHEME) or "#" in line:
        return _invited(line, default_port, is_online)
    if _is_piece(line):
        raise UsageError("this is a piece of an invite: paste the whole line, from retick: on")
    if is_online or "@" in line or _CODE.fullmatch(line):
        return _by_code(line, None, is_sure=is_online or "@" in line)
    return WayIn(parse_address(line, default_port=default_port), None)


def _is_piece(word: str) -> bool:
    is_of_secrets = set(word.lower()) <= set(ALPHABET) and _MIXED.search(word) is not None
    return word.isalnum() and len(word) >= (_SOME_LETTERS if is_of_secrets else _MANY_LETTERS)


def _invited(line: str, default_port: int, is_online: bool) -> WayIn | OnlineWay:
    try:
        invite = Invite.parse(line)
    except InvalidValue as error:
        raise UsageError(str(error)) from None
    if not invite.address:
        raise UsageError("this invite has no address of a host: ask for the line that the host prints")
    if "@" in invite.address:
        return _by_code(invite.address, invite, is_sure=True)
    if is_online:
        raise UsageError("this invite is of a host without a relay: leave out --online")
    return WayIn(parse_address(invite.address, default_port=default_port), invite)


def _by_code(line: str, invite: Invite | None, *, is_sure: bool) -> OnlineWay:
    """``CODE`` or ``CODE@RELAY``."""
    code, at, relay = line.partition("@")
    try:
        shown = shown_code(code_text(parse_code(code)))
    except UsageError as error:
        hint = "" if is_sure else f". To join a host of this name, add its port: {line}:7777"
        raise UsageError(f"{error}{hint}") from None
    return OnlineWay(shown, parse_address(relay, default_port=RELAY_PORT) if at else None, invite)


def shown_code(code: str) -> str:
    """A code of eight characters, in two groups."""
    return f"{code[:4]}-{code[4:]}"


def address_text(host: str, port: int, *, usual_port: int | None = None) -> str:
    """An address as people write it; the usual port may be left out."""
    where = f"[{host}]" if ":" in host else host
    return where if port == usual_port else f"{where}:{port}"
