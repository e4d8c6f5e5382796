"""``retick replay`` as a user runs it: files good and bad, one and many, and every kind of misuse."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import __main__, replay
from retick.cli.app import app
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.sim import fnv1a

RUNNER = CliRunner()
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The whole command as a shell sees it: exit code, output, errors."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["retick", *map(str, words)])
        try:
            __main__.main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def match(tmp_path: Path) -> Path:
    path = tmp_path / "match.rtk"
    replay.save(path, replay.sealed(replay.Replay(seed=2, frames=bout(2, 300)), Fighter(), every=100))
    return path


@pytest.mark.parametrize("command", ["record", "play", "info", "verify", "diff", "export"])
def test_help_shows_an_example(command: str) -> None:
    result = RUNNER.invoke(app, ["replay", command, "--help"])
    assert result.exit_code == 0
    assert f"Example: retick replay {command}" in result.output


def test_bots_are_recorded_and_verify(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.rtk"
    code, out, _ = run("replay", "record", path, "--frames", 700, "--seed", 5, "--p1", "hopper", "--every", 200)
    assert code == 0
    recorded = replay.load(path, strict=True)
    assert (len(recorded), recorded.seed, recorded.game_id) == (700, 5, "retick.fighter")
    assert sorted(recorded.checkpoints) == [200, 400, 600, 700]
    assert f"700 frames, seed 5, checksum 0x{recorded.final_checksum:08X}" in out
    assert run("replay", "verify", path)[0] == 0


def test_the_golden_script_is_recorded_and_verified(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "golden.txt"
    jumps = "".join(
        f"1 {'attack' if f % 15 == 0 else '.'} {'attack' if f % 17 == 0 else '.'}\n" for f in range(400, 450)
    )
    turns = "".join(
        f"1 {'left' if f // 20 % 2 == 0 else 'right'} {'attack' if f < 500 and f % 17 == 0 else '.'}\n"
        for f in range(450, 1000)
    )
    script.write_text(
        "# the pinned script of the fighter's contract\n"
        f"200 right left\n20 jump left\n80 RIGHT 0x0001\n\n100 right jump  # then they fight\n{jumps}{turns}"
    )
    path = tmp_path / "golden.rplk"
    assert run("replay", "record", path, "--script", script)[0] == 0
    assert path.stat().st_size == 32 + 4 * 1000
    code, out, _ = run("replay", "verify", path, "--expect", "0x41B73DB7")
    assert (code, out) == (0, f"ok   {path}: 1000 frames, checksum 0x41B73DB7, 1 compared\n")
    code, _, err = run("replay", "verify", path, "--expect", "41b73db8")
    assert code == 1
    assert "should be 0x41B73DB8 and is 0x41B73DB7" in err


def test_an_export_can_be_recorded_again(run: Run, match: Path, tmp_path: Path) -> None:
    text = run("replay", "export", match)[1]
    lines = tmp_path / "lines.jsonl"
    lines.write_text(text)
    again = tmp_path / "again.rtk"
    assert run("replay", "record", again, "--script", lines, "--seed", 2)[0] == 0
    assert run("replay", "diff", match, again)[:2] == (0, "the same match, up to frame 300\n")


def test_one_bad_file_is_reported_and_the_rest_verified(run: Run, match: Path, tmp_path: Path) -> None:
    whole = replay.load(match)
    (tmp_path / "noise").write_bytes(b"\0" * 50)
    (tmp_path / "cut.rtk").write_bytes(match.read_bytes()[:-10])
    replay.save(tmp_path / "lie.rtk", whole.replace(checkpoints={100: 1, 200: whole.checkpoints[200]}))
    replay.save(tmp_path / "chess.rtk", whole.replace(game_id="chess"))
    replay.save(tmp_path / "state.rtk", whole.replace(start_state=b"no state"))
    bad = ["noise", "missing", "cut.rtk", "lie.rtk", "chess.rtk", "state.rtk"]
    code, out, err = run("replay", "verify", *(tmp_path / name for name in bad), match)
    assert code == 1
    assert out.splitlines() == [f"ok   {match}: 300 frames, checksum 0x{whole.final_checksum:08X}, 3 compared"]
    complaints = err.splitlines()
    assert len(complaints) == 7
    for name, line in zip(bad, complaints, strict=False):
        assert line.startswith(f"retick: {tmp_path / name}: ")
    assert "frame 100 should be 0x00000001" in complaints[3]
    assert complaints[6] == "retick: 6 of 7 files are bad"


def test_a_cut_recording_is_judged_by_its_good_part_when_asked(run: Run, match: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rtk"
    cut.write_bytes(match.read_bytes()[:-10])
    assert run("replay", "verify", cut)[0] == 1
    code, out, _ = run("replay", "verify", cut, "--allow-truncated")
    assert code == 0
    assert "cut off" in out
    assert run("replay", "verify", cut, "--allow-truncated", "--quiet")[1] == ""


def test_info_tells_what_is_in_a_file(run: Run, match: Path, tmp_path: Path) -> None:
    code, out, _ = run("replay", "info", match)
    assert code == 0
    for words in ("format  rtk", "game  retick.fighter version 1", "frames  300", "checksums  3", "truncated  no"):
        assert words in out
    rich = tmp_path / "rich.rtk"
    replay.save(rich, replay.load(match).replace(local_players=(1,), metadata={"venue": "loft"}))
    code, out, err = run("replay", "info", "--json", rich, tmp_path / "missing")
    assert code == 2
    facts = json.loads(out)
    assert (facts["recorded_by"], facts["metadata"], facts["seed"]) == ([1], {"venue": "loft"}, 2)
    assert "missing: No such file" in err
    text = run("replay", "info", rich)[1]
    assert "recorded_by  player 1" in text
    assert "metadata  venue=loft" in text


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


def test_a_recording_is_not_taken_for_another_game(run: Run, tmp_path: Path) -> None:
    nameless = replay.Replay(seed=1, frames=[(0, 0)] * 9, checkpoints={9: 1})
    replay.save(tmp_path / "nameless.rtk", nameless)
    code, out, err = run("replay", "verify", tmp_path / "nameless.rtk")
    assert code != 0
    assert "does not say which game it is of" in out + err
    replay.save(tmp_path / "fight.rtk", nameless.replace(game_id="retick.fighter"))
    code, out, err = run("replay", "verify", tmp_path / "fight.rtk", "--game", "tests.toys:Tally")
    assert code != 0
    assert "the recording is of 'retick.fighter', and tests.toys:Tally is another game" in out + err
    replay.save(tmp_path / "other.rtk", nameless.replace(game_id="somebody.else"))
    assert run("replay", "diff", tmp_path / "fight.rtk", tmp_path / "other.rtk")[0] == 2


def test_a_game_without_a_name_is_recorded_under_the_one_it_was_given(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("30 1 2\n")
    game = ("--game", "tests.toys:Tally")
    assert run("replay", "record", tmp_path / "t.rtk", *game, "--script", tmp_path / "s.txt")[0] == 0
    assert replay.load(tmp_path / "t.rtk").game_id == "tests.toys:Tally"
    assert run("replay", "verify", tmp_path / "t.rtk", *game)[0] == 0
    assert run("replay", "verify", tmp_path / "t.rtk")[0] != 0


def test_export_gives_inputs_checksums_arrivals_and_states(run: Run, tmp_path: Path) -> None:
    rich = replay.Replay(
        seed=1,
        frames=[(2, 1), (2, 1)],
        checkpoints={2: 77},
        game_id="retick.fighter",
        local_players=(0,),
        arrivals=(replay.Arrival(1, 1, 0, 2),),
    )
    replay.save(tmp_path / "r.rtk", rich)
    code, out, _ = run("replay", "export", tmp_path / "r.rtk", "--states")
    assert code == 0
    head, first, second = map(json.loads, out.splitlines())
    assert (head["seed"], head["frames"], head["local_players"]) == (1, 2, [0])
    assert (first["frame"], first["inputs"], first["state"]["p1.x"]) == (0, [2, 1], 4300)
    assert second["checksum"] == 77
    assert second["arrivals"] == [{"player": 1, "first_frame": 0, "frames": 2}]


def test_export_turns_rtk_into_rplk_where_it_fits_and_says_where_not(run: Run, match: Path, tmp_path: Path) -> None:
    three = tmp_path / "three.rtk"
    replay.save(three, replay.Replay(seed=1, frames=b"", num_players=3))
    into = tmp_path / "into"
    into.mkdir()
    code, out, err = run("replay", "export", match, three, "--to", "rplk", "--into", into)
    assert code == 1
    assert out == f"{into / 'match.rplk'}: 300 frames\n"
    assert "RPLK holds two players, not 3" in err
    assert replay.load(into / "match.rplk").frames == replay.load(match).frames
    assert run("replay", "export", into / "match.rplk", "--to", "rtk", "--into", into)[0] == 0
    assert run("replay", "export", match, "--into", into)[0] == 0
    assert len((into / "match.jsonl").read_text().splitlines()) == 301
    code, _, err = run("replay", "export", match, "--to", "rtk", "--into", tmp_path)
    assert (code, "overwrite itself" in err) == (2, True)


class Duel:
    """A game that lives in a test: what ``--game`` is for."""

    num_players = 1
    input_size = 1

    def initial_state(self, seed: int) -> int:
        return seed

    def step(self, state: int, inputs: tuple[int, ...], /) -> int:
        return (state * 3 + inputs[0]) & 0xFFFF

    def checksum(self, state: int) -> int:
        return fnv1a((state,))

    def fields(self, state: int) -> list[tuple[str, int]]:
        return [("total", state)]


def test_any_game_is_recorded_played_and_verified(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duel_for_tests", sys.modules[__name__])
    game = ("--game", "duel_for_tests:Duel")
    script = tmp_path / "s.txt"
    script.write_text("3 0x07\n2 200\n")
    path = tmp_path / "duel.rtk"
    assert run("replay", "record", path, "--script", script, *game, "--seed", 1, "--frames", 4)[0] == 0
    assert (len(replay.load(path)), replay.load(path).num_players) == (4, 1)
    assert run("replay", "verify", path, *game)[0] == 0
    assert run("replay", "play", path, *game)[1].splitlines()[0].endswith("total=1")
    code, _, err = run("replay", "record", tmp_path / "x.rtk", *game)
    assert (code, "give --script" in err) == (2, True)
    assert run("replay", "verify", path)[0] == 2


def test_a_pipe_gets_a_line_a_second(run: Run, match: Path) -> None:
    code, out, _ = run("replay", "play", match)
    assert code == 0
    whole = replay.load(match)
    lines = out.splitlines()
    assert [line.split()[1] for line in lines] == ["0", "60", "120", "180", "240", "300"]
    assert f"0x{whole.final_checksum:08X}" in lines[-1]
    out = run("replay", "play", match, "--from", 290, "--every", 3)[1]
    assert [line.split()[1] for line in out.splitlines()] == ["290", "293", "296", "299", "300"]


@pytest.mark.parametrize(
    "words",
    [
        ("record", "{tmp}/x.rtk", "--frames", "0"),
        ("record", "{tmp}/x.rtk", "--every", "-1"),
        ("record", "{tmp}/x.rtk", "--seed", "0"),
        ("record", "{match}"),
        ("record", "{tmp}/x.rtk", "--game", "nonsense"),
        ("record", "{tmp}/x.rtk", "--game", "no.such.module:Game"),
        ("record", "{tmp}/x.rtk", "--game", "json:loads"),
        ("record", "{tmp}/x.rtk", "--game", "json:NoSuchName"),
        ("record", "{tmp}/x.rtk", "--script", "{tmp}/bad.txt"),
        ("play", "{match}", "--every", "0"),
        ("play", "{match}", "--from", "301"),
        ("verify", "{match}", "--expect", "tomato"),
        ("verify", "{match}", "--expect", "0x123456789"),
        ("verify", "{match}", "{match}", "--expect", "0x1"),
        ("verify", "{match}", "--game", "nonsense"),
        ("export", "{match}", "--to", "rplk"),
        ("export", "{match}", "{match}"),
        ("export", "{match}", "--into", "{tmp}/nowhere"),
    ],
)
def test_misuse_gets_one_line_and_exit_code_2(run: Run, match: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "bad.txt").write_text("10 right left\nten right left\n")
    code, out, err = run("replay", *(word.format(match=match, tmp=tmp_path) for word in words))
    assert code == 2
    assert out == ""
    assert err.startswith("retick: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", [("play",), ("diff", "{match}"), ("info",), ("verify",), ("export",)])
@pytest.mark.parametrize(("name", "expected"), [("missing.rtk", 2), ("noise.rtk", 1)])
def test_a_file_that_is_no_good_is_an_answer_and_one_that_is_not_there_is_misuse(
    run: Run, match: Path, tmp_path: Path, command: tuple[str, ...], name: str, expected: int
) -> None:
    (tmp_path / "noise.rtk").write_bytes(b"nothing like it")
    words = [word.format(match=match) for word in command]
    code, _, err = run("replay", *words, tmp_path / name)
    assert code == expected
    assert str(tmp_path / name) in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x right left", "line 1"),
        ("5 right", "takes 2 inputs"),
        ("5 right banana", "'banana'"),
        ("1 65536 0", "16 bits"),
        ("# fine\n{oops", "line 2"),
        ('{"inputs": 5}', "a list"),
        ("99999999 0 0", "up to"),
    ],
)
def test_a_wrong_script_is_explained(run: Run, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s").write_text(text)
    code, _, err = run("replay", "record", tmp_path / "x.rtk", "--script", tmp_path / "s")
    assert code == 2
    assert words in err
    assert not (tmp_path / "x.rtk").exists()


def test_a_file_that_is_there_is_overwritten_only_by_force(run: Run, match: Path) -> None:
    before = match.read_bytes()
    assert run("replay", "record", match, "--frames", 10)[0] == 2
    assert match.read_bytes() == before
    assert run("replay", "record", match, "--frames", 10, "--force")[0] == 0
    assert len(replay.load(match)) == 10


def test_a_script_that_is_missing_or_no_text_is_no_crash(run: Run, tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"\xff\xfe\xff")
    for name, expected in (("missing", 2), ("noise", 1)):
        code, _, err = run("replay", "record", tmp_path / "x.rtk", "--script", tmp_path / name)
        assert code == expected
        assert err.startswith(f"retick: {tmp_path / name}: ")


def test_a_folder_that_is_not_there_is_no_crash(run: Run, tmp_path: Path) -> None:
    code, _, err = run("replay", "record", tmp_path / "no" / "x.rtk", "--frames", 10)
    assert code == 2
    assert "No such file" in err


def test_the_bench_measures_and_judges(run: Run) -> None:
    code, out, _ = run("bench", "verify", "--frames", 500, "--rounds", 1)
    assert code == 0
    assert "million frames/s" in out
    assert run("bench", "verify", "--rounds", 0)[0] == 2
