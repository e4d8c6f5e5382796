"""Fuzzes sessions that play, that join and that watch: whatever a peer says to them, nothing raises, nobody honest is
blamed, and when that peer is gone they play on or have ended.

The bytes are a script. The first byte says who the liar is: a player, the host (who brings newcomers in), a host before
the match, or the source of a spectator. Each step then says something through a real link, so that the fuzzer is past
the handshake from the start: a genuine message with bytes changed, or a kind with any bytes behind it, or a stranger's
request to connect.
"""

import contextlib
import random
from typing import Any

from fuzz.target import script
from retick.errors import RetickError
from retick.games.scramble import Scramble
from retick.link import Accept, Connection, LinkEndpoint, Reason, ReliableReceived, Request
from retick.rollback.desync.equivocation import KEY_SIZE, SignedRange, keys_of
from retick.rollback.desync.evidence import TIMELINE, Timeline, encode_timeline, split_into_messages
from retick.rollback.events import PeerDisconnected, RosterPeer
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.agreement import TEXT
from retick.rollback.session.inside import inside_of
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages import connect, roster
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
    encode_consent,
    encode_decided,
    encode_item,
    encode_outcome,
    encode_statement,
    encode_taken,
)
from retick.rollback.session.messages.forward import (
    InputRange,
    PassedInputs,
    SeenRanges,
    Signed,
    WantedInputs,
    encode_pass,
    encode_range,
    encode_signed,
    encode_want,
)
from retick.rollback.session.messages.join import (
    Chunk,
    Feed,
    Meet,
    StateHeader,
    Welcome,
    encode_chunk,
    encode_feed,
    encode_joined,
    encode_meet,
    encode_welcome,
)
from retick.rollback.session.messages.kinds import MessageKind, encode_byte
from retick.rollback.session.messages.profile import Profile, encode_list, encode_profile, encode_return
from retick.rollback.session.messages.roster import MemberTerms, Reach, Roster, RosterEntry, roster_hash
from retick.rollback.session.session import Phase, RollbackSession
from retick.rollback.spectate.spectator import SpectatorSession
from retick.transport.simulated import MemoryHub
from retick.wire import rbn1

SIGN, KEY = keys_of(b"k" * KEY_SIZE)
"""With what the liar signs, and what proves it."""

__all__ = ["LIARS", "TARGETS", "Bench"]

GAME = Scramble(3)
CONFIG = MatchConfig(disconnect_after=0.5, end_when_alone=False)
TOKEN = b"fuzzfuzz"
REACH = Reach(12, 2)
LONGEST = 256
PATIENCE = 12.0
"""Seconds after which the honest peers must have gone on or ended."""
LIARS = PLAYER, HOST, EARLY_HOST, SOURCE = range(4)
STATE = GAME.initial_state(7)
PACKED = GAME.pack_state(STATE)
HEADER = StateHeader(len(PACKED), GAME.checksum(STATE) & 0xFFFFFFFF)
ENTRIES = tuple(RosterEntry(peer_id, (peer_id,), name) for peer_id, name in enumerate(("liar", "one", "two")))

SIGNED_RANGE = SignedRange(0, 10, bytes(32), bytes(64))


