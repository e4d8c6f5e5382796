"""A whole game in one call: a real window of the dummy driver with posted events, and the command line of a program."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pygame
import pytest
from pygame.event import Event

from retick.errors import RetickError, UsageError
from retick.integrations.pygame import Program, play, pygame_game_of
from retick.playing.match_line import MatchLine
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import key, key_up


@pytest.mark.parametrize("size", [(640, 480), (900, 500)])
def test_play_opens_a_window_and_runs_a_match_by_posted_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """The whole program, as a person uses it: to the last line but two, Enter, keys, the window's cross."""
    monkeypatch.chdir(tmp_path)
    pygame.display.init()
    pygame.event.clear()
    for event in [*[key(pygame.K_UP)] * 3, key(pygame.K_RETURN)]:
        pygame.event.post(event)
    seen: list[tuple[tuple[int, ...], list[int]]] = []

    def draw(screen: pygame.Surface, world: runners.Runners, me: tuple[int, ...]) -> None:
        runners.draw(screen, world, me)
        seen.append((me, [runner.steps for runner in world.runners]))
        if len(seen) == 2:
            pygame.display.set_mode(size, pygame.RESIZABLE)
            pygame.event.post(key(pygame.K_RIGHT))
        elif seen[-1][1][0] >= 3:
            pygame.event.post(key_up(pygame.K_RIGHT))
            pygame.event.post(Event(pygame.QUIT))

    play(runners.Runners, draw, runners.press, title="runners", folder=None)
    assert seen[-1][0] == (0, 1)
    assert 3 <= seen[-1][1][0] <= runners.GOAL
    assert seen[-1][1][1] == 0
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_the_program_quietly_and_says_goodbye(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr(Program, "show", lambda self, go: shown.append(go))

    def interrupted(*_given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Program, "draw", interrupted)
    play(runners.Runners, runners.draw, runners.press)
    assert shown[-1] is None


GAME_OVER = """
import os, signal
from retick.integrations.pygame import play
from tests.integrations.pygame import runners

def draw(screen, world, me):
    if world.runners[0].steps >= 3:
        os.kill(os.getpid(), signal.{signal})

play(runners.Runners, draw, (lambda keys: 1, lambda keys: 0), folder=None)
print("after")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal to oneself ends a process there")
@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_match_and_lets_the_program_go_on_behind_play(signal: str) -> None:
    posts = (
        "import pygame\npygame.display.init()\nfor code in (pygame.K_UP, pygame.K_UP, pygame.K_UP, pygame.K_RETURN):\n"
    )
    posts += "    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, {'key': code, 'unicode': ''}))\n"
    ended = subprocess.run(
        [sys.executable, "-c", posts + GAME_OVER.replace("{signal}", signal)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "the match has started\nyou left the match\nafter\n"


def test_where_there_is_no_screen_the_reason_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonsense")
    with pytest.raises(RetickError, match="the window cannot be opened: "):
        play(runners.Runners, runners.draw, runners.press)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"game": runners.Runners()}, "game must be a class or function"),
        ({"draw": "x"}, "draw must be a function"),
        ({"press": ()}, "press must be a function"),
        ({"press": ("left",)}, "press must be a function"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], text: str) -> None:
    right: dict[str, Any] = {"game": runners.Runners, "draw": runners.draw, "press": runners.press}
    with pytest.raises(UsageError, match=text):
        play(**(right | wrong))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """How programs begin, and the programs, instead of a window."""
    seen: list[Any] = []
    begin = Program.begin

    def noted(self: Program, line: Sequence[str], **way: Any) -> None:
        monkeypatch.setattr(self, "show", lambda go: None)
        begin(self, line, **way)
        seen.append({"line": list(line), **way})

    monkeypatch.setattr(Program, "begin", noted)
    monkeypatch.setattr(Program, "run", lambda self: seen.append(self))
    return seen


def test_what_is_not_given_is_taken_from_the_module_of_the_game(begun: list[Any]) -> None:
    play(runners.Runners)
    game = begun[1].game
    assert game.press == runners.press
    assert game.result is runners.result
    assert begun[0] == {"line": [], "host": False, "join": "", "watch": "", "online": False}


def test_the_words_of_a_command_line_come_before_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(Program, "match", lambda self, line: opened.append(line))
    words = ["--join", "10.0.0.5", "--port", "7000", "--bot", "--name", "Bob"]
    program = Program(pygame_game_of(runners.Runners), name="Ann")
    program.begin(words, host=True)
    assert opened == [MatchLine("join", "10.0.0.5")]
    assert (program.name, program.game.port, program.game.bot, program.game.bad_link) == ("Bob", 7000, True, None)


@pytest.mark.parametrize("words", [["--bad-link"], ["--link", "120ms,10ms,5%"]])
def test_a_bad_link_is_given_by_one_word_or_in_numbers(begun: list[Any], words: list[str]) -> None:
    play(runners.Runners, argv=words)
    link = begun[1].game.bad_link
    assert (link.latency, link.jitter, link.loss) == (0.06, 0.01, 0.05)


def test_a_wrong_word_ends_the_program_with_its_usage(begun: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        play(runners.Runners, argv=["--hots"])
    assert ended.value.code == 2
    assert "--hots" in capsys.readouterr().err
    assert begun == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--link", "foo"], "argument --link: a link is round trip, jitter and loss, such as 120ms,10ms,5%"),
        (["--port", "70000"], "argument --port: a port is 0 to 65535, not 70000"),
        (["--relay", "a:b"], "argument --relay: "),
        (["--online"], "--online is for --host; others join with --join and the code"),
    ],
)
def test_a_word_with_a_wrong_value_is_named_in_one_line(
    begun: list[Any], capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        play(runners.Runners, argv=words)
    assert ended.value.code == 2
    assert f"error: {said}" in capsys.readouterr().err.splitlines()[-1]
    assert begun == []


def test_a_wrong_link_in_the_program_itself_is_an_error_of_its_own(begun: list[Any]) -> None:
    with pytest.raises(UsageError, match="a link is round trip"):
        play(runners.Runners, link="foo")


def test_only_the_program_that_was_started_reads_its_command_line(
    begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["game.py", "--host"])
    play(runners.Runners)
    assert begun[0]["line"] == []
    exec("play(Runners)", {"__name__": "__main__", "play": play, "Runners": runners.Runners})
    assert begun[2]["line"] == ["--host"]


def test_what_a_peer_is_called_is_no_command_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from retick.playing.printing import tell

    tell("\x1b[2J\x07 Ann")
    assert capsys.readouterr().out == "\\x1b[2J\\x07 Ann\n"


def test_what_belongs_to_a_window_is_made_when_it_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wave

    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    pygame.mixer.quit()
    monkeypatch.chdir(tmp_path)
    pygame.image.save(pygame.Surface((16, 16)), "icon.png")
    with wave.open("theme.wav", "wb") as file:
        file.setparams((1, 2, 22050, 0, "NONE", ""))
        file.writeframes(bytes(44100))
    made: list[Any] = []

    def load() -> None:
        made.append(pygame.Surface((4, 4), pygame.SRCALPHA).convert_alpha())

    def seen(_screen: pygame.Surface, _world: Any, _me: Any) -> None:
        made.append((pygame.display.get_caption()[0], pygame.mixer.music.get_busy()))
        pygame.event.post(Event(pygame.QUIT))

    play(
        runners.Runners, seen, runners.press, load=load, music="theme.wav", icon="icon.png", folder=None,
        argv=["--here"],
    )  # fmt: skip
    assert isinstance(made[0], pygame.Surface)
    assert made[1] == ("Runners", True)
    with pytest.raises(UsageError, match=r"there is no file theme\.ogg"):
        play(runners.Runners, seen, runners.press, music="theme.ogg", argv=[])


def test_a_module_may_use_the_names_of_a_window_for_something_else() -> None:
    from types import ModuleType

    module: Any = ModuleType("window")
    module.load, module.music, module.icon, module.fullscreen = lambda path: path, object(), print, "yes"
    game = pygame_game_of(runners.Runners, module, draw=runners.draw)
    assert (game.load, game.music, game.icon, game.fullscreen) == (None, None, None, False)


def test_f11_changes_to_the_whole_screen_and_back_unless_the_game_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    flags: list[int] = []
    set_mode = pygame.display.set_mode

    def noted(size: Any, flag: int) -> Any:
        flags.append(flag)
        return set_mode(size, 0)

    monkeypatch.setattr(pygame.display, "set_mode", noted)
    pygame.display.init()
    pygame.event.clear()
    for _ in range(3):
        pygame.event.post(key(pygame.K_F11))
    pygame.event.post(key(pygame.K_ESCAPE))
    events = pygame.event.get()
    turns = iter([events[:1], events[1:2], [], events[3:]])
    monkeypatch.setattr(pygame.event, "get", lambda: next(turns))
    play(runners.Runners, runners.draw, runners.press, folder=None, argv=[])
    assert flags == [pygame.RESIZABLE, pygame.FULLSCREEN, pygame.RESIZABLE]


def test_a_game_without_a_title_is_called_as_its_class() -> None:
    class SpaceTanks(runners.Runners):
        pass

    assert pygame_game_of(SpaceTanks, draw=runners.draw, press=runners.press).title == "Space Tanks"
    assert pygame_game_of(SpaceTanks, draw=runners.draw, press=runners.press, title="x").title == "x"
