"""Starts the Python processes that commands need beside their own."""

import os
import subprocess
from collections.abc import Mapping

from retick.audit.interpreter import child_environment, python_command

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
    from each. A file called ``retick.py`` in the working directory changes nothing. ``environment`` is added to ours.
    """
    alone = {"creationflags": 0x200} if os.name == "nt" else {"process_group": 0}
    process: subprocess.Popen[str] = subprocess.Popen(
        python_command(module, *arguments),
        env=child_environment(environment or {}),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
        errors="replace",
        **alone,  # type: ignore[call-overload]  # mypy does not follow keywords that depend on the system
    )
    return process
