"""The ``retick`` command: its list of commands, and ``--version``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import retick
from retick._kernels import HOW_TO_COMPILE, is_compiled, is_pure_by_choice
from retick.cli.audit import audit
from retick.cli.bench.command import bench_app
from retick.cli.capture import capture_app
from retick.cli.demo.command import demo
from retick.cli.desync import desync_app
from retick.cli.doctor.command import doctor
from retick.cli.exit_codes import exits
from retick.cli.export import export_app
from retick.cli.new.command import new
from retick.cli.packet import packet
from retick.cli.play.host import host
from retick.cli.play.join import join
from retick.cli.play.play import play
from retick.cli.play.watch import watch
from retick.cli.relay.command import relay
from retick.cli.replay.command import replay_app
from retick.cli.sealing.token import token_app
from retick.cli.serve.bots import bots
from retick.cli.serve.serve import serve
from retick.cli.studio import studio
from retick.cli.synctest import synctest
from retick.cli.terminal import say
from retick.cli.trace.command import trace
from retick.errors import UsageError

__all__ = ["app"]


class _Commands(TyperGroup):
    """All commands end by the same rule, and typer's own complaints about arguments look like ours."""

    def make_context(self, *given: Any, **named: Any) -> Any:  # versions of typer have contexts of different types
        with exits(), _own_complaints():  # --version prints while arguments are read
            return super().make_context(*given, **named)

    def invoke(self, ctx: Any) -> Any:
        with exits(), _own_complaints():
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a full disk or a closed pipe is still handled
            return result


@contextmanager
def _own_complaints() -> Iterator[None]:
    """typer's errors, of whatever class, have a ``format_message``: each becomes a UsageError, and so one line."""
    try:
        yield
    except Exception as error:
        if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
            raise  # no complaint, or only the help
        text = str(error.format_message()).removesuffix(".").replace("Value error, ", "")
        context = getattr(error, "ctx", None)
        path = "retick" if context is None else context.command_path
        raise UsageError(f"{text[:1].lower()}{text[1:]} (see {path} --help)") from None


app = typer.Typer(
    name="retick",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        form = "compiled kernels" if is_compiled() else "pure Python kernels"
        say(f"retick {retick.__version__} ({form})")
        if not is_compiled() and not is_pure_by_choice():
            say(f"retick: {HOW_TO_COMPILE}", err=True)
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Netcode for Python games: run it again, bit for bit.

    Every command ends with exit code 0 for yes, 1 for no, 2 for misuse (also for a missing file), 3 if there was
    nothing to compare, 130 after Ctrl-C, 141 if the reader of its output has gone.

    Example: retick demo
    """


app.command()(demo)
app.command()(new)
app.command()(play)
app.command()(synctest)
app.add_typer(replay_app)
app.add_typer(bench_app)
app.command()(packet)
app.add_typer(capture_app)
app.command()(audit)
app.command()(host)
app.command()(join)
app.add_typer(desync_app)
app.command()(watch)
app.add_typer(export_app)
app.command()(serve)
app.command()(bots)
app.add_typer(token_app)
app.command()(relay)
app.command()(doctor)
app.command()(studio)
app.command()(trace)
