"""The tutorial shows the files of examples/tutorial as they are, its commands run, and its programs play."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from difflib import unified_diff
from functools import partial
from glob import glob
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from retick import replay
from retick.audit import audit_static
from retick.rollback import PlayersDropped, PlayersReturned, RollbackSession
from retick.rollback.session.inside import inside_of
from retick.testing import assert_deterministic
from retick.testing.mesh import Mesh
from tests.examples.waiting import wait

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "tutorial"
PAGES = sorted((ROOT / "docs" / "tutorials" / "pygame").glob("*.md"))
FIRE = 8
WITHOUT_A_SCREEN = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


def blocks_of(page: Path, language: str) -> list[str]:
    fences = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
    return [text for name, text in fences.findall(page.read_text(encoding="utf-8")) if name == language]


def commands() -> Iterator[str]:
    for page in PAGES:
        yield from "".join(blocks_of(page, "sh")).splitlines()


def opens_a_window(command: str) -> bool:
    return command.startswith(("retick play", "retick replay play")) or (
        command.startswith("python ") and not command.startswith(("python -m pytest", "python two_builds.py"))
    )


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports a program of the tutorial, with those beside it."""
    pytest.importorskip("pygame")
    before = set(sys.modules)
    for name, value in WITHOUT_A_SCREEN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(FILES))
    for path in FILES.glob("*.py"):  # other examples have modules of the same names
        monkeypatch.delitem(sys.modules, path.stem, raising=False)

    def found(name: str) -> ModuleType:
        return __import__(name)

    yield found
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FILES)):
            del sys.modules[name]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_snippet_is_in_a_file_that_the_page_names(page: Path) -> None:
    linked = re.findall(r"\]\(([^)\s]+\.py)\)", page.read_text(encoding="utf-8"))
    named = {(page.parent / link).resolve() for link in linked}
    code = [path.read_text(encoding="utf-8") for path in named]
    blocks = blocks_of(page, "python")
    assert blocks
    for block in blocks:
        assert any(block in text for text in code), block


def test_every_command_names_files_that_exist() -> None:
    listed = list(commands())
    assert len(listed) > 15
    for command in listed:
        for name in re.findall(r"([\w/]+\.py)\b", command):
            assert (FILES / name).exists(), command


COMMANDS = [command for command in commands() if re.match(r"retick|python ", command) and not opens_a_window(command)]
FINDS_A_MISTAKE = {"retick synctest wrong_tanks.py:WrongTanks", "retick audit wrong_tanks.py"}


