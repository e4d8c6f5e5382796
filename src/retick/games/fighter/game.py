"""The fighter as a Simulation: the kernel's step with its state, seed and name."""

from collections.abc import Iterator

from retick.games.fighter import rules
from retick.games.fighter.kernel import FighterLanes
from retick.games.fighter.rules import ATTACK_COOLDOWN_FRAMES, HITSTUN_FRAMES
from retick.sim.flat import make_record
from retick.sim.kinds import I8, I32, U8, U32
from retick.sim.prng import check_seed
from retick.sim.record import Record

# The fighter's state, declared once; the order of fields is the order of hashing.


class PlayerState(Record):
    """One fighter. Position is the lower left corner of its box."""

    x: I32
    y: I32
    vx: I32
    """Hashed like the rest, though no rule ever changes it from 0."""
    vy: I32
    facing: I8
    state: U8
    hitstun_frames: I32
    hp: I32
    attack_cooldown_frames: I32
    attack_active_frames: I32
    attack_has_hit: U8


class FighterState(Record):
    """A whole match at one frame."""

    frame: U32
    p1: PlayerState
    p2: PlayerState
    rng: U32
    """The state of the generator: saved and hashed, but the step never draws from it."""


def _fighter(player: int) -> PlayerState:
    return PlayerState(
        x=rules.START_X[player],
        y=rules.GROUND_Y,
        vx=0,
        vy=0,
        facing=rules.START_FACING[player],
        state=rules.Action.IDLE,
        hitstun_frames=0,
        hp=rules.DEFAULT_HP,
        attack_cooldown_frames=0,
        attack_active_frames=0,
        attack_has_hit=0,
    )


_START = FighterState(frame=0, p1=_fighter(0), p2=_fighter(1), rng=1)._slots()[:-1]
"""Every slot but the generator's: otherwise, verifying short matches would spend half the time on building records."""


def initial_state(seed: int) -> FighterState:
    state: FighterState = make_record(FighterState, (*_START, check_seed(seed)))
    return state


# What the states of a match show: a hit, a knock-out, and the cues for sounds.


def hits_in(state: FighterState) -> tuple[bool, bool]:
    """Whether player 1, and player 2, landed a hit in the frame that led to ``state``."""
    return state.p2.hitstun_frames == HITSTUN_FRAMES, state.p1.hitstun_frames == HITSTUN_FRAMES


def knocked_out(state: FighterState) -> bool:
    """Whether a fighter has no hit points left. The rules let the match go on after that."""
    return state.p1.hp == 0 or state.p2.hp == 0


def cues_of(before: FighterState, after: FighterState) -> Iterator[tuple[str, int]]:
    """The sounds of a frame, each with the player who caused it; "knocked out" with the player it happened to."""
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


class Fighter(FighterLanes):
    """Two players, 16 buttons each, integers only; ``step`` for play, ``run`` for bulk."""

    game_id = "retick.fighter"
    game_version = 1

    def __init__(self) -> None:
        super().__init__(FighterState, num_players=2, input_size=2)

    def initial_state(self, seed: int) -> FighterState:
        """The state at frame 0; ``seed`` is any 32-bit integer but 0."""
        return initial_state(seed)

    def cues(self, before: FighterState, after: FighterState) -> Iterator[tuple[str, int]]:
        """The sounds of the frame between two states."""
        return cues_of(before, after)
