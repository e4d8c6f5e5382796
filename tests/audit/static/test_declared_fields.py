"""A state of floats, and integer fields, as one file declares them."""

import textwrap
from pathlib import Path

import pytest

from retick.audit import audit_static
from retick.audit.static.declared_fields import DeclaredFields, declares_float_state, uses_safe_functions
from retick.audit.static.parsed_file import ParsedFile


def parsed(text: str) -> ParsedFile:
    return ParsedFile(textwrap.dedent(text))


@pytest.mark.parametrize(
    "text",
    [
        "from retick.sim import F64, Record\nclass A(Record):\n    x: F64",
        "from retick import sim\nclass A(sim.Record):\n    x: sim.F64 = 0.0",
        "from retick.sim import F64 as Real, World\nclass A(World):\n    x: Real",
        "from typing import Annotated\nfrom retick.sim import F64\nclass A:\n    x: Annotated[list[F64], 4]",
        "from retick.sim import F64, Range, Thing\nX = Annotated[F64, Range(0, 9)]\nclass A(Thing):\n    x: X",
        "from retick.sim import F64, Thing\nReal: TypeAlias = F64\nX = list[Real]\nclass A(Thing):\n    x: X",
        "from retick.sim.world import Angle\nclass A:\n    x: Angle = 0.0",
    ],
)
def test_a_field_of_a_float_kind_declares_floats(text: str) -> None:
    assert declares_float_state(parsed(text))


@pytest.mark.parametrize(
    "text",
    [
        "from retick.sim import F64, I32, Record\nclass A(Record):\n    x: I32",
        "class A:\n    x: float = 0.5",
        "from retick.sim import F64, I32, Record\nX = F64\nN = I32\nclass A(Record):\n    x: N",
        "from retick.sim import Record\nX = list['X']\nclass A(Record):\n    x: X",
        "from mine import F64\nclass A:\n    x: F64",
        "from retick.sim import F64\nx: F64 = 0.5",
    ],
)
def test_other_fields_declare_none(text: str) -> None:
    assert not declares_float_state(parsed(text))


def test_a_game_whose_floats_are_all_behind_names_has_no_finding(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(
        textwrap.dedent("""
            from typing import Annotated
            from retick.sim import F64, Most, Range, Thing, World

            Across = Annotated[F64, Range(0, 640, step=1 / 8)]

            class P(Thing):
                x: Across

            class G(World):
                num_players = 2
                ps: Annotated[list[P], Most(4)]

                def advance(self, inputs):
                    for p in self.ps:
                        p.x = min(p.x + 0.5, 640.0)
        """)
    )
    assert not audit_static(str(tmp_path)).findings


def test_the_functions_that_agree_are_recognised() -> None:
    assert uses_safe_functions(parsed("from retick.sim import maths\nx = maths.sin(1)"))
    assert uses_safe_functions(parsed("from retick.sim.maths import Vec2 as V\nx = V(1, 2)"))
    assert not uses_safe_functions(parsed("import math\nx = math.sin(1)"))


def test_integer_and_float_fields_are_told_apart() -> None:
    fields = DeclaredFields(
        parsed("""
            from typing import Annotated
            from retick.sim import F64, I32, U8, Record

            class A(Record):
                x: F64
                n: Annotated[U8, "range"]
                flag: bool
                both: I32

            class B(A):
                both: F64
                more: int

            class Other:
                count: int
        """)
    )
    assert fields.states == {"A", "B"}
    assert [name for name in ("x", "n", "flag", "both", "more", "count") if fields.is_integer(name)] == [
        "n", "flag", "more",
    ]  # fmt: skip
    assert [name for name in ("x", "n", "both") if fields.is_float(name)] == ["x"]


def test_players_jumps_and_the_fields_of_commands_are_known() -> None:
    source = parsed("""
        from retick.sim import F64, Command, Jumps, Player, Thing

        class Tank(Thing):
            player: Player
            jumps: Jumps

        class Wish(Command):
            turn: F64
            drive: float
            fire: bool
    """)
    fields = DeclaredFields(source)
    assert fields.states == {"Tank", "Wish"}
    assert [name for name in ("player", "jumps", "fire", "turn", "drive") if fields.is_integer(name)] == [
        "player", "jumps", "fire",
    ]  # fmt: skip
    assert fields.is_float("turn")


def test_a_state_of_floats_counts_for_its_folder_and_below(tmp_path: Path) -> None:
    game, rules, other = tmp_path / "game", tmp_path / "game" / "rules", tmp_path / "other"
    for folder in (game, rules, other):
        folder.mkdir()
        (folder / "speed.py").write_text("SPEED = 0.5\n")
    (game / "state.py").write_text("from retick.sim import F64, Record\nclass Tank(Record):\n    x: F64 = 0.5\n")
    (game / "broken.py").write_text("retick (\n")
    found = audit_static(str(tmp_path)).findings
    assert [(Path(one.path).parent.name, one.rule) for one in found] == [("game", "syntax"), ("other", "float")]
