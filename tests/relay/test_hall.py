"""The rooms of a relay: ids and codes that nobody else has, and looks at all of them in turn."""

from collections.abc import Iterator

from retick.relay import RelayConfig
from retick.relay.rooms import Hall
from retick.relay.tickets import TicketOffice
from tests.relay.meeting import KEY, TAG


def make_hall(ids: Iterator[bytes]) -> Hall:
    return Hall(RelayConfig(), TicketOffice(KEY), lambda size: next(ids))


def test_an_id_that_is_taken_is_drawn_again() -> None:
    hall = make_hall(iter([b"first.", b"first.", b"second"]))
    first, second = (hall.open(2, TAG, ("203.0.113.1", 1), 0.0) for _ in range(2))
    assert (first.id, second.id) == (b"first.", b"second")
    assert hall.by_code == {first.code: first, second.code: second}


def test_all_rooms_are_looked_at_within_a_second_and_none_is_left_when_all_are_gone() -> None:
    hall = make_hall(number.to_bytes(6, "little") for number in range(100))
    for number in range(50):
        room = hall.open(2, TAG, ("203.0.113.1", number), 0.0)
        room.given = 1
        hall.enter(room, 0, ("203.0.113.1", number), b"nonce678", 0.0)
    assert hall.silent(29.0) == []
    found = [member for look in range(4) for member in hall.silent(30.0 + look / 4)]
    assert len({id(member) for member in found}) == 50
    for member in {id(member): member for member in found}.values():
        hall.remove(member, silent=True)
    assert hall.rooms == hall.by_code == hall.by_request == {}
    assert hall.members == 0
    for _ in range(20):
        assert hall.silent(99.0) == []
    assert not hall._looks
    assert not hall._rooms_of
