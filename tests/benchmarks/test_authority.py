"""``python -m benchmarks authority``: its parts, in a short form."""

import json

from benchmarks.__main__ import app
from typer.testing import CliRunner


def test_the_bench_measures_bytes_and_a_short_scenario() -> None:
    result = CliRunner().invoke(
        app, ["authority", "--part", "scenario", "--seeds", "1", "--seconds", "40", "--json", "--check"]
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)["scenario"]
    assert all(row["kept"] for row in rows)
