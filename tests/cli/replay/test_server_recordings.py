"""``retick replay`` with a recording of a match that a server ran."""

import json
from pathlib import Path

import pytest
from examples.raiders import Raiders

from tests.authority.server.clients import Hall, Tape, raider_bot
from tests.cli.conftest import Run

GAME = f"{Path(__file__).parents[3] / 'examples' / 'raiders.py'}:Raiders"


@pytest.fixture
def server_match(tmp_path: Path) -> Path:
    tape = Tape()
    hall = Hall(Raiders, record=tape)
    leaver = hall.join("leaver", press=lambda tick: tick * 11)
    hall.join("other", press=lambda tick: tick * 5)
    hall.room.add_bot(raider_bot)
    hall.run(1.0)
    leaver.connection.close()
    hall.run(1.5)
    hall.server.close_room("")
    path = tmp_path / "server.rtk"
    path.write_bytes(tape.recorders[""].drain())
    return path


def test_verify_runs_it_as_the_server_did(run: Run, server_match: Path) -> None:
    code, out, err = run("replay", "verify", server_match, "--game", GAME)
    assert (code, err) == (0, "")
    assert out.startswith("ok")


def test_info_and_export_tell_of_it(run: Run, server_match: Path, tmp_path: Path) -> None:
    assert json.loads(run("replay", "info", "--json", server_match)[1])["run_by_a_server"] is True
    code, out, _ = run("replay", "export", server_match)
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()][1:]
    changes = [change for row in rows for change in row.get("seats", [])]
    assert [change["joins"] for change in changes] == [True, True, True, False]
    assert any("views" in row for row in rows)
