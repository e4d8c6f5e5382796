"""``retick capture export``: a capture as pcapng; exit codes 0, 1 and 2."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.transport.capture import CaptureWriter


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "match.rtkc"
    with path.open("wb") as file:
        writer = CaptureWriter(file)
        for number in range(3):
            writer.add(b"RBN1", ("192.0.2.7", 7777), sent=number % 2 == 0, now=number / 60)
    return path


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["capture", "export", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_capture_becomes_a_file_and_the_next_step_is_named(capture: Path, tmp_path: Path) -> None:
    out = tmp_path / "match.pcapng"
    said = run(capture, "--pcapng", out, "--local", "[2001:db8::5]:99")
    assert said.startswith("3 datagrams in ")
    assert "retick export wireshark" in said
    assert out.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["match.pcapng", "match.rtkc"]


def test_what_is_there_is_not_overwritten(capture: Path, tmp_path: Path) -> None:
    assert "exists already" in run(capture, "--pcapng", capture, code=2)


def test_a_capture_that_is_cut_is_written_up_to_there(capture: Path, tmp_path: Path) -> None:
    capture.write_bytes(capture.read_bytes()[:-1])
    said = run(capture, "--pcapng", tmp_path / "out", code=1)
    assert "2 datagrams" in said
    assert "the capture ends here" in said


def test_a_file_that_is_no_capture_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    assert "not a capture" in run(tmp_path / "text", "--pcapng", tmp_path / "out", code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