def test_every_command_that_opens_no_window_runs_in_the_order_of_the_pages(
    tmp_path: Path, load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    play_and_record(load, capsys)  # what the windows do that are not opened here
    (tmp_path / "matches").mkdir()
    shutil.copy("hosted.rtk", "matches")
    assert set(COMMANDS) > FINDS_A_MISTAKE
    # The bundle is written before it is explained: the order within a page is the order of the reader.
    for command in COMMANDS:
        command_words = [name for word in command.split() for name in sorted(glob(word)) or [word]]  # as a shell does
        words = [sys.executable, "-m", *command_words] if command.startswith("retick") else command_words
        done = subprocess.run(
            [sys.executable if word == "python" else word for word in words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == (command in FINDS_A_MISTAKE), f"{command}\n{done.stdout}\n{done.stderr}"


def test_the_report_in_the_last_step_is_the_one_that_is_printed(tmp_path: Path) -> None:
    shown = [
        block
        for block in blocks_of(ROOT / "docs/tutorials/pygame/desync.md", "")
        if block.startswith("the peers diverge")
    ]
    program = [sys.executable, str(FILES / "two_builds.py"), str(tmp_path / "match.desync")]
    printed = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert len(shown) == 1
    assert shown[0] in printed


def test_the_declared_game_is_deterministic_and_its_source_is_clean(load: Callable[[str], Any]) -> None:
    assert_deterministic(load("tanks").Tanks, frames=300)
    assert audit_static(str(FILES / "tanks.py")).findings == ()


def test_a_hit_scores_and_moves_the_tank_that_was_hit(load: Callable[[str], Any]) -> None:
    tanks = load("tanks")
    game = tanks.Tanks()
    state = game.initial_state(1)
    for _ in range(90):  # they face each other: the first bullet hits
        state = game.step(state, (FIRE, 0))
    assert game.tanks[0].score >= 1
    assert game.tanks[1].pos != (540, 240)


def test_at_most_thirty_lines_are_written_anew() -> None:
    """Of the game that is taken online: the figure that the first page and the README name."""
    before, after = (
        (FILES / name).read_text(encoding="utf-8").splitlines() for name in ("before/tanks.py", "tanks.py")
    )
    added = [line for line in unified_diff(before, after, n=0) if re.match(r"\+(?!\+\+ )\s*\S", line)]
    assert len(added) <= 30
    for page in ("README.md", "docs/tutorials/pygame/your-game.md"):
        assert f" {len(added)} lines" in (ROOT / page).read_text(encoding="utf-8")


def test_two_windows_of_the_game_play_each_other_as_the_third_step_says(
    tmp_path: Path, load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``play(Tanks)`` with the options of the page: bots press keys, a link is bad, and each shot is heard."""
    from retick.integrations.pygame import Program, pygame_game_of
    from retick.transport import Conditions

    monkeypatch.chdir(tmp_path)
    heard: list[Any] = []
    tanks = load("tanks")
    made = {"port": 0, "bot": True, "everybody": True, "hear": heard.append, "folder": tmp_path}
    host = Program(pygame_game_of(tanks.Tanks, **made), name="ann")
    guest = Program(pygame_game_of(tanks.Tanks, **made, bad_link=Conditions.from_text("20ms,2ms,5%")), name="bob")
    host.begin(host=True)
    port = host.page.session and host.page._wire.socket.address[1]  # type: ignore[union-attr] # it is a match
    guest.begin(join=f"127.0.0.1:{port}")
    pygame = pytest.importorskip("pygame")
    screen = pygame.Surface((640, 480))
    while not (guest.page.session.running and guest.page.session.frame >= 60):  # type: ignore[union-attr] # as above
        for program in (host, guest):
            assert program.turn([])
            program.draw(screen)
        wait()
    for program in (guest, host):
        program.show(None)
    assert ("shot",) in heard
    files = sorted(tmp_path.glob("*.rtk"))
    assert len(files) == 2
    assert all(replay.verify(replay.load(path), tanks.Tanks()).ok for path in files)


def play(online: Any, sides: list[tuple[Any, Any]], frames: int) -> None:
    while not all(session.running and session.frame >= frames for session, _ in sides):
        for session, wire in sides:
            assert online.take_part(session, wire, 4, happened=lambda event: None) == ""
        wait()
    engines = [inside_of(session).match.engine for session, _ in sides]
    frame = min(engine.final_state_frame for engine in engines)
    assert frame > 5
    assert len({engine.checksum_at(frame) for engine in engines}) == 1


def said_invite(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.split()[-1]


def play_and_record(load: Callable[[str], Any], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """A match of the step about recording, in the working directory; what was heard."""
    recorded, heard = load("recorded"), []
    sounds = {("shot",): SimpleNamespace(play=lambda: heard.append("shot"))}
    host = recorded.connect(load("tanks").Tanks(), port=0)
    joiner = recorded.connect(load("tanks").Tanks(), said_invite(capsys))
    while not all(session.running and session.frame >= 40 for session, _ in (host, joiner)):
        for session, wire in (host, joiner):
            load("online").take_part(session, wire, 8, happened=lambda event: None)
            if session.running:
                recorded.play_sounds(session, sounds)
        wait()
    joiner[1].leave()
    host[1].leave()
    return heard


def test_a_match_in_an_own_loop_is_recorded_and_each_shot_is_heard_once(
    tmp_path: Path, load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    heard = play_and_record(load, capsys)
    assert 4 <= len(heard) <= 16  # two tanks, two windows, one shot in 15 frames
    for name in ("hosted.rtk", "joined.rtk"):
        verdict = replay.verify(replay.load(name), load("tanks").Tanks())
        assert verdict.ok
        assert verdict.compared


@pytest.mark.parametrize("program", ["online", "bad_network"])
def test_two_programs_play_over_sockets_and_leave_in_good_order(
    load: Callable[[str], Any], program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    online, tanks = load("online"), load("tanks")
    connect = load(program).connect
    host = connect(tanks.Tanks(), port=0)
    joiner = connect(tanks.Tanks(), said_invite(capsys))
    play(online, [host, joiner], 30)
    joiner[1].leave()
    over = ""
    while not over:
        wait()
        over = online.take_part(*host, 0, happened=lambda event: None)
    assert "left" in over
    host[1].leave()


def test_with_the_settings_of_the_own_loop_a_player_comes_back_by_itself(load: Callable[[str], Any]) -> None:
    make_session = partial(RollbackSession, reconnect=True)
    match = Mesh(load("tanks").Tanks, config=load("rejoin").PATIENT, press=lambda _, __: 4, make_session=make_session)
    match.start()
    match.play(60)
    match.cut("peer0", "peer1", seconds=10)
    match.run(seconds=15)
    assert match["peer0"].events_of(PlayersDropped)
    assert match["peer0"].events_of(PlayersReturned)
    match.verify()


def test_a_program_that_was_killed_gets_its_seat_back_with_what_it_saved(
    load: Callable[[str], Any], tmp_path: Path
) -> None:
    online, tanks, rejoin = load("online"), load("tanks"), load("rejoin")
    ann, bob = rejoin.Seat("ann", tmp_path), rejoin.Seat("bob", tmp_path)

    def take_part(*seats: Any) -> None:
        for seat in seats:
            assert online.take_part(*sides[seat], 4, happened=seat.happened) == ""
        wait()

    sides = {ann: ann.connect(tanks.Tanks(), port=0)}
    port = sides[ann][1].socket.address[1]
    sides[bob] = bob.connect(tanks.Tanks(), f"127.0.0.1:{port}")
    while not all(seat.session.running and seat.session.frame > 20 for seat in sides):
        take_part(ann, bob)
    sides[bob][1].socket.close()
    before = bob.session.local_players
    bob = rejoin.Seat("bob", tmp_path)
    sides[bob] = bob.connect(tanks.Tanks(), f"127.0.0.1:{port}")
    while not (bob.session.running and bob.session.frame > ann.session.frame - 5 > 40):
        take_part(ann, bob)
    assert bob.session.local_players == before
    assert bob.file.read_bytes() == bob.session.seat_token
    assert [each.name for each in ann.session.roster] == ["ann", "bob"]
    for seat in (bob, ann):
        sides[seat][1].leave()


@pytest.mark.parametrize(
    "path", ["before/tanks.py", "online.py", "recorded.py", "bad_network.py", "tanks.py", "patient.py"]
)
def test_each_window_opens_draws_and_closes(path: str, tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    # It is told to quit by its own queue, after one turn of the loop; a host gets a free port.
    program = (
        "import sys, runpy, pygame; sys.path.insert(0, sys.argv[2]);"
        "quits = iter(([], [pygame.event.Event(pygame.QUIT)]));"
        "import retick.transport as t; opened = t.open_udp; t.open_udp = lambda port=0: opened(port=0);"
        "pygame.event.get = lambda kind=None: next(quits); path = sys.argv[1]; del sys.argv[1:];"
        "runpy.run_path(path, run_name='__main__')"
    )
    shutil.copy(FILES / "shot.wav", tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", program, str(FILES / path), str((FILES / path).parent)],
        env=os.environ | WITHOUT_A_SCREEN,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert path in ("before/tanks.py", "tanks.py", "patient.py") or "you left" in done.stdout
