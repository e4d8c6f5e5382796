"""Starts modules of the benchmarks as other processes.

The benchmarks are not an installed package, and a process started with ``-P`` ignores the working directory: it
is told where they are.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from retick.audit.interpreter import start_module

__all__ = ["start_benchmark"]

_ROOT = Path(__file__).parents[2]


def start_benchmark(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stderr: int | None = None,
) -> subprocess.Popen[str]:
    """Run ``python -m benchmarks.commands.MODULE arguments``; its standard output is a pipe to us."""
    places = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return start_module(
        f"benchmarks.commands.{module}",
        *arguments,
        environment={**(environment or {}), "PYTHONPATH": os.pathsep.join(places)},
        stdin=stdin,
        stderr=stderr,
    )
