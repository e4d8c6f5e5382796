"""Only what a game can reach is simulation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from retick.audit import audit_static

ROOT = Path(__file__).parents[3]

Check = Callable[[str], None]


def test_the_example_of_the_readme_is_clean() -> None:
    assert [str(finding) for finding in audit_static(str(ROOT / "examples" / "thirty_lines.py")).findings] == []


def test_the_window_the_main_block_and_what_only_they_use_is_no_simulation(finds_marked: Check) -> None:
    finds_marked("""
        import functools, random, time
        import pygame
        from retick.sim import World

        STARS = [random.random() for _ in range(9)]
        SPEED = random.random()  # <- random
        BITS = dict(left=1)

        class Game(World):
            def advance(self, inputs):
                self.move(SPEED)

            def move(self, speed):
                time.time()  # <- clock

            def hidden(self):
                time.time()  # <- clock

            def draw(self, screen):
                self.draw_stars(time.time())

            def draw_stars(self, now):
                pygame.draw.line(STARS, now, 0.5)

        @functools.cache
        def load():
            return pygame.font.Font(None, time.time())

        def draw(screen, world, me):
            world.draw(screen, load())

        def press(keys):
            return sum(bit * any(keys[name] for name in KEYS) for name, bit in BITS.items())

        def hear(cue):
            print(cue)

        def main():
            time.sleep(1)

        if __name__ == "__main__":
            main()
    """)


def test_what_the_simulation_calls_is_simulation_whatever_its_name(finds_marked: Check) -> None:
    finds_marked("""
        import random

        class Deck:
            def draw(self):
                return random.random()  # <- random

        class Game:
            def step(self, state, inputs):
                return Deck().draw() + press(state)

            def draw(self, screen):
                random.random()

        def press(state):
            return random.random()  # <- random
    """)


def test_a_game_may_call_its_own_draw(finds_marked: Check) -> None:
    finds_marked("""
        import random

        class Game:
            def step(self, state, inputs):
                return self.draw(state)

            def draw(self, state):
                return random.random()  # <- random
    """)


def test_registries_heirs_and_names_in_text_are_followed(finds_marked: Check) -> None:
    finds_marked("""
        import random

        SPELLS = {}

        def spell(function):
            SPELLS[function.__name__] = function  # <- global-state
            return function

        @spell
        def fire(state):
            return random.random()  # <- random

        class Enemy:
            def think(self):
                return 1

        class Boss(Enemy):
            def think(self):
                return random.random()  # <- random

        class Other:
            def think(self):
                return random.random()

        class Game:
            def step(self, state, inputs):
                spell(state)
                return Enemy.__subclasses__()[0]().think()
    """)


def test_what_the_game_reads_is_checked_also_through_other_variables(finds_marked: Check) -> None:
    finds_marked("""
        class Game:
            def step(self, state, inputs):
                return state + SPEED + TABLE[0] + LIST[0]

        HALF = 0.5  # <- float
        SPEED = HALF * 3
        TABLE = [0]
        TABLE[0] = 1.5  # <- float
        LIST = []
        LIST.append(2.5)  # <- float
        drawn = 0.75
        latency = drawn / 2
        for number in range(3):
            print(number * 0.5)
    """)


def test_without_a_game_all_is_simulation_except_the_window_and_the_main_block(finds_marked: Check) -> None:
    finds_marked("""
        SPEED = 0.5  # <- float
        print(SPEED)  # <- output

        def helper():
            print(1)  # <- output

        def main():
            print(2)
            show()

        def show():
            print(3)

        class Ship:
            def update(self):
                print(4)  # <- output

            def draw(self, screen):
                print(5)

        if __name__ == "__main__":
            main()
    """)


GAME = """
from typing import Annotated
from physics import move
import tables

class Game:
    def step(self, state, inputs):
        return move(state) + tables.SPEED
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tests").mkdir()
    files = {
        "game.py": GAME,
        "physics.py": "import random\n\ndef move(s):\n    return random.random()\n\ndef show():\n    print(1)\n",
        "tables.py": "import random\nSPEED = random.random()\nOTHER = random.random()\n",
        "window.py": "import time\nfrom game import Game\n\ndef draw(s, w, me):\n    pass\n\nX = time.time()\n",
        "tests/test_game.py": "import random\nfrom game import Game\n\ndef test():\n    random.random()\n",
        "apart.py": "import time\nNOW = time.time()\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_imports_are_followed_to_the_names_that_are_used(folder: Path) -> None:
    report = audit_static("game.py:Game")
    assert [(finding.path, finding.line) for finding in report.findings] == [("physics.py", 4), ("tables.py", 2)]


def test_files_that_use_a_game_are_outside_and_files_that_nobody_knows_are_not(folder: Path) -> None:
    report = audit_static(".")
    found = [(finding.path, finding.line) for finding in report.findings]
    assert found == [("apart.py", 2), ("physics.py", 4), ("tables.py", 2)]
    assert sorted(report.outside) == [str(Path("tests", "test_game.py")), "window.py"]
    assert "window.py" not in report.files


def test_an_allow_comment_in_code_that_is_no_simulation_is_no_finding(finds_nothing: Check) -> None:
    finds_nothing("""
        class Game:
            def step(self, state, inputs):
                return state

        def draw(screen, world, me):
            print(world)  # retick: allow output -- not needed, and not wrong
    """)
