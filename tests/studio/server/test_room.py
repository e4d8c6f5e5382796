"""The room's messages, without a page."""

import asyncio
import json
from typing import Any

import pytest

from retick.errors import RetickError
from retick.studio.room import FeedError, PageMessage, Settings
from retick.studio.server.room import LONGEST_STEP, ServerRoom
from tests.studio.conftest import awaited


def room_after(seconds: float) -> ServerRoom:
    room = ServerRoom(Settings())
    for _ in range(round(seconds * 60)):
        room.advance(1 / 60)
    return room


def waiting(room: ServerRoom) -> dict[str, Any]:
    """The newest message of each type that waits for the page."""
    texts = [*room.outbox._queue, *room.outbox._moments.values()]
    room.outbox.clear()
    messages = [json.loads(text) for text in texts]
    return {message["type"]: message for message in messages}


def send(room: ServerRoom, kind: str, /, **fields: Any) -> None:
    room.receive(PageMessage(kind, fields))


def test_a_frame_has_everyone_as_the_server_and_as_the_watched_client_see_them() -> None:
    room = room_after(3.0)
    frame = waiting(room)["frame"]
    truth = {row[0]: row[1:] for row in frame["truth"]}
    others = {row[0]: row[1:] for row in frame["others"]}
    own = frame["own"]
    assert len(truth) == 6
    assert set(others) == set(truth) - {own[0]}
    assert len(own) == 9
    assert all(abs(x) <= 30 and -34 <= z <= 7 for x, _, z, *_ in truth.values())


def test_what_is_set_is_in_the_answer_and_in_the_next_hello() -> None:
    room = room_after(0.5)
    send(room, "conditions", latency=100, jitter=5, loss=2, bursts=1)
    send(room, "bots", number=4)
    send(room, "play", on=True)
    send(room, "locomotion", mode="reset")
    settings = waiting(room)["settings"]["settings"]
    assert settings == room.hello()["settings"] == {
        "latency": 100, "jitter": 5, "loss": 2, "bursts": 1, "bots": 4, "play": True, "watch": 0, "locomotion": "reset",
    }  # fmt: skip
    path = room.course.network.path("runner 1", "server")
    assert path.conditions.latency == 0.1
    assert path.conditions.burst_enter == 0.01
    send(room, "watch", runner=2)
    assert room.hello()["settings"]["watch"] == 2


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("bots", {"number": 0}),
        ("bots", {"number": 16}),
        ("bots", {}),
        ("conditions", {"latency": 301, "jitter": 0, "loss": 0, "bursts": 0}),
        ("conditions", {"latency": 1, "jitter": 0, "loss": "much", "bursts": 0}),
        ("play", {"on": 1}),
        ("watch", {"runner": 15}),
        ("watch", {"runner": 0}),
        ("locomotion", {"mode": "both"}),
        ("input", {"x": 2, "z": 0, "jump": False}),
        ("input", {"x": 0, "z": 0}),
        ("fly", {}),
    ],
)
def test_a_wrong_message_is_refused_and_changes_nothing(kind: str, fields: dict[str, Any]) -> None:
    room = room_after(0.0)
    before, hands = room.hello(), vars(room.course.hands).copy()
    with pytest.raises(RetickError) as caught:
        send(room, kind, **fields)
    assert isinstance(caught.value, FeedError) or kind == "watch"
    assert room.hello() == before
    assert vars(room.course.hands) == hands
    assert waiting(room) == {}


def test_input_moves_the_users_runner() -> None:
    room = room_after(0.0)
    send(room, "play", on=True)
    for _ in range(120):
        room.advance(1 / 60)
    start = waiting(room)["frame"]["own"]
    send(room, "input", x=-1, z=0, jump=False)
    for _ in range(60):
        room.advance(1 / 60)
    assert waiting(room)["frame"]["own"][1] < start[1] - 3.0


def test_the_room_runs_by_the_real_clock_and_not_faster() -> None:
    async def run() -> ServerRoom:
        room = ServerRoom(Settings())
        loop = asyncio.get_running_loop()
        begun = loop.time()
        work = asyncio.create_task(room.run())
        while room.course.network.now < 0.3:
            await asyncio.sleep(0.01)
        assert room.course.network.now <= loop.time() - begun + LONGEST_STEP
        work.cancel()
        return room

    room = awaited(run())
    assert room.course.room.tick > 0
