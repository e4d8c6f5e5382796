"""The wish to play again, and with which seats.

::

    0D REMATCH   u8 number of the match to come, u8 n, n bytes: the new seat of whoever has seat 0, 1 ... n - 1 now

n is 0 where seats move on by the usual rule.
"""

from retick.errors import InvalidValue
from retick.rollback.session.messages.kinds import Kind, need
from retick.rollback.session.messages.roster import MAX_SEATS

__all__ = ["decode_rematch", "encode_rematch", "is_order"]

_HEAD = 3


def is_order(seats: tuple[int, ...]) -> bool:
    """Whether each seat is given once."""
    return sorted(seats) == list(range(len(seats)))


def encode_rematch(number: int, seats: tuple[int, ...] = ()) -> bytes:
    return bytes((Kind.REMATCH, number, len(seats), *seats))


def decode_rematch(data: bytes) -> tuple[int, tuple[int, ...]]:
    """The number of the match to come, and the new seats."""
    need(data, _HEAD)
    seats = tuple(data[_HEAD:])
    if data[2] != len(seats) or len(seats) > MAX_SEATS or not is_order(seats):
        raise InvalidValue("a REMATCH whose seats are not each of them once")
    return data[1], seats
