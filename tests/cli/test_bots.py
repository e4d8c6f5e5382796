"""``retick bots``: what they say when there is no server."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.bots import BotClient
from retick.link import Reason
from retick.transport.capture import read_capture


def test_bots_without_a_server_stop_when_none_is_left_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.cli.bots.BotClient", Turned)
    result = CliRunner().invoke(app, ["bots", "2", "--connect", "127.0.0.1:9", "--seconds", "3600"])
    assert result.output.startswith("2 bots dial 127.0.0.1 port 9 for 3600 s")
    assert result.exit_code == 1
    assert result.stderr == "retick: 127.0.0.1 port 9 did not answer: is retick serve running there?\n"


def test_bots_that_are_refused_say_why_in_one_line_without_an_empty_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.cli.bots.BotClient", Refused)
    result = CliRunner().invoke(app, ["bots", "1", "--connect", "127.0.0.1:9", "--seconds", "3600"])
    assert result.stdout == "1 bot dials 127.0.0.1 port 9 for 3600 s\n"
    assert result.stderr == "retick: no bot is in at 127.0.0.1 port 9: the room is full\n"


def test_bots_that_are_never_answered_say_so() -> None:
    result = CliRunner().invoke(app, ["bots", "1", "--connect", "127.0.0.1:9", "--seconds", "0.2"])
    assert result.exit_code == 1
    assert result.stderr == "retick: 127.0.0.1 port 9 did not answer: is retick serve running there?\n"


def test_bots_at_a_server_of_another_game_say_what_they_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.cli.bots.BotClient", Stranger)
    result = CliRunner().invoke(app, ["bots", "1", "--connect", "127.0.0.1:9", "--seconds", "3600"])
    assert result.stderr.endswith("another game: this is 'x', and retick bots plays only the runner\n")


def test_bots_write_a_capture_of_what_they_send(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("retick.cli.bots.BotClient", Dialled)
    file = tmp_path / "bots.rtkc"
    result = CliRunner().invoke(app, ["bots", "1", "--connect", "127.0.0.1:9", "--capture", str(file)])
    assert f"captured in {file}; to read it: retick packet {file}" in result.stdout
    assert [record.sent for record in read_capture(file.read_bytes())][:1] == [True]


class Dialled(BotClient):
    """Asks once, and learns then that nobody answers."""

    def tick(self) -> None:
        super().tick()
        self.client._fail(Reason.NO_ANSWER, "no answer")
        super().tick()


class Refused(BotClient):
    """Learns at its first turn that it is not let in."""

    def tick(self) -> None:
        self.client._fail(Reason.FULL, "the room is full")
        super().tick()


class Stranger(BotClient):
    """Learns at its first turn that the server has another game."""

    def tick(self) -> None:
        self.client._fail(Reason.GAME, "another game: this is 'x'")
        super().tick()


class Turned(BotClient):
    """Learns at its first turn that nobody answers."""

    def tick(self) -> None:
        self.client._fail(Reason.NO_ANSWER, "no answer")
        super().tick()
