"""The few reliable messages by which machines become a match; docs/formats/lobby.md has them as tables.

::

    00 APPLICATION  the application's own bytes
    01 ROSTER       u8 your number, 8 bytes token, u8 machines;
                    each: u8 number, u16 seats as bits, u8 n, n bytes address
    02 READY        nothing: all my links are up
    03 START        u32 seed

The host has number 0; the others are numbered as they came. Readers check everything and raise DecodeError.
"""

import struct
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from retick.errors import InvalidValue, TrailingData, Truncated, UsageError

__all__ = [
    "APPLICATION",
    "MAX_ADDRESS",
    "MAX_SEATS",
    "MAX_SEATS_EACH",
    "READY",
    "ROSTER",
    "START",
    "TOKEN_SIZE",
    "Member",
    "Roster",
    "check_seats",
    "decode_members",
    "decode_roster",
    "decode_start",
    "encode_members",
    "encode_roster",
    "encode_start",
    "pack_address",
    "unpack_address",
]

APPLICATION, ROSTER, READY, START = 0, 1, 2, 3
TOKEN_SIZE = 8
MAX_MACHINES = 16
MAX_SEATS = 16
MAX_SEATS_EACH = 8
"""Players at one machine whose inputs a packet can carry."""
MAX_ADDRESS = 80

_ROSTER = struct.Struct("<BB8s")
_MEMBER = struct.Struct("<BHB")
_START = struct.Struct("<BI")


class Member(NamedTuple):
    """One machine of a match."""

    number: int
    players: tuple[int, ...]
    address: Hashable


class Roster(NamedTuple):
    """Who takes part, as the host tells each of them."""

    number: int
    token: bytes
    members: tuple[Member, ...]


def pack_address(address: Hashable) -> bytes:
    """An IP address and port, or a name on a simulated network, as text."""
    if isinstance(address, tuple) and len(address) >= 2:
        return f"{address[0]} {address[1]}".encode()
    if isinstance(address, str):
        return address.encode()
    raise UsageError(f"an address is (host, port) or a name, not {address!r}")


def unpack_address(data: bytes) -> Hashable:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidValue("an address that is not UTF-8") from None
    host, space, port = text.rpartition(" ")
    if not space:
        return text
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise InvalidValue(f"port {port!r} is not a number from 0 to 65535")
    return (host, int(port))


def encode_roster(roster: Roster) -> bytes:
    return _ROSTER.pack(ROSTER, roster.number, roster.token) + encode_members(roster.members)


def decode_roster(data: bytes) -> Roster:
    if len(data) < _ROSTER.size:
        raise Truncated("a roster that ends in its head", needed=_ROSTER.size, available=len(data))
    _, number, token = _ROSTER.unpack_from(data)
    members = decode_members(data, _ROSTER.size)
    if number not in {member.number for member in members}:
        raise InvalidValue(f"a roster without the machine it is for, {number}")
    return Roster(number, token, members)


def encode_members(members: tuple[Member, ...]) -> bytes:
    parts = [bytes((len(members),))]
    for member in members:
        address = pack_address(member.address)
        parts.append(_MEMBER.pack(member.number, sum(1 << player for player in member.players), len(address)) + address)
    return b"".join(parts)


def decode_members(data: bytes, at: int) -> tuple[Member, ...]:
    """The machines listed from ``at`` to the end of ``data``."""
    count = data[at] if at < len(data) else 0
    if not 1 <= count <= MAX_MACHINES:
        raise InvalidValue(f"a roster has 1 to {MAX_MACHINES} machines, not {count}")
    at += 1
    members: list[Member] = []
    taken = 0
    for _ in range(count):
        member, seats, at = _decode_member(data, at)
        if seats & taken or any(member.number == other.number for other in members):
            raise InvalidValue("a roster in which two machines claim the same seat or number")
        taken |= seats
        members.append(member)
    if at != len(data):
        raise TrailingData(f"{len(data) - at} bytes after the roster", extra=len(data) - at)
    return tuple(members)


def _decode_member(data: bytes, at: int) -> tuple[Member, int, int]:
    if len(data) < at + _MEMBER.size:
        raise Truncated("a roster that ends within a machine", needed=at + _MEMBER.size, available=len(data))
    number, seats, length = _MEMBER.unpack_from(data, at)
    at += _MEMBER.size
    if length > MAX_ADDRESS or len(data) < at + length:
        raise InvalidValue("a roster with an address that is too long")
    players = tuple(player for player in range(MAX_SEATS) if seats >> player & 1)
    if not players:
        raise InvalidValue(f"machine {number} plays no seat")
    return Member(number, players, unpack_address(data[at : at + length])), seats, at + length


def check_seats(groups: Iterable[tuple[int, ...]], num_players: int) -> set[int]:
    """All seats of these groups; InvalidValue when the game has no such seat, or one of them is given twice."""
    seats = [seat for group in groups for seat in group]
    if len(set(seats)) != len(seats) or not set(seats) <= set(range(num_players)):
        raise InvalidValue(f"seats {sorted(seats)} in a game of {num_players} players")
    return set(seats)


def encode_start(seed: int) -> bytes:
    return _START.pack(START, seed)


def decode_start(data: bytes) -> int:
    if len(data) != _START.size:
        raise InvalidValue(f"START has {_START.size} bytes, not {len(data)}")
    seed: int = _START.unpack(data)[1]
    if seed == 0:
        raise InvalidValue("0 is no seed")
    return seed