class Bench:
    """Two honest sessions, or one spectator, a liar that has links with them, and a stranger."""

    def __init__(self, liar: int) -> None:
        self.hub = MemoryHub()
        self.now = 0.0
        self.said = 0
        self.liar_is = liar
        seats = iter(((1,), (2,)))
        link = link_config_for(GAME, CONFIG)
        self.liar = LinkEndpoint(
            link,
            entropy=random.Random(1).randbytes,
            admit=lambda request: Accept(seats=next(seats, ()), data=connect.encode_acceptance(REACH, KEY)),
        )
        self.stranger = LinkEndpoint(link, entropy=random.Random(2).randbytes, admit=self._let_in)
        self.strange: Connection | None = None
        self.links: list[Connection] = []
        self.honest: dict[str, Any] = {}
        self.token = TOKEN
        self.hub.attach("liar", self.liar)
        self.hub.attach("stranger", self.stranger)
        if liar == SOURCE:
            self.honest["one"] = SpectatorSession(
                GAME, "liar", entropy=random.Random(3).randbytes, config=CONFIG, delay=2
            )
        elif liar == PLAYER:
            self.honest["one"] = self._session(3, None)
            self.honest["two"] = self._session(4, "one")
        else:
            self.honest["one"] = self._session(3, "liar")
            self.honest["two"] = self._session(4, "liar")
        for name, session in self.honest.items():
            self.hub.attach(name, session)
        self.turns(5)
        if liar == PLAYER:
            self.links = [self.liar.dial("one", data=connect.encode_play(REACH, key=KEY))]
            self._join()
        else:
            self.links = list(self.liar.connections.values())
        if liar == HOST:
            self._begin()

    @staticmethod
    def _let_in(request: Request) -> Accept:
        return Accept(data=connect.encode_acceptance(REACH, KEY))

    def _session(self, seed: int, host: str | None) -> RollbackSession:
        return RollbackSession(GAME, entropy=random.Random(seed).randbytes, config=CONFIG, host_address=host)

    def _join(self) -> None:
        told: list[bytes] = []
        while not told:
            told = [event.data for event in self.turn() if isinstance(event, ReliableReceived)]
            assert self.now < 5.0, "the liar was not let in"
        plan = roster.decode_roster(told[0])
        self.token = plan.token
        [two] = [entry for entry in plan.entries if entry.peer_id == 1]
        call = connect.encode_call(self.token, 2, REACH, two.pair_token, KEY)
        self.links.append(self.liar.dial("two", seats=0, data=call))
        while not all(link.is_connected for link in self.links):
            self.turn()
            assert self.now < 5.0, "the liar was not let in by all"
        self.links[0].send_reliable(roster.encode_ready(self.token))
        self._wait_for_the_match()

    def _begin(self) -> None:
        shown = [(KEY, REACH)]
        shown += [(_inside(session).public_key, _inside(session).own_reach) for session in self.honest.values()]
        entries = tuple(
            entry._replace(key=key, reach=reach) for entry, (key, reach) in zip(ENTRIES, shown, strict=True)
        )
        for peer_id, link in enumerate(self.links, 1):
            link.send_reliable(roster.encode_roster(Roster(peer_id, TOKEN, CONFIG.disconnect_after, entries)))
        self.turns(8)
        for link in self.links:
            link.send_reliable(roster.encode_start(7))
        self._wait_for_the_match()

    def _wait_for_the_match(self) -> None:
        while not all(session.running for session in self.honest.values()):
            self.turn()
            assert self.now < 5.0, "the match did not begin"

    def play_along(self) -> None:
        """Let the liar and the stranger send inputs and acknowledge others', so that the match goes on."""
        if self.liar_is == SOURCE:
            return
        for endpoint, pressed in ((self.liar, 1), (self.stranger, 0)):
            for link in endpoint.connections.values():
                match = getattr(_inside(self.honest.get(str(link.address))), "match", None)
                if match is not None and link.is_connected:
                    base, frame = match.number << 24, match.engine.frame
                    start = max(frame - 4, 0)
                    ack = max(match.engine.local_frontier - 1, 0)
                    packet = rbn1.InputPacket(base + start, base + ack, (pressed,) * 8, None, None)
                    link.send_unreliable(rbn1.encode(packet))

    def turn(self) -> list[Any]:
        self.now += 1 / 60
        self.play_along()
        self.hub.exchange(now=self.now)
        for name, session in self.honest.items():
            if session.due(now=self.now):
                session.advance(now=self.now) if self.liar_is == SOURCE else session.advance(1, now=self.now)
            self._check(name, session, session.events())
        self.stranger.events()
        return self.liar.events()

    def turns(self, count: int) -> None:
        for _ in range(count):
            self.turn()

    def _check(self, name: str, session: Any, events: list[Any]) -> None:
        if self.liar_is == SOURCE:
            return
        assert len(inside_of(session).peers) <= 16, "more peers than a match has"
        others = {
            other.peer_id
            for other in self.honest.values()
            if other is not session and inside_of(other).match is not None
        }
        for event in events:
            is_blame = isinstance(event, PeerDisconnected) and event.reason == Reason.VIOLATION
            assert not (is_blame and event.peer in others), f"{name} blames an honest peer: {event}"

    def genuine(self) -> list[bytes]:
        """Genuine messages that a peer in the liar's place could send now."""
        session = self.honest["one"]
        match = getattr(_inside(session), "match", None)
        frame, number = (match.engine.frame, match.number) if match is not None else (0, 0)
        newest = _newest(session)
        free = getattr(session, "gone", ()) or (2,)
        welcome = Welcome(
            0,
            9,
            TOKEN,
            CONFIG.disconnect_after,
            7,
            number,
            frame,
            HEADER,
            (),
            (ENTRIES[0], RosterEntry(4, (2,), "stranger")),
        )
        line = Timeline(
            peer_id=2 if self.liar_is == PLAYER else 0, alarm=frame, last_agreed=None, first=0, checksums=(1, 2, 3)
        )
        other = 1 if self.liar_is == PLAYER else 2
        ahead = (number + 1) % 256
        return [
            *self._of_the_agreement(other, newest, frame),
            encode_want(WantedInputs(number, other, frame)),
            encode_pass(PassedInputs(number, other, frame, (1, 2)), 2),
            encode_meet(Meet(newest + 1, free, frame, "stranger", number)),
            encode_byte(MessageKind.CANCEL, newest),
            encode_byte(MessageKind.ASK, ahead),
            encode_chunk(Chunk(0, PACKED)),
            encode_chunk(Chunk(0, PACKED, ahead)),
            bytes((MessageKind.EVIDENCE, number)) + next(split_into_messages(TIMELINE, encode_timeline(line))),
            roster.encode_roster(Roster(1, TOKEN, CONFIG.disconnect_after, ENTRIES)),
            roster.encode_start(7),
            encode_welcome(welcome),
            encode_feed(Feed(frame, bytes(12), ENTRIES)),
            encode_joined(),
            roster.encode_ready(self.token),
            bytes((MessageKind.APPLICATION,)) + b"hello",
            encode_profile(Profile("liar", b"red", bytes(16))),
            encode_return(other, bytes(16)),
            encode_range(InputRange(number, SIGNED_RANGE, (SeenRanges(other, 0, bytes(8)),))),
            encode_signed(Signed(number, other, SIGNED_RANGE, bytes(20))),
            encode_return(other, self.honest["one"].seat_token if self.liar_is == PLAYER else bytes(range(16))),
            encode_list((RosterPeer(0, (0,), "liar", b""), RosterPeer(other, (other,), "other", b"red"))),
        ]

    def _of_the_agreement(self, other: int, newest: int, frame: int) -> list[bytes]:
        """Messages of the agreement about its present slot, signed by the liar."""
        inside = _inside(self.honest["one"])
        agreement = inside.membership.agreement if inside is not None else None
        slot, history = (agreement.slot, agreement.history) if agreement is not None else (0, bytes(HASH_SIZE))
        own = 2 if self.liar_is == PLAYER else 0
        said = Statement(slot, history, own, stop=frame + 20)
        tail = Tail(other, frame + 2, (1, 2))
        ready = ReadyNewcomer(newest, MemberTerms((2,), KEY, REACH))
        statements = [
            said,
            said._replace(slot=slot + 1),
            said._replace(stop=1 << 31),
            said._replace(wishes=Wishes(pause=True)),
            said._replace(wishes=Wishes(rematch=())),
            said._replace(wishes=Wishes(rematch=(1, 2, 0))),
            said._replace(wishes=Wishes(resync=OfferedState(own, *HEADER))),
            said._replace(unheard=((other, 10),), tails=(tail,)),
            said._replace(newcomer=ready),
            said._replace(leaves="bye", tails=(tail._replace(player=own),)),
        ]
        bodies = [encode_statement(each, 2) for each in statements]
        consent = encode_consent(Consent(slot, history, own, bytes(HASH_SIZE)))
        roster_name = roster_hash(self.token, {own: MemberTerms((own,), KEY, REACH)}, CONFIG.disconnect_after)
        return [
            *(_signed(MessageKind.STATEMENT, own, body) for body in bodies),
            _signed(MessageKind.CONSENT, own, consent),
            encode_decided(slot),
            encode_outcome(ToldOutcome(slot, history, (other,), (bodies[0],))),
            encode_taken(Taken(slot + 1, history, frame + 30, roster_name)),
        ]

    def requests(self) -> list[bytes]:
        session = self.honest["one"]
        newest = _newest(session)
        return [
            connect.encode_play(REACH, key=KEY),
            connect.encode_watch(0),
            connect.encode_watch(connect.FROM_A_STATE),
            connect.encode_call(self.token, newest, REACH, key=KEY),
            connect.encode_call(self.token, newest + 1, REACH, key=KEY),
            connect.encode_call(TOKEN, 2, REACH, key=KEY),
        ]

    def say(self, way: int, data: bytes) -> None:
        """Send a message of the liar or the stranger, or a payload of the liar."""
        link = self.strange if way == 2 else self.links[way % len(self.links)]
        if link is None:
            return
        self.said += 1
        if way == 3:
            with contextlib.suppress(RetickError):
                link.send_unreliable(data[:1000])
        else:
            link.send_reliable(data[:4000])

    def dial(self, way: int, data: bytes) -> None:
        names = list(self.honest)
        if len(self.stranger.connections) < 20:
            self.said += 1
            self.strange = self.stranger.dial(names[way % len(names)], seats=way & 1 ^ 1, data=data[:64])

    def go_on(self, choice: int) -> None:
        """Let both applications do the same: play again, or go on from the state of one of them."""
        for session in self.honest.values() if self.liar_is != SOURCE else ():
            with contextlib.suppress(RetickError):
                session.rematch() if choice & 1 else session.resync(choice >> 1 & 3)

    def _agree_with_each_other(self) -> None:
        """Let the others ask for the same as an application that asked to go on, for which they rightly wait."""
        for wanted in [inside_of(session).resyncing._source for session in self.honest.values()]:
            for session in self.honest.values() if wanted is not None else ():
                with contextlib.suppress(RetickError):
                    session.resync(wanted)
        self.turns(30)

    def finish(self) -> None:
        """Check that without the liar and the stranger the others play on or have ended, and nobody waits forever."""
        self.liar.close()
        self.stranger.close()
        self.turns(60)
        if self.liar_is == SOURCE:
            return
        self._agree_with_each_other()
        frames = {name: session.frame for name, session in self.honest.items() if session.running}
        numbers = {name: inside_of(self.honest[name]).match.number for name in frames}
        end = self.now + PATIENCE
        for name, frame in frames.items():
            while not self._has_gone_on(name, frame, numbers[name]):
                self.turn()
                assert self.now < end, f"{name} waits for ever at frame {frame}"

    def _has_gone_on(self, name: str, frame: int, number: int) -> bool:
        session = self.honest[name]
        return session.phase is Phase.ENDED or session.frame > frame or inside_of(session).match.number != number

    def standing(self, session: Any) -> tuple[Any, ...]:
        """The state of a session, for the comparison of both forms."""
        if self.liar_is == SOURCE or inside_of(session).match is None:
            return (getattr(session, "phase", None),)
        engine = inside_of(session).match.engine
        return (session.phase, inside_of(session).match.number, engine.frame, GAME.checksum(engine.state))


