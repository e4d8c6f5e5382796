"""Who takes part in a match, and the seed with which it starts.

::

    roster entries  u8 count; each: u8 peer id, u16 seats as bits, 8 bytes pair token, 32 bytes key, u8 n,
                    n bytes address
    01 ROSTER       u8 your peer id, 8 bytes token, roster entries
    02 READY        8 bytes token of the roster: all links of the sender are up
    03 START        u32 seed

The host has peer id 0; the others are numbered as they came.

A token names a roster, and all peers in it know it. Only two peers, and the one that drew it, know a pair token: with
it a caller shows which of the peers it is.
"""

import ipaddress
import struct
from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeAlias

from retick.errors import InvalidValue, TrailingData, Truncated, UsageError
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY
from retick.rollback.session.messages.kinds import MessageKind

# Addresses that peers tell each other, as text, and which of them may be dialled.
#
# ::
#
#     host, a space, port     an IP address without a scope; port 1 to 65535
#     a name                  printable, without a space: a peer on a simulated network
#     nothing                 the sender itself
#
# An address from the wire may belong to somebody who has nothing to do with the match. So only addresses that a single
# peer can have are accepted: no multicast, no broadcast, no unspecified and no reserved address.

MAX_ADDRESS = 80
"""The most bytes of an address."""

_IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def pack_address(address: Hashable) -> bytes:
    """Write an IP address and port, or a name on a simulated network, as text. A scope is left out: it is local."""
    if isinstance(address, tuple) and len(address) >= 2:
        return f"{str(address[0]).partition('%')[0]} {address[1]}".encode()
    if isinstance(address, str):
        return address.encode()
    raise UsageError(f"an address is (host, port) or a name, not {address!r}")


