"""``retick play``: a game in its own window, alone or online."""

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.arguments import wanted_game
from retick.cli.play import options
from retick.cli.terminal import say
from retick.errors import MissingExtra, UsageError
from retick.integrations.window_module import find_window, window_game
from retick.transport import BAD_LINK, Conditions


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="The game, as module:Class or file.py:Class.",
            show_default="[tool.retick] game of pyproject.toml",
        ),
    ] = None,
    host: Annotated[bool, typer.Option("--host", help="Host a match at once, without the menu.")] = False,
    join: Annotated[
        str,
        typer.Option(
            metavar="INVITE",
            help="Join at once, without the menu: by an invite, or an open host's code or address.",
            show_default=False,
        ),
    ] = "",
    watch: Annotated[
        str, typer.Option(metavar="INVITE", help="Watch at once, in the same way.", show_default=False)
    ] = "",
    name: Annotated[str, typer.Option(help="What the other players call you.", show_default="the system's user")] = "",
    port: Annotated[int, typer.Option(help="UDP port of a host, and of addresses without one.")] = options.DEFAULT_PORT,
    folder: Annotated[Path, typer.Option(help="Where recordings and desync reports are written.")] = Path("matches"),
    bad_link: Annotated[
        bool, typer.Option("--bad-link", help=f"Make the network of this window bad: --link {BAD_LINK}.")
    ] = False,
    link: Annotated[
        str,
        typer.Option(metavar="RTT,JITTER,LOSS", help="Round trip, jitter and loss to add here.", show_default=False),
    ] = "",
    bot: Annotated[
        bool, typer.Option("--bot", help="Let the game's bot(player, world) play here, or random buttons.")
    ] = False,
    online: options.OnlineOption = False,
    relay: options.RelayOption = None,
    relay_only: options.RelayOnlyOption = False,
    everybody: options.HostOpenOption = False,
    plain: options.PlainOption = False,
    identity: options.IdentityOption = None,
    keylog: options.KeylogOption = None,
) -> None:
    """Open the window of a game, with its menu: host, join, watch, replays, two players at one keyboard.

    The game's class, its module, or window.py beside it, must have draw and press.
    Exit code 0: the window was closed. 1: it could not be opened. 2: misuse.

    Example: retick play game.py:Tanks --host
    """
    if host + bool(join) + bool(watch) > 1:
        raise UsageError("give only one of --host, --join and --watch")
    if not 0 <= port <= 65535:
        raise UsageError(f"--port must be 0 to 65535, not {port}")
    if importlib.util.find_spec("pygame") is None:
        raise MissingExtra("a window needs pygame: pip install pygame-ce")
    options.LinkOptions(plain=plain, everybody=everybody, identity=identity, keylog=keylog)
    wanted = wanted_game(game)
    module = find_window(wanted)
    if module is None:
        raise UsageError(
            f"{wanted} has no window: write draw(screen, world, me), or a method draw(self, screen), and press(keys) "
            "in its module or in window.py there"
        )
    from retick.integrations.pygame import Program

    settings = window_game(
        wanted, module, port=port, folder=folder, bot=bot, say=say,
        relay=relay or "", relay_only=relay_only, everybody=everybody, plain=plain, identity=identity, keylog=keylog,
        bad_link=Conditions.from_text(link or BAD_LINK) if link or bad_link else None,
    )  # fmt: skip
    program = Program(settings, name=name)
    program.begin(host=host, join=join, watch=watch, online=online)
    program.run()
