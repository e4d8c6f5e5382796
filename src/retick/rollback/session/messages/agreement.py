"""The messages of the one agreement: statements, consents, and what is told of decisions.

::

    signed item    u8 kind, u8 n, n signatures, each: u8 peer id, 64 bytes; then the body
    04 STATEMENT   a signed item; body: u32 slot, 32 bytes history, u8 author, u32 stop, u8 flags;
                   flag 2: u8 n, n bytes order of seats; flag 4: u8 peer id, u32 size, u32 checksum;
                   flag 8: u8 peer id, u16 seats as bits, 32 bytes key, reach; flag 16: u8 n, n bytes text;
                   flag 32: u8 n, n peer ids;
                   u8 n unheard peers, each: u8 peer id, u8 reason;
                   u8 n tails, each: u8 player, u32 first missing frame, u16 n, the n inputs before it
    09 CONSENT     a signed item; body: u32 slot, 32 bytes history, u8 author, 32 bytes hash of the vector
    0A DECIDED     u32 slot
    0B OUTCOME     u32 slot, 32 bytes history, u8 n lost peers, each: u8 peer id; then statements, each: u16 n, n bytes
    0D TAKEN       u32 next slot, 32 bytes history, u32 first frame, 32 bytes hash of the roster,
                   u32 frame before which the match is paused, or FFFFFFFF

docs/formats/session-messages.md has the checks in their order.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.reasons import cut_text
from retick.rollback.desync.equivocation import KEY_SIZE, SIGNATURE_SIZE
from retick.rollback.session.messages.kinds import (
    MessageKind,
    MessageReader,
    fields_of,
    inputs_from_bytes,
    inputs_to_bytes,
)
from retick.rollback.session.messages.roster import MAX_SEATS, MemberTerms, Reach, pack_seats, unpack_seats

HASH_SIZE = 32
MOST_SIGNERS = 16
"""The most signatures of an item: nobody signs twice, and a match has at most 16 peers."""
LARGEST_BODY = 4000
"""The most bytes of a statement without its signatures: those of 16 peers fit into one message. Long tails are cut."""
PAUSE, REMATCH, RESYNC, NEWCOMER, LEAVES, GO_ON = 1, 2, 4, 8, 16, 32
ALL_FLAGS = PAUSE | REMATCH | RESYNC | NEWCOMER | LEAVES | GO_ON

_HEAD = struct.Struct(f"<I{HASH_SIZE}sB")
_WISHES = struct.Struct("<IB")
_CONSENT = struct.Struct(f"<I{HASH_SIZE}sB{HASH_SIZE}s")
_SIGNATURE = struct.Struct(f"<B{SIGNATURE_SIZE}s")
_STATE = struct.Struct("<BII")
_NEWCOMER = struct.Struct(f"<BH{KEY_SIZE}sBB")
_UNHEARD = struct.Struct("<BB")
_TAIL = struct.Struct("<BIH")
_DECIDED = struct.Struct("<BI")
_OUTCOME = struct.Struct(f"<BI{HASH_SIZE}sB")
_LENGTH = struct.Struct("<H")
_TAKEN = struct.Struct(f"<BI{HASH_SIZE}sI{HASH_SIZE}sI")
_NOT_PAUSED = 0xFFFFFFFF


class Tail(NamedTuple):
    """What a peer knows of a lost player: the first frame that it misses, and the inputs before it."""

    player: int
    missing: int
    inputs: tuple[int, ...]

    @property
    def first(self) -> int:
        """The frame of the first input."""
        return self.missing - len(self.inputs)


class OfferedState(NamedTuple):
    """The state from which a match is to go on: whose it is, and its announcement."""

    peer_id: int
    size: int
    checksum: int


class ReadyNewcomer(NamedTuple):
    """A newcomer that a peer is ready to let in."""

    peer_id: int
    terms: MemberTerms


class Wishes(NamedTuple):
    """What one peer wants. They stand until it changes them, or the match ends."""

    pause: bool = False
    rematch: tuple[int, ...] | None = None
    """The new seats of seats 0, 1 ...; empty for the usual rule; None if no rematch is wanted."""
    resync: OfferedState | None = None
    """The state that this peer has, and from which it would go on."""
    go_on: tuple[int, ...] = ()
    """The peers whose pauses this one has waited for as long as it will."""


class Statement(NamedTuple):
    """What one peer sees and wants, in one slot."""

    slot: int
    history: bytes
    author: int
    stop: int = 0
    """The frame before which it stops until the slot is decided."""
    wishes: Wishes = Wishes()
    newcomer: ReadyNewcomer | None = None
    """The newcomer with whom it has a link, and for whom it would play."""
    leaves: str | None = None
    """Why it leaves the match with this slot, which may be ""; None if it does not leave."""
    unheard: tuple[tuple[int, int], ...] = ()
    """The members that it no longer hears, with the reason for each."""
    tails: tuple[Tail, ...] = ()


class Consent(NamedTuple):
    """One peer's consent to a vector of statements."""

    slot: int
    history: bytes
    author: int
    vector: bytes


