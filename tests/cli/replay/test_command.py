"""``retick replay``: wrong arguments of its commands."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


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


@pytest.mark.parametrize("command", ["record", "diff", "play"])
def test_a_game_that_raises_is_reported_in_one_line(
    run: Run, game: str, files: list[Path], tmp_path: Path, command: str
) -> None:
    script = tmp_path / "script.txt"
    script.write_text("3 9 0\n")
    words: dict[str, list[object]] = {
        "record": [tmp_path / "new.rtk", "--script", script],
        "diff": [files[0], files[1]],
        "play": [files[1], "--no-window"],
    }
    code, _, err = run("replay", command, *words[command], "--game", game)
    assert code == 1
    assert err.startswith("retick: the game raised KeyError: 'nine' (")
    assert not (tmp_path / "new.rtk").exists()
