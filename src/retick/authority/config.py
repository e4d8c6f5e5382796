"""How a server and a client behave, apart from what the game decides."""

from dataclasses import dataclass

from retick.errors import UsageError

__all__ = ["DELTA_SNAPSHOTS", "LARGEST_MESSAGE", "ClientConfig", "ServerConfig"]

DELTA_SNAPSHOTS = 1 << 3
"""The capability bit, in the link's handshake, of delta snapshots."""
LARGEST_MESSAGE = 4096
"""Bytes of a reliable message; control messages have fewer than a hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """One server's rooms and patience."""

    rooms: tuple[str, ...] = ("",)
    """Names of the rooms; the one without a name is where a client goes that names none."""
    delta: bool = True
    """Offer delta snapshots, where the profile has them."""
    rejoin_seconds: float = 20.0
    """How long a player whose connection was lost keeps the seat."""
    join_seconds: float = 8.0
    """How long a connection may go without a good hello."""
    catch_up_ticks: int = 6
    """Ticks that a late server runs at once; what is beyond is skipped, and counted."""
    bundles_per_tick: float = 2.0
    """Input bundles taken from a client, on average; a resync may bring 65 at once."""
    timeout: float = 5.0
    """Seconds of silence after which a connection counts as lost."""
    rewind_input_delay: bool = True
    """Judge shots where the shooter saw the others: the interpolation delay and the lead of the command ago. False
    leaves the lead out, as the original does, and so misses what moves."""

    def __post_init__(self) -> None:
        if not self.rooms or len(set(self.rooms)) != len(self.rooms):
            raise UsageError(f"rooms need at least one name and no name twice, not {self.rooms}")
        if self.catch_up_ticks < 1:
            raise UsageError(f"catch_up_ticks is at least 1, not {self.catch_up_ticks}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConfig:
    """One client. The first four are switches for comparison runs; the defaults are what a game wants."""

    reset_on_reconcile: bool = False
    """Forget what the profile's ``forget`` forgets of each snapshot, as clients did before protocol 6."""
    skip_stale_commands: bool = True
    """Do not replay commands for ticks that the server has passed: it will never run them."""
    one_way_compensation: bool = True
    """Add half of the round trip to the server's tick when it arrives."""
    shed_lead: bool = True
    """Leave out a command now and then while more of them are under way than the delay asks for."""
    delta: bool = True
    """Ask for delta snapshots, where the profile has them."""
    hermite: bool = False
    """Show others on curves through their velocities instead of straight lines."""
    rejoin: bool = True
    """Dial again when the connection is lost."""
    rejoin_attempts: int = 5
    timeout: float = 5.0
    """Seconds of silence after which a connection counts as lost."""
    welcome_seconds: float = 3.0
    """How long a server may take to answer a hello."""
