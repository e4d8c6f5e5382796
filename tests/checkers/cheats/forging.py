"""What a liar sends: messages of any kind with other fields, in its own name and with its own key.

Fields are drawn near what is true (peers of this match, frames near the present one), because lies that are far from it
are refused by the first check, and near the edges of what a field can hold.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from retick.errors import DecodeError, RetickError
from retick.rollback.desync.equivocation import NO_KEY, SIGNATURE_SIZE, sign_range
from retick.rollback.desync.evidence import (
    CLOSEUP,
    TIMELINE,
    Closeup,
    StateFields,
    Timeline,
    encode_closeup,
    encode_timeline,
    split_into_messages,
)
from retick.rollback.events import RosterPeer
from retick.rollback.session.agreement import TEXT
from retick.rollback.session.messages.agreement import (
    HASH_SIZE,
    Consent,
    OfferedState,
    ReadyNewcomer,
    Signature,
    SignedItem,
    Statement,
    Tail,
    Taken,
    ToldOutcome,
    Wishes,
    decode_consent,
    decode_item,
    decode_outcome,
    decode_statement,
    decode_taken,
    encode_consent,
    encode_decided,
    encode_item,
    encode_outcome,
    encode_statement,
    encode_taken,
)
from retick.rollback.session.messages.forward import (
    PASS,
    SHORT,
    WANT,
    InputRange,
    PassedInputs,
    SeenRanges,
    Signed,
    WantedInputs,
    decode_range,
    encode_pass,
    encode_range,
    encode_signed,
    encode_want,
)
from retick.rollback.session.messages.join import (
    LARGEST_STATE,
    Chunk,
    Feed,
    Meet,
    StateHeader,
    Welcome,
    decode_meet,
    decode_welcome,
    encode_chunk,
    encode_feed,
    encode_joined,
    encode_meet,
    encode_welcome,
)
from retick.rollback.session.messages.kinds import MessageKind, encode_byte
from retick.rollback.session.messages.profile import Profile, encode_list, encode_profile, encode_return
from retick.rollback.session.messages.roster import (
    NONCE_SIZE,
    TOKEN_SIZE,
    MemberTerms,
    Reach,
    Roster,
    RosterEntry,
    encode_ready,
    encode_roster,
    encode_start,
)
from retick.rollback.session.signing import inputs_of
from retick.sim.contract import input_size_of
from retick.wire import rbn1

__all__ = ["DATAGRAM", "INPUTS", "KINDS", "MESSAGES", "PAYLOADS", "Draws", "kind_of", "other_inputs", "read_inputs"]

INPUTS, DATAGRAM = "INPUTS", "DATAGRAM"
PAYLOADS = (INPUTS, "WANT", "PASS")
"""The kinds of unreliable payloads."""
MESSAGES = tuple(kind.name for kind in MessageKind)
"""The kinds of messages."""
KINDS = (*MESSAGES, *PAYLOADS, "CONTROL", DATAGRAM)
"""All that a session sends, by name; CONTROL are the datagrams in which links acknowledge and carry messages."""
FRAMES = 0xFFFFFF
OFFSETS = (-5000, -300, -20, -1, 0, 1, 2, 15, 60, 200, 300, 5000, 1 << 24)
"""Frames from the present one."""
LAST = 0xFFFFFFFF
OWN_ITEMS = (MessageKind.STATEMENT, MessageKind.CONSENT)


def kind_of(data: bytes, *, is_payload: bool = False) -> str:
    """The name of the kind of a message or payload; "" for one that there is not."""
    if is_payload:
        return {WANT: "WANT", PASS: "PASS"}.get(data[0] if data else -1, INPUTS)
    try:
        return MessageKind(data[0]).name
    except (ValueError, IndexError):
        return ""


def read_inputs(payload: bytes) -> rbn1.InputPacket | None:
    """An input packet; None if the payload is something else."""
    try:
        return rbn1.decode(payload, rbn1.ALL_EXTENSIONS)
    except DecodeError:
        return None


def other_inputs(packet: rbn1.InputPacket, changes: Callable[[int], bool]) -> rbn1.InputPacket:
    """The packet with other inputs for the frames that ``changes`` names."""
    start, seats = packet.start_frame & FRAMES, packet.seats
    return packet._replace(inputs=tuple(value ^ changes(start + at // seats) for at, value in enumerate(packet.inputs)))


class Draws:
    """Random values of the kinds that messages have, and messages made of them."""

    def __init__(self, session: Any, dice: Random) -> None:
        self.session = session
        self.dice = dice
        self.spied: Callable[[], tuple[int, bytes]] = lambda: (0, bytes(HASH_SIZE))
        """What one that is no member yet has heard of the present slot, from somebody else."""

    @property
    def inside(self) -> Any:
        return self.session._inside

    # Values.

    def frame(self) -> int:
        match = self.inside.match
        now = match.engine.frame if match is not None else 0
        return min(max(self.dice.choice((now + self.dice.choice(OFFSETS), 0, LAST, LAST >> 1)), 0), LAST)

    def number(self, near: int) -> int:
        """A number of 32 bits near one that is true."""
        return (near + self.dice.choice((-1, 1, 1, 2, 256))) & LAST

    def peer_id(self) -> int:
        known = [self.session.peer_id, *self.inside.peers, *self.inside.peers, self.inside.joins._last_id + 1]
        return int(self.dice.choice((*known, 254, 255, 0))) % 256

    def peer_ids(self) -> list[int]:
        """Some of the others, sometimes one that never was."""
        chosen = {peer_id for peer_id in self.inside.peers if self.dice.random() < 0.5}
        return sorted(chosen | ({self.peer_id()} if self.dice.random() < 0.2 else set()))

    def players(self) -> tuple[int, ...]:
        seats = range(self.session.sim.num_players)
        return tuple(seat for seat in seats if self.dice.random() < 0.3) or (self.dice.choice(seats),)

    def match(self) -> int:
        return int(self.inside.match_count + self.dice.choice((0, 0, 0, 1, 2, 255))) % 256

    def word(self) -> int:
        return self.dice.getrandbits(32)

    def token(self) -> bytes:
        return self.dice.choice((self.inside.token.ljust(TOKEN_SIZE, b"\0"), self.dice.randbytes(TOKEN_SIZE)))

    def address(self) -> Any:
        return self.dice.choice(("peer0", "peer1", "nowhere", ("127.0.0.1", 9), ("224.0.0.1", 5), "\u00e9" * 20))

    def seats(self) -> tuple[int, ...]:
        """New seats for all, or for none, and seldom for too few."""
        count = self.dice.choice((0, self.session.sim.num_players, self.session.sim.num_players, 1))
        return tuple(self.dice.sample(range(count), count))

    def seat_token(self) -> bytes:
        """Its own, or one that fits nothing."""
        return self.dice.choice((bytes(16), self.session.seat_token, self.dice.randbytes(16)))

    def name(self) -> str:
        return self.dice.choice(("", "liar", "\u00e9" * 32, "\u00e9" * 90, "two\nlines"))

    def header(self) -> StateHeader:
        size = self.dice.choice((0, 1, 40, 70000, LARGEST_STATE, LAST))
        return StateHeader(size, self.word())

    def key(self) -> bytes:
        keys = [self.inside.public_key, *(peer.key for peer in self.inside.peers.values()), self.dice.randbytes(32)]
        return bytes(self.dice.choice(keys))

    def terms(self) -> MemberTerms:
        return MemberTerms(self.players(), self.key(), Reach(self.dice.choice((0, 12, 255)), self.dice.randrange(9)))

    def entries(self) -> tuple[RosterEntry, ...]:
        own, *others = self.inside.roster_entries()
        truth: tuple[RosterEntry, ...] = (own._replace(address=self.address()), *others)
        lies = [entry._replace(address=self.address()) for entry in truth if self.dice.random() < 0.7]
        lies = [entry._replace(key=self.key()) if self.dice.random() < 0.2 else entry for entry in lies]
        if self.dice.random() < 0.3:
            lies.append(RosterEntry(self.peer_id(), self.players(), self.address()))
        return tuple(lies[:16]) or truth

    def inputs(self, most: int) -> tuple[int, ...]:
        bits = 8 * self.input_size
        return tuple(self.dice.getrandbits(bits) for _ in range(self.dice.randint(0, most)))

    @property
    def input_size(self) -> int:
        return input_size_of(self.session.sim)

    @property
    def slot(self) -> tuple[int, bytes]:
        """The present slot and its history."""
        agreement = self.inside.membership.agreement
        return self.spied() if agreement is None else (agreement.slot, agreement.history)

    # Signing.

    def sign(self, data: bytes) -> bytes:
        inside = self.inside
        return bytes(SIGNATURE_SIZE) if inside.public_key == NO_KEY else bytes(inside.sign(data))

    def item(self, kind: int, body: bytes, before: tuple[Signature, ...] = ()) -> bytes:
        """A signed item in its own name, or one that it passes on."""
        signed = TEXT + bytes((kind,)) + body
        signed += b"".join(bytes((each.peer_id,)) + each.signature for each in before)
        own = Signature(self.session.peer_id, self.sign(signed))
        return encode_item(SignedItem(kind, (*(each for each in before if each.peer_id != own.peer_id), own), body))

    def in_anothers_name(self) -> bytes:
        """A statement of another member, which it passes on and which that one never made."""
        slot, history = self.slot
        author = self.dice.choice([*self.inside.peers, self.session.peer_id])
        match = self.inside.match
        frame = match.engine.frame if match is not None else 0
        body = encode_statement(self.statement(Statement(slot, history, author, stop=frame + 30)), self.input_size)
        return self.item(MessageKind.STATEMENT, body, (Signature(author, self.dice.randbytes(SIGNATURE_SIZE)),))

    # A message of any kind, unasked.

    def message(self, kind: str) -> bytes:
        """A message of this kind with fields that are not true; signed, where it has a signature."""
        found = MessageKind[kind]
        make = _RANDOM.get(found)
        return make(self) if make is not None else bytes((found,)) + self.dice.randbytes(self.dice.randrange(60))

    def payload(self, kind: str) -> bytes:
        """A payload of this kind: inputs far ahead, questions and answers about anything."""
        match = self.inside.match
        number = match.number if match is not None else 0
        player = self.dice.choice(self.players())
        if kind == "WANT":
            return encode_want(WantedInputs(number, player, self.dice.choice((0, self.frame()))))
        if kind == "PASS":
            return encode_pass(PassedInputs(number, player, self.frame(), (*self.inputs(31), 1)), self.input_size)
        seats = max(len(self.session.local_players), 1)
        top = number << 24
        frame = (match.engine.frame if match is not None else 0) + self.dice.choice((0, 1, 20, 400, 1200))
        packet = rbn1.InputPacket(top | frame & FRAMES, top, (0,) * (8 * seats), input_size=2, seats=seats)
        return rbn1.encode(packet, rbn1.ALL_EXTENSIONS)

    # Another message in place of one.

    def another(self, kind: str, data: bytes) -> bytes:
        """A second, different version of a message, properly signed."""
        change = _OTHERS.get(kind, Draws._another_of_any_kind)
        try:
            return change(self, kind, data)
        except (DecodeError, RetickError, ValueError, OverflowError):
            return self.message(kind)

    def _another_of_any_kind(self, kind: str, data: bytes) -> bytes:
        return self.message(kind)

    def _other_item(self, kind: str, data: bytes) -> bytes:
        item = decode_item(data)
        if item.signatures[0].peer_id != self.session.peer_id:
            # Of what it passes on it can change only who else has signed.
            return self.item(item.kind, item.body, item.signatures[:1])
        if item.kind == MessageKind.STATEMENT:
            body = encode_statement(self.statement(decode_statement(item.body, self.input_size)), self.input_size)
        else:
            body = encode_consent(decode_consent(item.body)._replace(vector=self.dice.randbytes(HASH_SIZE)))
        return self.item(item.kind, body)

    def statement(self, said: Statement) -> Statement:
        """The statement with something else in it."""
        change = self.dice.choice(_CHANGES)
        return change(self, said)

    def _other_range(self, kind: str, data: bytes) -> bytes:
        return self.signed_anew(decode_range(data), lambda frame: True)

    def signed_anew(self, message: InputRange, changes: Callable[[int], bool]) -> bytes:
        """A range in which the frames that ``changes`` names have other inputs."""
        inside, found = self.inside, message.range
        by = inside.signed_ranges.by(inside.peer_id, inside.local_players, inside.match)
        told = bytearray(inputs_of(inside.match, inside.local_players, found.first, found.end))
        for at in range(0, len(told), self.input_size):
            told[at] ^= changes(found.first + at // by.width)
        return encode_range(message._replace(range=sign_range(inside.sign, by, found.first, bytes(told))))

    def _other_outcome(self, kind: str, data: bytes) -> bytes:
        told = decode_outcome(data)
        if self.dice.random() < 0.5:
            return encode_outcome(told._replace(lost=tuple(self.peer_ids())))
        return encode_outcome(told._replace(bodies=told.bodies[1:]))

    def _other_taken(self, kind: str, data: bytes) -> bytes:
        taken = decode_taken(data)
        field = self.dice.choice(("slot", "history", "frame", "roster", "pause_at"))
        values: dict[str, Any] = {
            "slot": self.number(taken.slot),
            "history": self.dice.randbytes(HASH_SIZE),
            "frame": self.number(taken.frame),
            "roster": self.dice.randbytes(HASH_SIZE),
            "pause_at": self.frame() % LAST,
        }
        return encode_taken(taken._replace(**{field: values[field]}))

    def _other_welcome(self, kind: str, data: bytes) -> bytes:
        welcome = decode_welcome(data)
        field = self.dice.choice(("match", "seed", "frame", "token", "disconnect_after", "gone", "entries"))
        values: dict[str, Any] = {
            "match": welcome.match + self.dice.choice((1, 256, 256)),
            "seed": self.word() or 1,
            "frame": self.number(welcome.frame),
            "token": self.token(),
            "disconnect_after": welcome.disconnect_after + 1.0,
            "gone": self.players(),
            "entries": tuple(entry._replace(key=self.key()) for entry in welcome.entries),
        }
        return encode_welcome(welcome._replace(**{field: values[field]}))

    def _other_meet(self, kind: str, data: bytes) -> bytes:
        meet = decode_meet(data)
        field = self.dice.choice(("peer_id", "players", "frame", "match", "pair_token", "key", "reach"))
        values: dict[str, Any] = {
            "peer_id": self.peer_id(),
            "players": self.players(),
            "frame": self.number(meet.frame),
            "match": self.match(),
            "pair_token": self.dice.randbytes(8),
            "key": self.key(),
            "reach": self.terms().reach,
        }
        return encode_meet(meet._replace(**{field: values[field]}))

    def _other_packet(self, kind: str, data: bytes) -> bytes:
        packet = read_inputs(data)
        if packet is None:
            return self.payload(kind)
        changes: list[rbn1.InputPacket] = [
            packet._replace(inputs=tuple(value ^ 1 for value in packet.inputs)),
            packet._replace(ack_frame=self.dice.choice((0, packet.ack_frame + 40)) & LAST),
        ]
        if packet.checksum is not None:
            changes.append(packet._replace(checksum=packet.checksum ^ 0x5A5A))
        if packet.time_sync is not None:
            sync = rbn1.TimeSync(self.dice.getrandbits(16), self.dice.choice((-32768, 32767)))
            changes.append(packet._replace(time_sync=sync))
        return rbn1.encode(self.dice.choice(changes), rbn1.ALL_EXTENSIONS)

    def _other_payload(self, kind: str, data: bytes) -> bytes:
        return self.payload(kind)

    def renumbered(self, kind: str, data: bytes) -> bytes:
        """The same with another number of a slot, a match or a frame."""
        try:
            if kind in ("STATEMENT", "CONSENT"):
                return self._renumbered_item(data)
            if kind == "OUTCOME":
                told = decode_outcome(data)
                return encode_outcome(told._replace(slot=self.number(told.slot)))
            if kind == INPUTS:
                packet = read_inputs(data)
                assert packet is not None
                start = packet.start_frame + self.dice.choice((-1, 1, 1 << 24, -(1 << 24)))
                return rbn1.encode(packet._replace(start_frame=start & LAST), rbn1.ALL_EXTENSIONS)
        except (DecodeError, AssertionError, ValueError):
            pass
        # The number of a match or of a peer is the next byte in all others, that of a slot or frame the next four.
        changed = bytearray(data)
        if len(changed) > 1:
            changed[1] = (changed[1] + self.dice.choice((1, 2, 255))) % 256
        return bytes(changed)

    def _renumbered_item(self, data: bytes) -> bytes:
        item = decode_item(data)
        if item.signatures[0].peer_id != self.session.peer_id:
            return data
        if item.kind == MessageKind.CONSENT:
            given = decode_consent(item.body)
            return self.item(item.kind, encode_consent(given._replace(slot=self.number(given.slot))))
        said = decode_statement(item.body, self.input_size)
        return self.item(item.kind, encode_statement(said._replace(slot=self.number(said.slot)), self.input_size))

    def broken(self, data: bytes) -> bytes:
        """The same, but invalid: a bit turned over, cut short, or longer; of statements often in another's name."""
        if data[0] == MessageKind.STATEMENT and self.dice.random() < 0.5:
            return self.in_anothers_name()
        at, way = self.dice.randrange(len(data)), self.dice.randrange(3)
        if way == 0:
            return data[:at] + bytes((data[at] ^ 1 << self.dice.randrange(8),)) + data[at + 1 :]
        return data[: max(at, 1)] if way == 1 else data + self.dice.randbytes(4)


