"""The ``retick`` command: its list of commands, and ``--version``."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer
from rich.markup import escape
from typer.core import TyperGroup

import retick
from retick._kernels import HOW_TO_COMPILE, is_compiled, is_pure_by_choice
from retick.cli.exit_codes import exits
from retick.cli.terminal import say
from retick.errors import UsageError

# Commands are imported when they are used, so that ``retick --version`` need not load the studio.


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are used."""

    places: ClassVar[Mapping[str, str]] = {}
    """The place of each command: ``module:function``, or ``module:app`` for a group below this one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _LazyCommands(self.places)  # type: ignore[assignment]  # nobody adds to it


class _LazyCommands(Mapping[str, Any]):
    """The commands by name; each is made at its first use."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, _, member = self._places[name].partition(":")
            self._made[name] = _command(name, getattr(import_module(module), member))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _command(name: str, found: Any) -> Any:
    """Make a command from a function or from a typer app."""
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    else:
        found._add_completion = False
    command = typer.main.get_command(found)
    command.name = name
    _escape_helps(command)
    return command


def _escape_helps(command: Any) -> None:
    """Let typer print the help of a command as it is written: it would drop ``[tool.retick]`` as markup."""
    for each in (command, *command.params):
        if getattr(each, "help", None):
            each.help = escape(each.help)
    for inner in [] if isinstance(command, LazyGroup) else getattr(command, "commands", {}).values():
        _escape_helps(inner)


class CommandLine(LazyGroup):
    """A whole command line: its commands end by the same rule, and typer's own complaints look like ours."""

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
    """Turn typer's errors, which all have a ``format_message``, into UsageErrors of one line."""
    try:
        yield
    except Exception as error:
        if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
            raise  # not a complaint, or only the help
        text = str(error.format_message()).removesuffix(".").replace("Value error, ", "")
        context = getattr(error, "ctx", None)
        path = "retick" if context is None else context.command_path
        raise UsageError(f"{text[:1].lower()}{text[1:]} (see {path} --help)") from None


class _Commands(CommandLine):
    """The commands of ``retick``."""

    places: ClassVar[Mapping[str, str]] = {
        "demo": "retick.cli.demo.demo:demo",
        "new": "retick.cli.new:new",
        "play": "retick.cli.play.play:play",
        "package": "retick.cli.package:package",
        "synctest": "retick.cli.synctest:synctest",
        "packet": "retick.cli.packet:packet",
        "audit": "retick.cli.audit:audit",
        "host": "retick.cli.play.host:host",
        "join": "retick.cli.play.join:join",
        "watch": "retick.cli.play.watch:watch",
        "serve": "retick.cli.serve:serve",
        "bots": "retick.cli.bots:bots",
        "relay": "retick.cli.relay:relay",
        "doctor": "retick.cli.doctor:doctor",
        "studio": "retick.cli.studio:studio",
        "trace": "retick.cli.trace:trace",
        "replay": "retick.cli.replay.replay:replay_app",
        "bench": "retick.cli.bench:bench_app",
        "capture": "retick.cli.capture:capture_app",
        "snapshot": "retick.cli.snapshot:snapshot_app",
        "desync": "retick.cli.desync:desync_app",
        "export": "retick.cli.export:export_app",
        "token": "retick.cli.token:token_app",
    }


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
