"""The key file is made once, for its owner only, and read again."""

import os
import stat
import sys
from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.serving.relay import relay_key


def test_a_key_is_made_once_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "relay.key"
    key = relay_key(path)
    assert len(key) == 32
    assert relay_key(path) == key
    assert path.read_text() == f"{key.hex()}\n"
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_without_a_file_each_run_has_another_key() -> None:
    assert relay_key(None) != relay_key(None)


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "00" * 31, "00" * 33, "é" * 64])
def test_a_file_that_is_no_key_is_left_alone_and_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "relay.key"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"relay\.key is not a key"):
        relay_key(path)
    assert path.read_text(encoding="utf-8") == text
