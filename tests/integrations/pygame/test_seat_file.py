"""The way back to a match: whose file is whose, and files that are none."""

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from retick.playing.match_files import FORGOTTEN_AFTER, SeatFile, lost_seat

TOKEN = bytes(range(16))


def session(*addresses: Any) -> Any:
    roster = [SimpleNamespace(peer_id=1, name="Ann"), SimpleNamespace(peer_id=2, name="Bob")]
    return SimpleNamespace(peer_addresses=addresses, seat_token=TOKEN, peer_id=2, roster=roster)


def age(path: Path, seconds: float) -> None:
    os.utime(path, (0, time.time() - seconds))


def written(folder: Path, name: str = "a", game: str = "game 1") -> tuple[SeatFile, Path]:
    file = SeatFile(folder / f"{name}.rtk", game)
    file.write(session(("10.0.0.5", 7777), ("fe80::1", 9, 0, 2)))
    return file, folder / f"{name}.seat"


def test_a_seat_is_found_when_its_window_has_not_touched_it_for_a_while(tmp_path: Path) -> None:
    file, path = written(tmp_path)
    assert lost_seat(tmp_path, "game 1") is None
    age(path, 10)
    found = lost_seat(tmp_path, "game 1")
    assert found is not None
    assert found.token == TOKEN
    assert found.name == "Bob"
    assert found.addresses == ("[10.0.0.5]:7777", "[fe80::1%2]:9")
    file.touch(1.0)
    assert lost_seat(tmp_path, "game 1") is None
    age(path, 10)
    file.touch(1.5)
    assert lost_seat(tmp_path, "game 1") is not None, "it is touched once a second and not more often"


def test_a_seat_without_a_name_or_with_one_that_no_session_takes_is_offered_too(tmp_path: Path) -> None:
    _, path = written(tmp_path)
    saved = json.loads(path.read_text(encoding="utf-8"))
    for name, found_name in ((None, ""), ("\x07" + "a" * 100, "a" * 20), (5, "5")):
        changed = {**saved, "name": name} if name is not None else {k: v for k, v in saved.items() if k != "name"}
        path.write_text(json.dumps(changed), encoding="utf-8")
        age(path, 10)
        found = lost_seat(tmp_path, "game 1")
        assert found is not None
        assert found.name == found_name


def test_the_last_one_is_offered_and_only_of_the_same_game(tmp_path: Path) -> None:
    for name, seconds in (("old", 60), ("new", 5), ("older", 90)):
        age(written(tmp_path, name)[1], seconds)
    age(written(tmp_path, "other", "game 2")[1], 4)
    found = lost_seat(tmp_path, "game 1")
    assert found is not None
    assert found.path.name == "new.seat"


def test_a_very_old_one_is_removed(tmp_path: Path) -> None:
    _, path = written(tmp_path)
    age(path, FORGOTTEN_AFTER + 10)
    assert lost_seat(tmp_path, "game 1") is None
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="files have no such mode there")
def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    _, path = written(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "7", '{"game": "game 1"}', '{"game": "game 1", "addresses": [1], "token": 5}']
)
def test_what_is_no_seat_is_not_offered(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.seat"
    path.write_text(text, encoding="utf-8")
    age(path, 10)
    assert lost_seat(tmp_path, "game 1") is None
    assert lost_seat(None, "game 1") is None


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    file, _ = written(tmp_path / "none")
    file.touch(1.0)
    file.remove()
    assert lost_seat(tmp_path / "none", "game 1") is None
