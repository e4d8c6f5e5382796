"""A part that limits how often something is done: ``gun: Cooldown``."""

from retick.errors import UsageError
from retick.sim.widths import U16
from retick.sim.world.declared import Thing

__all__ = ["Cooldown"]

HOTTEST = 65535


class Cooldown(Thing):
    """Counts in ticks. Every use heats it by ``every``, every ``rest()`` cools it by one: call that once a tick."""

    heat: U16 = 0

    def rest(self) -> None:
        """One tick has passed."""
        if self.heat:
            self.heat -= 1

    def use(self, every: int, burst: int = 1) -> bool:
        """Whether it may be done now; then it counts as done.

        At most once in ``every`` ticks in the long run, and up to ``burst`` times at once after a long rest.
        """
        if every < 1 or burst < 1 or every * burst > HOTTEST:
            raise UsageError(
                f"every and burst are 1 or more, and at most {HOTTEST} multiplied, not {every!r} and {burst!r}"
            )
        if self.heat + every > every * burst:
            return False
        self.heat += every
        return True
