"""The numbers that go with a status, by name (a compiled kernel).

A kernel that finds something wrong writes the numbers here and returns a status. ``errors`` makes the exception of
the two. Each status uses only some of the numbers; the others hold whatever an earlier fault left in them.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

__all__ = ["Fault"]


@cython.cclass
class Fault:
    """What is wrong with a packet or a snapshot; see the .pxd for what each number is."""

    if not cython.compiled:
        status: int
        limit: int
        actual: int
        needed: int
        available: int
        expected: int
        found: int
        flags: int
        tag: int
        extra: int
        entity: int
        component: int
        field: int
        value: int
        previous: int
        current: int

    def __init__(self) -> None:
        self.status = 0
        self.limit = self.actual = 0
        self.needed = self.available = 0
        self.expected = self.found = 0
        self.flags = self.tag = self.extra = 0
        self.entity = self.component = self.field = self.value = 0
        self.previous = self.current = 0

    def over_limit(self, status: cython.int, limit: cython.longlong, actual: cython.longlong) -> cython.int:
        """Write down a limit and what is above it; returns the status."""
        self.limit = limit
        self.actual = actual
        return status
