"""Windows that meet at a relay: "Host online", "Join by code", and what they say when it does not work."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from retick.integrations.pygame import program
from retick.playing.match_line import MatchLine
from retick.relay import RelayServer
from retick.transport import Poll, open_udp
from tests.integrations.pygame.desk import Desk, playing


class RelayOnDesk:
    """A relay on virtual time: it gets its turn as a window does."""

    page = None
    stopped = False

    def __init__(self, desk: Desk) -> None:
        self.socket = open_udp("127.0.0.1")
        self.text = f"127.0.0.1:{self.socket.address[1]}"
        self.server = RelayServer(key=bytes(32), entropy=os.urandom, ports=(self.socket.address[1], 0))
        self.poll = Poll(self.server, self.socket, clock=desk.clock)

    def turn(self) -> None:
        self.poll.poll()


@pytest.fixture
def relay(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[RelayOnDesk]:
    made: Any = RelayOnDesk(desk)
    turn = desk.turn

    def both() -> None:
        turn()
        made.turn()

    monkeypatch.setattr(desk, "turn", both)
    yield made
    made.socket.close()


def test_two_windows_meet_by_code_see_the_same_words_and_the_way_is_shown(desk: Desk, relay: RelayOnDesk) -> None:
    host, guest = desk.open(relay=relay.text), desk.open(relay=relay.text)
    host.choose("Host online")
    host.choose("For everybody with the code: eight characters to say")
    desk.until(lambda: host.match._wire.online.code)
    host.turn()
    shown = next(line for line in host.match.room.lines if "by this code" in line)
    guest.choose("Join by code")
    guest.type(shown.split()[-1].lower())
    desk.until(lambda: all(playing(each.page) for each in (host, guest)))
    assert list(host.match.story.words.values()) == list(guest.match.story.words.values())
    desk.until(lambda: host.match._wire.online.way == "direct")
    host.match.graph.shown = True
    desk.run(0.2)


def test_an_invite_of_an_online_match_is_on_the_clipboard_and_the_code_alone_is_refused(
    desk: Desk, relay: RelayOnDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr(program, "copied", lambda text: copied.append(text) or True)
    host, guest = desk.open(relay=relay.text, everybody=False), desk.open(relay=relay.text, relay_only=True)
    host.choose("Host online")
    host.choose("For those who have the invite: a line to paste")
    desk.until(lambda: copied)
    host.turn()
    assert any(line.endswith(copied[0]) for line in host.match.room.lines)
    guest.choose("Join by code")
    guest.type(copied[0].removeprefix("retick:").partition("@")[0])
    desk.until(lambda: guest.match.panel is not None)
    assert guest.match.panel is not None
    assert "takes only peers that have its invite" in guest.match.panel.lines[0]
    guest.choose("Back to the menu")
    guest.choose("Join with an invite")
    guest.type(copied[0])
    desk.until(lambda: all(playing(each.page) for each in (host, guest)))
    desk.run(2.0)
    assert guest.match._wire.online.way == "relayed"
    watcher = desk.open()
    watcher.program.show(lambda: watcher.program.match(MatchLine("watch", copied[0])))
    desk.until(lambda: watcher.page.world is not None)


def test_a_wrong_code_a_mistyped_one_and_a_missing_relay_are_messages(
    desk: Desk, relay: RelayOnDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RETICK_RELAY", raising=False)
    window = desk.open(relay=relay.text)
    window.choose("Join by code")
    window.type("4XK7M2QP")
    desk.until(lambda: window.match.panel is not None)
    assert window.match.panel is not None
    assert "no room has this code" in window.match.panel.lines[0]
    window.choose("Back to the menu")
    window.choose("Join by code")
    window.type("4XK7M2QU")
    assert "'U' is in no code" in window.lines()
    other = desk.open()
    other.program.begin(host=True, online=True)
    assert "retick relay" in other.lines()
    plain = desk.open(relay=relay.text, plain=True)
    plain.program.begin(host=True, online=True)
    assert "online matches are sealed" in plain.lines()
