"""A script below a game is set aside; what the game reads is not."""

from collections.abc import Callable
from pathlib import Path

from retick.audit import audit_static

ROOT = Path(__file__).parents[3]

Check = Callable[[str], None]


def test_the_example_of_the_readme_is_clean() -> None:
    assert [str(finding) for finding in audit_static(str(ROOT / "examples" / "thirty_lines.py")).findings] == []


def test_a_script_below_a_game_is_not_checked(finds_nothing: Check) -> None:
    finds_nothing("""
        class Game:
            def step(self, state, inputs):
                return state + SPEED

        SPEED = 3
        latency = 0.04
        link = make(latency, jitter=latency / 2)
        for number in range(3):
            print(number * 0.5)
        link.play(1.5)
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
        if SPEED:
            def turn():
                return 0.25  # <- float
        drawn = 0.75
        __all__ = ["EXPORTED"]
        EXPORTED = 1.25  # <- float
    """)


def test_a_file_without_a_game_has_no_script(finds_marked: Check) -> None:
    finds_marked("""
        SPEED = 0.5  # <- float
        print(SPEED)  # <- output
    """)
