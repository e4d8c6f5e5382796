"""A place for a process that is being timed, where little else of the machine gets into its figures."""

import os

__all__ = ["Undisturbed"]


class Undisturbed:
    """Keeps this process on one core, another one for each number, and before others there, where the system lets it.

    Two busy processes on two cores are otherwise put on the same one now and then, and wait for their turn; and
    whatever else the machine is doing would be in the figure. A child inherits both: start it before.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._cores: set[int] = set()
        self.is_ahead = False
        """Whether it runs before all ordinary processes."""

    def __enter__(self) -> "Undisturbed":
        if hasattr(os, "sched_setaffinity"):
            self._cores = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {sorted(self._cores)[self._number % len(self._cores)]})
        if hasattr(os, "sched_setscheduler"):
            try:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
                self.is_ahead = True
            except PermissionError:
                # Only an administrator may.
                pass
        return self

    def __exit__(self, *_: object) -> None:
        if self._cores:
            os.sched_setaffinity(0, self._cores)
        if self.is_ahead:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