def _inside(session: Any) -> Any:
    """The match of a player's session; None for a spectator, or without a session."""
    return inside_of(session) if isinstance(session, RollbackSession) else None


def _newest(session: Any) -> int:
    """The id that the next newcomer would be given."""
    inside = _inside(session)
    return 2 if inside is None else inside.joins.next_peer_id() or 2


def _signed(kind: MessageKind, own: int, body: bytes) -> bytes:
    """An item that the liar has signed as its author."""
    return encode_item(SignedItem(kind, (Signature(own, SIGN(TEXT + bytes((kind,)) + body)),), body))


def _spoil(message: bytes, changes: bytes) -> bytes:
    spoiled = bytearray(message)
    for at in range(0, len(changes) - 1, 2):
        spoiled[changes[at] % len(spoiled)] = changes[at + 1]
    return bytes(spoiled)


def run(data: bytes) -> tuple[int, str]:
    """Number of packets, and the state of the honest peers."""
    bench = Bench(data[0] % 4 if data else PLAYER)
    at = 1
    while at + 3 <= len(data) and at < LONGEST:
        operation, length, choice = data[at], data[at + 1] % 64, data[at + 2]
        body = data[at + 3 : at + 3 + length]
        at += 3 + length
        if operation & 32:
            requests = bench.requests()
            bench.dial(operation, _spoil(requests[choice % len(requests)], body) if operation & 4 else body)
        elif operation & 64:
            bench.go_on(choice)
        elif operation & 3 == 3 and operation & 4:
            frame = getattr(bench.honest["one"], "frame", 0) if bench.liar_is != EARLY_HOST else 0
            packet = rbn1.InputPacket(max(frame - 2, 0), max(frame - 2, 0), (1, 2, 3), None, None)
            bench.say(3, _spoil(rbn1.encode(packet), body))
        elif operation & 4:
            genuine = bench.genuine()
            bench.say(operation & 3, _spoil(genuine[choice % len(genuine)], body))
        else:
            bench.say(operation & 3, bytes((choice % (max(MessageKind) + 2),)) + body)
        bench.turns(10 if operation & 16 else operation >> 3 & 1)
    bench.finish()
    return bench.said, repr([(name, bench.standing(session)) for name, session in bench.honest.items()])


