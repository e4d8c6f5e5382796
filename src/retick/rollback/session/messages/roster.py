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

from retick.errors import InvalidValue
from retick.link.addresses import MAX_ADDRESS, address_key, pack_address, unpack_address
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY
from retick.rollback.session.messages.kinds import MessageKind, MessageReader, fields_of

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
_ENTRY = struct.Struct(f"<BH{PAIR_TOKEN_SIZE}s{KEY_SIZE}sBB")
_READY = struct.Struct(f"<B{TOKEN_SIZE}s")
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
    reader = MessageReader(data)
    _, peer_id, nonce, milliseconds = reader.unpack(_ROSTER)
    entries = read_entries(reader)
    if peer_id not in {entry.peer_id for entry in entries}:
        raise InvalidValue(f"a roster without the peer that it is for, {peer_id}")
    return Roster(peer_id, nonce, milliseconds / 1000, entries)


def encode_entries(entries: tuple[RosterEntry, ...]) -> bytes:
    parts = [bytes((len(entries),))]
    for entry in entries:
        address = pack_address(entry.address)
        parts.append(_ENTRY.pack(entry.peer_id, pack_seats(entry.players), entry.pair_token, entry.key, *entry.reach))
        parts.append(bytes((len(address),)) + address)
    return b"".join(parts)


def read_entries(reader: MessageReader) -> tuple[RosterEntry, ...]:
    """Read the peers that are listed from here to the end of a message."""
    count = reader.byte()
    if not 1 <= count <= MAX_PEERS:
        raise InvalidValue(f"a roster has 1 to {MAX_PEERS} peers, not {count}")
    entries = tuple(_read_entry(reader) for _ in range(count))
    reader.end()
    check_unclaimed((entry.peer_id, entry.players) for entry in entries)
    addresses = [key for entry in entries if (key := address_key(entry.address))]
    if len(set(addresses)) != len(addresses):
        raise InvalidValue("a roster with two peers at one address")
    return entries


def _read_entry(reader: MessageReader) -> RosterEntry:
    peer_id, seats, pair_token, key, *reach = reader.unpack(_ENTRY)
    address = reader.short()
    if len(address) > MAX_ADDRESS or not seats:
        raise InvalidValue(f"peer {peer_id} plays no seat, or has an address that is too long")
    return RosterEntry(peer_id, unpack_seats(seats), unpack_address(address), pair_token, key, Reach(*reach))


def check_unclaimed(peers: Iterable[tuple[int, tuple[int, ...]]]) -> None:
    """Raise InvalidValue if two of these, each an id with its seats, have the same id or the same seat."""
    listed = list(peers)
    seats = [seat for _, group in listed for seat in group]
    if len({peer_id for peer_id, _ in listed}) != len(listed) or len(set(seats)) != len(seats):
        raise InvalidValue("two peers claim the same seat or peer id")


def check_seats(groups: Iterable[tuple[int, ...]], num_players: int) -> set[int]:
    """All seats of these groups; raises InvalidValue if the game lacks one of them, or one is given twice."""
    seats = [seat for group in groups for seat in group]
    if len(set(seats)) != len(seats) or not set(seats) <= set(range(num_players)):
        raise InvalidValue(f"seats {sorted(seats)} in a game of {num_players} players")
    return set(seats)


def encode_ready(token: bytes) -> bytes:
    return _READY.pack(MessageKind.READY, token)


def decode_ready(data: bytes) -> bytes:
    """Read the token of the sender's roster."""
    token: bytes = fields_of(_READY, data)[1]
    return token


def encode_start(seed: int) -> bytes:
    return _START.pack(MessageKind.START, seed)


def decode_start(data: bytes) -> int:
    seed: int = fields_of(_START, data)[1]
    if not seed:
        raise InvalidValue("a match has a seed from 1 on")
    return seed
