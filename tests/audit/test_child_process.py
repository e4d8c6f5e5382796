"""Child processes of commands."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retick.audit.interpreter import start_module


def test_a_module_runs_with_its_arguments_and_its_environment() -> None:
    with start_module("json.tool", "--compact", environment={"ANY": "1"}, stdin=subprocess.PIPE) as process:
        out, _ = process.communicate('{"a": "ü"}')
    assert process.returncode == 0
    assert out.strip() in ('{"a":"ü"}', '{"a":"\\u00fc"}')


def test_a_file_in_the_working_directory_is_not_taken_for_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "retick.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    with start_module("retick", "--version") as process:
        out, _ = process.communicate()
    assert process.returncode == 0
    assert out.startswith("retick ")


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are a POSIX thing")
def test_a_child_is_in_a_group_of_its_own_so_that_ctrl_c_reaches_only_the_parent() -> None:
    with start_module("json.tool", stdin=subprocess.PIPE) as process:
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
        process.communicate("1")
