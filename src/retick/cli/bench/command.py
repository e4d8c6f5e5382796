"""``retick bench``: the list of its commands."""

from collections.abc import Mapping
from typing import ClassVar

import typer

from retick.cli.lazy_commands import LazyGroup

__all__ = ["bench_app"]


class _Benches(LazyGroup):
    places: ClassVar[Mapping[str, str]] = {
        "sim": "retick.cli.bench.sim:bench_sim",
        "rollback": "retick.cli.bench.rollback:bench_rollback",
        "sessions": "retick.cli.bench.sessions:bench_sessions",
        "snapshot": "retick.cli.bench.snapshot:bench_snapshot",
        "authority": "retick.cli.bench.authority:bench_authority",
        "relay": "retick.cli.bench.relay.command:bench_relay",
        "verify": "retick.cli.bench.verify.command:bench_verify",
        "agents": "retick.cli.bench.agents:bench_agents",
        "chaos": "retick.cli.bench.chaos:bench_chaos",
    }


bench_app = typer.Typer(name="bench", cls=_Benches, no_args_is_help=True)


@bench_app.callback()
def bench() -> None:
    """Measure the library on this machine.

    Example: retick bench sim
    """
