"""Moments of a match that its states show: a hit, a knock-out, and the cues for sounds."""

from collections.abc import Iterator

from retick.games.fighter.rules import ATTACK_COOLDOWN_FRAMES, HITSTUN_FRAMES
from retick.games.fighter.state import FighterState

__all__ = ["cues_of", "hits_in", "knocked_out"]


def hits_in(state: FighterState) -> tuple[bool, bool]:
    """Whether player 1, and player 2, landed a hit in the frame that led to ``state``."""
    return state.p2.hitstun_frames == HITSTUN_FRAMES, state.p1.hitstun_frames == HITSTUN_FRAMES


def knocked_out(state: FighterState) -> bool:
    """Whether a fighter has no hit points left. The rules let the match go on after that."""
    return state.p1.hp == 0 or state.p2.hp == 0


def cues_of(before: FighterState, after: FighterState) -> Iterator[tuple[str, int]]:
    """What there is to hear in a frame, each with the player who did it; "knocked out" with the one it happened to."""
    players = ((before.p1, after.p1), (before.p2, after.p2))
    for player, ((old, new), (others_old, others_new)) in enumerate(zip(players, players[::-1], strict=True)):
        if new.attack_cooldown_frames == ATTACK_COOLDOWN_FRAMES:
            yield "swing", player
        if old.y == 0 and new.y > 0:
            yield "jump", player
        if others_new.hitstun_frames == HITSTUN_FRAMES and others_new.hp < others_old.hp:
            yield "hit", player
        if new.hp == 0 and old.hp > 0:
            yield "knocked out", player
