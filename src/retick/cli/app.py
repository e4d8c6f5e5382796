"""The command line's root: its commands and ``--version``."""

from typing import Annotated

import typer

import retick
from retick._kernels import is_compiled
from retick.cli.audit import audit
from retick.cli.bench.command import bench_app
from retick.cli.demo.command import demo
from retick.cli.desync import desync_app
from retick.cli.packet import packet
from retick.cli.play.host import host
from retick.cli.play.join import join
from retick.cli.play.watch import watch
from retick.cli.replay.command import replay_app
from retick.cli.serve.bots import bots
from retick.cli.serve.serve import serve
from retick.cli.synctest import synctest

__all__ = ["app"]

app = typer.Typer(
    name="retick",
    help="Netcode for Python games: run it again, bit for bit.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        form = "compiled kernels" if is_compiled() else "pure Python kernels"
        typer.echo(f"retick {retick.__version__} ({form})")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and the kernels' form."
        ),
    ] = False,
) -> None:
    """Netcode for Python games: run it again, bit for bit."""


app.command()(demo)
app.command()(synctest)
app.add_typer(replay_app)
app.add_typer(bench_app)
app.command()(packet)
app.command()(audit)
app.command()(host)
app.command()(join)
app.add_typer(desync_app)
app.command()(watch)
app.command()(serve)
app.command()(bots)
