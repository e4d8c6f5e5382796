"""Verification: the published golden runs, every way in which a recording can differ from the game, and sealing."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, dumps, loads, sealed, verify
from retick.replay.verification import Verification
from tests.games.fighter import scripts
from tests.replay.recordings import Tally

# Both checksums were published with the fighter's contract, and only that contract may change them.
GOLDEN = [
    ([scripts.pinned(f) for f in range(1000)], 0x41B73DB7),
    ([scripts.documented(f) for f in range(1000)], 0xD72EE391),
]


@pytest.mark.parametrize(("script", "checksum"), GOLDEN)
def test_the_golden_runs(script: list[tuple[int, int]], checksum: int) -> None:
    match = loads(dumps(Replay(seed=1, frames=script)))
    verdict = verify(match, Fighter(), expected_checksum=checksum)
    assert verdict.ok
    assert (verdict.frames, verdict.checksum, verdict.compared) == (1000, checksum, 1)
    assert bool(verdict)


def test_a_wrong_expectation_is_reported_with_the_true_checksum() -> None:
    script, checksum = GOLDEN[0]
    verdict = verify(Replay(seed=1, frames=script), Fighter(), expected_checksum=checksum ^ 1)
    assert not verdict.ok
    assert not verdict
    assert (verdict.checksum, verdict.first_bad_frame, verdict.bad_checksum) == (checksum, 1000, checksum ^ 1)
    assert str(verdict) == (
        "1000 frames, checksum 0x41B73DB7: frame 1000 should be 0x41B73DB6 and is 0x41B73DB7; "
        "no earlier checksum was compared"
    )


def test_one_changed_input_is_noticed() -> None:
    script, checksum = GOLDEN[0]
    script = [*script[:999], (0, 0)]
    assert not verify(Replay(seed=1, frames=script), Fighter(), checksum).ok


def checked(frames: bytes, every: int, game: Any) -> Replay:
    """A recording with the game's own checksums in it."""
    match = Replay(seed=7, frames=frames)
    state = game.initial_state(7)
    sums = {0: game.checksum(state)}
    for frame in range(len(match)):
        state = game.step(state, match.inputs_at(frame))
        sums[frame + 1] = game.checksum(state)
    kept = {frame: value for frame, value in sums.items() if frame % every == 0 or frame == len(match)}
    return match.replace(checkpoints=kept)


@pytest.mark.parametrize("game", [Fighter(), Tally()], ids=["bulk", "stepwise"])
def test_every_checkpoint_is_compared_and_the_first_that_disagrees_is_named(game: Any) -> None:
    match = checked(bout(7, 250), 50, game)
    good = verify(match, game)
    assert good.ok
    assert (good.compared, good.last_good_frame, good.first_bad_frame) == (6, 250, None)
    sums = dict(match.checkpoints)
    sums[150] ^= 4
    sums[200] ^= 4
    bad = verify(match.replace(checkpoints=sums), game)
    assert not bad.ok
    assert (bad.first_bad_frame, bad.last_good_frame) == (150, 100)
    assert str(bad).endswith("; the last that agreed is of frame 100")
    assert (bad.bad_checksum, bad.found_checksum) == (sums[150], sums[150] ^ 4)
    assert bad.checksum == match.final_checksum


def test_the_end_checksum_in_the_recording_is_compared() -> None:
    match = checked(bout(7, 50), 1000, Fighter())
    assert verify(match, Fighter()).ok
    assert not verify(match.replace(checkpoints={50: 1}), Fighter()).ok


def test_an_expectation_against_an_agreeing_recording_leaves_no_good_frame_at_the_end() -> None:
    match = checked(bout(7, 50), 25, Fighter())
    verdict = verify(match, Fighter(), expected_checksum=0)
    assert (verdict.ok, verdict.first_bad_frame, verdict.last_good_frame) == (False, 50, 25)


