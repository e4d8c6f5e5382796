"""The game of the tutorial is deterministic, its netcode plays a match over sockets, and the page shows its code."""

import os
import re
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retick import replay
from retick.link import Reason
from retick.rollback import PeerDisconnected
from retick.rollback.session.inside import inside_of
from retick.testing import assert_deterministic
from tests.examples.waiting import wait

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture
def pong(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The names of both files; they import each other by being in one folder."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield runpy.run_path(str(EXAMPLES / "pong_online.py"))
    sys.modules.pop("pong", None)


def test_pong_is_deterministic(pong: dict[str, Any]) -> None:
    assert_deterministic(pong["Pong"], frames=300)


def test_somebody_scores_when_nobody_moves(pong: dict[str, Any]) -> None:
    game = pong["Pong"]()
    state = game.initial_state(7)
    for _ in range(6000):
        state = game.step(state, (0, 0))
    assert state.left_score + state.right_score > 3


def test_two_programs_play_over_sockets_and_part_in_good_order(pong: dict[str, Any]) -> None:
    host, host_wire = pong["connect"](None, 0)
    joiner, joiner_wire = pong["connect"](f"127.0.0.1:{host_wire.socket.address[1]}")
    sides = [(host, host_wire, lambda: pong["UP"]), (joiner, joiner_wire, lambda: pong["DOWN"])]
    while not (host.running and joiner.running and min(host.frame, joiner.frame) >= 45):
        assert [pong["take_part"](*side) for side in sides] == ["", ""]
        wait()
    frame = min(inside_of(side).match.engine.final_state_frame for side in (host, joiner))
    assert frame > 10
    assert inside_of(host).match.engine.checksum_at(frame) == inside_of(joiner).match.engine.checksum_at(frame)
    assert inside_of(host).match.engine.state_at(frame).left_y < inside_of(host).match.engine.state_at(frame).right_y
    joiner.close()
    over = ""
    while not over:
        wait()
        joiner_wire.poll()
        over = pong["take_part"](*sides[0])
    assert "left" in over
    host_wire.leave()
    joiner_wire.leave()


def test_the_tutorial_shows_the_code_as_it_is() -> None:
    code = "".join((EXAMPLES / name).read_text(encoding="utf-8") for name in ("pong.py", "pong_online.py"))
    page = (ROOT / "docs" / "tutorials" / "pure-function.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        assert block in code, block


def test_the_window_opens_and_closes_where_pygame_is_installed() -> None:
    pytest.importorskip("pygame")
    # A host that nobody joins, told to quit by its own event queue.
    program = (
        "import sys, runpy; sys.path.insert(0, 'examples'); import pygame; pygame.init();"
        "pygame.display.set_mode((1, 1)); pygame.event.post(pygame.event.Event(pygame.QUIT));"
        "names = runpy.run_path('examples/pong_online.py'); pygame.init = lambda: None;"
        "names['main'](None, 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "you left" in done.stdout


def test_without_pygame_the_window_says_what_to_install(pong: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(SystemExit, match="pip install pygame-ce"):
        pong["main"](None, 0)


def test_the_sounds_of_a_match_start_once_each(pong: dict[str, Any]) -> None:
    game = pong["Pong"]()
    state, heard = game.initial_state(7), []
    for _ in range(2000):
        after = game.step(state, (0, 0))
        heard += game.cues(state, after)
        state = after
    assert heard.count("goal") == state.left_score + state.right_score > 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send to one process")
def test_ctrl_c_ends_without_a_traceback_and_the_other_side_is_told_at_once(
    pong: dict[str, Any], tmp_path: Path
) -> None:
    pytest.importorskip("pygame")
    host, wire = pong["connect"](None, 0)
    program = (
        "import sys, runpy; sys.path.insert(0, sys.argv[1]);"
        "runpy.run_path(sys.argv[1] + '/pong_online.py')['main'](sys.argv[2], record='pong.rtk')"
    )
    address = f"127.0.0.1:{wire.socket.address[1]}"
    with (
        wire,
        subprocess.Popen(
            [sys.executable, "-c", program, str(EXAMPLES), address],
            cwd=tmp_path,
            env=os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as joiner,
    ):
        over = ""
        while not (host.running and host.frame >= 90):
            assert pong["take_part"](host, wire, lambda: 0) == ""
            wait()
        happened: list[Any] = []
        poll = wire.poll
        wire.poll = lambda: (happened.extend(events := poll()), events)[1]
        joiner.send_signal(signal.SIGINT)
        while not over:
            wait()
            over = pong["take_part"](host, wire, lambda: 0)
        wire.poll = poll
        assert [each.reason for each in happened if isinstance(each, PeerDisconnected)] == [Reason.GOODBYE]
        output, complaints = joiner.communicate(timeout=60)
    assert joiner.returncode == 0
    assert output.splitlines()[-1] == "you left"
    assert "Traceback" not in complaints
    recorded = replay.load(tmp_path / "pong.rtk", strict=True)
    assert replay.verify(recorded, pong["Pong"]()).compared >= 1
    assert len(recorded) > 60
