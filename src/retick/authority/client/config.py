"""Settings of a client of a world."""

from dataclasses import dataclass

from retick.errors import UsageError
from retick.host.config import JoiningConfig
from retick.snapshot.compact.coder import IS_COMPILED
from retick.wire.values import Plain

__all__ = [
    "WorldClientConfig",
    "WorldClientStats",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldClientConfig(JoiningConfig):
    """One client; the server says how many ticks and snapshots there are a second."""

    packets_per_second: int = 30
    """Packets with inputs; each has all inputs that the server has not acknowledged, at most 8."""
    compact: bool = IS_COMPILED
    """Ask for compact snapshots, which take a third to a half fewer bytes; by default if the kernels are compiled."""
    most_ahead: int = 60
    """Ticks that may be predicted after the newest snapshot; then the client waits for the next one."""
    smoothing: float = 0.1
    """Seconds in which what is left of a correction becomes a third in pictures."""
    longest_smoothed: float | None = None
    """The longest correction that is smoothed, in the units of the world; None: a tenth of a field's Range, or 64."""
    cue_tolerance: int = 6
    """Ticks by which a predicted cue and that of the server may be apart."""
    views_past: bool | None = None
    """What the server is told for ``seen_by``: True: the moment of the past that was drawn last; False: the present.
    None: the past, if there are things with ``predicted = False``."""
    messages_per_second: float = 30.0
    """Reliable messages that the server takes, its own setting of this name: more wait here."""

    def __post_init__(self) -> None:
        for name in (
            "packets_per_second",
            "most_ahead",
            "smoothing",
            "timeout",
            "welcome_seconds",
            "messages_per_second",
        ):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.longest_smoothed is not None and not self.longest_smoothed > 0:
            raise UsageError(f"longest_smoothed must be above 0 or None, not {self.longest_smoothed}")
        if self.cue_tolerance < 0:
            raise UsageError(f"cue_tolerance must be at least 0, not {self.cue_tolerance}")


# Counters of a client of a world.

# retick: floats -- measurements for people; nothing is simulated from them


@dataclass(slots=True)
class WorldClientStats(Plain):
    """Totals of one client since it was made."""

    snapshots: int = 0
    """Snapshots used."""
    snapshot_bytes: int = 0
    """Bytes of these, without the link's own."""
    stale_snapshots: int = 0
    """Snapshots dropped since a newer one had come before."""
    missing_baselines: int = 0
    """Snapshots dropped since the one they start from is not held."""
    refused: int = 0
    """Payloads and messages dropped since they did not decode, or were not expected."""
    inputs: int = 0
    """Ticks that were run with an input of ours."""
    packets: int = 0
    """Packets with inputs."""
    resimulated: int = 0
    """Ticks that were run again."""
    corrections: int = 0
    """Snapshots that moved a thing of ours by more than half a step."""
    last_correction: float = 0.0
    """How far the newest snapshot moved a thing of ours, in units of the world; a teleport does not count."""
    largest_correction: float = 0.0
    """The most of these."""
    teleports: int = 0
    """Snapshots that put a thing of ours elsewhere, or took back that it was."""
    snaps: int = 0
    """Corrections that were too long to be smoothed."""
    jumps: int = 0
    """Times that ticks were left out, because the client was far behind its place."""
    stalls: int = 0
    """Times that no tick was due, because snapshots were missing."""
    failures: int = 0
    """Snapshots from which the game's code could not run on."""
    margin: int = 0
    """How many ticks early our newest input was, as the newest snapshot says."""
    rejoins: int = 0
    """Times that the seat was taken again after a lost connection."""
