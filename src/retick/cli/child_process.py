"""Starts the Python processes that commands need beside their own."""

import os
import subprocess
import sys
from collections.abc import Mapping

__all__ = ["start_module"]


def start_module(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stderr: int | None = None,
) -> subprocess.Popen[str]:
    """Run ``python -m module arguments``; its standard output is a pipe to us.

    The process is in a group of its own, so Ctrl-C reaches only us: we end it and say one line, instead of a traceback
    from each. ``-P`` keeps the working directory off the module path: a file called ``retick.py`` there changes
    nothing. ``environment`` is added to ours.
    """
    alone = {"creationflags": 0x200} if os.name == "nt" else {"process_group": 0}
    process: subprocess.Popen[str] = subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        env={**os.environ, **(environment or {})},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
        errors="replace",
        **alone,  # type: ignore[call-overload]  # mypy does not follow keywords that depend on the system
    )
    return process
