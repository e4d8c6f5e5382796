"""Settings of a client of a world."""

from dataclasses import dataclass

from retick.errors import UsageError
from retick.host.config import JoiningConfig
from retick.snapshot.compact.coder import IS_COMPILED
from retick.wire.values import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldClientConfig(JoiningConfig):
    """Settings of one client; the server decides how many ticks and snapshots there are a second."""

    packets_per_second: int = 30
    """Input packets a second; each has all inputs that the server has not acknowledged, at most 8."""
    compact: bool = IS_COMPILED
    """Whether to ask for compact snapshots, a third to a half fewer bytes; by default if kernels are compiled."""
    most_ahead: int = 60
    """The most ticks to predict after the newest snapshot; then the client waits for the next one."""
    smoothing: float = 0.1
    """Seconds in which the visible rest of a correction shrinks to a third."""
    longest_smoothed: float | None = None
    """The longest correction that is smoothed, in units of the world; None: a tenth of a field's Range, or 64."""
    cue_tolerance: int = 6
    """The most ticks between a predicted cue and the server's same cue."""
    views_past: bool | None = None
    """What the server uses for ``seen_by``: True is the past moment that was drawn last; False is the present. None is
    the past, if there are things with ``predicted = False``."""
    messages_per_second: float = 30.0
    """The server's limit of reliable messages, its setting of the same name: more wait here."""

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
    """Snapshots that were used."""
    snapshot_bytes: int = 0
    """Bytes of used snapshots, without the link's own."""
    stale_snapshots: int = 0
    """Snapshots dropped because a newer one had come before."""
    missing_baselines: int = 0
    """Snapshots dropped because their baseline is missing."""
    refused: int = 0
    """Payloads and messages dropped because they did not decode, or were not expected."""
    inputs: int = 0
    """Ticks that were run with an input of ours."""
    packets: int = 0
    """Packets with inputs that were sent."""
    resimulated: int = 0
    """Ticks that were resimulated."""
    corrections: int = 0
    """Snapshots that moved a thing of ours by more than half a step."""
    last_correction: float = 0.0
    """How far the newest snapshot moved a thing of ours, in units of the world; teleports do not count."""
    largest_correction: float = 0.0
    """The largest correction, in units of the world."""
    teleports: int = 0
    """Snapshots that made a thing of ours jump, or undid a predicted jump."""
    snaps: int = 0
    """Corrections that were too long to be smoothed."""
    jumps: int = 0
    """How often ticks were skipped, because the client was far behind."""
    stalls: int = 0
    """How often no tick was due, because snapshots were missing."""
    failures: int = 0
    """Snapshots from which the game's code could not predict."""
    margin: int = 0
    """How many ticks early our newest input was, according to the newest snapshot."""
    rejoins: int = 0
    """How often the seat was taken again after a lost connection."""
