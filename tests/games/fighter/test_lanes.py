"""Matches that begin anywhere are the same side by side, where 16 bits hold them and where they do not."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.fighter import Fighter, FighterState
from retick.games.fighter.rules import JUMP_VELOCITY
from retick.replay import Replay, dumps
from retick.verify.kernel import final_checksums
from tests.effort import examples

LANES = 64
LEAST, MOST = -1000, 20_000
"""What a slot may hold for a match to be played in 16 bits; lanes.py says why."""
EDGES = st.one_of(
    st.sampled_from((LEAST - 1, LEAST, 0, 1, MOST, MOST + 1)), st.integers(-5, 35), st.integers(LEAST, MOST)
)
SPEEDS = st.one_of(st.sampled_from((LEAST, JUMP_VELOCITY, JUMP_VELOCITY + 1)), st.integers(LEAST, JUMP_VELOCITY))


@st.composite
def players(draw: st.DrawFn) -> dict[str, int]:
    names = ("x", "y", "hitstun_frames", "hp", "attack_cooldown_frames", "attack_active_frames")
    return {
        **{name: draw(EDGES) for name in names},
        "vy": draw(SPEEDS),
        "facing": draw(st.sampled_from((-1, 0, 1))),
        "state": draw(st.integers(0, 5)),
        "attack_has_hit": draw(st.integers(0, 2)),
    }


class Anywhere(Fighter):
    """A fighter whose first states are given, one for each seed, in turns."""

    def __init__(self, pairs: list[tuple[dict[str, int], dict[str, int]]]) -> None:
        super().__init__()
        self.pairs = pairs

    def initial_state(self, seed: int) -> FighterState:
        state = super().initial_state(seed)
        first, second = self.pairs[seed % len(self.pairs)]
        return state.replace(frame=0xFFFFFFFF - seed, p1=state.p1.replace(**first), p2=state.p2.replace(**second))


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(players(), players()), min_size=1, max_size=8), st.integers(1, 2 * LANES), st.integers(0, 99))
def test_wherever_matches_begin(pairs: list[tuple[dict[str, int], dict[str, int]]], count: int, noise: int) -> None:
    game, random, data, spans, expected = Anywhere(pairs), Random(noise), b"", [], []
    for seed in range(1, count + 1):
        frames = b"".join(random.randbytes(4) * random.randint(1, 20) for _ in range(random.randint(0, 6)))
        match = dumps(Replay(seed=seed, frames=frames))
        spans.append((len(data), len(data) + len(match)))
        data += match
        expected.append((seed, len(frames) // 4, game.checksum(game.run(game.initial_state(seed), frames))))
    assert final_checksums(game, data, spans, 1000) == expected


@pytest.mark.parametrize("height", [MOST, MOST + 1, 0x7FFFFFFF])
def test_the_highest_flight_and_the_longest_fall(height: int) -> None:
    """Up from the highest place at full speed: nothing on the way is cut to 16 bits."""
    flying = {"y": height, "vy": JUMP_VELOCITY}
    game = Anywhere([(flying, flying)])
    frames = bytes(4 * 300)
    data = dumps(Replay(seed=1, frames=frames))
    expected = game.checksum(game.run(game.initial_state(1), frames))
    assert final_checksums(game, data, [(0, len(data))] * LANES, 1000) == [(1, 300, expected)] * LANES
