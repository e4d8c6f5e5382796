"""The messages of a room."""

from typing import Any

import pytest

from retick.authority.server import room
from retick.host.events import MessageDropped, RoomFailed
from tests.authority.server.clients import Hall
from tests.authority.server.yard import Yard


def test_a_world_that_sends_without_end_is_stopped_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_QUEUED", 3)

    class Chatty(Yard):
        def advance(self, inputs: Any) -> None:
            super().advance(inputs)
            if self.ticks == 20:
                for number in range(5):
                    self.send(b"%d" % number)

    hall = Hall(Chatty)
    one = hall.join("one")
    hall.run(1.0)
    assert [event.message for event in hall.of(MessageDropped)] == [b"3", b"4"]
    assert [each.data for each in one.messages if hasattr(each, "data")] == [b"0", b"1", b"2"]


def test_a_loop_that_sends_for_ever_ends_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "HOPELESS", 50)

    class Endless(Yard):
        def advance(self, inputs: Any) -> None:
            super().advance(inputs)
            while self.ticks == 20:
                self.send(b"more")

    hall = Hall(Endless)
    hall.run(1.0)
    [failed] = hall.of(RoomFailed)
    assert "50 messages in one tick" in failed.error