# Changes of a statement.


def _another_stop(draws: Draws, said: Statement) -> Statement:
    return said._replace(stop=draws.dice.choice((0, max(said.stop - 30, 0), min(said.stop + 2000, LAST), LAST)))


def _another_pause(draws: Draws, said: Statement) -> Statement:
    return said._replace(wishes=said.wishes._replace(pause=not said.wishes.pause))


def _another_wish(draws: Draws, said: Statement) -> Statement:
    wishes = said.wishes
    choices = (
        wishes._replace(pause=not wishes.pause),
        wishes._replace(rematch=None if wishes.rematch is not None else draws.seats()),
        wishes._replace(resync=None if wishes.resync is not None else _offered(draws)),
        Wishes(True, (), _offered(draws)),
        Wishes(),
    )
    return said._replace(wishes=draws.dice.choice(choices))


def _offered(draws: Draws) -> OfferedState:
    known = [wishes.resync for wishes in draws.inside.membership.wishes.values() if wishes.resync is not None]
    offered: OfferedState = draws.dice.choice((*known, OfferedState(draws.peer_id(), *draws.header())))
    return offered


def _another_newcomer(draws: Draws, said: Statement) -> Statement:
    if said.newcomer is not None and draws.dice.random() < 0.5:
        return said._replace(newcomer=None)
    truth = said.newcomer or ReadyNewcomer(draws.peer_id(), draws.terms())
    lies = (truth._replace(terms=draws.terms()), truth._replace(peer_id=draws.peer_id()))
    return said._replace(newcomer=draws.dice.choice(lies))


