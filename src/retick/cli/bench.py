"""``retick bench``: what things cost on this machine, each in a module of its own."""

import typer

from retick.cli.bench_replay import bench_verify

__all__ = ["bench_app"]

bench_app = typer.Typer(name="bench", help="Measure on this machine.", no_args_is_help=True)
bench_app.command("verify")(bench_verify)
