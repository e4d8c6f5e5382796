"""Runs tasks in several processes at once, so that a crash of compiled code does not end the run."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from fuzz import corpus
from fuzz.targets import TARGETS

__all__ = ["ROOT", "answers", "run_all", "say_bug"]

ROOT = Path(__file__).parents[1]
Task = dict[str, Any]


def answers(task: Task) -> list[dict[str, Any]]:
    """The answer of a worker; the death of a worker is a bug."""
    env = {**os.environ, "RETICK_PURE": "1" if task["form"] == "pure" else "0", **task.get("env", {})}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "fuzz", "worker", json.dumps({**task, "env": {}})],
        cwd=ROOT, env=env, capture_output=True, text=True,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode and not any("bug" in each for each in found):
        said = done.stderr if len(done.stderr) < 4000 else f"{done.stderr[:2000]}\n...\n{done.stderr[-2000:]}"
        found.append({"target": task["target"], "bug": f"the process ended with {done.returncode}\n{said}"})
    return found


def run_all(tasks: Iterable[Task], jobs: int) -> Iterator[tuple[Task, list[dict[str, Any]]]]:
    """Yield tasks with their answers, in the order in which they end; none is started after the caller stops asking."""
    waiting = iter(tasks)
    running: dict[Future[list[dict[str, Any]]], Task] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            for task in waiting:
                running[pool.submit(answers, task)] = task
                if len(running) >= jobs:
                    break
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(done), done.result()


def say_bug(task: Task, answer: dict[str, Any]) -> str:
    """Describe a bug, and keep its bytes in the corpus, where a test runs them from now on."""
    lines = [f"BUG in {answer['target']} ({task['form']}): {answer['bug']}"]
    if answer.get("bytes") is not None:
        path = corpus.add(TARGETS[answer["target"]], bytes.fromhex(answer["bytes"]), is_crash=True)
        lines.append(f"  kept as {path.relative_to(ROOT)}; again: python -m fuzz try {answer['target']} {path}")
    else:
        lines.append(f"  again: python -m fuzz worker '{json.dumps(task)}'")
    return "\n".join(lines)