def _another_unheard(draws: Draws, said: Statement) -> Statement:
    if said.unheard and draws.dice.random() < 0.5:
        return said._replace(unheard=said.unheard[1:])
    named = dict(said.unheard)
    named.update((peer_id, draws.dice.randrange(256)) for peer_id in draws.peer_ids() if peer_id != said.author)
    return said._replace(unheard=tuple(sorted(named.items())))


def _another_tail(draws: Draws, said: Statement) -> Statement:
    tails = said.tails or (Tail(draws.players()[0], draws.frame() % 100_000 + 12, draws.inputs(12)),)
    tail = draws.dice.choice(tails)
    more = draws.dice.choice((1, 3, 12, 40))
    lies = (
        tail._replace(inputs=tuple(value ^ 1 for value in tail.inputs)),
        tail._replace(missing=tail.missing + more, inputs=(*tail.inputs, *(7,) * more)),
        tail._replace(missing=max(tail.missing - more, 0), inputs=tail.inputs[: max(len(tail.inputs) - more, 0)]),
        tail._replace(inputs=()),
        Tail(tail.player, 0, ()),
        tail._replace(missing=1 << 30, inputs=(7,)),
    )
    lie = draws.dice.choice(lies)
    others = tuple(each for each in tails if each.player != tail.player)
    return said._replace(tails=draws.dice.choice(((*others, lie), others)))


