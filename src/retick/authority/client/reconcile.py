"""Reconciliation: restore the server's state, and resimulate the commands that it has not run yet.

The steps are numbered as in docs/authority.md. The whole state is restored, locomotion included. That makes the
resimulation exact: the motor then takes the same branches as the server's did.
"""

# retick: floats -- distances for metrics and smoothing; states come from the motor alone

from math import hypot
from typing import Final, NamedTuple

from retick.authority.client.pending import PendingCommands
from retick.authority.profile import PlayerState, Profile, State

__all__ = ["Correction", "Replayed", "correction_between", "replay"]

DEAD_ZONE: Final = 0.003
"""Metres: less counts as nothing."""
EVENT: Final = 0.0005
"""Metres, after the dead zone, above which a correction is counted."""


class Replayed(NamedTuple):
    """The result of a reconcile."""

    restored: State
    """As the snapshot had it."""
    after: State
    """With the pending commands resimulated."""
    ack: int
    """Seq of the newest command that counts as run."""
    replayed: int
    """Commands resimulated."""
    stale: int
    """Commands dropped since the server has passed their tick."""


def replay(
    profile: Profile,
    authoritative: PlayerState,
    pending: PendingCommands,
    *,
    tick: int,
    last_ack: int,
    last_seq: int,
    forget: bool = False,
    skip_stale: bool = True,
) -> Replayed:
    """Steps 3 to 8: restore, acknowledge, resimulate. Commands that the server has run are dropped from ``pending``."""
    restored = state = profile.forget(authoritative.state) if forget else authoritative.state
    ack = min(max(last_ack, authoritative.ack), last_seq)
    pending.drop_through(ack)
    stale = pending.drop_stale(tick) if skip_stale else 0
    step = profile.motor.step
    for command in pending:
        state = step(state, command)
    return Replayed(restored, state, ack, len(pending), stale)


class Correction(NamedTuple):
    """How far a reconcile moved the player."""

    dx: float
    dy: float
    dz: float
    """Before minus after, in metres: what smoothing adds so that nothing jumps."""
    raw_xz: float
    """Horizontal, in metres, before the dead zone."""
    xz: float
    """Horizontal, in metres, after the dead zone."""
    y: float
    """Vertical, in metres, after the dead zone."""
    total: float
    """Both, in metres, after the dead zone."""

    @property
    def counts(self) -> bool:
        """Whether it is counted as a correction."""
        return self.total > EVENT


def correction_between(before: State, after: State) -> Correction:
    """Steps 10 and 11: the distance, with and without the dead zone."""
    (x0, y0, z0), (x1, y1, z1) = before.position, after.position
    dx, dy, dz = x0 - x1, y0 - y1, z0 - z1
    raw_xz = hypot(dx, dz)
    xz = raw_xz if raw_xz >= DEAD_ZONE else 0.0
    y = abs(dy) if abs(dy) >= DEAD_ZONE else 0.0
    return Correction(dx, dy, dz, raw_xz, xz, y, hypot(xz, y))
