"""The feed with a small room, over real WebSockets."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from retick.errors import UsageError
from retick.studio.app import make_app
from retick.studio.feed import MOST_ROOMS
from retick.studio.room import LONGEST_QUEUE, FileSent, PageMessage, PageRoom, Settings
from tests.studio.conftest import Running, running


class Counter(PageRoom):
    """Counts what it gets; a page that comes back finds the count."""

    name = "counter"
    open_rooms: list["Counter"] = []

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.running = False
        self.open_rooms.append(self)

    def hello(self) -> dict[str, Any]:
        return {"count": self.count}

    async def run(self) -> None:
        self.running = True
        try:
            await asyncio.Event().wait()
        finally:
            self.running = False

    def receive(self, message: PageMessage) -> None:
        if message.type == "fail":
            raise ZeroDivisionError
        if message.type == "misuse":
            raise UsageError("that cannot be done")
        if message.type != "add":
            super().receive(message)
        self.count += message.integer("number", 1, 9)
        self.post("count", count=self.count)

    def receive_file(self, file: FileSent) -> None:
        self.post("opened", name=file.name, slot=file.slot, size=len(file.data))

    def close(self) -> None:
        self.open_rooms.remove(self)


@pytest.fixture
def small() -> Iterator[Running]:
    Counter.open_rooms.clear()
    with running(make_app(Settings(), rooms={"counter": Counter}, grace=60.0)) as started:
        yield started
    assert Counter.open_rooms == []


def ask(socket: ClientConnection, kind: str, /, **fields: Any) -> dict[str, Any]:
    socket.send(json.dumps({"type": kind, **fields}))
    return dict(json.loads(socket.recv(timeout=10)))


def hello(socket: ClientConnection) -> dict[str, Any]:
    message = json.loads(socket.recv(timeout=10))
    assert message["type"] == "hello"
    return dict(message)


def test_a_page_is_greeted_and_its_messages_reach_the_room(small: Running) -> None:
    with connect(f"{small.feeds}counter") as socket:
        assert hello(socket)["room"] == "counter"
        assert ask(socket, "add", number=3) == {"type": "count", "count": 3}
        assert ask(socket, "ping", time=12.5) == {"type": "pong", "time": 12.5}


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("add", {"number": 10}, "from 1 to 9"),
        ("add", {}, "number"),
        ("nothing", {}, "no message"),
        ("fail", {}, "that failed"),
        ("misuse", {}, "cannot be done"),
        ("file", {"name": "a", "slot": 2}, "slot"),
    ],
)
def test_what_is_wrong_is_answered_in_words_and_the_rest_goes_on(
    small: Running, kind: str, fields: dict[str, Any], words: str
) -> None:
    with connect(f"{small.feeds}counter") as socket:
        hello(socket)
        answer = ask(socket, kind, **fields)
        assert answer["type"] == "error"
        assert words in answer["text"]
        assert ask(socket, "add", number=1) == {"type": "count", "count": 1}


def test_bytes_without_a_name_are_refused_and_named_ones_arrive(small: Running) -> None:
    with connect(f"{small.feeds}counter") as socket:
        hello(socket)
        socket.send(b"123")
        assert "named first" in json.loads(socket.recv(timeout=10))["text"]
        socket.send(json.dumps({"type": "file", "name": "match.rtk", "slot": 1}))
        socket.send(b"123")
        opened = json.loads(socket.recv(timeout=10))
        assert opened == {"type": "opened", "name": "match.rtk", "slot": 1, "size": 3}


def test_a_page_that_lost_its_connection_finds_its_room_again(small: Running) -> None:
    with connect(f"{small.feeds}counter") as socket:
        token = hello(socket)["token"]
        ask(socket, "add", number=3)
    with connect(f"{small.feeds}counter?token={token}") as socket:
        assert hello(socket)["count"] == 3


def test_a_page_that_is_loaded_again_gets_its_room_also_before_the_old_connection_is_seen_to_end(
    small: Running,
) -> None:
    with connect(f"{small.feeds}counter") as first:
        token = hello(first)["token"]
        with connect(f"{small.feeds}counter?token={token}") as second:
            first.close()
            assert hello(second)["token"] == token
            assert ask(second, "add", number=1)["count"] == 1


def test_a_page_that_waits_for_a_room_that_ends_gets_a_new_one(small: Running) -> None:
    with connect(f"{small.feeds}counter") as first:
        token = hello(first)["token"]
        ask(first, "add", number=1)
        with connect(f"{small.feeds}counter?token={token}") as second:
            first.send(json.dumps({"type": "bye"}))
            first.close()
            greeting = hello(second)
            assert (greeting["count"], greeting["token"] != token) == (0, True)


def test_a_second_page_with_the_same_token_is_told_so(small: Running) -> None:
    with connect(f"{small.feeds}counter") as first:
        token = hello(first)["token"]
        with connect(f"{small.feeds}counter?token={token}") as second:
            assert "another page" in json.loads(second.recv(timeout=10))["text"]
            with pytest.raises(ConnectionClosed) as closed:
                second.recv(timeout=10)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4409
        assert ask(first, "add", number=1)["count"] == 1


def test_a_goodbye_ends_the_room_at_once(small: Running) -> None:
    with connect(f"{small.feeds}counter") as socket:
        token = hello(socket)["token"]
        room = Counter.open_rooms[0]
        socket.send(json.dumps({"type": "bye"}))
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=10)
    assert Counter.open_rooms == []
    assert not room.running
    with connect(f"{small.feeds}counter?token={token}") as socket:
        assert hello(socket)["token"] != token


def test_a_room_whose_page_does_not_come_back_ends() -> None:
    Counter.open_rooms.clear()
    with running(make_app(Settings(), rooms={"counter": Counter}, grace=0.0)) as started:
        with connect(f"{started.feeds}counter") as socket:
            token = hello(socket)["token"]
        with connect(f"{started.feeds}counter") as socket:
            hello(socket)
            ask(socket, "ping", time=1)
            assert token not in [one.token for one in started.app.state.feeds._held.values()]


def test_more_rooms_than_the_limit_are_refused(small: Running) -> None:
    with ExitStack() as pages:
        for _ in range(MOST_ROOMS):
            hello(pages.enter_context(connect(f"{small.feeds}counter")))
        with connect(f"{small.feeds}counter") as one_more:
            assert "rooms are open" in json.loads(one_more.recv(timeout=10))["text"]


def test_a_room_that_does_not_exist_is_refused(small: Running) -> None:
    with pytest.raises(InvalidStatus), connect(f"{small.feeds}cellar"):
        pass


class Unready(Counter):
    """Fails before it has greeted its page."""

    def hello(self) -> dict[str, Any]:
        raise ZeroDivisionError("<b>no</b>")


class Impossible(Counter):
    def __init__(self) -> None:
        raise SystemExit("the game left")


@pytest.mark.parametrize("kind", [Unready, Impossible])
def test_a_room_that_cannot_be_opened_says_why_and_leaves_nothing(kind: type[Counter]) -> None:
    Counter.open_rooms.clear()
    with running(make_app(Settings(), rooms={"counter": kind}, grace=60.0)) as started:
        for _ in range(MOST_ROOMS + 1):
            with connect(f"{started.feeds}counter") as socket:
                said = json.loads(socket.recv(timeout=10))
                assert said["type"] == "error"
                assert "cannot be opened" in said["text"]
        assert len(started.app.state.feeds) == 0
    assert Counter.open_rooms == []


class Failing(Counter):
    async def run(self) -> None:
        raise UsageError("the work has ended")


def test_a_page_that_comes_back_to_a_room_that_failed_is_told_so_again() -> None:
    with running(make_app(Settings(), rooms={"counter": Failing}, grace=60.0)) as started:
        token = ""
        for _ in range(2):
            with connect(f"{started.feeds}counter?token={token}") as socket:
                token = hello(socket)["token"]
                assert json.loads(socket.recv(timeout=10)) == {"type": "error", "text": "the work has ended"}
        assert len(started.app.state.feeds) == 1


def test_what_was_posted_while_no_page_was_there_is_not_sent_later(small: Running) -> None:
    with connect(f"{small.feeds}counter") as socket:
        token = hello(socket)["token"]
    held = small.app.state.feeds._held[token]
    while held.page is not None:
        time.sleep(0.001)
    for _ in range(2 * LONGEST_QUEUE):
        held.room.post("old")
    with connect(f"{small.feeds}counter?token={token}") as socket:
        hello(socket)
        assert ask(socket, "add", number=2) == {"type": "count", "count": 2}


def test_a_goodbye_behind_many_messages_is_heard(small: Running) -> None:
    with connect(f"{small.feeds}counter") as socket:
        hello(socket)
        for _ in range(100):
            socket.send(json.dumps({"type": "ping", "time": 1}))
        socket.send(json.dumps({"type": "bye"}))
    while len(small.app.state.feeds):
        time.sleep(0.001)
