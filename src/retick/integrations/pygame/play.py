"""``play``: a whole game in one call, and the command line of a program that calls it."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from retick.integrations.pygame.panel import plain as printable
from retick.integrations.pygame.program import Program
from retick.integrations.pygame.window_game import Press, window_game_of
from retick.rollback import MatchConfig
from retick.transport import BAD_LINK, Conditions

__all__ = ["play"]


def play(
    game: Callable[[], Any],
    draw: Callable[..., object] | None = None,
    press: Press | Sequence[Press] | None = None,
    *,
    title: str | None = None,
    size: tuple[int, int] | None = None,
    result: Callable[[Any], str | None] | None = None,
    hear: Callable[[Hashable], object] | None = None,
    sounds: Mapping[str, Any] | None = None,
    config: MatchConfig | None = None,
    port: int = 7777,
    folder: str | Path | None = "matches",
    name: str = "",
    host: bool = False,
    join: str = "",
    watch: str = "",
    link: str = "",
    online: bool = False,
    relay: str = "",
    relay_only: bool = False,
    everybody: bool = False,
    plain: bool = False,
    identity: str | Path | None = None,
    keylog: str | Path | None = None,
    bot: bool = False,
    argv: Sequence[str] | None = None,
) -> None:
    """Play ``game`` in a window, alone or online, until the window is closed; :class:`WindowGame` has the arguments.

    What is not given is taken from the game's class or its module: ``draw``, ``press``, ``title`` and so on.
    ``name`` is what others see of the person here; the menu can change it. ``host``, ``join`` and ``watch`` begin
    without the menu. ``link`` makes the network of this window bad: round trip, jitter and loss, ``"120ms,10ms,5%"``.
    ``bot`` lets the game's ``bot(player, world)`` (or ``bot(player, state)``) play here, or random buttons.

    A match that is hosted is for those who have its invite, which the window shows; with ``everybody`` for all who know
    the address. ``join`` and ``watch`` take an invite, a code or an address. With ``online``, ``host`` waits at the
    ``relay`` (or that of RETICK_RELAY), where others join by a code; ``relay_only`` shows no player another's address.

    ``argv`` are words of a command line: --host, --online, --relay, --relay-only, --open, --join INVITE,
    --watch INVITE, --name, --port, --bot, --bad-link, --link, --plain, --identity, --keylog. If it is not given, and
    ``play`` is called by the program that was started, these are the program's own.
    """
    if argv is None:
        started = sys._getframe(1).f_globals.get("__name__") == "__main__"
        argv = sys.argv[1:] if started else ()
    words = _read(argv)
    link = words.link or (BAD_LINK if words.bad_link else link)
    window_game = window_game_of(
        game,
        draw=draw,
        press=press,
        title=title,
        size=size,
        result=result,
        hear=hear,
        sounds=sounds,
        config=config,
        port=port if words.port is None else words.port,
        bot=bot or words.bot,
        relay=words.relay or relay,
        relay_only=relay_only or words.relay_only,
        everybody=everybody or words.open,
        plain=plain or words.plain,
        identity=_path(words.identity or identity),
        keylog=_path(words.keylog or keylog),
        bad_link=Conditions.from_text(link) if link else None,
        folder=None if folder is None else Path(folder),
        say=_say,
    )
    program = Program(window_game, name=words.name or name)
    with suppress(KeyboardInterrupt):
        if words.host or words.join or words.watch:
            host, join, watch = words.host, words.join, words.watch
        program.begin(host=host, join=join, watch=watch, online=online or words.online)
        program.run()


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _say(line: str) -> None:
    """On the terminal, if there is one. Names come from other peers: what may be a command to it is left out."""
    with suppress(OSError):
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        print(printable(line).encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _read(argv: Sequence[str]) -> Namespace:
    parser = ArgumentParser(epilog="A program with options of its own calls play(..., argv=[]).")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--host", action="store_true", help="host a match at once, without the menu")
    way.add_argument("--join", metavar="INVITE", default="", help="join at once: invite, code or address")
    way.add_argument("--watch", metavar="INVITE", default="", help="watch at once, in the same way")
    parser.add_argument("--online", action="store_true", help="with --host: at a relay, where others join by a code")
    parser.add_argument("--relay", metavar="ADDRESS", default="", help="the relay of online matches; or RETICK_RELAY")
    parser.add_argument("--relay-only", action="store_true", help="online: no player learns the address of another")
    parser.add_argument("--open", action="store_true", help="host for everybody who knows the address")
    parser.add_argument("--plain", action="store_true", help="links that are not sealed, on all sides")
    parser.add_argument("--identity", metavar="FILE", help="a lasting key of this machine; made at first use")
    parser.add_argument("--keylog", metavar="FILE", help="append the keys of all links to this file")
    parser.add_argument("--name", default="", help="what the other players call you")
    parser.add_argument("--port", type=int, help="UDP port of a host, and of addresses without one")
    parser.add_argument("--bot", action="store_true", help="let the game's bot play here, or random buttons")
    bad = BAD_LINK.replace("%", "%%")
    parser.add_argument("--bad-link", action="store_true", help=f"make the network of this window bad: --link {bad}")
    parser.add_argument("--link", metavar="RTT,JITTER,LOSS", default="", help="round trip, jitter and loss to add here")
    return parser.parse_args(argv)
