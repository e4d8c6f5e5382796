"""The worker's protocol: the lines that docs/guides/audit.md lists."""

import json
from pathlib import Path

from retick.audit.interpreter import Interpreter, interpreters
from retick.audit.runs.worker import BLOCK

CHEATS = Path(__file__).parents[1] / "cheating_games.py"
JOB = {"root": str(CHEATS.parent), "module": CHEATS.stem, "seed": 1, "mask": None, "ballast": 0, "elsewhere": 0}


def lines_until(worker: Interpreter, ends: str) -> list[str]:
    lines = [worker.read_line()]
    while lines[-1][0] not in ends:
        lines.append(worker.read_line())
    return lines


def test_a_match_is_played_in_blocks_and_its_fields_are_given_on_request() -> None:
    with interpreters(60) as start:
        worker = start("retick.audit.runs.worker", {**JOB, "attribute": "Honest", "mode": "play", "frames": 300}, {})
        first = lines_until(worker, "B")
        assert [int(line.split()[1]) for line in first[:-1]] == list(range(-1, BLOCK - 1))
        worker.send("go")
        second = lines_until(worker, "B")
        assert [int(line.split()[1]) for line in second[:-1]] == list(range(BLOCK - 1, 300))
        worker.send("fields 299")
        names = [name for name, _ in json.loads(worker.read_line().removeprefix("V "))]
    assert "score" in names


def test_a_match_that_is_let_go_to_its_end_is_done() -> None:
    with interpreters(60) as start:
        worker = start("retick.audit.runs.worker", {**JOB, "attribute": "Honest", "mode": "play", "frames": 3}, {})
        lines_until(worker, "B")
        worker.send("go")
        assert worker.read_line() == "D"


def test_a_broken_save_and_a_failure_are_reported_as_json() -> None:
    with interpreters(60) as start:
        saver = start("retick.audit.runs.worker", {**JOB, "attribute": "LossySave", "mode": "saves", "frames": 9}, {})
        broken = json.loads(saver.read_line().removeprefix("S "))
        assert sorted(broken) == ["differences", "frame", "what"]
        missing = start("retick.audit.runs.worker", {**JOB, "attribute": "Nowhere", "mode": "play", "frames": 9}, {})
        failure = json.loads(missing.read_line().removeprefix("E "))
        assert (failure["kind"], failure["frame"]) == ("import", -1)
