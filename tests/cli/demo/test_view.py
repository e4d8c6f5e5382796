"""Both peers of the demo in one terminal."""

from types import SimpleNamespace
from typing import Any

import pytest

from retick.cli.demo.network import BothPeers
from retick.playing.network_report import NetworkReport, log_line
from tests.cli.draw.pictures import REPORT, drawn


def peers(report: NetworkReport | None = REPORT) -> list[Any]:
    return [SimpleNamespace(title=title, report=report, depths=[0, 2]) for title in ("host", "joiner")]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (80, 20), (200, 60)])
def test_both_peers_fit_the_terminal(columns: int, rows: int) -> None:
    lines = drawn(BothPeers(peers=peers(), names=("a", "b"), header="demo"), columns, rows)
    assert len([each for each in lines if each.strip()]) <= rows
    assert max(map(len, lines)) <= columns
    assert "host, plays 1" in "\n".join(lines)
    assert "joiner, plays 2" in "\n".join(lines)


def test_a_low_terminal_shows_one_peer_rather_than_halves_of_both() -> None:
    text = "\n".join(drawn(BothPeers(peers=peers(), names=("a", "b"), header="demo"), 80, 15))
    assert "host, plays 1" in text
    assert "joiner" not in text


def test_a_peer_that_is_not_connected_yet_says_so() -> None:
    text = "\n".join(drawn(BothPeers(peers=peers(None), names=("a", "b"), header="demo")))
    assert "joiner: not connected yet" in text


def test_a_line_has_both_peers() -> None:
    assert log_line(2, [REPORT, REPORT]).startswith(
        "   2 s  frame   120   120  confirmed   115   115  rollbacks    7    7"
    )
    assert "rtt   ? ms" in log_line(2, [NetworkReport(frame=1, confirmed=0)] * 2)
