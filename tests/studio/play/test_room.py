"""The room of play without a browser, over a clock that the test moves."""

import asyncio
import json
from typing import Any

import pytest

from retick.errors import UsageError
from retick.studio.play.matches import BotMatch
from retick.studio.play.room import MOST_LEAVING, PlayRoom
from retick.studio.play.side import MOST_COLUMNS
from retick.studio.room import FeedError, PageMessage, Settings
from tests.studio.conftest import awaited


class Play:
    """A room whose time is ours; messages to the page are kept."""

    def __init__(self, game: str | None = None) -> None:
        self.now = 100.0
        self.room = PlayRoom(Settings(game=game), clock=lambda: self.now)
        self.messages: list[dict[str, Any]] = []
        self.pictures: list[bytes] = []

    def send(self, kind: str, **fields: Any) -> None:
        self.room.receive(PageMessage(kind, fields))

    def run(self, seconds: float) -> None:
        """As ``PlayRoom.run`` does it, with the messages sent at once."""
        match = self.room._match
        end = self.now + seconds
        while match is not None and match is self.room._match and self.now < end and self.room._end is None:
            self.room._turn(match)
            self.drain()
            self.now += match.sleep()

    def drain(self) -> None:
        outbox = self.room.outbox
        waiting, moments = list(outbox._queue), list(outbox._moments.values())
        outbox.clear()
        waiting += [one() if callable(one) else one for one in moments]
        waiting += outbox._queue
        outbox._queue.clear()
        for message in waiting:
            if isinstance(message, bytes):
                self.pictures.append(message)
            else:
                self.messages.append(json.loads(message))

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == kind]


def started(**fields: Any) -> Play:
    play = Play()
    play.send("start", **{"against": "bot", "style": "rusher", **fields})
    return play


def test_a_fight_ends_on_checksums_that_both_peers_have() -> None:
    play = started()
    for _ in range(600):
        play.send("keys", pressed=8)
        play.run(0.1)
        play.send("keys", pressed=0)
        if play.room._end is not None:
            break
    (end,) = play.of("end")
    assert end["equal"] is True
    assert end["yours"] == end["theirs"]
    assert end["frame"] > 60
    assert [message["phase"] for message in play.of("phase")] == ["ready", "connecting", "running", "over"]
    assert play.room.hello()["end"] == {key: value for key, value in end.items() if key != "type"}


def test_every_frame_has_one_column_and_both_views() -> None:
    play = started()
    play.run(3.0)
    frames = play.of("frame")
    columns = [column for message in frames for column in message["columns"]]
    assert [column[0] for column in columns] == list(range(len(columns)))
    assert len(columns) > 120
    assert all(len(message["you"]) == len(message["ghost"]) == 24 for message in frames)
    assert any(message["other"] is not None for message in frames)
    assert any(column[2] > 0 for column in columns), "something was rolled back"
    assert any(column[4] > 0 for column in columns), "checksums were compared"
    assert all(message["confirmed"] <= message["ghost_frame"] <= message["frame"] for message in frames)


def test_columns_wait_for_a_page_that_is_slow_and_are_bounded() -> None:
    play = started()
    match = play.room._match
    assert match is not None
    play.run(1.0)
    had = sum(len(message["columns"]) for message in play.of("frame"))
    end = play.now + 15.0
    while play.now < end and play.room._end is None:  # nothing is sent meanwhile
        play.room._turn(match)
        play.now += match.sleep()
    assert match.you.unsent.maxlen == match.you.columns.maxlen == MOST_COLUMNS
    play.messages.clear()
    play.drain()
    (newest,) = play.of("frame")
    assert len(newest["columns"]) == min(match.you.frames - had, MOST_COLUMNS)
    assert newest["columns"][-1][0] == newest["frame"] - 1


def test_a_press_takes_effect_after_the_input_delay_and_no_later() -> None:
    for delay in (0, 3, 8):
        play = Play()
        play.send("session", input_delay=delay, prediction_window=12)
        play.send("start", against="bot", style="rusher")
        play.run(1.0)
        before = play.of("frame")[-1]
        play.send("keys", pressed=2)
        play.run(0.5)
        moved = next(one for one in play.of("frame") if one["you"][1] != before["you"][1])
        assert moved["frame"] == before["frame"] + delay + 1


def test_a_tap_between_two_frames_counts_for_one_frame() -> None:
    play = started()
    play.run(1.0)
    x = play.of("frame")[-1]["you"][1]
    play.send("keys", pressed=2)
    play.send("keys", pressed=0)
    play.run(0.3)
    assert play.of("frame")[-1]["you"][1] == x + 300


def test_sliders_change_what_the_session_measures() -> None:
    play = Play()
    play.send("network", latency=10, jitter=0, loss=0, bursts=0)
    play.send("start", against="bot", style="hopper")
    play.run(4.0)
    calm = play.of("frame")[-1]["columns"][-1]
    assert 15 < calm[5] < 45
    assert calm[6] == 0
    play.send("network", latency=150, jitter=10, loss=20, bursts=5)
    play.run(6.0)
    columns = [column for message in play.of("frame") for column in message["columns"]]
    assert columns[-1][5] > 250
    assert columns[-1][6] > 8
    assert play.room.hello()["settings"]["latency"] == 150


