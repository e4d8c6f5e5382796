import re
from pathlib import Path

from retick.games.runner import Mode, RunnerState, rows


def declared_in(path: Path) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", path.read_text("utf-8"), re.M)}


def test_the_rows_of_the_c_side_are_the_rows_of_the_python_side() -> None:
    assert declared_in(Path(rows.__file__).with_suffix(".pxd")) == {
        name: value for name, value in vars(rows).items() if isinstance(value, int)
    }
    assert RunnerState._fields.index("wall_run_ticks") == rows.WALL_TICKS
    assert len(RunnerState._fields) == rows.STATE_SIZE


def test_the_modes_of_the_kernels_are_those_of_the_wire() -> None:
    assert (rows.ON_GROUND, rows.IN_AIR, rows.ON_WALL) == (Mode.GROUNDED, Mode.AIR, Mode.WALL_RUN)
    assert max(Mode) == rows.LAST_MODE
