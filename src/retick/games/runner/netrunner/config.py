"""What a server decides for a session: rates, delays, view limits and the tuning of movement.

A configuration is read from JSON text by the protocol's own key names, whatever their case. Reading never fails: what
cannot be used is left at its default and named in a list of complaints, for the application to show.
"""

# retick: floats -- thresholds and tuning travel as binary32 and are rounded when they are set

import json
from dataclasses import dataclass, field, fields
from math import pi
from typing import Any, Final

from retick.errors import UsageError
from retick.games.runner.motor.binary32 import LARGEST, round32
from retick.games.runner.motor.tuning import BOUNDS as TUNING_BOUNDS
from retick.games.runner.motor.tuning import Bounds, Tuning, within_bounds

__all__ = ["LAN", "WAN", "RunnerConfig", "parse_config"]

_LARGEST_INT: Final = 2147483647

BOUNDS: Final[dict[str, Bounds]] = {
    "server_tick_rate": (1, _LARGEST_INT),
    "client_tick_rate": (1, _LARGEST_INT),
    "snapshot_rate": (1, _LARGEST_INT),
    "input_delay_ticks": (0, 10),
    "interpolation_delay_ms": (0, _LARGEST_INT),
    "max_extrapolation_ms": (0, _LARGEST_INT),
    "reconcile_smooth_ms": (1, _LARGEST_INT),
    "reconcile_snap_threshold": (0.1, LARGEST),
    "pitch_clamp_degrees": (1.0, 89.0),
    "max_players": (1, 16),
}
"""What a Welcome's values are clamped to, and what a server may be configured with; whole bounds, whole numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig:
    """One session's configuration; the defaults are the protocol's WAN profile. Out of range is a UsageError."""

    server_tick_rate: int = 60
    """Ticks a second."""
    client_tick_rate: int = 60
    """Commands a second."""
    snapshot_rate: int = 20
    """Snapshots a second."""
    input_delay_ticks: int = 3
    """Ticks ahead a client first stamps its commands."""
    interpolation_delay_ms: int = 100
    """Milliseconds that other players are shown in the past."""
    max_extrapolation_ms: int = 100
    """Milliseconds that other players are moved past their newest snapshot."""
    reconcile_smooth_ms: int = 100
    """Milliseconds over which a correction fades from view."""
    reconcile_snap_threshold: float = 1.5
    """Metres from which a correction is shown at once."""
    pitch_clamp_degrees: float = 89.0
    """Degrees up and down."""
    max_players: int = 16
    """Players at once, a listening host included. Does not travel."""
    tuning: Tuning = field(default_factory=Tuning)
    """Movement."""

    def __post_init__(self) -> None:
        for name, bounds in BOUNDS.items():
            object.__setattr__(self, name, within_bounds(name, bounds, getattr(self, name)))

    @property
    def pitch_limit(self) -> float:
        """The pitch clamp in radians, as binary32."""
        return round32(self.pitch_clamp_degrees * pi / 180)


WAN: Final = RunnerConfig()
LAN: Final = RunnerConfig(snapshot_rate=30, input_delay_ticks=1, interpolation_delay_ms=50)

_KEYS: Final = {
    "servertickrate": "server_tick_rate",
    "clienttickrate": "client_tick_rate",
    "snapshotrate": "snapshot_rate",
    "serverinputdelayticks": "input_delay_ticks",
    "interpolationdelayms": "interpolation_delay_ms",
    "maxextrapolationms": "max_extrapolation_ms",
    "reconciliationsmoothms": "reconcile_smooth_ms",
    "reconciliationsnapthreshold": "reconcile_snap_threshold",
    "pitchclampdegrees": "pitch_clamp_degrees",
    "maxplayers": "max_players",
} | {tuned.name.replace("_", ""): tuned.name for tuned in fields(Tuning)}
"""The protocol's key in lower case, and our field."""

_ALL_BOUNDS: Final = BOUNDS | TUNING_BOUNDS


def parse_config(text: str) -> tuple[RunnerConfig, tuple[str, ...]]:
    """The configuration in JSON ``text``, and what in it could not be used."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return WAN, (f"not JSON, so defaults are used: {error}",)
    if not isinstance(found, dict):
        return WAN, ("not a JSON object, so defaults are used",)
    complaints: list[str] = []
    usable: dict[str, Any] = {}
    for key, value in found.items():
        name = _KEYS.get(key.lower())
        if name is None:
            complaints.append(f"{key} is not a key of this configuration")
            continue
        try:
            usable[name] = within_bounds(key, _ALL_BOUNDS[name], value)
        except UsageError as error:
            complaints.append(f"{error}: default used")
    tuned = {name: usable.pop(name) for name in TUNING_BOUNDS if name in usable}
    return RunnerConfig(tuning=Tuning(**tuned), **usable), tuple(complaints)
