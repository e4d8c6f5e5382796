from retick.games.runner import COURSE, Mode, RunnerState
from retick.netrunner.runner import RunnerLayout


def test_a_layout_row_survives_any_mode_and_timer() -> None:
    layout = RunnerLayout(COURSE)
    for mode in Mode:
        state = RunnerState(1.5, 2.25, -3.0, 0.5, -9.0, 2.0, 1.0, -0.5, True)
        wanted = state.with_locomotion(state.locomotion._replace(mode=mode, mode_ticks=255, wall_normal=(0.6, 0, -0.8)))
        assert layout.exact_state(layout.exact_row(wanted)) == wanted


def test_who_flies_out_of_the_world_is_shown_at_its_border() -> None:
    layout = RunnerLayout(COURSE)
    row = layout.public_row(RunnerState(1e6, -1e6, 0.0, 1e5, -1e5, 0.0))
    for value, (_, lowest, highest) in zip(row, layout.public, strict=True):
        assert lowest <= value <= highest
