"""The example of docs/reference/runner.md is a file, the file runs, and both are the same text."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_example_runs_and_is_the_one_in_the_docs() -> None:
    example = ROOT / "examples/run_the_course.py"
    code = example.read_text(encoding="utf-8").split('"""\n\n', 1)[1]
    assert f"```python\n{code}```" in (ROOT / "docs/reference/runner.md").read_text(encoding="utf-8")
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=True)
    assert "LocomotionState(mode=" in done.stdout
