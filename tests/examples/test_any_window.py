"""The game of tanks.py in arcade, pyglet, raylib and Panda3D: two processes, on a screen that nobody sees."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from retick import replay
from retick.transport import open_udp
from tests.virtual_display import Shown, until, virtual_display

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guides" / "any-window.md"
RIGHT = 2
FRAMEWORKS = [("tanks_arcade.py", "arcade"), ("tanks_pyglet.py", "pyglet")]
RECIPES = [("tanks_raylib.py", "pyray"), ("tanks_panda3d.py", "panda3d")]


@pytest.fixture
def screen() -> Iterator[dict[str, str]]:
    with virtual_display() as environment:
        yield environment


@pytest.fixture
def port() -> int:
    with_free_port = open_udp("127.0.0.1")
    number = int(with_free_port.address[1])
    with_free_port.close()
    return number


def example(name: str) -> str:
    return str(ROOT / "examples" / name)


def inputs_of(folder: Path, player: int) -> set[int]:
    """What a player has pressed, in the recording that a program writes."""
    found = sorted(folder.glob("matches/*.rtk*"))
    if not found:
        return set()
    recorded = replay.load(found[0])
    return {recorded.inputs_at(frame)[player] for frame in range(recorded.start_frame, recorded.end_frame)}


@pytest.mark.long
@pytest.mark.parametrize(("name", "module"), [*FRAMEWORKS, *RECIPES], ids=lambda given: given)
def test_two_windows_play_a_match_with_real_keys(
    name: str, module: str, screen: dict[str, str], port: int, tmp_path: Path
) -> None:
    pytest.importorskip(module, exc_type=ImportError)
    folders = [tmp_path / "host", tmp_path / "guest"]
    for folder in folders:
        folder.mkdir()
    verbs = ("--host", "--join") if (name, module) in FRAMEWORKS else ("host", "join")
    more = ["--port", str(port), "--name"]
    host = Shown([example(name), verbs[0], "--open", *more, "Ann"], folders[0], screen)
    guest = None
    try:
        host.until_line("Others join this address")
        window = host.find()
        guest = Shown([example(name), verbs[1], f"127.0.0.1:{port}", *more, "Bob", "--bot"], folders[1], screen)
        assert host.until_line("the match has started").endswith("you are player 1, against Bob")
        guest.until_line("the match has started")
        host.tool("windowfocus", "--sync", window)
        host.tool("keydown", "Right")
        until(lambda: RIGHT in inputs_of(folders[0], 0))
        host.tool("keyup", "Right")
        until(lambda: len(inputs_of(folders[0], 1)) > 2)  # the bot presses what it likes
        guest.stop()
        guest = None
        host.until_line("the match is over")
    finally:
        for program in (guest, host):
            if program is not None:
                program.stop()
    for folder in folders:
        (path,) = folder.glob("matches/*.rtk*")
        recorded = replay.load(path)
        was_killed = path.name.endswith(".part")  # a recipe's own loop hears no signal; names are written at the end
        assert was_killed or recorded.names == {0: "Ann", 1: "Bob"}
        assert replay.verify(recorded, tanks()).ok


def tanks() -> object:
    import runpy

    return runpy.run_path(example("tanks.py"))["Tanks"]()


def test_the_page_shows_the_examples_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("tanks*.py")]
    shown = [block for block in blocks if any(block in one or block.split("\n\n", 1)[-1] in one for one in code)]
    assert len(shown) >= len(blocks) - 1, "the loop of your own is the only snippet that is no file"
