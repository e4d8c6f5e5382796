"""An engine keeps few old states of a declared world, and remakes the others."""

import gc
import random
from collections.abc import Sequence

import pytest

from retick.rollback import RollbackEngine
from retick.sim import Thing, World
from retick.sim.world import WorldState


class Walker(Thing):
    x: int = 0
    log: list[int]


class Walk(World):
    num_players = 2
    walkers: list[Walker]
    frame: int = 0

    def start(self, seed: int) -> None:
        self.walkers = [Walker(x=seed), Walker(x=-seed)]

    def advance(self, inputs: Sequence[int]) -> None:
        self.frame += 1
        for walker, pressed in zip(self.walkers, inputs, strict=True):
            walker.x = (walker.x * 31 + pressed + self.frame) % 10007
            walker.log = [*walker.log[-4:], pressed]


def straight(frames: int, played: list[tuple[int, int]], start_frame: int) -> list[bytes]:
    """The saved bytes of the state before each frame, without any rollback."""
    world = Walk()
    state = world.initial_state(5)
    found = [state.saved]
    for frame in range(start_frame, frames):
        state = world.step(state, played[frame])
        found.append(state.saved)
    return found


@pytest.mark.parametrize("start_frame", [0, 3])
@pytest.mark.parametrize(("history", "latency"), [(2, 1), (20, 6), (64, 30), (100, 3)])
def test_every_state_in_history_is_that_of_the_straight_run(start_frame: int, history: int, latency: int) -> None:
    dice = random.Random(history)
    frames = start_frame + 300
    played = [(dice.randrange(4), dice.randrange(4)) for _ in range(frames)]
    world = Walk()
    engine = RollbackEngine(
        world, world.initial_state(5), local_player=0, history=history, start_frame=start_frame, inputs_remembered=512
    )
    wanted = straight(frames, played, start_frame)
    told = start_frame
    for frame in range(start_frame, frames):
        engine.advance(played[frame][0])
        until = max(told, frame + 1 - dice.randrange(latency))
        if until > told:
            engine.add_remote_inputs(1, told, [played[at][1] for at in range(told, until)])
            told = until
        oldest = max(start_frame, frame + 1 - history)
        asked = dice.randint(oldest, engine.final_state_frame) if oldest <= engine.final_state_frame else oldest
        if asked < told:
            assert engine.state_at(asked).saved == wanted[asked - start_frame]
    engine.add_remote_inputs(1, told, [played[at][1] for at in range(told, frames)])
    for asked in range(max(start_frame, frames - history), frames + 1):
        assert engine.state_at(asked).saved == wanted[asked - start_frame]


def test_a_player_is_dropped_from_a_frame_whose_state_is_not_kept() -> None:
    world = Walk()
    engine = RollbackEngine(world, world.initial_state(5), local_player=0, history=100)
    for frame in range(90):
        engine.advance(1)
        engine.add_remote_inputs(1, frame, [2])
    engine.drop_player(1, 37, [2, 2, 3])
    played = [(1, 2)] * 36 + [(1, 3)] + [(1, 0)] * 53
    wanted = straight(90, played, 0)
    assert [engine.state_at(frame).saved for frame in range(91)] == wanted


def test_few_old_states_are_kept() -> None:
    world = Walk()
    engine = RollbackEngine(world, world.initial_state(5), local_player=0, history=128)
    for frame in range(400):
        engine.advance(1)
        engine.add_remote_inputs(1, frame, [2])
    gc.collect()
    mine = [each for each in gc.get_objects() if type(each) is WorldState and each.kept is not None]
    # The recent ones, and one in 16 of the others in history.
    assert 16 + 7 <= len(mine) <= 16 + 11
