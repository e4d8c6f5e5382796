"""Files with keys: made once, read again, for their owner alone, and each for one purpose."""

import os
from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.playing.key_files import KeyLogFile, load_identity, load_server_key, load_token_key, make_token_key


def test_a_key_is_made_once_and_then_read(tmp_path: Path) -> None:
    for load in (load_identity, load_server_key):
        path = tmp_path / load.__name__
        key, told = load(path)
        again, told_again = load(path)
        assert key == again
        assert told.startswith("made ")
        assert not told_again.startswith("made ")
        assert key.hex() not in told + told_again
        assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_a_key_that_others_can_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key"
    make_token_key(path)
    assert load_token_key(path)[1] == ""
    path.chmod(0o640)
    assert load_token_key(path)[1] == f"{path}; others can read it: chmod 600 it"


@pytest.mark.parametrize("text", ["", "planted", "retick-token-key-1", "retick-token-key-1 zz", "x " + "00" * 32])
def test_what_is_no_key_is_named_and_not_shown(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    with pytest.raises(UsageError, match="does not hold a token key: retick token keygen makes one") as error:
        load_token_key(path)
    assert "planted" not in str(error.value)
    for load in (load_identity, load_server_key):
        with pytest.raises(UsageError, match="name another one, and it is made"):
            load(path)


def test_a_place_that_cannot_be_written_or_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        load_server_key(tmp_path / "none" / "key")
    with pytest.raises(UsageError, match="cannot be read"):
        load_token_key(tmp_path / "none")
    with pytest.raises(UsageError, match="there is no folder"):
        KeyLogFile(tmp_path / "none" / "log")


def test_a_log_of_keys_is_appended_to_and_ends_quietly_when_it_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for line in ("one", "two"):
        log = KeyLogFile(path)
        log(line)
        log.close()
        log("after the end")
    assert path.read_text() == "one\ntwo\n"
    assert log.summary() == ""
    broken = KeyLogFile(path)
    assert broken._handle is not None
    os.close(broken._handle)
    broken._handle = os.open(path, os.O_RDONLY)
    broken("three")
    assert "does not have all keys" in broken.summary()
    assert str(path) in broken.warning()
