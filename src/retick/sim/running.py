"""Which declared world runs in this thread: the one whose ``start``, ``join``, ``leave`` or ``advance`` was called.

A context variable: other threads see worlds of their own, and a world that is run inside of another's method leaves
that one as it was.
"""

from contextvars import ContextVar
from typing import Any

__all__ = ["RUNNING"]

# retick: allow global-state -- which call is on the stack; it is empty between two frames
RUNNING: ContextVar[Any] = ContextVar("RUNNING", default=None)
