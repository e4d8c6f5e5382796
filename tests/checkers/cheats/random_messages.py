"""A message of any kind with random fields that have the right shape: what a liar sends.

Fields are drawn near what is true (peers of this match, frames near the present one), because lies that are far from it
are refused by the first check, and near the edges of what a field can hold.
"""

from collections.abc import Callable
from random import Random
from typing import Any

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
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.decisions import Drop, Known, Pausing, encode_drop, encode_pause, encode_rematch
from retick.rollback.session.messages.join import (
    LARGEST_STATE,
    Feed,
    Meet,
    StateHeader,
    Welcome,
    encode_chunk,
    encode_feed,
    encode_joined,
    encode_meet,
    encode_resync,
    encode_welcome,
)
from retick.rollback.session.messages.kinds import MessageKind, encode_byte, encode_byte_and_number
from retick.rollback.session.messages.profile import Profile, encode_list, encode_profile, encode_return
from retick.rollback.session.messages.roster import (
    TOKEN_SIZE,
    Roster,
    RosterEntry,
    encode_ready,
    encode_roster,
    encode_start,
    pack_seats,
)
from retick.sim.contract import input_size_of

__all__ = ["Draws", "random_message"]

OFFSETS = (-5000, -300, -20, -1, 0, 1, 2, 15, 60, 200, 300, 5000, 1 << 24)
"""Frames from the present one."""
LAST = 0xFFFFFFFF


class Draws:
    """Random values of the kinds that messages have."""

    def __init__(self, session: Any, dice: Random) -> None:
        self.session = session
        self.dice = dice

    def frame(self) -> int:
        match = inside_of(self.session).match
        now = match.engine.frame if match is not None else 0
        return min(max(self.dice.choice((now + self.dice.choice(OFFSETS), 0, LAST, LAST >> 1)), 0), LAST)

    def peer_id(self) -> int:
        session = self.session
        known = [session.peer_id, *inside_of(session).peers, inside_of(session).newest_peer_id + 1, 254, 255, 0]
        return int(self.dice.choice(known)) % 256

    def peer_ids(self) -> frozenset[int]:
        """Some of the others, sometimes one that never was, seldom the liar itself."""
        ids = [*inside_of(self.session).peers]
        chosen = {peer_id for peer_id in ids if self.dice.random() < 0.5}
        return frozenset(chosen | ({self.peer_id()} if self.dice.random() < 0.3 else set()))

    def players(self) -> tuple[int, ...]:
        seats = range(self.session.sim.num_players)
        return tuple(seat for seat in seats if self.dice.random() < 0.3) or (self.dice.choice(seats),)

    def match(self) -> int:
        match = inside_of(self.session).match
        number = match.number if match is not None else 0
        return int(number + self.dice.choice((0, 0, 0, 1, 2, 255))) % 256

    def word(self) -> int:
        return self.dice.getrandbits(32)

    def token(self) -> bytes:
        return self.dice.choice(
            (inside_of(self.session).token.ljust(TOKEN_SIZE, b"\0"), self.dice.randbytes(TOKEN_SIZE))
        )

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

    def entries(self) -> tuple[RosterEntry, ...]:
        truth = inside_of(self.session).roster_entries(self.address())
        lies = [entry._replace(address=self.address()) for entry in truth if self.dice.random() < 0.7]
        if self.dice.random() < 0.3:
            lies.append(RosterEntry(self.peer_id(), self.players(), self.address()))
        return tuple(lies[:16]) or truth

    def inputs(self, most: int) -> tuple[int, ...]:
        bits = 8 * input_size_of(self.session.sim)
        return tuple(self.dice.getrandbits(bits) for _ in range(self.dice.randint(0, most)))


def _application(draws: Draws) -> bytes:
    return bytes((MessageKind.APPLICATION,)) + draws.dice.randbytes(draws.dice.choice((0, 1, 60, 3000)))


def _roster(draws: Draws) -> bytes:
    return encode_roster(Roster(draws.peer_id(), draws.token(), draws.entries()))


def _drop(draws: Draws) -> bytes:
    lost = draws.peer_ids()
    known = tuple(Known(player, draws.frame(), draws.inputs(12)) for player in draws.players())
    commits = [
        (draws.peer_id(), pack_seats(draws.players()), draws.frame()) for _ in range(draws.dice.choice((0, 1, 3)))
    ]
    drop = Drop(
        lost,
        known,
        tuple(commits),
        draws.match(),
        before=frozenset(peer_id for peer_id in lost if draws.dice.random() < 0.2),
        unheard=tuple((peer_id, draws.dice.randrange(256)) for peer_id in draws.peer_ids()),
        decided=tuple((player, draws.frame()) for player in draws.players() if draws.dice.random() < 0.3),
        serial=draws.dice.choice((0, draws.word() >> 16, draws.word())),
    )
    return encode_drop(drop, input_size_of(draws.session.sim))


