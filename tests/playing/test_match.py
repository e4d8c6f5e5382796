"""A match in a loop that has no window: by lines, keys and notices alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retick import replay
from retick.errors import UsageError
from retick.playing import Match
from retick.playing.match import MatchPage
from retick.transport import open_udp, poll
from tests.playing import runners

PICTURE = 1 / 60


class Table:
    """Several matches in one process, on virtual time."""

    def __init__(self, folder: Path) -> None:
        self.now, self.folder = 100.0, folder
        self.matches: dict[MatchPage, Any] = {}
        socket = open_udp("127.0.0.1")
        self.port = socket.address[1]
        socket.close()

    def open(self, line: Any, game: Any = runners.Runners, **settings: Any) -> MatchPage:
        given = {"folder": self.folder, "port": self.port, "result": runners.result}
        match = Match(game, line, clock=lambda: self.now, **(given | settings))
        self.matches[match] = 0
        return match

    def select(self, *_given: object) -> None:
        self.turn()

    def turn(self) -> None:
        self.now += PICTURE
        for match, pressed in self.matches.items():
            match.turn(pressed)

    def until(self, wanted: Any, seconds: float = 20.0) -> None:
        end = self.now + seconds
        while not wanted():
            assert self.now < end, "it did not happen"
            self.turn()

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        self.until(lambda: self.now >= end, seconds + 1)

    def two(self) -> tuple[MatchPage, MatchPage]:
        host = self.open("host --open --name Ann")
        guest = self.open(f"join 127.0.0.1:{self.port} --name Bob")
        self.until(lambda: host.world is not None and guest.world is not None)
        return host, guest


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    from retick.errors import MissingExtra
    from retick.playing import wire

    def no_announcement(*_given: object, **_named: object) -> None:
        raise MissingExtra("not in tests")

    monkeypatch.setattr(wire, "Announcement", no_announcement)
    made = Table(tmp_path / "matches")
    monkeypatch.setattr(poll, "select", made.select)
    yield made
    for match in made.matches:
        match.leave()


def test_the_waiting_room_is_in_the_notices_until_both_are_there(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.playing.wire.own_address", lambda: "127.0.0.1")
    host = table.open(["--host", "--name", "Ann"])
    assert host.world is None
    text = "\n".join(host.notices)
    assert "retick:" in text
    assert "player 1:  Ann  (you)" in text
    assert "player 2:  waiting ..." in text
    invite = next(word for line in host.notices for word in line.split() if word.startswith("retick:"))
    guest = table.open(invite)
    table.until(lambda: guest.world is not None)
    assert guest.me == (1,)
    assert guest.me.names[0] == "Ann"


def test_what_one_presses_moves_its_player_in_both_and_cues_come_once(table: Table) -> None:
    host, guest = table.two()
    table.matches[guest] = runners.RUN
    table.run(0.05)
    table.matches[guest] = lambda seats: runners.FALL if seats == (1,) else 1
    table.run(0.02)
    table.matches[guest] = 0
    table.run(0.5)
    steps = [[runner.steps for runner in match.world.runners] for match in (host, guest)]
    assert steps[0] == steps[1]
    assert steps[0][0] == 0
    assert steps[0][1] >= 1
    assert set(host.cues()) == {("fall",)}
    assert host.cues() == []


def test_the_result_a_rematch_and_a_pause_are_made_with_the_named_keys(table: Table) -> None:
    host, guest = table.two()
    table.matches[host] = runners.RUN
    table.until(lambda: "player 1 wins" in host.notices)
    table.matches[host] = 0
    assert "> Rematch" in host.notices
    table.until(lambda: guest.panel is not None)
    for match in (host, guest):
        match.key_down("return")
    table.until(lambda: host.panel is None and guest.panel is None)
    host.pause()
    table.until(lambda: guest.panel is not None)
    assert guest.notices[:2] == ["Paused", "by Ann"]
    host.pause()
    table.until(lambda: guest.panel is None)
    host.key_down("escape")
    assert "> Play on" in host.notices
    host.key_down("up")
    host.key_down("return")
    assert host.left
    assert host.over


def test_who_leaves_is_named_and_the_recording_can_be_played(table: Table) -> None:
    host, guest = table.two()
    table.run(1.5)
    with guest:
        pass
    del table.matches[guest]
    table.until(lambda: host.over)
    assert host.why == "Bob left"
    assert not host.left
    path = next(table.folder.glob("*.rtk"))
    assert replay.load(path).names == {0: "Ann", 1: "Bob"}
    shown = table.open(["replay", str(path)])
    table.until(lambda: shown.over)
    assert shown.why == "the recording has ended"
    assert shown.me.names == ("Ann", "Bob")
    assert "space: pause" in shown.notices[-1]


def test_a_spectator_sees_the_match_and_why_it_ended(table: Table) -> None:
    host, guest = table.two()
    watcher = table.open(f"watch 127.0.0.1:{table.port}")
    assert watcher.world is None
    table.until(lambda: watcher.world is not None)
    assert watcher.me == ()
    assert watcher.me.names == ("Ann", "Bob")
    table.run(1.0)
    for match in (guest, host):
        del table.matches[match]
        match.leave()
    table.until(lambda: watcher.over, 40)
    assert watcher.notices[0] == "The match is over"
    watcher.key_down("return")
    assert watcher.left


def test_f3_shows_the_figures(table: Table) -> None:
    host, _guest = table.two()
    host.key_down("f3")
    table.run(0.5)
    assert any("round trip" in line for line in host.notices)
    assert len(host.graph.depths) > 10


def test_back_takes_the_seat_and_name_of_a_program_that_crashed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    _host, guest = table.two()
    monkeypatch.setattr("retick.playing.match_files.GONE_AFTER", -1.0)
    del table.matches[guest]  # it gets no time any more, and says no goodbye
    for path in table.folder.glob("*.seat"):
        if path != guest._seat._path:  # type: ignore[attr-defined] # of a match that is played
            path.unlink()
    again = table.open("back")
    table.until(lambda: again.world is not None)
    assert again.me == (1,)
    assert again.me.names[1] == "Bob"
    with pytest.raises(UsageError, match="there is no match to go back to"):
        table.open("back", folder=None)
    guest.leave()


def test_all_at_one_keyboard_play_without_a_network(table: Table) -> None:
    match = table.open("")
    table.matches[match] = (0, runners.RUN)
    table.until(lambda: match.world is not None and match.world.runners[1].steps > 2)
    assert match.world.runners[0].steps == 0
    assert match.me == (0, 1)


def test_press_functions_read_the_keys_that_the_loop_has_told(table: Table) -> None:
    match = table.open("here", press=(lambda keys: runners.RUN * keys[65], lambda keys: runners.RUN * keys[66]))
    table.matches[match] = None
    table.until(lambda: match.world is not None)
    match.key_down("b", 66)
    table.until(lambda: match.world is not None and match.world.runners[1].steps > 2)
    match.release_all()
    table.run(0.1)
    steps = match.world.runners[1].steps
    table.run(0.2)
    assert match.world.runners[1].steps == steps


def test_where_there_is_no_host_the_loop_ends_with_a_reason(table: Table) -> None:
    match = table.open(f"join 127.0.0.1:{table.port}")
    table.until(lambda: match.over, 60)
    assert match.why.startswith("There is no answer.")
