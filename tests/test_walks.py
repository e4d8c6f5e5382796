"""The walks of docs/internals/walks.md are those of the program: each is played, and what it enters is compared.

A module's first entry in a stage gives its place there. So the order of a stage is strict: two steps that are exchanged
are found, and so are a step that is never reached and a module that is missing on the page.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "internals" / "walks.md").read_text(encoding="utf-8")
LEFT_OUT = "What the walks leave out"
NAME = re.compile(r"`([a-z_]+(?:\.[a-z_0-9]+)+|advance|draw)`")

Stages = Mapping[str, Sequence[str]]


def walks_on(page: str) -> tuple[dict[str, list[str]], set[str]]:
    """The steps of each stage, under "walk: stage", and the modules that every stage leaves out."""
    stages: dict[str, list[str]] = {}
    for walk in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, body = walk.partition("\n")
        if title == LEFT_OUT:
            return stages, set(NAME.findall(body))
        for stage in re.split(r"^### ", body, flags=re.MULTILINE)[1:]:
            name, _, steps = stage.partition("\n")
            stages[f"{title}: {name}"] = NAME.findall("\n".join(re.findall(r"^\d+\. .*$", steps, flags=re.MULTILINE)))
    raise AssertionError(f"the page has no section {LEFT_OUT!r}")


def varied_by(stage: str) -> str | None:
    """The stage of which this one is a variation."""
    base, comma, _ = stage.rpartition(",")
    return base if comma else None


def faults(stages: Stages, left_out: set[str], entered: Stages) -> list[str]:
    """What is not as on the page."""
    found = [f"{stage}: on the page or in tests/walked.py only" for stage in stages.keys() ^ entered.keys()]
    for stage in stages.keys() & entered.keys():
        steps, base = stages[stage], varied_by(stage)
        known = left_out | set(stages[base] if base is not None else ())
        seen = [name for name in entered[stage] if name in steps or (name not in known and "." in name)]
        wrong = [f"{stage}: {name} is never entered" for name in steps if name not in seen]
        wrong += [f"{stage}: {name} is entered and not on the page" for name in seen if name not in steps]
        if not wrong and seen != list(steps):
            wrong.append(f"{stage}: the order is {', '.join(seen)}")
        found += wrong
    everywhere = {name for names in entered.values() for name in names}
    return sorted(found) + [f"{name} is left out of all walks, and in none" for name in sorted(left_out - everywhere)]


@pytest.fixture(scope="module")
def entered() -> Stages:
    """What the program entered in each stage, with the sources of the kernels."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.walked"],
        cwd=ROOT,
        env={**os.environ, "RETICK_PURE": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
    stages: Stages = json.loads(run.stdout)
    return stages


def test_the_walks_are_those_of_the_program(entered: Stages) -> None:
    stages, left_out = walks_on(PAGE)
    assert len({stage.partition(":")[0] for stage in stages}) == 5
    assert faults(stages, left_out, entered) == []


def test_two_steps_that_are_exchanged_are_found_wherever_they_are(entered: Stages) -> None:
    stages, left_out = walks_on(PAGE)
    for stage, steps in stages.items():
        for place in range(len(steps) - 1):
            exchanged = [*steps[:place], steps[place + 1], steps[place], *steps[place + 2 :]]
            (fault,) = faults({**stages, stage: exchanged}, left_out, entered)
            assert fault.startswith(f"{stage}: the order is ")


def test_a_step_that_is_never_reached_is_found(entered: Stages) -> None:
    stages, left_out = walks_on(PAGE)
    steps = stages["A key press: On the player's machine"]
    page = {**stages, "A key press: On the player's machine": [*steps, "rollback.session.rematch"]}
    assert faults(page, left_out, entered) == [
        "A key press: On the player's machine: rollback.session.rematch is never entered"
    ]


def test_a_step_that_is_missing_on_the_page_is_found(entered: Stages) -> None:
    stages, left_out = walks_on(PAGE)
    for stage, steps in stages.items():
        for name in set(steps) - left_out - {"advance", "draw"}:
            page = {**stages, stage: [each for each in steps if each != name]}
            assert f"{stage}: {name} is entered and not on the page" in faults(page, left_out, entered)


def test_a_module_that_is_left_out_and_never_entered_is_found(entered: Stages) -> None:
    stages, left_out = walks_on(PAGE)
    assert faults(stages, left_out | {"sim.shapes"}, entered) == ["sim.shapes is left out of all walks, and in none"]