def test_a_recording_from_mid_match_is_verified_from_its_state() -> None:
    game = Fighter()
    whole = checked(bout(7, 300), 20, game)
    middle = game.run(game.initial_state(7), whole.packed(0, 120))
    late = whole.replace(
        frames=whole.packed(120, 300),
        start_frame=120,
        start_state=game.pack_state(middle),
        checkpoints={f: c for f, c in whole.checkpoints.items() if f >= 120},
    )
    verdict = verify(loads(dumps(late)), game)
    assert verdict.ok
    assert (verdict.frames, verdict.checksum, verdict.compared) == (180, whole.final_checksum, 10)


def test_a_cut_recording_is_judged_by_its_good_part_and_says_so() -> None:
    match = checked(bout(7, 50), 25, Fighter()).replace(truncated=True)
    verdict = verify(match, Fighter())
    assert verdict.ok
    assert verdict.truncated
    assert "cut off" in str(verdict)


@pytest.mark.parametrize("expected", [-1, 2**32, "0x1", 1.5])
def test_an_expectation_that_is_no_checksum_is_refused(expected: Any) -> None:
    with pytest.raises(UsageError):
        verify(Replay(seed=1, frames=b""), Fighter(), expected)


def test_without_anything_to_compare_the_verdict_says_so() -> None:
    verdict = verify(Replay(seed=1, frames=bytes(40)), Fighter())
    assert verdict.ok
    assert verdict.compared == 0


UNSEALED = Replay(seed=3, frames=bout(3, 250))


def test_checksums_come_at_the_distance_asked_for_and_at_the_end() -> None:
    match = sealed(UNSEALED, Fighter(), every=100)
    assert list(match.checkpoints) == [100, 200, 250]
    assert (match.game_id, match.game_version) == ("retick.fighter", 1)
    assert verify(match, Fighter()).compared == 3
    assert list(sealed(UNSEALED, Fighter(), every=0).checkpoints) == [250]
    assert list(sealed(UNSEALED, Fighter(), every=125).checkpoints) == [125, 250]
    with pytest.raises(UsageError):
        sealed(UNSEALED, Fighter(), every=-1)


def test_a_start_in_mid_match_counts_from_there() -> None:
    late = Replay(seed=1, frames=[(1, 2)] * 25, start_frame=40, start_state=bytes(12))
    assert list(sealed(late, Tally(), every=10).checkpoints) == [50, 60, 65]


def test_a_changed_input_breaks_the_seal() -> None:
    match = sealed(UNSEALED, Tally(), every=50)
    frames = bytearray(match.frames)
    frames[4 * 120] ^= 2
    verdict = verify(match.replace(frames=bytes(frames)), Tally())
    assert (verdict.ok, verdict.first_bad_frame, verdict.last_good_frame) == (False, 150, 100)


@pytest.mark.parametrize("bad", [None, 0, 40, 100])
@pytest.mark.parametrize("piece", [1, 7, 33, 100])
def test_a_verification_in_pieces_finds_the_same_as_one_in_one_run(bad: int | None, piece: int) -> None:
    game = Fighter()
    match = sealed(Replay(seed=1, frames=[scripts.pinned(f) for f in range(100)]), game, every=20)
    start = game.checksum(game.initial_state(1))
    match = match.replace(checkpoints={0: start, **match.checkpoints})
    if bad is not None:
        match = match.replace(checkpoints={**match.checkpoints, bad: match.checkpoints[bad] ^ 1})
    pieces = Verification(match, game)
    while pieces.frame < match.end_frame:
        pieces.run_to(min(pieces.frame + piece, match.end_frame))
        assert pieces.state.frame == pieces.frame
    assert pieces.verdict() == verify(match, game)
    assert verify(match, game).first_bad_frame == bad


def test_a_verification_goes_forward_only() -> None:
    pieces = Verification(Replay(seed=1, frames=[(0, 0)] * 10), Fighter())
    pieces.run_to(5)
    for frame in (4, 11):
        with pytest.raises(UsageError, match="is not from 5 to 10"):
            pieces.run_to(frame)
