"""The first example runs, ends as it says, and is the one that the README shows."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "thirty_lines.py"


def test_the_example_rolls_back_and_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(EXAMPLE))
    out = capsys.readouterr().out
    assert int(out.split("rollbacks: ")[1].split()[0]) > 10
    game = names["TugOfWar"]()
    state = game.initial_state(1)
    assert f"end on 0x{names['match'].verify(600):08X}" in out
    assert names["match"]["peer0"].rows.keys() >= set(range(600))
    for frame in range(600):
        state = game.step(state, names["match"]["peer0"].rows[frame])
    assert f"0x{game.checksum(state):08X}" in out


def test_the_readme_shows_the_example_to_the_letter() -> None:
    code = EXAMPLE.read_text(encoding="utf-8").split('"""\n\n', 1)[1].rstrip()
    assert code in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(code.splitlines()) <= 40
