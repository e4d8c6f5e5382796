"""Tasks in processes of their own: what they say comes back, and one that dies is reported."""

from pathlib import Path
from typing import Any

import pytest

from fuzz import compare as comparing
from fuzz import corpus, runs
from fuzz.compare import compare
from fuzz.runs import answers, run_all, say_bug
from fuzz.targets import TARGETS, matching


def test_a_task_says_how_many_packets_it_read() -> None:
    task = {"do": "flood", "form": "compiled", "target": "wire/varuint", "seed": 1, "packets": 2000}
    ((again, (answer,)),) = run_all([task], jobs=2)
    assert again == task
    assert answer["target"] == "wire/varuint"
    assert answer["packets"] >= 2000


def test_a_process_that_dies_is_a_bug() -> None:
    (answer,) = answers({"do": "nothing", "form": "pure", "target": "wire/varuint"})
    assert "the process ended with 1" in answer["bug"]
    assert "KeyError" in answer["bug"]


def test_a_bug_is_kept_in_the_corpus_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "ROOT", tmp_path)
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    said = say_bug({"form": "pure"}, {"target": "wire/varuint", "bug": "IndexError: planted", "bytes": "ff80"})
    assert "wire/varuint (pure): IndexError: planted" in said
    assert b"\xff\x80" in corpus.kept(TARGETS["wire/varuint"])


def test_both_forms_agree_on_values_and_error_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(matching(["wire/rbn1"]), seed=1, inputs=2000, jobs=2) == 0
    assert "equal in 2,000 inputs" in capsys.readouterr().out


def test_a_difference_between_the_forms_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(task: dict[str, Any]) -> list[dict[str, Any]]:
        if task.get("only") is None:
            return [{"batch": 0, "digest": task["form"], "inputs": 2}]
        return [{"bytes": "00", "outcome": "1"}, {"bytes": "ff", "outcome": f"error, {task['form']}"}]

    monkeypatch.setattr(comparing, "answers", planted)
    assert compare(matching(["wire/rbn1"]), seed=1, inputs=2000, jobs=1) == 1
    assert "ff\n  compiled: error, compiled\n  uncompiled: error, pure" in capsys.readouterr().out