def unpack_address(data: bytes) -> Hashable:
    """Read (host, port) of one peer, or a name; raises InvalidValue for anything else."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidValue("an address that is not UTF-8") from None
    host, space, port = text.rpartition(" ")
    if not space:
        if not text.isprintable():
            raise InvalidValue(f"{text!r} is not a name")
        return text
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise InvalidValue(f"port {port!r} is not a number from 1 to 65535")
    _check_unicast(_ip(host))
    return (host, int(port))


def _ip(host: str) -> _IP:
    """The IP address without a scope, and as IPv4 if IPv6 maps it."""
    if "%" in host or not host.isascii():
        raise InvalidValue(f"{host!r} is not an IP address without a scope")
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        raise InvalidValue(f"{host!r} is not an IP address") from None
    return getattr(found, "ipv4_mapped", None) or found


def _check_unicast(found: _IP) -> None:
    is_this_network = found.version == 4 and found.packed[0] == 0
    is_reserved = found.version == 4 and found.is_reserved
    if found.is_multicast or found.is_unspecified or is_this_network or is_reserved:
        raise InvalidValue(f"{found} is not the address of one peer")


def address_key(address: Hashable) -> Hashable:
    """A key that is equal for two ways to write one address."""
    return (_ip(str(address[0])), address[1]) if isinstance(address, tuple) else address


def is_reachable(address: Hashable, through: Hashable) -> bool:
    """Whether ``address`` is of the same kind as the address of ``through``, the peer that told us of it.

    A name is valid only on a network of names. A loopback address of another computer is not ours to dial.
    """
    if isinstance(address, str) or isinstance(through, str):
        return bool(address) and isinstance(address, str) and isinstance(through, str)
    return _is_loopback(through) or not _is_loopback(address)


def check_reachable(address: Hashable, through: Hashable) -> None:
    """Raise InvalidValue unless ``is_reachable``."""
    if not is_reachable(address, through):
        raise InvalidValue(f"{address!r} cannot be dialled from here")


def _is_loopback(address: Hashable) -> bool:
    if not isinstance(address, tuple):
        return False
    try:
        return _ip(str(address[0]).partition("%")[0]).is_loopback
    except InvalidValue:
        return False


TOKEN_SIZE = 8
NO_TOKEN = bytes(TOKEN_SIZE)
"""Used in place of a pair token if these two do not call each other."""
MAX_PEERS = 16
MAX_SEATS = 16
MAX_SEATS_EACH = 8
"""The most players at one peer whose inputs a packet can carry."""

_ROSTER = struct.Struct("<BB8s")
_ENTRY = struct.Struct(f"<BH{TOKEN_SIZE}s{KEY_SIZE}sB")
_START = struct.Struct("<BI")


class RosterEntry(NamedTuple):
    """One peer of a match."""

    peer_id: int
    players: tuple[int, ...]
    """The seats that are played there."""
    address: Hashable
    pair_token: bytes = NO_TOKEN
    """The token that this peer and the receiver of the entry show when one of them calls the other."""
    key: bytes = NO_KEY
    """The public key with which this peer signs its inputs."""


class Roster(NamedTuple):
    """The players, as the host tells each peer."""

    peer_id: int
    """The peer that this roster is sent to."""
    token: bytes
    """The name of this roster, for READY and for calls."""
    entries: tuple[RosterEntry, ...]


def pack_seats(players: Iterable[int]) -> int:
    """Write seats as bits."""
    return sum(1 << player for player in players)


def unpack_seats(bits: int) -> tuple[int, ...]:
    return tuple(player for player in range(MAX_SEATS) if bits >> player & 1)


def encode_roster(roster: Roster) -> bytes:
    return _ROSTER.pack(MessageKind.ROSTER, roster.peer_id, roster.token) + encode_entries(roster.entries)


def decode_roster(data: bytes) -> Roster:
    if len(data) < _ROSTER.size:
        raise Truncated("a roster that ends in its head", needed=_ROSTER.size, available=len(data))
    _, peer_id, token = _ROSTER.unpack_from(data)
    entries = decode_entries(data, _ROSTER.size)
    if peer_id not in {entry.peer_id for entry in entries}:
        raise InvalidValue(f"a roster without the peer that it is for, {peer_id}")
    return Roster(peer_id, token, entries)


def encode_entries(entries: tuple[RosterEntry, ...]) -> bytes:
    parts = [bytes((len(entries),))]
    for entry in entries:
        address = pack_address(entry.address)
        seats = pack_seats(entry.players)
        parts.append(_ENTRY.pack(entry.peer_id, seats, entry.pair_token, entry.key, len(address)) + address)
    return b"".join(parts)


def decode_entries(data: bytes, at: int) -> tuple[RosterEntry, ...]:
    """Read the peers listed from ``at`` to the end of ``data``."""
    count = data[at] if at < len(data) else 0
    if not 1 <= count <= MAX_PEERS:
        raise InvalidValue(f"a roster has 1 to {MAX_PEERS} peers, not {count}")
    at += 1
    entries: list[RosterEntry] = []
    taken = 0
    for _ in range(count):
        entry, seats, at = _decode_entry(data, at)
        if seats & taken or any(entry.peer_id == other.peer_id for other in entries):
            raise InvalidValue("a roster in which two peers claim the same seat or peer id")
        key = address_key(entry.address)
        if key and any(key == address_key(other.address) for other in entries):
            raise InvalidValue(f"a roster with two peers at {entry.address!r}")
        taken |= seats
        entries.append(entry)
    if at != len(data):
        raise TrailingData(f"{len(data) - at} bytes after the roster", extra=len(data) - at)
    return tuple(entries)


def _decode_entry(data: bytes, at: int) -> tuple[RosterEntry, int, int]:
    if len(data) < at + _ENTRY.size:
        raise Truncated("a roster that ends within an entry", needed=at + _ENTRY.size, available=len(data))
    peer_id, seats, pair_token, key, length = _ENTRY.unpack_from(data, at)
    at += _ENTRY.size
    if length > MAX_ADDRESS or len(data) < at + length:
        raise InvalidValue("a roster with an address that is too long")
    if not seats:
        raise InvalidValue(f"peer {peer_id} plays no seat")
    address = unpack_address(data[at : at + length])
    return RosterEntry(peer_id, unpack_seats(seats), address, pair_token, key), seats, at + length


def check_seats(groups: Iterable[tuple[int, ...]], num_players: int) -> set[int]:
    """All seats of these groups; raises InvalidValue if the game lacks one of them, or one is given twice."""
    seats = [seat for group in groups for seat in group]
    if len(set(seats)) != len(seats) or not set(seats) <= set(range(num_players)):
        raise InvalidValue(f"seats {sorted(seats)} in a game of {num_players} players")
    return set(seats)


def encode_ready(token: bytes) -> bytes:
    return bytes((MessageKind.READY,)) + token


def decode_ready(data: bytes) -> bytes:
    """Read the token of the sender's roster."""
    if len(data) != 1 + TOKEN_SIZE:
        raise InvalidValue(f"READY has {1 + TOKEN_SIZE} bytes, not {len(data)}")
    return data[1:]


def encode_start(seed: int) -> bytes:
    return _START.pack(MessageKind.START, seed)


def decode_start(data: bytes) -> int:
    if len(data) != _START.size:
        raise InvalidValue(f"START has {_START.size} bytes, not {len(data)}")
    seed: int = _START.unpack(data)[1]
    if not seed:
        raise InvalidValue("a match has a seed from 1 on")
    return seed
