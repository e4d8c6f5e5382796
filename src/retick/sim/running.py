"""Which declared world runs in this thread: the one whose ``start``, ``join``, ``leave`` or ``advance`` was called.

A context variable: other threads see worlds of their own, and a world that is run inside of another's method leaves
that one as it was.
"""

from contextvars import ContextVar
from typing import Any

__all__ = ["RUNNING"]

RUNNING: ContextVar[Any] = ContextVar("RUNNING", default=None)
