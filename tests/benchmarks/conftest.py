"""Benchmarks are commands: their tests run them as those of the command line do."""

from tests.cli.conftest import environment_is_taken_back, run

__all__ = ["environment_is_taken_back", "run"]
