"""``python -m benchmarks``: the benchmarks of Retick, in a clone. ``retick bench`` prints a summary for everybody."""

from collections.abc import Mapping
from typing import ClassVar

import typer

from retick.cli.app import CommandLine
from retick.cli.exit_codes import exits

__all__ = ["app", "main"]


class _Benchmarks(CommandLine):
    places: ClassVar[Mapping[str, str]] = {
        "sim": "benchmarks.commands.sim:bench_sim",
        "rollback": "benchmarks.commands.rollback:bench_rollback",
        "things": "benchmarks.commands.things:bench_things",
        "frames": "benchmarks.commands.frames:bench_frames",
        "sessions": "benchmarks.commands.sessions:bench_sessions",
        "snapshot": "benchmarks.commands.snapshot:bench_snapshot",
        "authority": "benchmarks.commands.authority:bench_authority",
        "relay": "benchmarks.commands.relay.relay:bench_relay",
        "verify": "benchmarks.commands.verify.verify:bench_verify",
        "agents": "benchmarks.commands.agents:bench_agents",
        "chaos": "benchmarks.commands.chaos:bench_chaos",
        "cheats": "benchmarks.commands.cheats:bench_cheats",
    }


app = typer.Typer(
    name="benchmarks", cls=_Benchmarks, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


@app.callback()
def root() -> None:
    """Measure Retick on this machine.

    Example: python -m benchmarks sim
    """


def main() -> None:
    """Run the benchmark that the command line names."""
    with exits():
        app(prog_name="python -m benchmarks")


if __name__ == "__main__":
    main()
