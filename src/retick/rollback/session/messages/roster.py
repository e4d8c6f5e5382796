"""Who takes part in a match, and the seed with which it starts.

::

    roster entries  u8 count; each: u8 peer id, u16 seats as bits, 8 bytes pair token, 32 bytes key, reach, u8 n,
                    n bytes address
    reach           u8 prediction window, u8 input delay
    01 ROSTER       u8 your peer id, 8 bytes nonce, u32 disconnect_after in milliseconds, roster entries
    02 READY        16 bytes token of the roster: all links of the sender are up
    03 START        u32 seed

The host has peer id 0; the others are numbered as they came.

The token of a roster is made from everything in it that all peers must know alike: a host that tells two peers
different rosters gives them different tokens, and they do not connect. Only two peers, and the one that drew it, know a
pair token: with it a caller shows which of the peers it is.
"""

import struct
from collections.abc import Hashable, Iterable, Mapping
from hashlib import blake2s
from typing import NamedTuple

from retick.errors import InvalidValue, TrailingData, Truncated
from retick.link.addresses import MAX_ADDRESS, address_key, pack_address, unpack_address
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY
from retick.rollback.session.messages.kinds import MessageKind

TOKEN_SIZE = 16
NONCE_SIZE = 8
PAIR_TOKEN_SIZE = 8
NO_PAIR_TOKEN = bytes(PAIR_TOKEN_SIZE)
"""Used in place of a pair token if these two do not call each other."""
MAX_PEERS = 16
MAX_SEATS = 16
MAX_SEATS_EACH = 8
"""The most players at one peer whose inputs a packet can carry."""

_ROSTER = struct.Struct(f"<BB{NONCE_SIZE}sI")
_ENTRY = struct.Struct(f"<BH{PAIR_TOKEN_SIZE}s{KEY_SIZE}sBBB")
_START = struct.Struct("<BI")
_HASHED = struct.Struct(f"<BH{KEY_SIZE}sBB")


class Reach(NamedTuple):
    """How many frames a peer may run ahead of the inputs that it knows, and its inputs ahead of its frames."""

    window: int = 0
    delay: int = 0

    @property
    def frames(self) -> int:
        """How many frames its inputs may be ahead of what it knows of others."""
        return self.window + self.delay


class MemberTerms(NamedTuple):
    """What all members of a match must know alike about one of them."""

    players: tuple[int, ...]
    key: bytes = NO_KEY
    """The public key with which it signs."""
    reach: Reach = Reach()


class RosterEntry(NamedTuple):
    """One peer of a match."""

    peer_id: int
    players: tuple[int, ...]
    """The seats that are played there."""
    address: Hashable
    pair_token: bytes = NO_PAIR_TOKEN
    """The token that this peer and the receiver of the entry show when one of them calls the other."""
    key: bytes = NO_KEY
    """The public key with which this peer signs."""
    reach: Reach = Reach()


class Roster(NamedTuple):
    """The players, as the host tells each peer."""

    peer_id: int
    """The peer that this roster is sent to."""
    nonce: bytes
    disconnect_after: float
    """Seconds, in whole milliseconds, after which all peers count a silent one as lost."""
    entries: tuple[RosterEntry, ...]

    @property
    def token(self) -> bytes:
        """The name of this roster, for READY and for calls."""
        terms = {entry.peer_id: MemberTerms(entry.players, entry.key, entry.reach) for entry in self.entries}
        return roster_hash(self.nonce, terms, self.disconnect_after)[:TOKEN_SIZE]


def roster_hash(nonce: bytes, members: Mapping[int, MemberTerms], disconnect_after: float) -> bytes:
    """The hash of who takes part, and of the terms that all of them share; ``nonce`` tells equal ones apart."""
    found = blake2s(nonce + in_milliseconds(disconnect_after).to_bytes(4, "little"), person=b"roster")
    for peer_id in sorted(members):
        players, key, reach = members[peer_id]
        found.update(_HASHED.pack(peer_id, pack_seats(players), key, *reach))
    return found.digest()


def in_milliseconds(seconds: float) -> int:
    """A time as it is sent."""
    return min(round(seconds * 1000), 0xFFFFFFFF)


def pack_seats(players: Iterable[int]) -> int:
    """Write seats as bits."""
    return sum(1 << player for player in players)


def unpack_seats(bits: int) -> tuple[int, ...]:
    return tuple(player for player in range(MAX_SEATS) if bits >> player & 1)


def encode_roster(roster: Roster) -> bytes:
    head = _ROSTER.pack(MessageKind.ROSTER, roster.peer_id, roster.nonce, in_milliseconds(roster.disconnect_after))
    return head + encode_entries(roster.entries)


def decode_roster(data: bytes) -> Roster:
    if len(data) < _ROSTER.size:
        raise Truncated("a roster that ends in its head", needed=_ROSTER.size, available=len(data))
    _, peer_id, nonce, milliseconds = _ROSTER.unpack_from(data)
    entries = decode_entries(data, _ROSTER.size)
    if peer_id not in {entry.peer_id for entry in entries}:
        raise InvalidValue(f"a roster without the peer that it is for, {peer_id}")
    return Roster(peer_id, nonce, milliseconds / 1000, entries)


def encode_entries(entries: tuple[RosterEntry, ...]) -> bytes:
    parts = [bytes((len(entries),))]
    for entry in entries:
        address = pack_address(entry.address)
        seats = pack_seats(entry.players)
        fixed = _ENTRY.pack(entry.peer_id, seats, entry.pair_token, entry.key, *entry.reach, len(address))
        parts.append(fixed + address)
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
    peer_id, seats, pair_token, key, window, delay, length = _ENTRY.unpack_from(data, at)
    at += _ENTRY.size
    if length > MAX_ADDRESS or len(data) < at + length:
        raise InvalidValue("a roster with an address that is too long")
    if not seats:
        raise InvalidValue(f"peer {peer_id} plays no seat")
    address = unpack_address(data[at : at + length])
    entry = RosterEntry(peer_id, unpack_seats(seats), address, pair_token, key, Reach(window, delay))
    return entry, seats, at + length


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
