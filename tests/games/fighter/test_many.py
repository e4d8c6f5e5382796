"""Matches that are run together are the same matches, whatever is pressed and however long each is."""

from hypothesis import given
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES, bout
from retick.replay import Replay, dumps, verify
from retick.verify.kernel import final_checksums

GAME = Fighter()
HELD = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)), max_size=8)


def together(matches: list[Replay]) -> list[int | None]:
    data, spans = b"", []
    for match in matches:
        packed = dumps(match)
        spans.append((len(data), len(data) + len(packed)))
        data += packed
    return [found and found[2] for found in final_checksums(GAME, data, spans, 1 << 20)]


def alone(matches: list[Replay]) -> list[int]:
    return [verify(match, GAME).checksum for match in matches]


@given(st.lists(HELD, min_size=6, max_size=19))
def test_whatever_is_held(scripts: list[list[tuple[int, int, int]]]) -> None:
    matches = [
        Replay(seed=seed, frames=[(left, right) for frames, left, right in script for _ in range(frames)])
        for seed, script in enumerate(scripts, 1)
    ]
    assert together(matches) == alone(matches)


def test_matches_of_bots_with_hits_and_jumps() -> None:
    pairs = [(first, second) for first in STYLES for second in STYLES]
    matches = [Replay(seed=n, frames=bout(n, 300 + 7 * n, pairs[n % 9])) for n in range(1, 18)]
    assert together(matches) == alone(matches)
    assert len({GAME.run(GAME.initial_state(1), match.frames).p1.hp for match in matches}) > 2, "some were hit"


def test_walls_and_corners() -> None:
    """Both run to each wall, and jump and attack there, one of them in the other's reach."""
    keys = [0, 1, 2, 3, 5, 6, 8, 9, 10, 13, 14, 15]
    matches = [
        Replay(seed=1 + n, frames=[(keys[n % 12], keys[n // 12])] * 200 + [(keys[n // 12], keys[n % 12])] * 150)
        for n in range(144)
    ]
    assert together(matches) == alone(matches)
