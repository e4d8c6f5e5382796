"""The fighter's state, declared once; the order of fields is the order of hashing."""

from retick.games.fighter import rules
from retick.sim.prng import check_seed
from retick.sim.record import Record
from retick.sim.slots import make_record
from retick.sim.widths import I8, I32, U8, U32

__all__ = ["FighterState", "PlayerState", "initial_state"]


class PlayerState(Record):
    """One fighter. Position is the lower left corner of its box."""

    x: I32
    y: I32
    vx: I32
    """Hashed like the rest, though no rule ever moves it from 0."""
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
    """State of the generator: saved and hashed, never drawn from by the step."""


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
"""All slots but the generator's: verifying short matches would spend as long on building the records as on the run."""


def initial_state(seed: int) -> FighterState:
    state: FighterState = make_record(FighterState, (*_START, check_seed(seed)))
    return state