def _leaving(draws: Draws, said: Statement) -> Statement:
    own = tuple(Tail(player, said.stop, draws.inputs(12)[: said.stop]) for player in draws.session.local_players)
    return said._replace(leaves="bye", tails=own if draws.dice.random() < 0.5 else said.tails)


def _another_slot(draws: Draws, said: Statement) -> Statement:
    if draws.dice.random() < 0.3:
        return said._replace(history=draws.dice.randbytes(HASH_SIZE))
    return said._replace(slot=draws.number(said.slot))


_CHANGES: tuple[Callable[[Draws, Statement], Statement], ...] = (
    _another_stop,
    _another_stop,
    _another_pause,
    _another_pause,
    _another_wish,
    _another_newcomer,
    _another_unheard,
    _another_unheard,
    _another_tail,
    _another_tail,
    _leaving,
    _another_slot,
)


# Messages of each kind, unasked.


def _application(draws: Draws) -> bytes:
    return bytes((MessageKind.APPLICATION,)) + draws.dice.randbytes(draws.dice.choice((0, 1, 60, 3000)))


def _roster(draws: Draws) -> bytes:
    return encode_roster(
        Roster(draws.peer_id(), draws.dice.randbytes(NONCE_SIZE), draws.dice.choice((2.5, 40.0)), draws.entries())
    )