def _welcome(draws: Draws) -> bytes:
    welcome = Welcome(
        sender=draws.peer_id(),
        peer_id=draws.peer_id(),
        token=draws.token(),
        seed=draws.word(),
        match=draws.match(),
        frame=draws.frame(),
        state=draws.header(),
        gone=draws.players(),
        entries=draws.entries(),
    )
    return encode_welcome(welcome)


def _state(draws: Draws) -> bytes:
    return encode_chunk(
        draws.dice.choice((0, 0, 0, 1, 32768, LAST)), draws.dice.randbytes(draws.dice.choice((0, 40, 9000)))
    )


def _meet(draws: Draws) -> bytes:
    return encode_meet(Meet(draws.peer_id(), draws.players(), draws.frame(), draws.address(), draws.match()))


def _feed(draws: Draws) -> bytes:
    return encode_feed(Feed(draws.frame(), draws.dice.randbytes(40), draws.entries()))


def _evidence(draws: Draws) -> bytes:
    """A timeline or a close-up of frames near the present one, with values that nobody has."""
    dice, match = draws.dice, inside_of(draws.session).match
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


def _profile(draws: Draws) -> bytes:
    return encode_profile(Profile(draws.name(), draws.dice.randbytes(9), draws.dice.randbytes(16)))


def _list(draws: Draws) -> bytes:
    count = draws.dice.choice((0, 1, 3))
    return encode_list(tuple(RosterPeer(draws.peer_id(), draws.players(), draws.name(), b"") for _ in range(count)))


def _id_message(kind: MessageKind) -> Callable[[Draws], bytes]:
    return lambda draws: encode_byte(kind, draws.peer_id())


def _id_and_frame(kind: MessageKind) -> Callable[[Draws], bytes]:
    return lambda draws: encode_byte_and_number(kind, draws.peer_id(), draws.frame())


_RANDOM: dict[MessageKind, Callable[[Draws], bytes]] = {
    MessageKind.APPLICATION: _application,
    MessageKind.ROSTER: _roster,
    MessageKind.READY: lambda draws: encode_ready(draws.token()),
    MessageKind.START: lambda draws: encode_start(draws.word()),
    MessageKind.DROP: _drop,
    MessageKind.WELCOME: _welcome,
    MessageKind.STATE: _state,
    MessageKind.MEET: _meet,
    MessageKind.JOINED: lambda draws: encode_joined(),
    MessageKind.PROPOSE: _id_and_frame(MessageKind.PROPOSE),
    MessageKind.PROMISE: _id_and_frame(MessageKind.PROMISE),
    MessageKind.COMMIT: _id_and_frame(MessageKind.COMMIT),
    MessageKind.CANCEL: _id_message(MessageKind.CANCEL),
    MessageKind.REMATCH: lambda draws: encode_rematch(draws.match(), draws.seats()),
    MessageKind.FEED: _feed,
    MessageKind.EVIDENCE: _evidence,
    MessageKind.RESYNC: lambda draws: encode_resync(draws.match(), draws.header()),
    MessageKind.PROFILE: _profile,
    MessageKind.LIST: _list,
    MessageKind.PAUSE: lambda draws: encode_pause(
        Pausing(draws.match(), draws.word(), draws.dice.randrange(4), draws.dice.random() < 0.7, draws.frame())
    ),
    MessageKind.RETURN: lambda draws: encode_return(draws.peer_id(), draws.seat_token()),
    MessageKind.ASK: lambda draws: encode_byte(MessageKind.ASK, draws.match()),
    MessageKind.RESYNCED: lambda draws: encode_byte_and_number(MessageKind.RESYNCED, draws.match(), draws.word()),
}


def random_message(kind: MessageKind, draws: Draws) -> bytes:
    """A message of this kind; of a kind without a row here, a peer id and a message of another kind."""
    make = _RANDOM.get(kind)
    if make is not None:
        return make(draws)
    inner = draws.dice.choice([other for other in _RANDOM if other is not kind])
    return bytes((kind, draws.peer_id())) + _RANDOM[inner](draws)
