"""What a server decides for a session: rates, delays, the limits of the view and the tuning of movement.

A configuration is read from JSON text by the protocol's own key names; upper and lower case are alike. Reading never
fails: a value that cannot be used is left at its default, and named in a list of complaints that the caller can show.
"""

# retick: floats -- thresholds and tuning are sent as binary32 and are rounded when they are set

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import pi
from typing import Any, ClassVar, Final

from retick.errors import UsageError
from retick.games.runner.motor.tuning import BOUNDS as TUNING_BOUNDS
from retick.games.runner.motor.tuning import Tuning
from retick.wire.authority import SessionNumbers
from retick.wire.binary32 import LARGEST, LARGEST_INT, Bounds, round32, within_bounds

__all__ = ["LAN", "WAN", "RunnerConfig", "config_object", "parse_config"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig(SessionNumbers):
    """One session's configuration; the defaults are the protocol's WAN profile. Out of range is a UsageError."""

    # What a Welcome's values are clamped to, and what a server may be configured with.
    BOUNDS: ClassVar[Mapping[str, Bounds]] = {
        **SessionNumbers.BOUNDS,
        "server_tick_rate": (1, LARGEST_INT),
        "client_tick_rate": (1, LARGEST_INT),
        "snapshot_rate": (1, LARGEST_INT),
        "reconcile_snap_threshold": (0.1, LARGEST),
        "pitch_clamp_degrees": (1.0, 89.0),
        "max_players": (1, 16),
    }

    pitch_clamp_degrees: float = 89.0
    """How far a runner can look up and down, in degrees."""
    tuning: Tuning = field(default_factory=Tuning)
    """The numbers of the movement."""

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
"""The protocol's key in lower case, to our field."""

_ALL_BOUNDS: Final = {**RunnerConfig.BOUNDS, **TUNING_BOUNDS}


def config_object(text: str) -> dict[str, Any]:
    """The keys and values in JSON ``text``; UsageError if it is no JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError("not a JSON object")
    return found


def parse_config(text: str) -> tuple[RunnerConfig, tuple[str, ...]]:
    """The configuration in JSON ``text``, and complaints about what in it could not be used."""
    try:
        found = config_object(text)
    except UsageError as error:
        return WAN, (f"{error}: defaults used",)
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
