"""``retick bench``: the list of its commands."""

import typer

from retick.cli.bench.agents import bench_agents
from retick.cli.bench.authority import bench_authority
from retick.cli.bench.chaos import bench_chaos
from retick.cli.bench.relay.command import bench_relay
from retick.cli.bench.rollback import bench_rollback
from retick.cli.bench.sessions import bench_sessions
from retick.cli.bench.sim import bench_sim
from retick.cli.bench.snapshot import bench_snapshot
from retick.cli.bench.verify.command import bench_verify

__all__ = ["bench_app"]

bench_app = typer.Typer(
    name="bench", help="Measure the library on this machine.\n\nExample: retick bench sim", no_args_is_help=True
)
bench_app.command("sim")(bench_sim)
bench_app.command("rollback")(bench_rollback)
bench_app.command("sessions")(bench_sessions)
bench_app.command("snapshot")(bench_snapshot)
bench_app.command("authority")(bench_authority)
bench_app.command("relay")(bench_relay)
bench_app.command("verify")(bench_verify)
bench_app.command("agents")(bench_agents)
bench_app.command("chaos")(bench_chaos)
