"""The command line: how a run is divided into tasks."""

import pytest

from fuzz.__main__ import CHUNK, _parser, _tasks_by_packets, _tasks_by_time
from fuzz.targets import TARGETS, matching


def test_a_family_shares_its_time_in_each_form() -> None:
    options = _parser().parse_args(["run", "link", "wire", "--seconds", "60"])
    tasks = _tasks_by_time(options, matching(options.targets))
    for form, way in (("compiled", "flood"), ("pure", "search")):
        for family in ("link", "wire"):
            ours = [task for task in tasks if task["form"] == form and task["target"].startswith(family)]
            assert {task["do"] for task in ours} == {way}
            assert sum(task["seconds"] for task in ours) == pytest.approx(60)


def test_packets_are_divided_among_all_targets_and_each_task_has_another_seed() -> None:
    options = _parser().parse_args(["run", "--packets", "100000000", "--seed", "5"])
    tasks = _tasks_by_packets(options, matching([]))
    assert {task["target"] for task in tasks} == set(TARGETS)
    assert 100_000_000 <= sum(task["packets"] for task in tasks) < 100_001_000
    assert max(task["packets"] for task in tasks) <= CHUNK
    assert len({(task["target"], task["seed"]) for task in tasks}) == len(tasks)


def test_targets_are_listed_with_their_decoders(capsys: pytest.CaptureFixture[str]) -> None:
    options = _parser().parse_args(["list", "link/hello"])
    assert options.do(options) == 0
    assert "retick.link.handshake.packets:decode_hello" in capsys.readouterr().out
