"""The example in the page on snapshots runs: both clients end with what they should see, through loss."""

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "snapshot_server.py"


def test_the_clients_see_what_they_should(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = runpy.run_path(str(EXAMPLE))
    clients = names["main"](60)
    out = capsys.readouterr().out
    assert "near: 9 entities at tick 59" in out
    assert "all: 40 entities at tick 60" in out
    for client in clients.values():
        assert client.dropped == 0
        truth = names["world_at"](client.latest.tick).to_dict()
        for entity, components in client.latest.to_dict().items():
            assert components.keys() == truth[entity].keys()
            if client is clients["near"]:
                # All that it sees fits into its packets, so it is off by no more than the thresholds.
                pairs = zip(components[1], truth[entity][1], strict=True)
                assert all(abs(held - true) <= 2 for held, true in pairs)
    assert 7 not in clients["near"].latest.to_dict()
    assert 40 in clients["all"].latest.to_dict()
