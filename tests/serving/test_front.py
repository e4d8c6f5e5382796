"""``retick serve --workers``: processes behind one port, what happens when one is killed, and how all of them end."""

import asyncio
import json
import os
import signal
import sys
import urllib.error
import urllib.request
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from retick.authority import ConnectionLost, Joined, JoinFailed
from retick.host.front import Front
from retick.link import LinkConfig, Reason
from retick.serving import fleet as fleet_module
from retick.serving.event_log import EventLog
from retick.serving.fleet import RESTARTS
from retick.serving.front import FleetSource, run_front
from retick.serving.plan import ServePlan
from retick.transport.udp import open_udp
from tests.serving.serving import Player, Serving
from tests.serving.test_fleet import FakeWorker

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")


def started(folder: Path, *arguments: str) -> tuple[Serving, list[dict[str, Any]], dict[str, Any]]:
    """The process, the lines of its workers, and the line with which it listens."""
    serving = Serving(folder, "--rooms", "2", "--workers", "2", *arguments)
    lines = [serving.first, *serving.lines_until("listening")]
    return serving, lines[:2], lines[-1]


def page(url: str, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url.replace("/metrics", path), timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def test_players_are_sent_to_the_worker_of_their_room_and_sigterm_drains_all(tmp_path: Path) -> None:
    serving, workers, listening = started(tmp_path)
    players = {room: Player(listening["port"], room) for room in ("", "room 2")}
    try:
        for room, player in players.items():
            player.play_until(Joined)
            assert player.port == next(worker["port"] for worker in workers if room in worker["rooms"])
        joined = [serving.line(), serving.line()]
        assert sorted((line["event"], line["worker"], line["room"]) for line in joined) == [
            ("player_joined", 1, ""), ("player_joined", 2, "room 2"),
        ]  # fmt: skip
        serving.process.send_signal(signal.SIGTERM)
        assert len([serving.lines_until("draining") for _ in range(3)]) == 3
        late = Player(listening["port"])
        failed = late.play_until(JoinFailed)
        assert (failed.reason, failed.text) == (Reason.SHUTDOWN, "the server stops")
        serving.process.send_signal(signal.SIGTERM)
        for player in players.values():
            assert player.play_until(ConnectionLost).text == "the server stops"
        late.socket.close()
    finally:
        for player in players.values():
            player.socket.close()
    assert serving.finish()[-1]["event"] == "stopped"
    assert serving.process.returncode == 0


def test_a_worker_that_is_killed_ends_its_rooms_only_and_is_started_again_for_its_players(tmp_path: Path) -> None:
    serving, workers, listening = started(tmp_path, "--metrics", "0")
    url = serving.line()["url"]
    lost, stays = Player(listening["port"], "", timeout=1.0), Player(listening["port"], "room 2", timeout=1.0)
    try:
        for player in (lost, stays):
            player.play_until(Joined)
        os.kill(workers[0]["pid"], signal.SIGKILL)
        line = serving.lines_until("worker_lost")[-1]
        assert (line["worker"], line["rooms"], line["moved"], line["restarted"]) == (1, [""], {}, True)
        assert lost.play_until(ConnectionLost).will_rejoin
        assert not lost.play_until(Joined).is_rejoin
        assert (lost.port, stays.port) == (workers[0]["port"], workers[1]["port"])
        assert stays.client.is_joined
        again = serving.lines_until("worker_started")[-1]
        assert (again["worker"], again["port"], again["rooms"]) == (1, workers[0]["port"], [""])
        assert again["pid"] != workers[0]["pid"]
        assert page(url, "/readyz")[0] == 200
        text = page(url, "/metrics")[1]
        found = {family.name: family for family in text_string_to_metric_families(text)}
        assert [sample.value for sample in found["retick_workers"].samples] == [2.0]
        assert {sample.labels["worker"] for sample in found["retick_rooms"].samples} == {"1", "2"}
        assert found["retick_room_tick_seconds"].type == "histogram"
        serving.process.send_signal(signal.SIGTERM)
    finally:
        lost.socket.close()
        stays.socket.close()
    assert serving.finish()[-1]["event"] == "stopped"
    assert serving.process.returncode == 0


def test_workers_that_end_again_and_again_end_the_front_with_exit_code_1(tmp_path: Path) -> None:
    serving, workers, _ = started(tmp_path)
    ends = 0
    for worker in workers:
        os.kill(worker["pid"], signal.SIGKILL)
    for line in serving.process.stdout or ():
        record = json.loads(line)
        ends += record["event"] == "worker_lost"
        if record["event"] == "worker_started":
            os.kill(record["pid"], signal.SIGKILL)
    try:
        _, err = serving.process.communicate()
    finally:
        serving.guard.cancel()
    assert ends == 2 * (1 + RESTARTS)
    assert err == "retick: all workers have ended\n"
    assert serving.process.returncode == 1


def test_ctrl_c_ends_all_workers_and_the_exit_code_is_130(tmp_path: Path) -> None:
    serving, workers, _ = started(tmp_path)
    serving.process.send_signal(signal.SIGINT)
    try:
        _, err = serving.process.communicate()
    finally:
        serving.guard.cancel()
    assert (serving.process.returncode, err) == (130, "retick: interrupted\n")
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker["pid"], 0)


