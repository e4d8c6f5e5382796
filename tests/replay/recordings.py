"""A game of any shape, and any recording: what the tests of the replay package are fed with."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from retick.errors import Truncated
from retick.replay import Arrival, Replay
from retick.sim import fnv1a

__all__ = ["Tally", "replays"]

Score = tuple[int, ...]


class Tally:
    """Adds up each player's inputs with a twist; uncompiled, without ``run``, of any number of players."""

    game_id = "test.tally"
    game_version = 3

    def __init__(self, num_players: int = 2, input_size: int = 2) -> None:
        self.num_players = num_players
        self.input_size = input_size
        self.steps = 0

    def initial_state(self, seed: int) -> Score:
        return (0, *[seed] * self.num_players)

    def step(self, state: Score, inputs: Sequence[int], /) -> Score:
        self.steps += 1
        frame, *sums = state
        return (frame + 1, *((s * 31 + i + frame) & 0xFFFFFFFF for s, i in zip(sums, inputs, strict=True)))

    def checksum(self, state: Score) -> int:
        return fnv1a(state)

    def fields(self, state: Score) -> Iterator[tuple[str, Any]]:
        yield "frame", state[0]
        for player, total in enumerate(state[1:]):
            yield f"sum[{player}]", total

    def pack_state(self, state: Score) -> bytes:
        return b"".join(value.to_bytes(4, "little") for value in state)

    def unpack_state(self, data: bytes) -> Score:
        size = 4 * (self.num_players + 1)
        if len(data) != size:
            raise Truncated("a tally", needed=size, available=len(data))
        return tuple(int.from_bytes(data[at : at + 4], "little") for at in range(0, size, 4))


@st.composite
def replays(draw: st.DrawFn) -> Replay:
    """Any recording that can exist, short."""
    players, size = draw(st.integers(1, 16)), draw(st.integers(1, 8))
    count = draw(st.integers(0, 40))
    frames = draw(st.binary(min_size=count * players * size, max_size=count * players * size))
    state = draw(st.none() | st.binary(max_size=200))
    start = 0 if state is None else draw(st.integers(0, 2**32 - 1 - count))
    local = tuple(sorted(draw(st.sets(st.integers(0, players - 1)))))
    remote = [player for player in range(players) if player not in local]
    arrivals = []
    if remote:
        local_frames = sorted(draw(st.lists(st.integers(start, 2**32 - 1), max_size=5)))
        for local_frame in local_frames:
            first = draw(st.integers(start, 2**32 - 1))
            length = draw(st.integers(1, min(65535, 2**32 - first)))
            arrivals.append(Arrival(local_frame, draw(st.sampled_from(remote)), first, length))
    return Replay(
        seed=draw(st.integers(1, 2**32 - 1)),
        frames=frames,
        num_players=players,
        input_size=size,
        start_frame=start,
        start_state=state,
        game_id=draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=20)),
        game_version=draw(st.integers(0, 2**32 - 1)),
        local_players=local,
        checkpoints=draw(st.dictionaries(st.integers(start, start + count), st.integers(0, 2**32 - 1), max_size=6)),
        resyncs=draw(st.dictionaries(st.integers(start, start + count - 1), st.binary(max_size=100), max_size=3))
        if count
        else {},
        arrivals=tuple(arrivals),
        metadata=draw(
            st.dictionaries(
                st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9),
                st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
                max_size=3,
            )
        ),
        truncated=draw(st.booleans()),
    )
