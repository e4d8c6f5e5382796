"""Keeps a measured process on one CPU core, where other processes disturb it least."""

import os

__all__ = ["PinnedToCore"]


class PinnedToCore:
    """Pin this process to core ``number`` and give it real-time priority, if the system allows it.

    Otherwise the system now and then puts two busy processes on the same core, and other processes get into the
    figures. Child processes inherit both: start them before.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._cores: set[int] = set()
        self.is_ahead = False
        """Whether this process has real-time priority."""

    def __enter__(self) -> "PinnedToCore":
        if hasattr(os, "sched_setaffinity"):
            self._cores = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {sorted(self._cores)[self._number % len(self._cores)]})
        if hasattr(os, "sched_setscheduler"):
            try:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
                self.is_ahead = True
            except PermissionError:
                # Only an administrator may set the priority.
                pass
        return self

    def __exit__(self, *_: object) -> None:
        if self._cores:
            os.sched_setaffinity(0, self._cores)
        if self.is_ahead:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
