"""How often a client may do something: a limit that a motor keeps in its state, or a server for each player."""

from dataclasses import dataclass

from retick.errors import UsageError

__all__ = ["RateLimit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """At most ``burst`` at once, and one more every ``every`` ticks.

    A client may send anything in each of sixty ticks a second. The limit itself has no memory: whoever uses it keeps
    one whole number, ``wait``, from tick to tick. In a motor, that number is a field of the state, ``Whole(0,
    limit.longest_wait)``: then server and client count alike, and the prediction is right.
    """

    every: int
    """Ticks, 1 or more; 1 limits nothing."""
    burst: int = 1
    """How many may come at once after a pause."""

    def __post_init__(self) -> None:
        if self.every < 1 or self.burst < 1:
            raise UsageError(f"every and burst must be 1 or more, not {self.every} and {self.burst}")

    @property
    def longest_wait(self) -> int:
        """The largest ``wait`` that ``step`` returns."""
        return self.every * self.burst

    def step(self, wait: int, wanted: bool) -> tuple[bool, int]:
        """One tick: whether what is wanted may happen, and the new ``wait``. Begin with a ``wait`` of 0."""
        wait = max(0, wait - 1)
        if wanted and wait <= self.every * (self.burst - 1):
            return True, wait + self.every
        return False, wait
