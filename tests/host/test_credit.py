"""How much a client may send."""

from retick.host.gate import Credit


def test_a_burst_is_granted_and_then_as_much_as_was_earned() -> None:
    credit = Credit(3, 0.5)
    assert [credit.grant() for _ in range(4)] == [True, True, True, False]
    credit.earn()
    assert not credit.grant()
    credit.earn()
    assert [credit.grant() for _ in range(2)] == [True, False]
    for _ in range(100):
        credit.earn()
    assert sum(credit.grant() for _ in range(10)) == 3


def test_a_burst_is_never_below_one() -> None:
    assert Credit(0.2, 0.1).grant()


def test_ticks_that_were_left_out_count_too_and_never_beyond_the_burst() -> None:
    credit = Credit(3, 0.5)
    while credit.grant():
        pass
    credit.earn(4)
    assert [credit.grant() for _ in range(3)] == [True, True, False]
    credit.earn(1000)
    assert [credit.grant() for _ in range(4)] == [True, True, True, False]
