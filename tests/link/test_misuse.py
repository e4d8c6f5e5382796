"""What a connection and an endpoint say to those who use them wrongly: the same in both forms of the kernels."""

from array import array

import pytest

from retick.errors import EncodeError
from retick.link import Connection, MessageReceived, State, UnreliableReceived
from tests.link.pair import Pair, make_endpoint


def test_a_connection_that_was_never_begun_raises_and_does_not_end_the_process() -> None:
    connection = Connection.__new__(Connection)
    for name in ("rtt", "has_rtt", "stats"):
        with pytest.raises(AttributeError):
            getattr(connection, name)


@pytest.mark.parametrize("state", [6, -1, 99_999_999])
def test_a_state_that_is_none_is_refused_where_it_is_set(state: int) -> None:
    connection = make_endpoint(1).dial("host")
    with pytest.raises(ValueError, match=f"{state} is not a valid State"):
        connection.state = state  # type: ignore[assignment]  # what must not be
    assert connection.state is State.REQUESTING


def test_a_setter_takes_a_state_as_its_number_too() -> None:
    connection = make_endpoint(1).dial("host")
    connection.state = 5  # type: ignore[assignment]  # as the wire has it
    assert connection.state is State.CLOSED


@pytest.mark.parametrize("limit", [10**30, float("inf"), 1 << 63])
def test_a_limit_may_be_as_high_as_one_likes(limit: int) -> None:
    pair = Pair(payload_queue=limit, unread_limit=limit)
    mine, _ = pair.connect()
    for _ in range(300):
        assert mine.send_unreliable(b"payload")
    pair.flush()
    pair.run(1.0)
    assert len(pair.of(pair.host_events, UnreliableReceived)) == 300


class Labelled(bytes):
    """Bytes of an application's own kind."""

    def __bytes__(self) -> bytes:
        return self


def test_the_size_of_a_view_is_that_of_its_bytes() -> None:
    pair = Pair(max_datagram=600, max_message=1000)
    mine, _ = pair.connect()
    wide = memoryview(bytes(2000)).cast("I")
    with pytest.raises(EncodeError, match="a payload is 1 to 592 bytes, not 2000"):
        mine.send_unreliable(wide)
    with pytest.raises(EncodeError, match="a message is at most 1000 bytes, not 2000"):
        mine.send_reliable(wide)


def test_whatever_has_bytes_is_sent_and_nothing_else_is_taken_for_them() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    taken = (bytearray(b"a"), memoryview(b"bb")[::2], array("H", [7]), Labelled(b"c"))
    for octets in taken:
        assert mine.send_unreliable(octets)  # type: ignore[arg-type]  # wider than it says
        assert mine.send_reliable(octets)  # type: ignore[arg-type]  # wider than it says
    for other in (5, "text", None, [1, 2]):
        for send in (mine.send_unreliable, mine.send_reliable):
            with pytest.raises(TypeError, match="a bytes-like object is required"):
                send(other)  # type: ignore[arg-type]  # what must not be
    pair.flush()
    pair.run(1.0)
    for kind in (UnreliableReceived, MessageReceived):
        assert [event.data for event in pair.of(pair.host_events, kind)] == [bytes(memoryview(o)) for o in taken]
