"""What a connection and an endpoint say to those who use them wrongly: the same in both forms of the kernels."""

import pytest

from retick.link import Connection


def test_a_connection_that_was_never_begun_raises_and_does_not_end_the_process() -> None:
    connection = Connection.__new__(Connection)
    for name in ("rtt", "has_rtt", "stats"):
        with pytest.raises(AttributeError):
            getattr(connection, name)
