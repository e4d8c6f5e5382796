"""The game's messages: each one arrives, or the application is told that it was dropped and why."""

from typing import Any

import pytest

from retick.authority import ConnectionLost, GameMessageReceived, Joined, MessageDropped, PlayerLost, PlayerRejoined
from retick.errors import UsageError
from retick.games.runner import Intent
from retick.host.config import LARGEST_MESSAGE
from retick.host.messages import GameMessages
from retick.netrunner import ClientConfig, NetRunner, ServerConfig
from retick.netrunner.config import RateLimit
from retick.netrunner.events import ShotDropped
from retick.netrunner.profile import checked_message
from retick.transport import Conditions
from tests.netrunner.courses import Field, Still


class Gunner:
    """Fires in every other tick."""

    def __init__(self) -> None:
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        return Intent(fire=self.ticks % 4 < 2)


class Chatty(NetRunner):
    """Numbers its shots: each gives one message, with padding."""

    def __init__(self, size: int = 20) -> None:
        super().__init__()
        self.size = size
        self.told: list[tuple[str, bytes]] = []

    def judge_in_room(self, room: str, peer_id: int, state: Any, tick: int, targets: Any) -> list[bytes]:
        message = b"%08d" % len(self.told) + bytes(self.size - 8)
        self.told.append((room, message))
        return [message]

    def decode(self, data: bytes) -> Any:  # type: ignore[override]  # its own messages beside
        return bytes(data) if data[:1] == b"0" else super().decode(data)

    def adopt(self, welcome: Any) -> "Chatty":
        return self


EVERY_SHOT = ServerConfig(shots=RateLimit(every=1), timeout=2.0)


def arrived(field: Field, name: str) -> list[bytes]:
    return [event.message for event in field.of(name, GameMessageReceived) if isinstance(event.message, bytes)]


def dropped(field: Field, peer_id: int) -> list[MessageDropped]:
    return [e for e in field.server_events if isinstance(e, MessageDropped) and e.peer_id == peer_id]


@pytest.mark.long
@pytest.mark.parametrize("pause", [1.0, 4.0])
def test_after_a_pause_every_message_has_arrived_or_was_reported(pause: float) -> None:
    """A pause of four seconds ends the connection: what was judged meanwhile cannot arrive, and is told."""
    profile = Chatty()
    field = Field(profile=profile, config=EVERY_SHOT, conditions=Conditions(latency=0.05, loss=0.05))
    gunner = Gunner()
    field.join("a", bot=gunner)
    field.join("b", bot=Still(), config=ClientConfig(timeout=2.0))
    field.run(3.0)
    field.network.cut("server", "b", pause)
    field.run(pause + 4.0)
    gunner.decide = lambda state: Intent()  # type: ignore[method-assign]  # nobody shoots any more
    field.run(3.0)
    peer = field.clients["b"].peer_id
    assert peer is not None
    joined = next(i for i, e in enumerate(field.server_events) if getattr(e, "peer_id", None) == peer)
    assert joined >= 0
    got, lost = arrived(field, "b"), [event.message for event in dropped(field, peer)]
    sent = [message for _, message in profile.told]
    assert len(sent) > 100
    assert got == sorted(set(got)), "each at most once, in order"
    first = sent.index(min(got))
    assert set(got) | set(lost) == set(sent[first:]), "none is missing without a word"
    assert bool(lost) == (pause > 2.0)
    assert len(field.of("b", Joined)) == (2 if pause > 2.0 else 1)
    assert field.server.rooms[""].stats.messages_dropped == len(lost)


def test_each_drop_says_why_and_the_player_has_lost_its_connection_then() -> None:
    field = Field(profile=Chatty(), config=EVERY_SHOT)
    field.join("a", bot=Gunner())
    field.join("b", bot=Still(), config=ClientConfig(timeout=2.0))
    field.run(2.0)
    field.network.cut("server", "b", 4.0)
    field.run(6.0)
    texts = [event.text for event in dropped(field, 3)]
    assert "the connection ended before it was acknowledged; it may have arrived" in texts
    assert texts[-1] == "the player's connection is lost"
    kinds = [type(e) for e in field.server_events if isinstance(e, PlayerLost | PlayerRejoined)]
    assert kinds == [PlayerLost, PlayerRejoined]


