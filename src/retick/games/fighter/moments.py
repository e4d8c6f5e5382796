"""Moments of a match that a state shows: a hit, a knock-out."""

from retick.games.fighter.rules import HITSTUN_FRAMES
from retick.games.fighter.state import FighterState

__all__ = ["hits_in", "knocked_out"]


def hits_in(state: FighterState) -> tuple[bool, bool]:
    """Whether player 1, and player 2, landed a hit in the frame that led to ``state``."""
    return state.p2.hitstun_frames == HITSTUN_FRAMES, state.p1.hitstun_frames == HITSTUN_FRAMES


def knocked_out(state: FighterState) -> bool:
    """Whether a fighter has no hit points left. The rules let the match go on after that."""
    return state.p1.hp == 0 or state.p2.hp == 0
