"""Random programs tell one story on all sides, and planted flaws change it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkers.worlds import flaws
from tests.checkers.worlds.__main__ import main
from tests.checkers.worlds.judge import ROOT, Difference, Judge, Side, SideFailed, sides
from tests.checkers.worlds.operations import FAMILIES, drawn
from tests.checkers.worlds.program import Program

HERE = Path(__file__).parent
MOST = 250
"""Programs after which a flaw must have been found; most are found by one of the first ten."""


def uncompiled(flaw: str = "") -> Side:
    planted = {"RETICK_PLANTED": f"flaws:{flaw}", "RETICK_PLANTED_FROM": str(HERE)} if flaw else {}
    return Side(flaw or "as it is", ROOT, pure=True, environment=planted)


@pytest.fixture(scope="module")
def plain() -> Iterator[Side]:
    """One process without a flaw for all tests."""
    with uncompiled() as side:
        yield side


def first_difference(judge: Judge, most: int) -> Difference | None:
    programs = ((seed, drawn(seed)) for seed in range(1, most + 1))
    return next((found for _, found in judge.differences(programs) if found is not None), None)


@pytest.mark.compiled_only
def test_compiled_and_uncompiled_worlds_loaded_and_not_tell_the_same_stories() -> None:
    with Judge(sides(None)) as judge:
        found = first_difference(judge, 40)
    assert found is None, str(found)


QUICK = ("takes_nan", "keeps_integers", "is_shared", "loads_positive_zeros", "names_no_field")


@pytest.mark.parametrize(
    "flaw", [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in flaws.__all__]
)
def test_a_planted_flaw_is_found(plain: Side, flaw: str) -> None:
    with Judge([plain, uncompiled(flaw)]) as judge:
        assert first_difference(judge, MOST) is not None


def test_a_difference_is_shrunk_to_the_operation_that_makes_it(plain: Side) -> None:
    with Judge([plain, uncompiled("takes_nan")]) as judge:
        found = first_difference(judge, MOST)
        assert found is not None
        shrunk = judge.shrunk(found)
    assert len(shrunk.program.operations) <= 3
    assert "nan" in str(shrunk)
    assert "takes_nan, never loaded" in str(shrunk)


def test_a_process_that_dies_is_a_difference_and_the_next_program_is_played(plain: Side) -> None:
    dies = Program((), ("import os", "if 'RETICK_PLANTED' in os.environ: os._exit(3)"))
    lives = Program((), ("show(1)",))
    with Judge([plain, uncompiled("takes_nan")]) as judge:
        found = dict(judge.differences(iter([(1, lives), (2, dies), (3, lives), (4, lives)])))
    assert [number for number, difference in found.items() if difference is not None] == [2]
    assert "the process died with code 3" in str(found[2])


def test_lines_that_a_load_may_change_are_compared_between_sides_only(plain: Side) -> None:
    with Judge([plain]) as judge:
        setup = "class W(World):\n    num_players = 1\n    a: int\n    c: Cache[int]"
        operations = ("w = W(); w.c = 3", "hush(w.c)")
        assert judge.difference(Program((setup,), operations)) is None
        assert judge.difference(Program((setup,), (*operations, "show(w.c)"))) is not None
        assert judge.difference(Program((setup,), (*operations, "apart()", "show(w.c)"))) is None


def test_a_build_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    with pytest.raises(SideFailed, match="imports retick from"), Judge([Side("none", tmp_path, pure=True)]):
        pass


def test_a_seed_draws_the_same_program_always_and_every_family_is_drawn() -> None:
    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)
    assert "survey(" not in "".join(str(drawn(seed, frozenset({"sent"}))) for seed in range(40))
    assert len(FAMILIES) > 30


def test_an_interrupt_leaves_no_process_and_waits_for_none() -> None:
    side = uncompiled()
    judge = Judge([side]).__enter__()
    judge._waiting += [(1, drawn(1), "")]  # it was not sent any more
    judge.__exit__(KeyboardInterrupt)
    assert not side.is_running


@pytest.mark.compiled_only
def test_the_command_tells_how_many_programs_it_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "1:4"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 programs in ")
    assert out.endswith("all stories are equal\n")


def test_the_command_shows_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "3", "--show"]) == 0
    assert "class W(World):" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--seeds", "x"], ["--against", "nowhere"], ["--without", "nothing"]])
def test_misuse_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err
