"""``retick bench``: the list of its commands."""

from collections.abc import Mapping
from typing import ClassVar

import typer

from retick.cli.app import LazyGroup

__all__ = ["bench_app"]


class _Benches(LazyGroup):
    places: ClassVar[Mapping[str, str]] = {
        "sim": "benchmarks.commands.sim:bench_sim",
        "rollback": "benchmarks.commands.rollback:bench_rollback",
        "sessions": "benchmarks.commands.sessions:bench_sessions",
        "snapshot": "benchmarks.commands.snapshot:bench_snapshot",
        "authority": "benchmarks.commands.authority:bench_authority",
        "relay": "benchmarks.commands.relay.relay:bench_relay",
        "verify": "benchmarks.commands.verify.verify:bench_verify",
        "agents": "benchmarks.commands.agents:bench_agents",
        "chaos": "benchmarks.commands.chaos:bench_chaos",
    }


bench_app = typer.Typer(name="bench", cls=_Benches, no_args_is_help=True)


@bench_app.callback()
def bench() -> None:
    """Measure the library on this machine.

    Example: retick bench sim
    """
