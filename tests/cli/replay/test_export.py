"""``retick replay export``: JSON lines, and one format into the other."""

import json
from pathlib import Path

from retick import replay
from retick.games.fighter.bots import bout
from tests.cli.conftest import Run


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


def test_fields_that_json_has_no_form_for_are_exported_as_text(run: Run, game: str, files: list[Path]) -> None:
    code, out, _ = run("replay", "export", files[0], "--states", "--game", game)
    assert code == 0
    state = json.loads(out.splitlines()[-1])["state"]
    assert (state["state"], state["raw"]) == (2, "02")
    assert "Touchy" in state["kind"]


def test_an_export_that_fails_leaves_no_half_file_and_the_old_one_alone(
    run: Run, game: str, files: list[Path], tmp_path: Path
) -> None:
    into = tmp_path / "into"
    into.mkdir()
    (into / "b.jsonl").write_text("earlier")
    assert run("replay", "export", *files, "--into", into, "--states", "--game", game)[0] == 1
    assert sorted(path.name for path in into.iterdir()) == ["a.jsonl", "b.jsonl", "c.jsonl"]
    assert (into / "b.jsonl").read_text() == "earlier"


def test_two_files_of_one_name_do_not_overwrite_each_other(run: Run, tmp_path: Path) -> None:
    paths = []
    for folder, frames in (("one", 20), ("two", 30)):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "match.rplk")
        replay.save(paths[-1], replay.Replay(seed=1, frames=bout(1, frames)))
    into = tmp_path / "into"
    into.mkdir()
    code, _, err = run("replay", "export", *paths, "--into", into)
    assert code == 2
    assert f"{paths[1]}: it would overwrite" in err
    assert len((into / "match.jsonl").read_text().splitlines()) == 21
