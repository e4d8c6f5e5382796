"""Both forms of the kernels over the same inputs: every value and every error text must be the same."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fuzz.runs import answers
from fuzz.target import Target

__all__ = ["compare"]


def compare(targets: list[Target], *, seed: int, inputs: int, jobs: int) -> int:
    """Number of targets whose forms differ or fail; the first difference of each is printed."""
    wrong = 0
    with ThreadPoolExecutor(max(jobs // 2, 1)) as pool:
        for target, said in zip(targets, pool.map(lambda each: _difference(each, seed, inputs), targets), strict=True):
            if said.startswith("equal"):
                print(f"{target.name:26} {said}", flush=True)
            else:
                wrong += 1
                print(f"BUG in {target.name}: {said}", flush=True)
    return wrong


def _difference(target: Target, seed: int, inputs: int) -> str:
    inputs = inputs // 50 if target.is_script else inputs
    task = {"do": "outcomes", "target": target.name, "seed": seed, "inputs": inputs}
    compiled, pure = _both(task)
    for one, other in zip(compiled, pure, strict=False):
        if "bug" in one or "bug" in other:
            return f"{one.get('bug', '')} {other.get('bug', '')}"
        if one["digest"] != other["digest"]:
            for here, there in zip(*_both({**task, "only": one["batch"]}), strict=True):
                if here != there:
                    return f"{here['bytes']}\n  compiled: {here['outcome']}\n  uncompiled: {there['outcome']}"
    if len(compiled) != len(pure):
        return f"{len(compiled)} and {len(pure)} batches"
    return f"equal in {sum(each['inputs'] for each in compiled):,} inputs"


def _both(task: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    with ThreadPoolExecutor(2) as pool:
        compiled = pool.submit(answers, {**task, "form": "compiled"})
        pure = pool.submit(answers, {**task, "form": "pure"})
        return compiled.result(), pure.result()
