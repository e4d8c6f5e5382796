"""Lines about a server: for people, as JSON, and reports of rooms that have failed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from retick.authority import (
    MessageDropped,
    MessageFromPlayer,
    PlayerJoined,
    PlayerLeft,
    RoomClosed,
    RoomFailed,
    ServerDrained,
    ServerEvent,
)
from retick.link.handshake.strangers import RecentRefusal
from retick.netrunner.events import ShotDropped
from retick.serving.event_log import EventLog
from tests.netrunner.courses import Field

FAILED = RoomFailed(
    room="../red\n", tick=7, error="ZeroDivisionError: no", traceback="Traceback\n", states={2: "s"}, commands={2: "c"}
)
EVENTS: list[ServerEvent] = [
    PlayerJoined(room="", peer_id=2, address=("10.0.0.1", 5000)),
    PlayerLeft(room="red", peer_id=3, text="bye\x1b[0m", address=("fe80::1", 5000, 0, 0)),
    MessageDropped(room="", peer_id=2, message=b"x", text="why"),
    ShotDropped(room="", peer_id=2, text="why"),
    RoomClosed(room="red", text="over"),
    ServerDrained(),
]


def noon() -> datetime:
    return datetime(2030, 1, 2, 12, 0, tzinfo=UTC)


def json_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_event_is_one_line_of_json_with_time_room_and_address(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    EventLog(as_json=True, reports=tmp_path, clock=noon).write(EVENTS)
    lines = json_lines(capsys)
    assert len(lines) == len(EVENTS)
    assert lines[0] == {
        "time": "2030-01-02T12:00:00.000+00:00", "event": "player_joined", "room": "", "peer": 2,
        "address": "10.0.0.1:5000",
    }  # fmt: skip
    assert lines[1]["address"] == "[fe80::1]:5000"
    assert [line["event"] for line in lines] == [
        "player_joined", "player_left", "message_dropped", "shot_dropped", "room_closed", "drained",
    ]  # fmt: skip


def test_each_event_is_one_line_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    EventLog(as_json=False, reports=tmp_path, clock=noon).write(EVENTS)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(EVENTS)
    assert lines[0] == "peer 2 joined"
    assert lines[1] == "peer 3 'red' left"
    assert lines[2] == "peer 2 did not get a message: why"


@pytest.mark.parametrize("as_json", [False, True])
def test_the_report_of_a_failed_room_is_in_the_file_that_the_line_names(
    as_json: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    EventLog(as_json=as_json, reports=tmp_path, clock=noon).write([FAILED])
    [file] = tmp_path.iterdir()
    assert file.name == "room----red--failed-20300102-120000-000000.txt"
    assert file.read_text(encoding="utf-8") == FAILED.report()
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 1
    if as_json:
        line = json.loads(out)
        assert (line["report"], line["tick"], line["players"]) == (str(file), 7, [2])
    else:
        assert str(file) in out


def test_a_report_that_cannot_be_written_is_told_and_the_server_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    EventLog(as_json=False, reports=tmp_path / "none", clock=noon).write([FAILED])
    assert "the report cannot be written: No such file" in capsys.readouterr().out


def test_ticks_over_budget_are_told_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    server = Field().server
    log = EventLog(as_json=False, reports=tmp_path, clock=noon)
    log.write_costs(server)
    server.rooms[""].stats.tick_cost.add(0.04, 0.016)
    log.write_costs(server)
    log.write_costs(server)
    assert capsys.readouterr().out == "room '': 1 ticks over budget, the longest of all 40.0 ms\n"


def test_lines_of_workers_have_their_number_and_listeners_hear_every_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    heard: list[dict[str, Any]] = []
    log = EventLog(as_json=False, reports=tmp_path, clock=noon)
    log.listeners.append(heard.append)
    log.relay({"time": "t", "event": "room_closed"}, "room 'a' is closed", 2)
    log.note("stopped", "stopped")
    assert capsys.readouterr().out == "worker 2: room 'a' is closed\nstopped\n"
    assert [(record["event"], record.get("worker")) for record in heard] == [("room_closed", 2), ("stopped", None)]


def test_an_event_that_is_for_the_application_alone_has_no_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    message: Any = object()
    EventLog(as_json=True, reports=tmp_path).write([message])
    assert capsys.readouterr().out == ""


def test_a_log_that_cannot_be_written_is_complained_of_once_and_listeners_still_hear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def emit(record: dict[str, Any], words: str) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    heard: list[Any] = []
    log = EventLog(as_json=True, reports=tmp_path, emit=emit)
    log.listeners.append(heard.append)
    log.note("draining", "draining")
    log.note("stopped", "stopped")
    assert [record["event"] for record in heard] == ["draining", "stopped"]
    told = "retick: the server goes on, but its log cannot be written: Broken pipe\n"
    assert capsys.readouterr().err == told


def test_messages_that_nobody_reads_are_counted_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = EventLog(as_json=False, reports=tmp_path)
    said = MessageFromPlayer(room="red", peer_id=1, data=b"hello", reliable=True)
    log.write([said, said])
    assert capsys.readouterr().out == ""
    log.write_unread()
    log.write_unread()
    assert capsys.readouterr().out == "room 'red': 2 messages from players, which no hook of the game reads\n"


def test_a_player_id_of_a_token_stands_beside_the_peer_id(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    EventLog(as_json=False, reports=tmp_path).write([PlayerJoined(room="red", peer_id=2, player=7)])
    assert capsys.readouterr().out == "peer 2 (player 7) 'red' joined\n"


def test_refusals_are_one_line_for_each_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = [RecentRefusal("the room is full", 1, ("10.0.0.1", 5000)), RecentRefusal("no token", 3, ("10.0.0.2", 5000))]
    EventLog(as_json=False, reports=tmp_path).write_refusals(found)
    assert capsys.readouterr().out.splitlines() == [
        "refused to let in: the room is full (from 10.0.0.1:5000)",
        "refused to let in 3 times: no token (the last from 10.0.0.2:5000)",
    ]
    EventLog(as_json=True, reports=tmp_path, clock=noon).write_refusals(found[1:])
    [line] = json_lines(capsys)
    assert (line["event"], line["text"], line["times"], line["address"]) == (
        "join_refused", "no token", 3, "10.0.0.2:5000",
    )  # fmt: skip
