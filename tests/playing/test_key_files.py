"""Files with keys: made once, for their owner only, never shown."""

import os
from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.link.sealing.keys import KeyLog
from retick.playing.key_files import KeyLogFile, load_identity, sealed_form

LINE = f"RETICK1 00000001 00000002 {'ab' * 32} {'cd' * 32}"


def test_a_lasting_key_is_made_once_and_found_again_by_its_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "me.key"
    key, made = load_identity(path)
    again, found = load_identity(path)
    assert key == again
    assert len(key) == 32
    assert made.startswith(f"made this machine's lasting key in {path}, fingerprint ")
    assert made.split()[-1] == found.split()[-1]
    assert key.hex() not in made + found
    assert load_identity(tmp_path / "other.key")[0] != key


@pytest.mark.skipif(os.name == "nt", reason="files have no such mode there")
def test_files_of_keys_are_for_their_owner_and_a_key_that_others_read_is_named(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_identity(tmp_path / "me.key")
        KeyLogFile(tmp_path / "keys").close()
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    (tmp_path / "me.key").chmod(0o644)
    assert "others can read it" in load_identity(tmp_path / "me.key")[1]


@pytest.mark.parametrize("text", ["", "retick-identity-1", "retick-identity-1 abcd", f"x {'ab' * 32}", "\xff " * 9])
def test_what_is_no_key_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="does not hold a lasting key"):
        load_identity(path)
    assert path.read_text(encoding="utf-8") == text


def test_places_where_no_file_can_be_are_named(tmp_path: Path) -> None:
    for make in (load_identity, KeyLogFile):
        with pytest.raises(UsageError, match="there is no folder"):
            make(tmp_path / "no" / "file")
    with pytest.raises(UsageError, match="cannot be"):
        load_identity(tmp_path)
    with pytest.raises(UsageError, match="cannot be written"):
        KeyLogFile(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="modes of files are those of POSIX")
def test_a_log_of_keys_that_others_can_read_already_is_complained_about(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    log = KeyLogFile(path)
    assert "others can read it" not in log.warning()
    path.chmod(0o644)
    assert "others can read it: chmod 600 it" in log.warning()
    log.close()


def test_a_log_of_keys_is_appended_to_and_can_be_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    for _ in range(2):
        log = KeyLogFile(path)
        log(LINE)
        log.close()
        log(LINE)
    assert path.read_text() == f"{LINE}\n" * 2
    KeyLog.parse(path.read_text())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="full devices are a Linux thing")
def test_a_full_disk_ends_the_log_and_not_the_match() -> None:
    log = KeyLogFile(Path("/dev/full"))
    log(LINE)
    log(LINE)
    assert log.summary() == "/dev/full does not have all keys: No space left on device"


def test_a_form_with_files_says_a_line_about_each(tmp_path: Path) -> None:
    said: list[str] = []
    form = sealed_form(None, tmp_path / "me.key", tmp_path / "keys", said.append)
    assert form.identity is not None
    assert [line.partition(" ")[0] for line in said] == ["made", "the"]
    assert "whoever has it can read the match" in said[1]
    assert isinstance(form.keylog, KeyLogFile)
    form.keylog.close()
    assert sealed_form(None, None, None, said.append).keylog is None
