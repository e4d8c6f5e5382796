"""The compiled way says the same as ``loads`` and ``verify``, and leaves to them whatever is not plain."""

import struct
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.games.fighter import Fighter, FighterState
from retick.games.scramble import Scramble
from retick.replay import Replay, dumps, loads, verify
from retick.verify.kernel import final_checksums, is_runnable
from tests.verify.matches import Turned

GAME = Fighter()
MATCHES = st.builds(
    lambda seed, frames: dumps(Replay(seed=seed, frames=frames)),
    st.integers(1, 0xFFFFFFFF),
    st.lists(st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)), max_size=30),
)


def ordinary(data: bytes) -> tuple[int, int, int] | None:
    try:
        replay = loads(data)
    except DecodeError:
        return None
    return replay.seed, len(replay), verify(replay, GAME).checksum


@given(st.lists(MATCHES, max_size=6), st.binary(max_size=5))
def test_a_batch_has_the_results_of_its_matches(matches: list[bytes], between: bytes) -> None:
    data, spans = b"", []
    for match in matches:
        data += between
        spans.append((len(data), len(data) + len(match)))
        data += match
    assert final_checksums(GAME, data, spans, 100) == [ordinary(match) for match in matches]


@pytest.mark.parametrize("start", [0, 1, 7])
def test_the_crc_of_any_length_is_zlibs(start: int) -> None:
    """Long parts of a match are folded, the rest goes through tables: every length up to some blocks of both."""
    noise = Random(5)
    for frames in range(101):
        match = dumps(Replay(seed=1, frames=noise.randbytes(4 * frames)))
        data = bytes(start) + match
        assert final_checksums(GAME, data, [(start, len(data))], 200) == [ordinary(match)]
        changed = bytearray(data)
        changed[-1 - noise.randrange(max(1, 4 * frames))] ^= 1 << noise.randrange(8)
        assert final_checksums(GAME, changed, [(start, len(data))], 200) == [None]


class Extreme(Fighter):
    """A fighter whose first states are near the ends of what their fields hold, so that everything wraps."""

    def initial_state(self, seed: int) -> FighterState:
        state = super().initial_state(seed)
        edge = (0x7FFFFFFF, -0x80000000)[seed % 2]
        first = state.p1.replace(x=edge, y=edge, vy=-edge // 2, hp=edge, facing=(-1, 1)[seed % 2], hitstun_frames=seed)
        second = state.p2.replace(x=edge, attack_cooldown_frames=edge, attack_active_frames=seed, state=seed % 5)
        return state.replace(frame=0xFFFFFFFF - seed, p1=first, p2=second)


@pytest.mark.parametrize("game", [Fighter(), Extreme()], ids=["from the start", "from extremes"])
@pytest.mark.parametrize("count", [31, 32, 64, 65, 150])
def test_matches_side_by_side_end_as_each_by_itself(game: Fighter, count: int) -> None:
    """More and fewer than a kernel plays at once, of all lengths; an empty one among them."""
    noise, data, spans, expected = Random(count), b"", [], []
    for seed in range(1, count + 1):
        frames = noise.randbytes(4 * noise.choice((0, 1, 31, 32, 33, 90)))
        match = dumps(Replay(seed=seed, frames=frames))
        spans.append((len(data), len(data) + len(match)))
        data += match
        expected.append((seed, len(frames) // 4, game.checksum(game.run(game.initial_state(seed), frames))))
    assert final_checksums(game, data, spans, 100) == expected


@given(MATCHES, st.data())
def test_a_match_that_is_changed_in_any_byte_is_what_loads_says(match: bytes, draw: st.DataObject) -> None:
    changed = bytearray(match)
    changed[draw.draw(st.integers(0, len(match) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    assert final_checksums(GAME, changed, [(0, len(changed))], 100) == [ordinary(bytes(changed))]


def test_spans_outside_and_too_many_frames_are_left_to_others() -> None:
    data = dumps(Replay(seed=1, frames=bytes(40)))
    spans = [(0, len(data)), (-1, len(data)), (5, 3), (0, len(data) + 1), (0, 31), (0, 1 << 62)]
    assert final_checksums(GAME, data, spans, 10)[0] is not None
    assert final_checksums(GAME, data, spans, 10)[1:] == [None] * 5
    assert final_checksums(GAME, data, spans[:1], 9) == [None]
    assert final_checksums(GAME, b"", [(0, 0)], 9) == [None]
    huge = struct.pack("<4sBBHIIII8s", b"RPLK", 1, 0, 32, 1, 0, 0x40000000, 0, bytes(8))
    assert final_checksums(GAME, huge, [(0, 32)], 1 << 31) == [None], "four times the frames is 0 in 32 bits"


def test_a_game_whose_first_state_raises_is_left_to_verify() -> None:
    class Picky(Fighter):
        def initial_state(self, seed: int) -> Any:
            raise RuntimeError("not today")

    data = dumps(Replay(seed=1, frames=bytes(40)))
    assert final_checksums(Picky(), data, [(0, len(data))], 10) == [None]


def test_only_flat_games_of_two_players_with_nothing_replaced_are_runnable() -> None:
    class Summing(Fighter):
        def checksum(self, state: Any) -> int:
            return 0

    class Advancing(Fighter):
        def advance_slots(self, slots: Any, inputs: Any) -> None:
            slots[0] += 2

    own = Fighter()
    assert is_runnable(own)
    assert not is_runnable(Advancing())
    assert not is_runnable(Turned())
    assert not is_runnable(Summing())
    assert not is_runnable(Scramble())
    assert not is_runnable(object())
    own.run = lambda state, frames: state  # type: ignore[method-assign]  # as somebody might
    assert not is_runnable(own)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_read(kind: Any) -> None:
    data = dumps(Replay(seed=9, frames=bytes(8)))
    assert final_checksums(GAME, kind(data), [(0, len(data))], 10) == [ordinary(data)]