def test_messages_beyond_the_queue_are_dropped_and_told_and_the_player_stays() -> None:
    config = ServerConfig(shots=RateLimit(every=1), message_queue=5000)
    field = Field(profile=Chatty(size=1000), config=config)
    field.join("a", bot=Gunner())
    field.join("b", bot=Still())
    field.run(2.0)
    assert not dropped(field, 3)
    field.network.cut("server", "b", 2.0)
    field.run(4.0)
    assert dropped(field, 3)
    assert all("message_queue is 5000" in event.text for event in dropped(field, 3))
    assert not field.of("b", ConnectionLost)
    assert len(arrived(field, "b")) + len(dropped(field, 3)) >= len(arrived(field, "a"))


def test_control_messages_that_do_not_fit_end_the_connection_and_the_player_may_come_back() -> None:
    field = Field(profile=Chatty())
    field.join("b", bot=Still())
    field.run(1.0)
    player = field.server.rooms[""].players[2]
    link = player.connection
    assert link is not None
    field.network.cut("server", "b", 1.2)
    while link.send_reliable(bytes(4096)):
        pass
    while link.send_reliable(b"x"):
        pass
    field.run(9.0)
    assert [event.is_rejoin for event in field.of("b", Joined)] == [False, True]


class Line:
    """A connection that takes all messages and acknowledges those that a test says."""

    def __init__(self) -> None:
        self.messages_sent = 0
        self.messages_delivered = 0

    def send_reliable(self, data: bytes) -> bool:
        self.messages_sent += 1
        return True


def test_control_messages_in_between_do_not_confuse_the_count() -> None:
    messages, line = GameMessages(100), Line()
    link: Any = line
    assert messages.send(link, b"a") is None
    line.messages_sent += 3  # control messages
    assert messages.send(link, b"b") is None
    line.messages_delivered = 4
    assert messages.lose(link) == [b"b"]
    assert messages.lose(link) == []


def test_a_message_alone_always_has_room_and_what_is_acknowledged_makes_room() -> None:
    messages, line = GameMessages(4), Line()
    link: Any = line
    assert messages.send(link, bytes(10)) is None
    assert "message_queue is 4" in str(messages.send(link, b"x"))
    line.messages_delivered = 1
    assert messages.send(link, b"x") is None
    assert "connection is lost" in str(messages.send(None, b"x"))


@pytest.mark.parametrize("size", [LARGEST_MESSAGE, LARGEST_MESSAGE + 1])
def test_a_message_of_judge_that_is_too_long_ends_the_shot_and_not_the_tick(size: int) -> None:
    profile = Chatty(size=size)
    field = Field(profile=profile)
    field.join("a", bot=Gunner())
    field.run(3.0)
    shots = [event for event in field.server_events if isinstance(event, ShotDropped)]
    if size == LARGEST_MESSAGE:
        assert not shots
        assert arrived(field, "a")
        return
    assert len(shots) == len(profile.told) == field.server.refused["bad_message"]
    assert shots[0].text == f"judge of 'retick.runner' gave a message of {size} bytes, more than {LARGEST_MESSAGE}"
    assert field.clients["a"].is_joined
    assert field.server.rooms[""].tick > 170


def test_a_message_that_is_too_long_is_named_with_its_game_and_the_bound() -> None:
    assert checked_message("game", bytes(LARGEST_MESSAGE)) == bytes(LARGEST_MESSAGE)
    with pytest.raises(UsageError, match="judge of 'game' gave a message of 4097 bytes, more than 4096"):
        checked_message("game", bytes(LARGEST_MESSAGE + 1))


def test_judge_knows_its_room() -> None:
    profile = Chatty()
    field = Field(profile=profile, config=ServerConfig(rooms=("red", "blue")))
    field.join("a", bot=Gunner(), room="red")
    field.join("b", bot=Gunner(), room="blue")
    field.run(2.0)
    assert {room for room, _ in profile.told} == {"red", "blue"}
    for name, room in (("a", "red"), ("b", "blue")):
        assert set(arrived(field, name)) <= {message for where, message in profile.told if where == room}