def _statement(draws: Draws) -> bytes:
    if draws.dice.random() < 0.1:
        return draws.in_anothers_name()
    slot, history = draws.slot
    match = draws.inside.match
    frame = match.engine.frame if match is not None else 0
    said = draws.statement(Statement(slot, history, draws.session.peer_id, stop=frame + 30))
    return draws.item(MessageKind.STATEMENT, encode_statement(said, draws.input_size))


def _consent(draws: Draws) -> bytes:
    given = Consent(*draws.slot, draws.session.peer_id, draws.dice.randbytes(HASH_SIZE))
    return draws.item(MessageKind.CONSENT, encode_consent(given))


def _outcome(draws: Draws) -> bytes:
    slot, history = draws.slot
    own = encode_statement(Statement(slot, history, draws.session.peer_id), draws.input_size)
    return encode_outcome(ToldOutcome(slot, history, tuple(draws.peer_ids()), (own,)))


def _taken(draws: Draws) -> bytes:
    slot, history = draws.slot
    return encode_taken(Taken(slot, history, draws.frame(), draws.dice.randbytes(HASH_SIZE)))


def _welcome(draws: Draws) -> bytes:
    welcome = Welcome(
        sender=draws.peer_id(),
        peer_id=draws.peer_id(),
        token=draws.token(),
        disconnect_after=draws.dice.choice((2.5, 40.0)),
        seed=draws.word(),
        match=draws.match(),
        frame=draws.frame(),
        state=draws.header(),
        gone=draws.players(),
        entries=draws.entries(),
    )
    return encode_welcome(welcome)


