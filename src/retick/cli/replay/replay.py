"""The list of ``retick replay``'s commands."""

import typer

from retick.cli.replay.play import play
from retick.cli.replay.record import generate, record
from retick.cli.replay.show import diff, export, info
from retick.cli.replay.verify import verify

replay_app = typer.Typer(
    name="replay",
    help="Record, generate, play, verify, compare and export matches.\n\nExample: retick replay verify match.rtk",
    no_args_is_help=True,
)
replay_app.command()(record)
replay_app.command()(generate)
replay_app.command()(play)
replay_app.command()(info)
replay_app.command()(verify)
replay_app.command()(diff)
replay_app.command()(export)
