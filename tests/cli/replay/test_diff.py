"""``retick replay diff``."""

from pathlib import Path

from retick import replay
from tests.cli.conftest import Run


def test_diff_names_the_frame_the_inputs_and_the_fields(run: Run, tmp_path: Path) -> None:
    for name, inputs in (("a", [(0, 0), (2, 0)]), ("b", [(0, 0), (0, 0), (1, 1)])):
        replay.save(tmp_path / name, replay.Replay(seed=1, frames=inputs))
    code, out, _ = run("replay", "diff", tmp_path / "a", tmp_path / "b")
    assert code == 1
    assert out.splitlines() == [
        "inputs: first differ at frame 1",
        "  player 0: 0x0002 here, 0x0000 there",
        "state: differs then, at frame 2",
        "  p1.x: 4300 here, 4000 there",
        "  p1.state: 1 here, 0 there",
        "length: ends at frame 2 here, 3 there",
    ]


def test_diff_tells_seeds_checksums_and_harmless_inputs_apart(run: Run, tmp_path: Path) -> None:
    base = replay.Replay(seed=1, frames=[(0, 0)] * 9, checkpoints={5: 1}, game_id="retick.fighter")
    replay.save(tmp_path / "a", base)
    replay.save(tmp_path / "b", base.replace(seed=2, checkpoints={5: 2}))
    code, out, _ = run("replay", "diff", tmp_path / "a", tmp_path / "b")
    assert code == 1
    assert "seed: 1 here, 2 there" in out
    assert "recorded checksums: first differ at frame 5\n  0x00000001 here, 0x00000002 there" in out
    replay.save(tmp_path / "c", base.replace(frames=[(0, 0x8000)] * 9))
    out = run("replay", "diff", tmp_path / "a", tmp_path / "c")[1]
    assert "state: still the same then, at frame 1" in out


def test_recordings_of_one_match_of_which_one_ends_earlier_are_the_same_match(run: Run, tmp_path: Path) -> None:
    frames = [(2, 0), (0, 1), (1, 1), (0, 0), (2, 2)]
    for name, count in (("a", 5), ("b", 3), ("c", 4), ("none", 0)):
        replay.save(tmp_path / name, replay.Replay(seed=1, frames=frames[:count]))
    for names, said in (
        ("aa", "the same match, up to frame 5\n"),
        ("ab", "the same match, up to frame 3; recording A is 2 frames longer\n"),
        ("ca", "the same match, up to frame 4; recording B is 1 frame longer\n"),
    ):
        assert run("replay", "diff", *(tmp_path / name for name in names))[:2] == (0, said)
    code, out, _ = run("replay", "diff", tmp_path / "a", tmp_path / "none")
    assert (code, "length: ends at frame 5 here, 0 there" in out) == (1, True)


def test_a_recording_that_was_cut_off_is_said_to_be_so(run: Run, match: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rtk"
    cut.write_bytes(match.read_bytes()[:-10])
    code, out, _ = run("replay", "diff", match, cut)
    assert code == 0
    assert "recording B was cut off or is damaged" in out
    assert "recording A" not in out.splitlines()[-1]