class Signature(NamedTuple):
    peer_id: int
    signature: bytes


class SignedItem(NamedTuple):
    """A statement or consent with the signatures of its author and of those that passed it on."""

    kind: int
    signatures: tuple[Signature, ...]
    body: bytes


def encode_item(item: SignedItem) -> bytes:
    parts = [bytes((item.kind, len(item.signatures)))]
    parts += [_SIGNATURE.pack(*each) for each in item.signatures]
    return b"".join(parts) + item.body


def decode_item(data: bytes) -> SignedItem:
    """Read an item; its body is still bytes."""
    reader = MessageReader(data)
    kind, count = reader.byte(), reader.byte()
    if not 1 <= count <= MOST_SIGNERS:
        raise InvalidValue(f"an item with {count} signatures, where 1 to {MOST_SIGNERS} are allowed")
    signatures = tuple(Signature(*reader.unpack(_SIGNATURE)) for _ in range(count))
    body = reader.rest()
    if len(body) > LARGEST_BODY:
        raise InvalidValue(f"an item with {len(body)} bytes, where {LARGEST_BODY} are allowed")
    if len({each.peer_id for each in signatures}) != count:
        raise InvalidValue("an item that one peer has signed twice")
    return SignedItem(kind, signatures, body)


def encode_statement(said: Statement, input_size: int) -> bytes:
    """Write the body of a statement."""
    wishes = said.wishes
    flags = wishes.pause * PAUSE | (wishes.rematch is not None) * REMATCH | (wishes.resync is not None) * RESYNC
    flags |= (said.newcomer is not None) * NEWCOMER | (said.leaves is not None) * LEAVES
    flags |= bool(wishes.go_on) * GO_ON
    parts = [_HEAD.pack(said.slot, said.history, said.author), _WISHES.pack(said.stop, flags)]
    if wishes.rematch is not None:
        parts.append(bytes((len(wishes.rematch), *wishes.rematch)))
    if wishes.resync is not None:
        parts.append(_STATE.pack(*wishes.resync))
    if said.newcomer is not None:
        peer_id, (players, key, reach) = said.newcomer
        parts.append(_NEWCOMER.pack(peer_id, pack_seats(players), key, *reach))
    if said.leaves is not None:
        text = cut_text(said.leaves)
        parts.append(bytes((len(text),)) + text)
    if wishes.go_on:
        parts.append(bytes((len(wishes.go_on), *wishes.go_on)))
    parts.append(bytes((len(said.unheard),)))
    parts += [_UNHEARD.pack(*each) for each in said.unheard]
    parts.append(bytes((len(said.tails),)))
    for player, missing, inputs in said.tails:
        parts.append(_TAIL.pack(player, missing, len(inputs)) + inputs_to_bytes(inputs, input_size))
    return b"".join(parts)


def head_of(body: bytes) -> tuple[int, bytes, int]:
    """Slot, history and author of a statement's or consent's body, before the rest is read."""
    slot, history, author = MessageReader(body).unpack(_HEAD)
    return slot, history, author


def decode_statement(body: bytes, input_size: int) -> Statement:
    """Read the body of a statement."""
    if len(body) > LARGEST_BODY:
        raise InvalidValue(f"a statement of {len(body)} bytes, where {LARGEST_BODY} are allowed")
    slot, history, author = head_of(body)
    reader = MessageReader(body, _HEAD.size)
    stop, flags = reader.unpack(_WISHES)
    if flags & ~ALL_FLAGS:
        raise InvalidValue(f"a statement with the flags {flags:#04x}")
    wishes = _decode_wishes(reader, flags)
    newcomer = _decode_newcomer(reader) if flags & NEWCOMER else None
    leaves = reader.short().decode("utf-8", "replace") if flags & LEAVES else None
    if flags & GO_ON:
        wishes = wishes._replace(go_on=tuple(reader.short()))
    unheard = tuple((reader.byte(), reader.byte()) for _ in range(reader.byte()))
    named = [peer_id for peer_id, _ in unheard]
    if len(set(named)) != len(named) or author in named:
        raise InvalidValue("a statement that names a peer twice as unheard, or its own author")
    tails = tuple(_decode_tail(reader, input_size) for _ in range(reader.byte()))
    if len({tail.player for tail in tails}) != len(tails):
        raise InvalidValue("a statement with two tails of one player")
    reader.end()
    return Statement(slot, history, author, stop, wishes, newcomer, leaves, unheard, tails)


