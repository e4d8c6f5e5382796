"""What a person types or pastes to join a match: an address, an invite or a code. Grammar: docs/guides/joining.md.

An invite is a secret. So nothing that looks like one, or like a piece of one, is taken for a host name: an error would
show it, and a name server would be asked for it.
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

RELAY_PORT = 7788
RELAY_VARIABLE = "RETICK_RELAY"
NO_RELAY = (
    f"no relay is configured: name one with --relay ADDRESS, or set {RELAY_VARIABLE}. To start one, on a machine that "
    "the internet reaches: retick relay"
)


def relay_address(named: str | None, environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Host and port of the relay that was named, or else of the environment's; None without either."""
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
"""A word with so many letters and digits, and no dot or colon, is a piece of an invite and no host."""
_CODE = re.compile(r"[0-9A-Za-z]{4}[- ][0-9A-Za-z]{4}")
"""Eight letters and digits in two groups: a code, perhaps mistyped."""
_SOME_LETTERS = 12
"""A word with so many letters of the invites' alphabet, and a digit before a letter, is a piece of an invite too."""
_MIXED = re.compile("[0-9][a-z]", re.IGNORECASE)


class WayIn(NamedTuple):
    """Which host to join, and with what invite."""

    target: tuple[str, int]
    """Name or address of the host, and its port."""
    invite: Invite | None
    """None if only an address was given."""


class OnlineWay(NamedTuple):
    """Which room to join at a relay."""

    code: str
    """The room's code as it is shown: XXXX-XXXX."""
    relay: tuple[str, int] | None
    """Name or address of the relay, and its port; None if only a code was given."""
    invite: Invite | None
    """None if only a code was given; then the relay vouches for the keys."""


def way_in(text: str, *, default_port: int, is_online: bool = False) -> WayIn | OnlineWay:
    """Parse what was typed; ``default_port`` is used if it names no port. UsageError says what is wrong.

    With ``is_online`` the text is a code or an invite, never a host name. No message shows a secret.
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
        raise UsageError("this invite comes from a host without a relay: leave out --online")
    return WayIn(parse_address(invite.address, default_port=default_port), invite)


def _by_code(line: str, invite: Invite | None, *, is_sure: bool) -> OnlineWay:
    """Parse ``CODE`` or ``CODE@RELAY``."""
    code, at, relay = line.partition("@")
    try:
        shown = shown_code(code_text(parse_code(code)))
    except UsageError as error:
        hint = "" if is_sure else f". To join a host of this name, add its port: {line}:7777"
        raise UsageError(f"{error}{hint}") from None
    return OnlineWay(shown, parse_address(relay, default_port=RELAY_PORT) if at else None, invite)


def shown_code(code: str) -> str:
    """Write a code of eight characters in two groups."""
    return f"{code[:4]}-{code[4:]}"


def address_text(host: str, port: int, *, usual_port: int | None = None) -> str:
    """Write an address as people do; the usual port is left out."""
    where = f"[{host}]" if ":" in host else host
    return where if port == usual_port else f"{where}:{port}"
