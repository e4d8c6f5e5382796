"""examples/pearls, the game of docs/tutorials/server.md: its tests, its programs, and what the page shows."""

import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from retick.replay import load, verify
from tests.examples.test_tutorial import blocks_of

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "pearls"
PAGE = ROOT / "docs" / "tutorials" / "server.md"


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports a file of the example, with those beside it."""
    names = [path.stem for path in FILES.glob("*.py")]
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.syspath_prepend(str(FILES))
    yield import_module
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(before)


def lines_of(code: str) -> str:
    """Without empty lines and indents: the formatter writes methods on a page as functions."""
    return "".join(f"{line.strip()}\n" for line in code.splitlines() if line.strip())


def test_every_snippet_of_the_page_is_in_a_file_of_the_example() -> None:
    code = [lines_of(path.read_text(encoding="utf-8")) for path in FILES.glob("*.py")]
    blocks = blocks_of(PAGE, "python")
    assert len(blocks) > 8
    for block in blocks:
        assert any(lines_of(block) in text for text in code), block


def test_every_command_of_the_page_that_ends_by_itself_runs(tmp_path: Path) -> None:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    commands = "".join(blocks_of(PAGE, "sh")).splitlines()
    assert len(commands) > 6
    for command in commands:
        words = command.split()
        if words[0] == "python" and words[1] != "-m":
            assert (FILES / words[1]).exists()  # a window, or a server: below
            continue
        if words[1] == "serve":
            words += ["--seconds", "2", "--port", "0"]
        words = [name for word in words for name in (sorted(map(str, tmp_path.glob(word))) if "*" in word else [word])]
        words = ["-m", *words] if words[0] == "retick" else words[1:]
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def test_a_player_comes_back_to_a_server_that_was_killed(found: Callable[[str], Any], tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    program = found("client")
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)

    def start(port: str) -> tuple[Any, str]:
        server = subprocess.Popen([sys.executable, "server.py", port], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        return server, server.stdout.readline().split()[1]

    def play_until(reached: Callable[[], Any]) -> None:
        for _ in range(20_000):  # turns of 2 ms
            if reached():
                return
            program.take_part(client, wire, lambda: 8)
            select.select([wire.socket], [], [], 0.002)
        raise AssertionError("it takes too long")

    server, port = start("0")
    client, wire = program.connect(f"127.0.0.1:{port}", "Ann")
    try:
        play_until(lambda: client.stats.inputs > 150 and (tmp_path / "room.bin").exists())
        assert {each.name for each in client.roster} == {"robot", "Ann"}
        server.kill()
        server.communicate()
        server, _ = start(port)
        play_until(lambda: client.stats.rejoins)
        inputs = client.stats.inputs
        play_until(lambda: client.stats.inputs > inputs + 60)
        assert {each.name for each in client.roster} == {"robot", "Ann"}
    finally:
        server.kill()
        server.communicate()
        wire.close()
    recorded = [load(path) for path in sorted(tmp_path.glob("*.rtk.1.part"))]
    assert len(recorded) == 2
    assert recorded[0].end_frame >= recorded[1].start_frame > 60
    for each in recorded:
        assert verify(each, found("pearls").Pearls()).ok


@pytest.mark.parametrize("damage", [b"", b"no room", b"RTWR" + bytes(80)])
def test_a_saved_room_that_cannot_be_read_is_kept_and_a_new_one_opened(
    found: Callable[[str], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: bytes
) -> None:
    program = found("server")
    keeper = program.Keeper(tmp_path)
    keeper.saved.write_bytes(damage)
    server = program.make_server(keeper)
    assert [player.name for player in server.rooms[""].players.values()] == ["robot"]
    assert (tmp_path / "room.bad").read_bytes() == damage
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'room.bad'} is no room of this game, so a new one begins: ")
    keeper.keep(server)
    again = program.Keeper(tmp_path)
    program.make_server(again)
    assert [path.name for path in tmp_path.glob("*.bad")] == ["room.bad"]
    for each in (keeper, again):
        each.finish("")


def test_the_window_can_be_drawn(found: Callable[[str], Any]) -> None:
    pygame = pytest.importorskip("pygame")
    client, game = found("client"), found("pearls")
    pygame.display.init()
    pygame.font.init()
    world = game.Pearls()
    world.reset(3)
    screen = pygame.Surface((game.WIDTH, game.HEIGHT))
    pygame.display.set_mode((64, 64))
    client.draw(screen, world, (1,), pygame.font.Font(None, 24), "hello")
    assert len(set(bytes(pygame.image.tobytes(screen, "RGB")))) > 5
    assert client.press() == 0
    pygame.quit()


def test_the_game_between_two_peers_is_the_same_file(found: Callable[[str], Any]) -> None:
    from retick.testing.mesh import Mesh

    match = Mesh(found("pearls").Pearls, seats={"a": 2, "b": 2})
    match.play(120)
    match.verify()
