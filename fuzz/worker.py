"""The work of one process, in one form of the kernels: floods, searches, outcomes, coverage.

Answers are lines of JSON on standard output. The parent is ``runs``.
"""

import hashlib
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from fuzz import corpus
from fuzz.search import Found, Result, flood, limit_memory, mutator_for, search
from fuzz.target import Target, outcome, run_one
from fuzz.targets import TARGETS
from fuzz.tracing import Traced

__all__ = ["main"]

BATCH = 2000
"""Number of inputs whose outcomes are compared as one."""


def main(task: dict[str, Any]) -> int:
    """Do one task; the exit code is 1 when a bug was found."""
    if not task.get("unlimited"):
        limit_memory()
    target = TARGETS[task["target"]]
    try:
        for answer in _DO[task["do"]](target, task):
            print(json.dumps({"target": target.name, **answer}), flush=True)
    except Found as found:
        print(json.dumps({"target": target.name, "bug": found.error, "bytes": found.data.hex()}), flush=True)
        return 1
    return 0


def _until(task: dict[str, Any]) -> Callable[[int], bool]:
    most = task.get("packets")
    if most is not None:
        return lambda packets: packets < most
    end = time.monotonic() + task["seconds"]
    return lambda packets: time.monotonic() < end


def _counts(result: Result) -> dict[str, Any]:
    return {"inputs": result.inputs, "packets": result.packets, "seconds": result.seconds}


def _flood(target: Target, task: dict[str, Any]) -> Any:
    yield _counts(flood(target, seed=task["seed"], go_on=_until(task)))


def _search(target: Target, task: dict[str, Any]) -> Any:
    result = search(target, seed=task["seed"], go_on=_until(task))
    yield {**_counts(result), "new": len(result.new), "steps": result.steps}


def _grow(target: Target, task: dict[str, Any]) -> Any:
    """Search, then keep only inputs, old or new, that take a step which no shorter input takes."""
    result = search(target, seed=task["seed"], go_on=_until(task))
    before = corpus.kept(target)
    traced = Traced(target.guides)
    for data in target.seeds:
        traced.of(partial(run_one, target, data))
    candidates = sorted({*before, *result.new} - set(target.seeds), key=lambda data: (len(data), data))
    kept = [data for data in candidates if traced.of(partial(run_one, target, data))]
    corpus.replace(target, kept)
    yield {**_counts(result), "new": len(set(kept) - set(before)), "kept": len(kept), "steps": len(traced.steps)}


def _outcomes(target: Target, task: dict[str, Any]) -> Any:
    """Digests of the outcomes of many inputs by batch; or all outcomes of one batch."""
    inputs = corpus.kept(target)
    mutator = mutator_for(target, inputs, task["seed"])
    waiting = list(inputs)
    batch = BATCH // 50 if target.is_script else BATCH
    for number in range(max(task["inputs"] // batch, 1)):
        while len(waiting) < batch:
            waiting += mutator.batch()
        now, waiting = waiting[:batch], waiting[batch:]
        if task.get("only") is None:
            digest = hashlib.sha256()
            for data in now:
                digest.update(outcome(target, data).encode("utf-8", "backslashreplace") + b"\n")
            yield {"batch": number, "digest": digest.hexdigest(), "inputs": batch}
        elif task["only"] == number:
            yield from ({"bytes": data.hex(), "outcome": outcome(target, data)} for data in now)


def _replay(target: Target, task: dict[str, Any]) -> Any:
    """Run the corpus once."""
    packets = 0
    for data in corpus.kept(target):
        try:
            packets += run_one(target, data)
        except Exception as error:
            raise Found(target, data, f"{type(error).__name__}: {error}") from error
    yield {"packets": packets}


_DO: dict[str, Callable[[Target, dict[str, Any]], Any]] = {
    "flood": _flood,
    "search": _search,
    "grow": _grow,
    "outcomes": _outcomes,
    "replay": _replay,
}
