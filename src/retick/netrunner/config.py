"""Settings of a server and of a client of NetRunner, apart from those in the profile."""

from dataclasses import dataclass

from retick.errors import UsageError
from retick.host.config import HostConfig, JoiningConfig
from retick.snapshot.compact.coder import IS_COMPILED


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Allows at most ``burst`` at once, and one more every ``every`` ticks.

    A client may send anything at each tick. The limit itself has no memory: its user keeps one integer, ``wait``, from
    tick to tick. In a motor, that number is a field of the state, ``Whole(0, limit.longest_wait)``: then server and
    client count alike, and the prediction is right.
    """

    every: int
    """Ticks between two, 1 or more; 1 limits nothing."""
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
        """Run one tick: returns whether what is wanted may happen, and the new ``wait``. Begin with 0."""
        wait = max(0, wait - 1)
        if wanted and wait <= self.every * (self.burst - 1):
            return True, wait + self.every
        return False, wait


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig(HostConfig):
    """The rooms, limits and timeouts of a server."""

    delta: bool = True
    """Whether to offer delta snapshots, if the game has them."""
    compact: bool = IS_COMPILED
    """Whether clients that can read compact deltas get them. False sends plain ones: twice the bytes, but less time. By
    default False if the kernels are not compiled: then a compact one takes milliseconds."""
    bundles_per_tick: float = 2.0
    """Input bundles accepted from each client per tick, on average; a resync may bring 65 at once."""
    shots: RateLimit = RateLimit(every=6, burst=3)
    """How often a player may shoot; more shots are counted but not judged. ``RateLimit(every=1)`` limits nothing."""
    rewind_input_delay: bool = True
    """Whether to judge a shot by where the shooter saw the others: in the past by the interpolation delay and by the
    time that the command was stamped ahead. False leaves out the second part, as the original does; moving players are
    missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConfig(JoiningConfig):
    """One client. The first four are switches for comparison runs: a game keeps their defaults."""

    reset_on_reconcile: bool = False
    """Reset part of the state at each snapshot with the profile's ``forget``, as clients did before protocol 6."""
    skip_stale_commands: bool = True
    """Do not resimulate commands for ticks that the server has passed: it will never run them."""
    one_way_compensation: bool = True
    """Add half of the round trip to a server tick when it arrives."""
    shed_lead: bool = True
    """Skip a command now and then while commands run further ahead than the input delay requires."""
    delta: bool = True
    """Whether to ask for delta snapshots, if the game has them."""
    compact: bool = IS_COMPILED
    """Whether to ask for compact ones, which take half the bytes; by default if the kernels are compiled."""
    hermite: bool = False
    """Draw other players on curves that follow their velocities, instead of on straight lines."""
