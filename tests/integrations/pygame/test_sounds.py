"""Sounds by the names of cues."""

import wave
from pathlib import Path

import pygame
import pytest

from retick.errors import UsageError
from retick.integrations.pygame.program import sound_reader
from retick.integrations.window_game import Sounds


class Sound:
    def __init__(self) -> None:
        self.played = 0

    def play(self) -> None:
        self.played += 1


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    pygame.mixer.quit()


def test_a_cue_plays_the_sound_of_its_name_whatever_else_it_says() -> None:
    sound, also = Sound(), []
    sounds = Sounds({"hit": sound}, Path(), also=also.append, read=sound_reader())
    for cue in (("hit",), ("hit", 3), "hit", ("miss",), (), 5):
        sounds(cue)
    assert sound.played == 3
    assert len(also) == 6


def test_a_function_makes_its_sound_once_when_the_mixer_is_open() -> None:
    made: list[Sound] = []

    def beep() -> Sound:
        assert pygame.mixer.get_init()
        made.append(Sound())
        return made[-1]

    sounds = Sounds({"beep": beep}, Path(), read=sound_reader())
    sounds("beep")
    sounds("beep")
    assert [sound.played for sound in made] == [2]


def test_a_file_is_found_here_or_beside_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("here", "game"):
        (tmp_path / place).mkdir()
        with wave.open(str(tmp_path / place / f"{place}.wav"), "wb") as file:
            file.setparams((1, 2, 22050, 0, "NONE", ""))
            file.writeframes(bytes(200))
    monkeypatch.chdir(tmp_path / "here")
    sounds = Sounds({"one": "here.wav", "two": Path("game.wav")}, tmp_path / "game", read=sound_reader())
    sounds(("one",))
    sounds(("two",))
    with pytest.raises(UsageError, match=r"there is no file three\.wav"):
        Sounds({"three": "three.wav"}, tmp_path, read=sound_reader())


def test_a_file_that_is_no_sound_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.wav").write_bytes(b"nonsense")
    with pytest.raises(UsageError, match=r"the sound .*bad\.wav cannot be read: "):
        Sounds({"bad": "bad.wav"}, tmp_path, read=sound_reader())


def test_what_is_no_table_of_sounds_is_refused() -> None:
    with pytest.raises(UsageError, match="sounds must map cues to files"):
        Sounds(["hit.wav"], Path(), read=sound_reader())  # type: ignore[arg-type] # the mistake that is meant


def test_without_a_device_nothing_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    (tmp_path / "hit.wav").touch()
    Sounds({"hit": "hit.wav"}, tmp_path, read=sound_reader())(("hit",))
