from retick.authority.rewind import HISTORY_TICKS, Rewind


def filled(ticks: int) -> Rewind:
    rewind = Rewind()
    for tick in range(1, ticks + 1):
        rewind.store(tick, {2: (float(tick), 0.0, 0.0), 3: (-float(tick), 0.0, 0.0)})
    return rewind


NOW = {2: (500.0, 0.0, 0.0), 3: (-500.0, 0.0, 0.0)}


def test_others_are_where_the_shooter_saw_them() -> None:
    assert filled(100).targets(94, 100, NOW, shooter=2) == {3: (-94.0, 0.0, 0.0)}


def test_nobody_is_rewound_further_than_the_history() -> None:
    found = filled(300).targets(1, 300, NOW, shooter=2)
    assert found == {3: (-float(300 - HISTORY_TICKS + 1), 0.0, 0.0)}


def test_who_was_not_there_yet_is_taken_where_he_is_now() -> None:
    now = NOW | {4: (7.0, 0.0, 0.0)}
    assert filled(100).targets(94, 100, now, shooter=2)[4] == (7.0, 0.0, 0.0)


def test_an_empty_history_gives_the_present() -> None:
    assert Rewind().targets(-3, 2, NOW, shooter=2) == {3: (-500.0, 0.0, 0.0)}