def _script(liar: int, *steps: tuple[int, ...]) -> bytes:
    return bytes((liar,)) + b"".join(bytes((step[0], len(step) - 2, *step[1:])) for step in steps)


CORPUS = (
    _script(PLAYER, (12, 0), (13, 0), (28, 7)),
    _script(PLAYER, (64, 1), (12, 7), (13, 7), (28, 8), (12, 9), (12, 10)),
    _script(PLAYER, (12, 11), (13, 11), (28, 18), (15, 0)),
    _script(PLAYER, (52, 1), (52, 2), (22, 18), (52, 4)),
    _script(HOST, (12, 0), (28, 0), (28, 2), (12, 3), (52, 4), (12, 5)),
    _script(HOST, (12, 2), (12, 3), (12, 5), (12, 6), (13, 2)),
    _script(HOST, (64, 0), (12, 8), (13, 8), (12, 9), (13, 9), (12, 10), (29, 10)),
    _script(EARLY_HOST, (12, 12), (12, 13), (28, 14)),
    _script(EARLY_HOST, (12, 14), (12, 9), (28, 5)),
    _script(SOURCE, (12, 14), (12, 9), (12, 15), (28, 15)),
    _script(SOURCE, (12, 14, 17, 255, 20, 127), (12, 9), (28, 15)),
)

TARGETS = (
    script(
        "endpoint/session",
        run,
        CORPUS,
        RollbackSession.receive_datagram,
        SpectatorSession.receive_datagram,
        guides=("rollback/session", "rollback/spectate", "rollback/desync"),
    ),
)
