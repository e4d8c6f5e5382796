"""Reconciliation: take the server's word for the past, and run again what it has not heard yet.

The steps are numbered as in docs/authority.md. Restoring the whole state, locomotion included, before the replay is
what makes the replay exact: the motor then branches as the server's did.
"""

# retick: floats -- distances for metrics and smoothing; states come from the motor alone

from math import hypot
from typing import Final, NamedTuple

from retick.authority.client.history import PendingCommands
from retick.authority.shapes import PlayerState, Profile, State

__all__ = ["Correction", "Replayed", "correction_between", "replay"]

DEAD_ZONE: Final = 0.003
EVENT: Final = 0.0005
"""Metres, after the dead zone, from which a correction is counted."""


class Replayed(NamedTuple):
    """Where a reconcile led."""

    restored: State
    after: State
    ack: int
    """The newest command that counts as done."""
    replayed: int
    stale: int


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
    """Steps 3 to 8: restore, acknowledge, run again. ``pending`` loses what is done."""
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
    xz: float
    """After the dead zone, as ``y`` and ``total``."""
    y: float
    total: float

    @property
    def counts(self) -> bool:
        return self.total > EVENT


def correction_between(before: State, after: State) -> Correction:
    """Steps 10 and 11."""
    (x0, y0, z0), (x1, y1, z1) = before.position, after.position
    dx, dy, dz = x0 - x1, y0 - y1, z0 - z1
    raw_xz = hypot(dx, dz)
    xz = raw_xz if raw_xz >= DEAD_ZONE else 0.0
    y = abs(dy) if abs(dy) >= DEAD_ZONE else 0.0
    return Correction(dx, dy, dz, raw_xz, xz, y, hypot(xz, y))
