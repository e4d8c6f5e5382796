"""What a late server sheds."""

from retick.authority.server.room import CALM_SECONDS, MOST, STEP_SECONDS, Load


def test_late_ticks_raise_the_level_step_by_step_and_calm_lowers_it() -> None:
    load = Load()
    load.note(0, 1.0)
    assert load.level == 0
    load.note(3, 2.0)
    load.note(3, 2.0 + STEP_SECONDS / 2)
    assert load.level == 1
    for step in range(10):
        load.note(1, 3.0 + step)
    assert load.level == MOST
    load.note(0, 12.0 + CALM_SECONDS - 0.1)
    assert load.level == MOST
    load.note(0, 12.0 + CALM_SECONDS)
    load.note(0, 12.0 + CALM_SECONDS + 1)
    assert load.level == MOST - 1
    load.note(0, 12.0 + 3 * CALM_SECONDS)
    assert load.level == 0