def test_cues_start_once_each_on_the_final_timeline() -> None:
    play = Play()
    play.send("network", latency=80, jitter=20, loss=5, bursts=0)
    play.send("start", against="bot", style="hopper")
    play.run(8.0)
    cues = play.of("cue")
    confirmed = [(one["name"], one["player"], one["frame"]) for one in cues if one["event"] == "confirmed"]
    started_ = [one for one in cues if one["event"] == "started"]
    cancelled = [one for one in cues if one["event"] == "cancelled"]
    assert confirmed
    assert len(set(confirmed)) == len(confirmed)
    assert 0 <= len(started_) - len(cancelled) - len(confirmed) <= 8, "only the newest are still open"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("start", {"against": "nobody"}),
        ("start", {"against": "bot", "style": "dancer"}),
        ("start", {"against": "host", "port": 65536}),
        ("start", {"against": "join", "address": " "}),
        ("keys", {"pressed": -1}),
        ("network", {"latency": 301, "jitter": 0, "loss": 0, "bursts": 0}),
        ("session", {"input_delay": 9, "prediction_window": 12}),
        ("session", {"input_delay": 0, "prediction_window": 0}),
        ("dance", {}),
    ],
)
def test_a_wrong_message_is_refused_and_the_match_goes_on(kind: str, fields: dict[str, Any]) -> None:
    play = started()
    play.run(1.0)
    before = len(play.of("frame"))
    with pytest.raises(FeedError):
        play.send(kind, **fields)
    play.run(0.5)
    assert len(play.of("frame")) > before + 10


def test_bits_that_the_game_does_not_have_are_passed_over() -> None:
    play = started()
    play.run(1.0)
    play.send("keys", pressed=2**53 - 1)
    play.run(0.5)
    assert play.room._end is None


def test_leaving_ends_the_match_and_another_can_begin() -> None:
    play = started()
    play.run(1.0)
    play.send("leave")
    assert play.room.hello()["phase"]["phase"] == "ready"
    play.send("start", against="bot", style="counter")
    assert isinstance(play.room._match, BotMatch)
    play.run(1.0)
    assert play.room.hello()["phase"]["phase"] == "running"


def test_an_address_that_is_none_is_refused_in_words() -> None:
    play = Play()
    with pytest.raises(UsageError):
        play.send("start", against="join", address="127.0.0.1:no")
    assert play.room.hello()["phase"]["phase"] == "ready"


def test_a_code_of_a_relay_is_refused_in_words() -> None:
    with pytest.raises(FeedError, match="retick join"):
        Play().send("start", against="join", address="4XK7-M2QP@relay.example.org")


def test_matches_that_are_left_say_goodbye_together_and_their_number_is_bounded() -> None:
    room = PlayRoom(Settings())

    async def flooded() -> None:
        work = asyncio.create_task(room.run())
        refused = 0
        for _ in range(4 * MOST_LEAVING):
            try:
                room.receive(PageMessage("start", {"against": "join", "address": "127.0.0.1:9"}))
            except FeedError:
                refused += 1
            assert len(room._leaving) + room._being_left <= MOST_LEAVING
            await asyncio.sleep(0)
        assert refused > 0
        while room._leaving or room._being_left:
            await asyncio.sleep(0.001)
        room.receive(PageMessage("start", {"against": "bot", "style": "rusher"}))
        work.cancel()

    awaited(flooded())


def test_a_name_is_looked_up_while_everything_else_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: asyncio.Queue[tuple[str, int]] = asyncio.Queue()

    async def asked(_host: tuple[str, int]) -> tuple[str, int]:
        return await answers.get()

    monkeypatch.setattr("retick.studio.play.room.look_up", asked)
    room = PlayRoom(Settings())

    def phase() -> str:
        return str(room.hello()["phase"]["phase"])

    async def joined() -> None:
        work = asyncio.create_task(room.run())
        room.receive(PageMessage("start", {"against": "join", "address": "example.test:7777"}))
        assert phase() == "connecting"
        with pytest.raises(FeedError, match="looked up"):
            room.receive(PageMessage("start", {"against": "join", "address": "other.test"}))
        room.receive(PageMessage("leave", {}))
        answers.put_nowait(("127.0.0.1", 9))
        while room._lookup is not None and not room._lookup.done():
            await asyncio.sleep(0)
        assert room._match is None, "the user has left meanwhile"
        room.receive(PageMessage("start", {"against": "join", "address": "example.test:7777"}))
        answers.put_nowait(("127.0.0.1", 9))
        while room._match is None:
            await asyncio.sleep(0)
        assert room._match.waiting == "joining 127.0.0.1 port 9"
        work.cancel()

    awaited(joined())


def test_a_name_that_nobody_knows_is_answered_in_words() -> None:
    room = PlayRoom(Settings())

    async def joined() -> None:
        room.receive(PageMessage("start", {"against": "join", "address": "\ud800"}))
        assert room._lookup is not None
        await room._lookup

    awaited(joined())
    assert room.hello()["phase"]["phase"] == "ready"
    assert "no address is known" in room.outbox._queue[-1]  # type: ignore[operator]  # a text
