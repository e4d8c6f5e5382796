"""setup.py: where a build says how far it is."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

SETUP = Path(__file__).parent.parent / "setup.py"
BY_PIP = {"_PYPROJECT_HOOKS_BUILD_BACKEND": "setuptools.build_meta"}
BY_OLD_PIP = {"PEP517_BUILD_BACKEND": "setuptools.build_meta"}


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """setup.py as a module, which builds nothing."""
    monkeypatch.chdir(SETUP.parent)
    spec = importlib.util.spec_from_file_location("retick_setup", SETUP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_make_shows_a_build_itself(build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "TERMINAL", str(tmp_path / "terminal"))
    (tmp_path / "terminal").touch()
    assert not build.is_hidden({})


def test_pip_hides_a_build_from_a_person_at_a_terminal(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(build, "TERMINAL", str(tmp_path / "terminal"))
    assert not build.is_hidden(BY_PIP), "without a terminal there is nobody to tell"
    (tmp_path / "terminal").touch()
    assert build.is_hidden(BY_PIP)
    assert build.is_hidden(BY_OLD_PIP)


def test_what_pip_hides_is_written_to_the_terminal(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = tmp_path / "terminal"
    terminal.touch()
    monkeypatch.setattr(build, "TERMINAL", str(terminal))
    monkeypatch.setitem(os.environ, *next(iter(BY_PIP.items())))
    build.tell("compiled retick.wire.bits, 1 of 26")
    assert "retick: compiled retick.wire.bits, 1 of 26" in terminal.read_text(encoding="utf-8")
    assert capsys.readouterr().err == ""


def test_without_a_terminal_it_goes_to_the_standard_error(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "TERMINAL", str(tmp_path / "none"))
    monkeypatch.setitem(os.environ, *next(iter(BY_PIP.items())))
    build.tell("translating 26 kernels to C")
    assert capsys.readouterr().err == "retick: translating 26 kernels to C\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/tty")
def test_the_terminal_is_the_one_of_the_process(build: ModuleType) -> None:
    assert build.TERMINAL == "/dev/tty"
