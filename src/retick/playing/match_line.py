"""The line that says how a match begins: typed in a terminal, given by a program, or made by a menu.

Grammar: docs/guides/any-window.md.
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from retick.errors import UsageError
from retick.playing.match_files import LostSeat
from retick.playing.way_in import relay_address
from retick.replay import Replay
from retick.transport import BAD_LINK, Conditions

Kind = Literal["here", "host", "join", "watch", "replay", "back"]
VERBS = ("here", "host", "join", "code", "watch", "replay", "back")


@dataclass(frozen=True, slots=True)
class MatchLine:
    """How one match begins."""

    kind: Kind = "here"
    """``here`` is everybody at this keyboard; ``back`` goes back to the match of a program that crashed."""
    target: str = ""
    """An invite, a code, an address, or the file of a recording."""
    online: bool = False
    """Host at the relay; or ``target`` is a code or an invite, never a host name."""
    everybody: bool | None = None
    """Host for all who know the address; None: as the settings say."""
    seat: LostSeat | None = None
    """The seat to go back to; None: the one that was lost last."""
    recorded: Replay | None = None
    """The recording, if it was loaded already; then ``target`` is only its name."""


class _Refusing(ArgumentParser):
    """Raises UsageError in place of ending the program."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def read_line(line: str | Sequence[str], *, hosts: bool = False) -> tuple[MatchLine | None, dict[str, Any]]:
    """Read a line; return how the match begins, None if it does not say, and the settings that it changes.

    What is wrong with a text raises UsageError; with the words of a command line it ends the program, as commands do.
    ``hosts`` says that the program hosts without being told.
    """
    is_text = isinstance(line, str)
    words = [*line.split()] if isinstance(line, str) else list(line)
    if words and words[0] in VERBS:
        words[0] = f"--{words[0]}"
    elif is_text and words and not words[0].startswith("-"):
        words.insert(0, "--join")
    found = _parser(_Refusing if is_text else ArgumentParser, words, hosts=hosts)
    settings = {
        "name": found.name,
        "port": found.port,
        "relay": found.relay,
        "identity": _path(found.identity),
        "keylog": _path(found.keylog),
        "bad_link": _conditions(BAD_LINK if found.bad_link else found.link),
    }
    flags = {"bot": found.bot, "everybody": found.open, "plain": found.plain, "relay_only": found.relay_only}
    changes = {name: value for name, value in settings.items() if value is not None}
    return _way(found), changes | {name: True for name, given in flags.items() if given}


def _way(found: Namespace) -> MatchLine | None:
    for kind in ("join", "watch", "replay"):
        if target := getattr(found, kind):
            return MatchLine(kind, target)
    if found.code:
        return MatchLine("join", found.code, online=True)
    if found.host:
        return MatchLine("host", online=found.online)
    return MatchLine("back") if found.back else MatchLine() if found.here else None


def _path(given: str | None) -> Path | None:
    return None if given is None else Path(given)


def _conditions(text: str | None) -> Conditions | None:
    return None if text is None else Conditions.from_text(text)


def _checked(check: Callable[[str], object]) -> Callable[[str], str]:
    """A type for argparse: the word as it was typed, if ``check`` raises no UsageError."""

    def word(text: str) -> str:
        try:
            check(text)
        except UsageError as error:
            raise ArgumentTypeError(str(error)) from None
        return text

    return word


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"a port is 0 to 65535, not {text}")
    return int(text)


def _parser(make: type[ArgumentParser], words: Sequence[str], *, hosts: bool) -> Namespace:
    parser = make(epilog="A program with options of its own calls play(..., argv=[]).")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--host", action="store_true", help="host a match at once, without the menu")
    way.add_argument("--join", metavar="INVITE", default="", help="join at once: invite, code or address")
    way.add_argument("--code", metavar="CODE", default="", help="join by a code, never by a host name")
    way.add_argument("--watch", metavar="INVITE", default="", help="watch at once, in the same way")
    way.add_argument("--replay", metavar="FILE", default="", help="play a recording")
    way.add_argument("--back", action="store_true", help="go back to the match of a window that crashed")
    way.add_argument("--here", action="store_true", help="all players at this keyboard, without the menu")
    parser.add_argument("--online", action="store_true", help="with --host: at a relay, where others join by a code")
    relay = _checked(relay_address)
    parser.add_argument("--relay", metavar="ADDRESS", type=relay, help="the relay of online matches; or RETICK_RELAY")
    parser.add_argument("--relay-only", action="store_true", help="online: no player learns the address of another")
    parser.add_argument("--open", action="store_true", help="host for everybody who knows the address")
    parser.add_argument("--plain", action="store_true", help="unsealed links; all sides must say it")
    parser.add_argument("--identity", metavar="FILE", help="a lasting key of this machine; made at first use")
    parser.add_argument("--keylog", metavar="FILE", help="append the keys of all links to this file")
    parser.add_argument("--name", help="what the other players call you")
    parser.add_argument("--port", type=_port, help="UDP port of a host, and of addresses without one")
    parser.add_argument("--bot", action="store_true", help="let the game's bot play here, or random buttons")
    bad = BAD_LINK.replace("%", "%%")
    parser.add_argument("--bad-link", action="store_true", help=f"make the network of this window bad: --link {bad}")
    link = _checked(Conditions.from_text)
    parser.add_argument("--link", metavar="RTT,JITTER,LOSS", type=link, help="what to add to the network")
    found = parser.parse_args(words)
    if found.online and not (found.host or hosts):
        parser.error("--online is for --host; others join with --join and the code")
    return found
