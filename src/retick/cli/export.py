"""``retick export``: tables of a game for programs in other languages, and of all packets for Wireshark."""

from typing import Annotated, Any

import typer

from retick.audit.game_loader import load_game
from retick.authority.layout import layout_of
from retick.authority.schema_json import tables_of
from retick.cli.terminal import json_text, say
from retick.errors import UsageError
from retick.packets.wireshark import dissector
from retick.sim import World

export_app = typer.Typer(name="export", no_args_is_help=True, help="Write what other programs need.")


@export_app.callback()
def export() -> None:
    """Write what other programs need."""


@export_app.command()
def schema(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A declared world, as module:Class or file.py:Class.")],
) -> None:
    """Write the tables of a declared world on a server as JSON, for a client in another language.

    docs/formats/world-server.md explains them. Exit code 0: written. 2: misuse.

    Example: retick export schema tanks.py:Tanks
    """
    made: Any = load_game(game)()
    if not isinstance(made, World):
        raise UsageError(
            f"{game} is not a declared world (a subclass of retick.sim.World): see docs/concepts/worlds.md"
        )
    say(*json_text(tables_of(layout_of(type(made))), indent=2).split("\n"))


@export_app.command()
def wireshark() -> None:
    """Write a dissector for Wireshark and tshark: link, RBN1, NetRunner and server packets, by their fields.

    Filters: retick.kind, retick.frame, retick.inputs, retick.message, and each field by its name.
    Exit code 0: written. 2: misuse.

    Example: retick export wireshark > retick.lua
    """
    say(*dissector().rstrip("\n").split("\n"))
