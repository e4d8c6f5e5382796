"""Counters of a client of a world."""

# retick: floats -- measurements for people; nothing is simulated from them

from dataclasses import dataclass

from retick.wire.plain import Plain

__all__ = ["WorldClientStats"]


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
