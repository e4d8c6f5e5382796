"""A recording is run in short steps."""

from typing import Any

from retick.replay import ReplayPlayer
from retick.studio.steps import Steps

__all__ = ["STRIDE", "seek_in_steps"]

STRIDE = 64
"""Frames of one step."""


def seek_in_steps(player: ReplayPlayer[Any], frame: int) -> Steps:
    """Moves a player to a frame, as ``seek`` does, but never many frames in one go."""
    start, spacing = player.replay.start_frame, player.spacing
    kept = start + min((frame - start) // spacing, player.kept - 1) * spacing
    if not kept < player.frame <= frame:
        player.seek(kept)
    while player.frame < frame:
        player.seek(min(frame, player.frame + STRIDE))
        yield
