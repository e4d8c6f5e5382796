"""The C yardstick plays the same game: it would be no yardstick otherwise."""

import sys
from pathlib import Path

import pytest
from benchmarks.commands import native
from benchmarks.commands.native import TARGETS_NS, NativeFighter, build, c_loop_ns, find_compiler, slowness, yardstick
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES, bout

GAME = Fighter()
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")


@pytest.fixture(scope="module")
def fighter(tmp_path_factory: pytest.TempPathFactory) -> NativeFighter:
    compiler = find_compiler()
    assert compiler is not None
    return NativeFighter(build(compiler, tmp_path_factory.mktemp("native")))


def ours(seed: int, frames: bytes) -> int:
    return GAME.checksum(GAME.run(GAME.initial_state(seed), frames))


@needs_compiler
def test_it_ends_fights_as_the_kernel_does(fighter: NativeFighter) -> None:
    for seed in (1, 77, 0xFFFFFFFF):
        for styles in zip(STYLES, reversed(STYLES), strict=True):
            frames = bout(seed, 500, styles)
            fighter.run(seed, frames)
            assert fighter.checksum() == ours(seed, frames)


@needs_compiler
@given(
    seed=st.integers(1, 0xFFFFFFFF), presses=st.lists(st.tuples(st.binary(min_size=4, max_size=4), st.integers(1, 30)))
)
def test_it_ends_any_match_as_the_kernel_does(
    fighter: NativeFighter, seed: int, presses: list[tuple[bytes, int]]
) -> None:
    frames = b"".join(buttons * held for buttons, held in presses)
    fighter.run(seed, frames)
    assert fighter.checksum() == ours(seed, frames)


@needs_compiler
def test_its_time_is_there_for_other_benchmarks() -> None:
    nanoseconds = c_loop_ns(frames=bout(1, 100), passes=2)
    assert nanoseconds is not None
    assert nanoseconds > 0


def test_without_a_compiler_there_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "find_compiler", lambda: None)
    assert c_loop_ns() is None
    assert find_compiler(("no-such-compiler",)) is None


def test_a_compiler_that_fails_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RetickError, match=r"could not compile fighter\.h"):
        build(sys.executable, tmp_path)


def test_targets_are_scaled_by_the_machine() -> None:
    assert slowness(TARGETS_NS) == 1.0
    assert slowness(2 * TARGETS_NS) == 2.0
    assert slowness(TARGETS_NS / 2) == 0.5
    assert "3.8 ns a step here; targets are scaled by it" in yardstick(3.8)


def test_without_a_compiler_targets_are_not_scaled_and_that_is_said() -> None:
    assert slowness(None) == 1.0
    assert yardstick(None).startswith("no C compiler")
