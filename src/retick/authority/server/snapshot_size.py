"""Whether a game's snapshots fit a datagram: asked before a room fills up."""

import struct
from typing import Final

from retick.authority.delta import MOST_PLAYERS, DeltaCodec
from retick.authority.profile import Profile
from retick.errors import EncodeError, UsageError
from retick.link.layout import ENVELOPE_SIZE, TAG_SIZE
from retick.wire.authority import InputStats, PlayerView

__all__ = ["LARGEST_DATAGRAM", "check_snapshots", "fits_fixed", "largest_snapshot"]

LARGEST_DATAGRAM: Final = 1472
"""A fixed snapshot of sixteen players and the link's envelope are longer than the 1200 bytes that links keep to."""


def largest_snapshot(sealed: bool) -> int:
    """Bytes of the largest snapshot that fits beside what the link adds."""
    return LARGEST_DATAGRAM - ENVELOPE_SIZE - (TAG_SIZE if sealed else 0)


def fits_fixed(profile: Profile, largest: int) -> bool:
    """Whether a fixed snapshot of a full room fits into one datagram, and its players into the packet's count."""
    views = [PlayerView(peer, 0, profile.motor.spawn(peer), InputStats()) for peer in range(profile.config.max_players)]
    try:
        return len(profile.encode_snapshot(0, views)) <= largest
    except (EncodeError, struct.error):
        return False


def check_snapshots(profile: Profile, delta: DeltaCodec | None, serves_fixed: bool, largest: int) -> None:
    """Refuse a game whose snapshots can be too long."""
    players = profile.config.max_players
    if delta is None and not serves_fixed:
        raise UsageError(f"a fixed snapshot of {players} players is longer than the {largest} bytes of a datagram")
    if delta is not None and (players > MOST_PLAYERS or delta.largest(players) > largest):
        most = delta.largest(players)
        raise UsageError(
            f"a snapshot of {players} players may take {most} bytes, and a datagram holds {largest}:"
            f" have fewer players (at most {MOST_PLAYERS}), or fewer and coarser public numbers"
        )
