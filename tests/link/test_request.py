"""The application's answers to a request, when they do not fit the wire."""

import pytest

from retick.errors import UsageError
from retick.link import Accept, Refuse


def test_seats_and_data_that_do_not_fit_are_refused_with_the_bound() -> None:
    assert Accept(seats=(0, 31), data=b"x" * 256).seats == (0, 31)
    for seats in ((32,), (0, -1)):
        with pytest.raises(UsageError, match="seats are 0 to 31"):
            Accept(seats=seats)
    with pytest.raises(UsageError, match="at most 256 bytes of data, not 257"):
        Accept(data=b"x" * 257)


@pytest.mark.parametrize("reason", [-1, 256])
def test_a_reason_is_one_byte(reason: int) -> None:
    with pytest.raises(UsageError, match=f"a reason is 0 to 255, not {reason}"):
        Refuse(reason=reason)
