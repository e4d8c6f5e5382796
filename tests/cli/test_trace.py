"""A real match of two processes, noted by both, as one trace."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.trace_notes import header_line, note_line, read_notes


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_notes_become_a_trace_plain_or_compressed(tmp_path: Path, name: str) -> None:
    notes = tmp_path / "one.rtkt"
    notes.write_text(header_line("one", clock=5, rate=60) + note_line("f", 10, 900, 7, 4, 0))
    out = tmp_path / name
    assert "of 1 peer" in run("trace", str(notes), "--out", str(out))
    data = gzip.decompress(out.read_bytes()) if name.endswith(".gz") else out.read_bytes()
    assert [event["name"] for event in json.loads(data)["traceEvents"] if event["ph"] == "X"] == ["frame 7"]


def test_a_trace_that_exists_is_not_overwritten_and_wrong_notes_are_named(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.rtkt"
    wrong.write_bytes(b"nothing\n")
    result = CliRunner().invoke(app, ["trace", str(wrong)])
    assert result.exit_code == 1
    assert "wrong.rtkt" in result.output
    assert not (tmp_path / "wrong.json").exists()
    (tmp_path / "wrong.json").touch()
    assert CliRunner().invoke(app, ["trace", str(wrong)]).exit_code == 2


def test_a_demo_is_noted_by_both_peers_and_their_datagrams_meet(tmp_path: Path) -> None:
    run("demo", "--frames", "90", "--seed", "3", "--trace", str(tmp_path / "x.rtkt"))
    files = [tmp_path / f"x-{title}.rtkt" for title in ("host", "joiner")]
    out = tmp_path / "x.json"
    run("trace", *map(str, files), "--out", str(out))
    events = json.loads(out.read_bytes())["traceEvents"]
    for place, path in enumerate(files, 1):
        notes = read_notes(path.read_bytes())
        frames = [line.values[1] for line in notes.lines if line.kind == "f"]
        assert frames == list(range(len(frames)))
        assert len(frames) >= 90
        shown = [event for event in events if event.get("pid") == place and event["ph"] == "X" and event["tid"] == 1]
        assert len(shown) == len(frames)
    kinds = Counter(event["ph"] for event in events)
    assert kinds["s"] == kinds["f"] > 90