def _decode_wishes(reader: MessageReader, flags: int) -> Wishes:
    rematch = None
    if flags & REMATCH:
        rematch = tuple(reader.short())
        if not is_order(rematch):
            raise InvalidValue(f"a rematch with the seats {rematch}: each must occur once")
    resync = OfferedState(*reader.unpack(_STATE)) if flags & RESYNC else None
    return Wishes(bool(flags & PAUSE), rematch, resync)


def _decode_newcomer(reader: MessageReader) -> ReadyNewcomer:
    peer_id, seats, key, *reach = reader.unpack(_NEWCOMER)
    if not seats:
        raise InvalidValue("a newcomer without a seat")
    return ReadyNewcomer(peer_id, MemberTerms(unpack_seats(seats), key, Reach(*reach)))


def _decode_tail(reader: MessageReader, input_size: int) -> Tail:
    player, missing, count = reader.unpack(_TAIL)
    if player >= MAX_SEATS or count > missing:
        raise InvalidValue(f"a tail of player {player} with {count} inputs before frame {missing}")
    return Tail(player, missing, inputs_from_bytes(reader.take(count * input_size), input_size))


def is_order(seats: tuple[int, ...]) -> bool:
    """Whether each of the seats 0, 1 ... occurs once; nothing is an order too."""
    return sorted(seats) == list(range(len(seats)))


def encode_consent(given: Consent) -> bytes:
    """Write the body of a consent."""
    return _CONSENT.pack(*given)


def decode_consent(body: bytes) -> Consent:
    return Consent(*fields_of(_CONSENT, body))


def encode_decided(slot: int) -> bytes:
    return _DECIDED.pack(MessageKind.DECIDED, slot)


def decode_decided(data: bytes) -> int:
    """Read the number of the slot that the sender has decided."""
    slot: int = fields_of(_DECIDED, data)[1]
    return slot


class ToldOutcome(NamedTuple):
    """A decision with all that follows from it, for a peer that stood still."""

    slot: int
    history: bytes
    lost: tuple[int, ...]
    bodies: tuple[bytes, ...]
    """The statements that were decided on."""


def encode_outcome(told: ToldOutcome) -> bytes:
    head = _OUTCOME.pack(MessageKind.OUTCOME, told.slot, told.history, len(told.lost)) + bytes(told.lost)
    return head + b"".join(_LENGTH.pack(len(body)) + body for body in told.bodies)


def decode_outcome(data: bytes) -> ToldOutcome:
    reader = MessageReader(data)
    _, slot, history, count = reader.unpack(_OUTCOME)
    lost = tuple(reader.take(count))
    bodies: list[bytes] = []
    while reader.at < len(data):
        if len(bodies) == MOST_SIGNERS:
            raise InvalidValue(f"an outcome of more than {MOST_SIGNERS} statements")
        bodies.append(reader.take(reader.unpack(_LENGTH)[0]))
    return ToldOutcome(slot, history, lost, tuple(bodies))


class Taken(NamedTuple):
    """What each player tells a newcomer that has become a member."""

    slot: int
    """The first slot in which it takes part."""
    history: bytes
    frame: int
    """The frame from which on it plays."""
    roster: bytes
    """The hash of the members, the newcomer included."""
    pause_at: int | None = None
    """The frame before which the match is paused; None if it is not."""


def encode_taken(taken: Taken) -> bytes:
    pause_at = _NOT_PAUSED if taken.pause_at is None else taken.pause_at
    return _TAKEN.pack(MessageKind.TAKEN, *taken[:-1], pause_at)


def decode_taken(data: bytes) -> Taken:
    _, slot, history, frame, roster, pause_at = fields_of(_TAKEN, data)
    return Taken(slot, history, frame, roster, None if pause_at == _NOT_PAUSED else pause_at)
