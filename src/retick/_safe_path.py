"""Keeps the working directory off the module path when this package is the program.

``python -m retick`` puts the working directory first on the module path. A folder with somebody else's recording may
also hold somebody else's ``json.py``. So this is the first module that the package imports, and it imports nothing that
could come from there: ``sys`` is built in, and ``os`` is loaded before any program starts.
"""

import os
import sys


def _leave_path_of_dash_m() -> None:
    """Remove the entry that ``python -m retick``, or ``-m`` with a module of it, put in front of the path."""
    # While -m still looks for the module, sys.argv[0] is "-m", and sys.orig_argv has the module before the arguments.
    if sys.argv[:1] != ["-m"] or sys.flags.safe_path or len(sys.orig_argv) <= len(sys.argv):
        return
    word = sys.orig_argv[-len(sys.argv)]
    module = word.partition("m")[2] if word.startswith("-") else word
    if module.partition(".")[0] == __package__ and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]


def keep_out_working_directory() -> None:
    """Remove the working directory from PYTHONPATH, where an empty entry means it, here and for child processes."""
    given = os.environ.get("PYTHONPATH", "")
    cleaned = clean_python_path(given)
    if cleaned != given:
        here = os.getcwd()
        sys.path[:] = [
            entry for entry in sys.path if entry not in ("", ".", here) or entry in cleaned.split(os.pathsep)
        ]
        os.environ["PYTHONPATH"] = cleaned
    os.environ["PYTHONSAFEPATH"] = "1"


def clean_python_path(value: str) -> str:
    """Remove the entries of a PYTHONPATH that mean the working directory."""
    return os.pathsep.join(entry for entry in value.split(os.pathsep) if entry not in ("", "."))


_leave_path_of_dash_m()