def _state(draws: Draws) -> bytes:
    offset = draws.dice.choice((0, 0, 0, 1, 32768, LAST))
    return encode_chunk(Chunk(offset, draws.dice.randbytes(draws.dice.choice((0, 40, 9000))), draws.match()))


def _meet(draws: Draws) -> bytes:
    meet = Meet(draws.peer_id(), draws.players(), draws.frame(), draws.address(), draws.match(), key=draws.key())
    return encode_meet(meet)


def _feed(draws: Draws) -> bytes:
    return encode_feed(Feed(draws.frame(), draws.dice.randbytes(40), draws.entries()))


def _evidence(draws: Draws) -> bytes:
    """A timeline or a close-up of frames near the present one, with values that nobody has."""
    dice, match = draws.dice, draws.inside.match
    now = match.engine.frame if match is not None else 0
    first = max(now - dice.choice((20, 60, 4000)), 0)
    if dice.random() < 0.6:
        count = dice.choice((0, 10, 60, 4000))
        checksums = tuple(draws.word() for _ in range(count))
        alarm = dice.choice((None, first + count // 2, draws.frame()))
        if alarm is not None and alarm >= LAST:
            alarm = None
        timeline = Timeline(peer_id=draws.peer_id(), alarm=alarm, last_agreed=None, first=first, checksums=checksums)
        body, kind = encode_timeline(timeline), TIMELINE
    else:
        frame = max(first, 1)
        fields = tuple((f"f{each}", draws.word()) for each in range(dice.choice((1, 20, 400))))
        states = tuple(StateFields(frame=at, total=len(fields), fields=fields) for at in (frame - 1, frame))
        rows = tuple((0,) * draws.session.sim.num_players for _ in range(8))
        closeup = Closeup(peer_id=draws.peer_id(), frame=frame, first_input=first, inputs=rows, states=states)
        body, kind = encode_closeup(closeup), CLOSEUP
    part = next(iter(split_into_messages(kind, body)))
    return bytes((MessageKind.EVIDENCE, draws.match())) + part


def _list(draws: Draws) -> bytes:
    count = draws.dice.choice((0, 1, 3))
    return encode_list(tuple(RosterPeer(draws.peer_id(), draws.players(), draws.name(), b"") for _ in range(count)))


def _range(draws: Draws) -> bytes:
    """A range of its own, after its last one or anywhere, with true or with other inputs."""
    inside, match = draws.inside, draws.inside.match
    end = None if match is None else inside.signed_ranges._end
    if end is None:
        return bytes((MessageKind.RANGE,)) + draws.dice.randbytes(60)
    by = inside.signed_ranges.by(inside.peer_id, inside.local_players, match)
    first = draws.dice.choice((end, end, max(end - 20, 0), end + 300))
    count = draws.dice.choice((1, 10, 240))
    found = sign_range(inside.sign, by, first, draws.dice.randbytes(count * by.width))
    seen = [SeenRanges(peer_id, max(end - 40, 0), draws.dice.randbytes(SHORT)) for peer_id in draws.peer_ids()]
    return encode_range(InputRange(draws.match(), found, tuple(seen)))


def _signed(draws: Draws) -> bytes:
    """A range in the name of another, signed with its own key."""
    inside, match = draws.inside, draws.inside.match
    others = list(inside.peers.values())
    if match is None or not others or inside.public_key == NO_KEY:
        return bytes((MessageKind.SIGNED,)) + draws.dice.randbytes(60)
    named = draws.dice.choice(others)
    by = inside.signed_ranges.by(named.peer_id, named.players, match)
    inputs = bytes(by.width * 10)
    found = sign_range(inside.sign, by, max(match.engine.frame - draws.dice.choice((0, 60, 300)), 0), inputs)
    return encode_signed(Signed(match.number, named.peer_id, found, draws.dice.choice((b"", inputs))))


_RANDOM: dict[MessageKind, Callable[[Draws], bytes]] = {
    MessageKind.APPLICATION: _application,
    MessageKind.ROSTER: _roster,
    MessageKind.READY: lambda draws: encode_ready(draws.token()),
    MessageKind.START: lambda draws: encode_start(draws.word()),
    MessageKind.STATEMENT: _statement,
    MessageKind.WELCOME: _welcome,
    MessageKind.STATE: _state,
    MessageKind.MEET: _meet,
    MessageKind.JOINED: lambda draws: encode_joined(),
    MessageKind.CONSENT: _consent,
    MessageKind.DECIDED: lambda draws: encode_decided(draws.number(draws.slot[0])),
    MessageKind.OUTCOME: _outcome,
    MessageKind.CANCEL: lambda draws: encode_byte(MessageKind.CANCEL, draws.peer_id()),
    MessageKind.TAKEN: _taken,
    MessageKind.FEED: _feed,
    MessageKind.EVIDENCE: _evidence,
    MessageKind.ASK: lambda draws: encode_byte(MessageKind.ASK, draws.match()),
    MessageKind.PROFILE: lambda draws: encode_profile(
        Profile(draws.name(), draws.dice.randbytes(9), draws.dice.randbytes(16))
    ),
    MessageKind.LIST: _list,
    MessageKind.RETURN: lambda draws: encode_return(draws.peer_id(), draws.seat_token()),
    MessageKind.RANGE: _range,
    MessageKind.SIGNED: _signed,
}

_OTHERS: dict[str, Callable[[Draws, str, bytes], bytes]] = {
    "STATEMENT": Draws._other_item,
    "CONSENT": Draws._other_item,
    "RANGE": Draws._other_range,
    "OUTCOME": Draws._other_outcome,
    "TAKEN": Draws._other_taken,
    "WELCOME": Draws._other_welcome,
    "MEET": Draws._other_meet,
    INPUTS: Draws._other_packet,
    "WANT": Draws._other_payload,
    "PASS": Draws._other_payload,
}
