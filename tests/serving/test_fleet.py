"""Which worker has which room, without processes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from retick.errors import RetickError, UsageError
from retick.serving import fleet as fleet_module
from retick.serving.event_log import EventLog
from retick.serving.fleet import Fleet
from retick.serving.plan import ServePlan

READY = {"game_id": "x", "game_version": 1, "tick_rate": 60, "capabilities": 0}
ROOMS = ("", "room 2", "room 3", "room 4", "room 5")


class FakeWorker:
    """A worker that answers at once, as ``says`` tells."""

    says: Any = "ready"

    def __init__(self, number: int, plan: ServePlan, *, on_line: Any, on_end: Any) -> None:
        self.number, self.plan, self.rooms, self.port, self.pid = number, plan, set(plan.rooms), 0, 1000 + number
        self.is_running = True
        self.orders: list[Any] = []
        self._on_line, self._on_end = on_line, on_end
        if self.says == "ready":
            self.tell({"ready": {**READY, "port": 7000 + number}})
        elif self.says == "end":
            self.end(3)
        else:
            self.tell({"failed": self.says})

    def tell(self, message: dict[str, Any]) -> None:
        asyncio.get_running_loop().call_soon(self._on_line, self, message)

    def end(self, code: int) -> None:
        self.is_running = False
        asyncio.get_running_loop().call_soon(self._on_end, self, code)

    def send(self, order: dict[str, Any]) -> None:
        self.orders.append(order)
        if "stop" in order:
            self.end(0)
        elif "ask" in order and self.number != 2:
            self.tell({"answer": order["ask"], "metrics": [self.number]})

    def kill(self) -> None:
        self.end(-9)


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "WorkerProcess", FakeWorker)


def with_fleet(use: Any, *, port: int = 7777, count: int = 3) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []

    async def run() -> None:
        log = EventLog(
            as_json=True, reports=Path(), emit=lambda record, words: lines.append({**record, "words": words})
        )
        fleet = Fleet(ServePlan(rooms=ROOMS, port=port), count, log, pin=False)
        try:
            link = await fleet.start()
            assert (link.game_id, link.tick_rate) == ("x", 60)
            await use(fleet)
        finally:
            await fleet.stop()
        assert fleet.running == []

    asyncio.run(run())
    return lines


def test_rooms_and_ports_are_shared_out_and_a_room_leads_to_its_worker() -> None:
    async def use(fleet: Any) -> None:
        assert [worker.plan.rooms for worker in fleet.workers] == [("", "room 4"), ("room 2", "room 5"), ("room 3",)]
        assert [worker.plan.port for worker in fleet.workers] == [7778, 7779, 7780]
        assert [fleet.port_of(room) for room in ROOMS] == [7001, 7002, 7003, 7001, 7002]
        assert fleet.port_of("room 6") == "there is no room 'room 6'"

    lines = with_fleet(use)
    assert [(line["event"], line["worker"], line["pid"]) for line in lines] == [
        ("worker_started", number, 1000 + number) for number in (1, 2, 3)
    ]


def test_with_any_free_port_workers_take_any_too() -> None:
    async def use(fleet: Any) -> None:
        assert {worker.plan.port for worker in fleet.workers} == {0}

    with_fleet(use, port=0)


def test_a_lost_worker_is_started_again_with_its_rooms_and_its_port() -> None:
    async def use(fleet: Any) -> None:
        fleet.workers[0].kill()
        await asyncio.sleep(0)
        made = fleet.workers[0]
        assert (fleet.lost, made.number, made.is_running) == (1, 1, True)
        assert (made.plan.rooms, made.plan.port) == (("", "room 4"), 7001)
        assert fleet.port_of("room 4") == 7001
        assert [worker.orders for worker in fleet.workers] == [[], [], []]
        await asyncio.sleep(0)
        assert fleet._restarting == {}

    lost, started = with_fleet(use)[-2:]
    assert (lost["event"], lost["moved"], lost["restarted"]) == ("worker_lost", {}, True)
    assert lost["words"] == "worker 1 has ended (signal 9), and its 2 rooms with it; it is restarted"
    assert (started["event"], started["worker"], started["rooms"]) == ("worker_started", 1, ["", "room 4"])


def test_a_worker_is_started_again_only_so_often_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(fleet: Any) -> None:
        for _ in range(fleet_module.RESTARTS):
            fleet.workers[0].kill()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert fleet.port_of("") == 7001
        fleet.workers[0].kill()
        await asyncio.sleep(0)
        assert fleet.port_of("") == 7003
        monkeypatch.setattr(fleet_module, "RESTART_SECONDS", 0.0)
        for _ in range(2 * fleet_module.RESTARTS):
            fleet.workers[1].kill()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert fleet.port_of("room 2") == 7002

    lost = [line["restarted"] for line in with_fleet(use) if line["event"] == "worker_lost"]
    assert lost == [True, True, True, False, *[True] * 6]


def test_a_worker_that_cannot_be_started_again_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(fleet: Any) -> None:
        monkeypatch.setattr(FakeWorker, "says", "port 7001 is in use")
        fleet.workers[0].kill()
        for _ in range(fleet_module.RESTARTS):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            fleet.workers[0].end(0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert fleet.port_of("") == 7003

    lost = [line for line in with_fleet(use) if line["event"] == "worker_lost"]
    assert [line["text"] for line in lost] == ["signal 9", *["port 7001 is in use"] * 3]


def test_rooms_of_a_worker_that_is_given_up_are_opened_in_those_that_have_the_fewest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleet_module, "RESTARTS", 0)

    async def use(fleet: Any) -> None:
        first, second, third = fleet.workers
        first.kill()
        await asyncio.sleep(0)
        assert fleet.lost == 1
        assert third.orders == [{"open": ""}]
        assert second.orders == [{"open": "room 4"}]
        assert (fleet.port_of(""), fleet.port_of("room 4")) == (7003, 7002)
        second.kill()
        third.kill()
        await fleet.wait()
        assert fleet.port_of("") == "no worker is left"

    lines = with_fleet(use)
    lost = [line for line in lines if line["event"] == "worker_lost"]
    assert lost[0]["moved"] == {"": 3, "room 4": 2}
    assert lost[0]["text"] == "signal 9"
    assert "new players go to the others" in lost[0]["words"]
    assert "no worker is left" in lost[-1]["words"]


def test_a_worker_that_ends_while_all_drain_is_not_lost() -> None:
    async def use(fleet: Any) -> None:
        fleet.drain(5.0)
        assert all(worker.orders == [{"drain": 5.0}] for worker in fleet.workers)
        fleet.workers[0].end(0)
        await asyncio.sleep(0)
        assert fleet.lost == 0
        assert fleet.workers[1].orders == [{"drain": 5.0}]

    assert {line["event"] for line in with_fleet(use)} == {"worker_started"}


def test_metrics_come_from_those_that_answer_in_time_and_the_others_are_left_out() -> None:
    async def use(fleet: Any) -> None:
        assert await fleet.metrics(0.05) == {"1": [1], "3": [3]}
        assert fleet._answers == {}

    with_fleet(use)


def test_a_worker_that_hangs_is_asked_only_so_often() -> None:
    async def use(fleet: Any) -> None:
        for _ in range(3 * fleet_module.MOST_UNANSWERED):
            assert set(await fleet.metrics(0.001)) == {"1", "3"}
        assert [len(worker.orders) for worker in fleet.workers] == [24, fleet_module.MOST_UNANSWERED, 24]
        for order in fleet.workers[1].orders:
            fleet.workers[1].tell({"answer": order["ask"], "metrics": [2]})
        await asyncio.sleep(0)
        await fleet.metrics(0.001)
        assert len(fleet.workers[1].orders) == fleet_module.MOST_UNANSWERED + 1

    with_fleet(use)


def test_a_worker_that_dies_while_it_is_asked_holds_no_scrape_up() -> None:
    async def use(fleet: Any) -> None:
        asked = asyncio.create_task(fleet.metrics(600.0))
        await asyncio.sleep(0)
        fleet.workers[1].kill()
        assert set(await asked) == {"1", "3"}

    with_fleet(use)


@pytest.mark.parametrize(
    ("says", "kind", "words"),
    [
        ("port 7778 is in use", UsageError, "port 7778 is in use"),
        ("end", RetickError, "ended while it started: exit code 3"),
    ],
)
def test_a_worker_that_cannot_start_is_an_error_with_its_words(
    monkeypatch: pytest.MonkeyPatch, says: str, kind: type[Exception], words: str
) -> None:
    monkeypatch.setattr(FakeWorker, "says", says)

    async def use(fleet: Any) -> None:
        raise AssertionError("it must not start")

    with pytest.raises(kind, match=words):
        with_fleet(use)


def test_events_of_workers_are_relayed_with_their_number() -> None:
    async def use(fleet: Any) -> None:
        fleet.workers[1].tell({"event": "room_closed", "time": "t", "room": "a", "words": "room 'a' is closed"})
        await asyncio.sleep(0)

    line = with_fleet(use)[-1]
    assert (line["event"], line["worker"], line["words"]) == ("room_closed", 2, "worker 2: room 'a' is closed")
