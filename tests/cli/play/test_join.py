"""``retick join``: finding the host."""

import sys

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.play import join
from retick.errors import MissingExtra
from retick.transport import discovery
from retick.transport.discovery import FoundHost
from tests.cli.play.hosting import FAST, hosting, last_words

RUNNER = CliRunner()


def test_an_unknown_name_is_said_in_one_line() -> None:
    result = RUNNER.invoke(app, ["join", "host.invalid", *FAST])
    assert result.exit_code == 2
    assert "no address is known for 'host.invalid'" in result.stderr


def test_no_host_on_the_network_is_a_no_with_what_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "find_hosts", lambda seconds, game: [])
    result = RUNNER.invoke(app, ["join", *FAST])
    assert result.exit_code == 1
    assert "no host was found" in result.stderr


def test_one_found_host_is_joined_and_several_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    with hosting("--open") as (process, way):
        port = int(way.rpartition(":")[2])
        found = [FoundHost("desk", "127.0.0.1", port, "retick.fighter 1", 2, "open")]
        monkeypatch.setattr(join, "find_hosts", lambda seconds, game: found)
        result = RUNNER.invoke(app, ["join", *FAST])
        last_words(process)
    assert result.exit_code == 0, result.output
    assert "found desk" in result.output
    found.append(FoundHost("couch", "10.0.0.2", 7777, "retick.fighter 1"))
    refused = RUNNER.invoke(app, ["join", *FAST])
    assert f"127.0.0.1:{port} (desk), 10.0.0.2:7777 (couch)" in refused.stderr


@pytest.mark.parametrize(
    ("link", "options", "words"),
    [
        (
            "invite",
            [],
            "desk takes only peers that have its invite: ask for the line that it shows: retick join INVITE",
        ),
        ("invite", ["--plain"], "desk takes only peers that have its invite"),
        ("plain", [], "desk has plain links and this side sealed ones: give --plain to both or none"),
        ("open", ["--plain"], "desk has sealed links and this side plain ones: give --plain to both or none"),
    ],
)
def test_what_a_found_host_announces_is_compared_and_never_followed(
    monkeypatch: pytest.MonkeyPatch, link: str, options: list[str], words: str
) -> None:
    found = [FoundHost("desk", "127.0.0.1", 9, "retick.fighter 1", 2, link)]
    monkeypatch.setattr(join, "find_hosts", lambda seconds, game: found)
    result = RUNNER.invoke(app, ["join", *FAST, *options])
    assert result.exit_code == 1
    assert words in result.stderr


def test_without_zeroconf_the_exact_install_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    result = RUNNER.invoke(app, ["join", *FAST])
    assert result.exit_code == 2
    assert "pip install zeroconf" in result.stderr
    with pytest.raises(MissingExtra):
        discovery.Announcement(7777, "retick.fighter 1", players=2)