def test_a_front_that_is_killed_leaves_no_worker_behind(tmp_path: Path) -> None:
    serving, workers, _ = started(tmp_path)
    serving.process.kill()
    serving.process.communicate()  # returns when the workers, which have the same standard error, have ended
    serving.guard.cancel()
    assert len(workers) == 2


def run_to_the_end(folder: Path, game: str, *arguments: str) -> tuple[int, str]:
    import subprocess

    made = [sys.executable, "-m", "retick", "serve", game, "--rooms", "2", "--workers", "2", "--host", "127.0.0.1"]
    done = subprocess.run([*made, *arguments], capture_output=True, text=True, cwd=folder, timeout=120)
    return done.returncode, done.stderr


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    front, second = open_udp("127.0.0.1", 0), None
    port = front.address[1]
    front.close()
    try:
        second = open_udp("127.0.0.1", port + 2)
        code, words = run_to_the_end(tmp_path, "runner", "--port", str(port))
    finally:
        if second is not None:
            second.close()
    assert code == 2
    assert words == f"retick: port {port + 2} is in use: choose another, or 0 for any that is free\n"


def test_a_game_that_cannot_be_served_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("raise RuntimeError('not today')\n")
    code, words = run_to_the_end(tmp_path, "wrong.py:Game", "--port", "0")
    assert code == 2
    assert words == "retick: wrong cannot be imported: RuntimeError: not today\n"


class NoFleet:
    """What a page asks of workers, all of which are down."""

    is_draining = False
    lost = 2
    running: tuple[object, ...] = ()

    async def metrics(self, within: float) -> dict[str, list[Any]]:
        return {}


def test_a_front_is_not_ready_while_it_drains_or_has_no_worker_and_tells_its_own_metrics() -> None:
    front = Front(LinkConfig(game_id="x", sealed=False), entropy=Random(1).randbytes, port_of=lambda room: 7001)
    fleet: Any = NoFleet()
    source = FleetSource(fleet, front)
    assert not source.is_ready
    fleet.running = (1,)
    assert source.is_ready
    fleet.is_draining = True
    assert not source.is_ready
    found = {family.name: family.samples for family in asyncio.run(source.families())}
    assert found["retick_workers_lost"][0].value == 2


def test_sigterm_while_workers_start_drains_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Starting(FakeWorker):
        def __init__(self, number: int, plan: ServePlan, **more: Any) -> None:
            super().__init__(number, plan, **more)
            if number == 1:
                signal.raise_signal(signal.SIGTERM)

        def send(self, order: dict[str, Any]) -> None:
            super().send(order)
            if "drain" in order:
                asyncio.get_running_loop().call_later(0.05, self.end, 0)

    monkeypatch.setattr(fleet_module, "WorkerProcess", Starting)
    lines: list[str] = []
    log = EventLog(as_json=True, reports=tmp_path, emit=lambda record, words: lines.append(record["event"]))
    socket = open_udp("127.0.0.1", 0)
    try:
        run = run_front(
            ServePlan(rooms=("", "b")), 2, socket, log,
            page_address=None, seconds=30.0, drain=5.0, pin=False, agones=False,
        )  # fmt: skip
        asyncio.run(run)
    finally:
        socket.close()
    assert "draining" in lines
    assert lines[-1] == "stopped"
