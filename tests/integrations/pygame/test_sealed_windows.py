"""Windows and invites: hosting shows one, joining takes one; open matches show words; no secret is shown to others."""

import os
import time
from pathlib import Path
from typing import Any

import pygame
import pytest
from pygame.event import Event

from retick.integrations.pygame import program
from retick.link import Invite
from retick.playing import pages
from retick.playing.match_files import lost_seat
from retick.playing.match_line import MatchLine
from retick.playing.wire import announced_name
from retick.transport.discovery import FoundHost
from tests.integrations.pygame.desk import Desk, Window, playing

INVITED: dict[str, Any] = {"everybody": False}


def invite_of(host: Window) -> str:
    """As the waiting room shows it."""
    return next(word for word in host.match._room_lines[0].split() if word.startswith("retick:"))


def two_invited(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[Window, Window, str]:
    monkeypatch.setattr("retick.playing.wire.own_address", lambda: "127.0.0.1")
    host, guest = desk.open(**INVITED), desk.open()
    host.choose("Host a match")
    desk.turn()
    invite = invite_of(host)
    guest.choose("Join with an invite")
    guest.type(invite)
    desk.until(lambda: all(playing(each.page) for each in (host, guest)))
    return host, guest, invite


def test_who_has_the_invite_comes_in_and_nobody_else(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    host, guest, invite = two_invited(desk, monkeypatch)
    assert host.match.session.frame > 0
    assert host.match.story.words == guest.match.story.words == {}
    letters = invite.partition("#")[2]
    assert not any(letters in line for line in guest.match._room_lines)
    stranger = desk.open()
    stranger.program.show(lambda: stranger.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: stranger.match.panel is not None)
    assert stranger.match.panel is not None
    assert stranger.match.panel.lines[0].startswith("The host takes only peers that have its invite: ask for the line")


def test_an_invite_that_was_cut_is_a_message_without_its_secret(desk: Desk) -> None:
    window = desk.open()
    text = Invite("127.0.0.1:9", bytes(range(16))).text()
    window.choose("Join with an invite")
    window.type(text[:-4])
    assert "paste the whole line" in window.lines()
    assert text[-20:-4] not in window.lines()


def test_a_window_that_crashed_goes_back_with_the_secret_of_its_match(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, guest, invite = two_invited(desk, monkeypatch)
    guest.stopped = True
    name = announced_name(guest.match.session.sim)
    for path in desk.folder.glob("*.seat"):
        if guest.match._seat is None or path != guest.match._seat._path:
            path.unlink()  # that of the host, which still runs
        else:
            os.utime(path, (0, time.time() - 10))
    seat = lost_seat(desk.folder, name)
    assert seat is not None
    assert seat.secret == Invite.parse(invite).secret
    again = desk.open()
    again.program.show(lambda: again.program.go_back(seat))
    desk.until(lambda: playing(again.page), 40)
    assert again.match.session.local_players == (1,)


def test_an_open_match_shows_the_same_words_on_both_sides(desk: Desk) -> None:
    host, guest = desk.two()
    ours, theirs = host.match.story.words, guest.match.story.words
    assert ours[1,] == theirs[0,]
    assert len(ours[1,].split()) == 4
    assert host.match.notice == f"Compare aloud with player 2: {ours[1,]}"


def test_the_menu_hosts_for_everybody_too(desk: Desk) -> None:
    host = desk.open(**INVITED)
    host.choose("Host for everybody on the local network")
    desk.turn()
    assert host.match._wire.form.is_open
    assert "retick:" not in host.match._room_lines[0]


def test_a_plain_window_meets_only_plain_ones(desk: Desk) -> None:
    host, guest = desk.open(plain=True), desk.open(plain=True)
    host.choose("Host a match")
    guest.program.show(lambda: guest.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: all(playing(each.page) for each in (host, guest)))
    sealed = desk.open()
    sealed.program.show(lambda: sealed.program.match(MatchLine("join", f"127.0.0.1:{desk.port}")))
    desk.until(lambda: sealed.match.panel is not None)
    assert sealed.match.panel is not None
    assert sealed.match.panel.lines[0].startswith("The host takes plain links only")
    invited = desk.open("Eve", plain=True)
    invited.program.show(lambda: invited.program.match(MatchLine("join", Invite("127.0.0.1:9", bytes(16)).text())))
    assert "an invite is for sealed links" in invited.lines()


def test_a_host_that_was_found_and_has_an_invite_is_asked_for_with_it(desk: Desk) -> None:
    window = desk.open()
    page = window.program._join_found(FoundHost("desk", "10.0.0.5", 7777, "test.runners 1", 2, "invite"))
    assert isinstance(page, pages.AskPage)
    assert page.panel.title == "The invite of desk"


def test_an_invite_is_pasted_from_the_clipboard(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Invite("a" * 200 + ".example:7777", bytes(range(16))).text()
    monkeypatch.setattr(program, "pasted", lambda: text)
    window = desk.open()
    window.choose("Join with an invite")
    window.do(Event(pygame.KEYDOWN, {"key": pygame.K_v, "unicode": "", "mod": pygame.KMOD_CTRL}))
    assert window.page.answer == text


def test_keys_are_kept_in_files_and_said_without_them(desk: Desk, tmp_path: Path) -> None:
    said: list[str] = []
    files = {"identity": tmp_path / "key", "keylog": tmp_path / "keys.txt"}
    desk.two(say=said.append, **files)
    desk.close()
    key = files["identity"].read_text().split()[1]
    assert any(str(files["identity"]) in line and "fingerprint" in line for line in said)
    assert any("whoever has it can read the match" in line for line in said)
    assert files["keylog"].read_text().startswith("RETICK1 ")
    assert not any(key in line for line in said)
