"""``retick replay info``."""

import json
from pathlib import Path

from retick import replay
from tests.cli.conftest import Run


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


def test_control_characters_in_a_file_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "match.rtk"
    replay.save(path, replay.Replay(seed=1, frames=b"", game_id="a\x1b[2J", metadata={"k\r": "v\x07"}))
    code, out, _ = run("replay", "info", path)
    assert code == 0
    assert all(line.isprintable() for line in out.splitlines())
    assert "a\\x1b[2J" in out
