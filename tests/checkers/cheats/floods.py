"""Cheats that send too much: floods of everything, garbage, and what was sent before."""

from collections import deque
from collections.abc import Hashable, Iterable
from random import Random
from typing import Any

from retick.link import LinkEndpoint, Sealing
from retick.rollback.match.match import Match
from retick.rollback.session.inside import inside_of
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.connect import FROM_A_STATE, Reach, encode_call, encode_play, encode_watch
from retick.rollback.session.messages.join import LARGEST_STATE, StateHeader, encode_chunk, encode_resync
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.roster import TOKEN_SIZE
from retick.rollback.session.peer import Peer
from retick.rollback.session.session import RollbackSession
from tests.checkers.cheats.cheat import Cheat, Datagrams
from tests.checkers.cheats.random_messages import Draws, random_message

__all__ = ["FLOODS", "Knocks"]

REACH = Reach(12, 2)
A_FRAME = 8
"""Messages or payloads to each peer after each frame, in a flood of them."""
CHUNK = 32768
"""Bytes of one STATE."""
REMEMBERED = 400
"""What one that repeats itself keeps, to send it again."""
WANT, PASS = 0xF0, 0xF1
"""The first bytes of payloads by which inputs are asked for and passed on."""


def flooding(kind: MessageKind) -> type[Cheat]:
    """A cheat that sends one kind of message as fast as its links take it."""

    class Floods(Cheat):
        rule = f"a flood of {kind.name}"

        def act(self, match: Match, now: float) -> None:
            draws = Draws(self.session, self.dice)
            for peer in self.others:
                for _ in range(A_FRAME):
                    self.say(peer, random_message(kind, draws))

    return Floods


class FloodsOfLongMessages(Cheat):
    rule = "application messages of 60,000 bytes, without end"

    def act(self, match: Match, now: float) -> None:
        for peer in self.others:
            self.say(peer, bytes((MessageKind.APPLICATION,)) + bytes(60_000))


class FloodsOfAnnouncements(Cheat):
    rule = "announces states of 16 MiB, again and again"

    def act(self, match: Match, now: float) -> None:
        for peer in self.others:
            self.say(peer, encode_resync((match.number + 1) % 256, StateHeader(LARGEST_STATE, 1)))


class StreamsStates(Cheat):
    rule = "sends 16 MiB of a state that nobody asked for"

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._offsets: dict[int, int] = {}

    def act(self, match: Match, now: float) -> None:
        for peer in self.others:
            tap: Any = peer.connection
            offset = self._offsets.get(peer.peer_id)
            if offset is None:
                self.say(peer, encode_resync((match.number + 1) % 256, StateHeader(LARGEST_STATE, 1)))
                self._offsets[peer.peer_id] = 0
            elif tap.queued_bytes < 4 * CHUNK:
                self.say(peer, encode_chunk(offset, bytes(CHUNK)))
                self._offsets[peer.peer_id] = offset + CHUNK


class FloodsOfWants(Cheat):
    rule = "asks for everybody's inputs from frame 0 on, many times a frame"

    def act(self, match: Match, now: float) -> None:
        draws = Draws(self.session, self.dice)
        for peer in self.others:
            for player in range(self.session.sim.num_players):
                frame = self.dice.choice((0, draws.frame()))
                self.throw(peer, bytes((WANT, match.number, player)) + frame.to_bytes(4, "little"))


class PassesFalseInputs(Cheat):
    rule = "passes inputs of others on that they never sent"
    splits = True

    def act(self, match: Match, now: float) -> None:
        draws = Draws(self.session, self.dice)
        for peer in self.others:
            player = self.dice.choice(range(self.session.sim.num_players))
            head = bytes((PASS, match.number, player)) + draws.frame().to_bytes(4, "little")
            self.throw(peer, head + self.dice.randbytes(2 * 32))


class GarbagePayloads(Cheat):
    rule = "payloads that are no packets: random bytes, and packets with a bit turned over"
    splits = True

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        at, changed = self.dice.randrange(len(data)), bytearray(data)
        changed[at] ^= 1 << self.dice.randrange(8)
        return self.instead(data, self.dice.randbytes(self.dice.randrange(1, 300)), bytes(changed))


class GarbageDatagrams(Cheat):
    rule = "datagrams that are none: random bytes, and its own with a byte changed"
    splits = True

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        more: Datagrams = []
        for data, address in out:
            changed = bytearray(data)
            changed[self.dice.randrange(len(changed))] = self.dice.randrange(256)
            more += [(bytes(changed), address), (self.dice.randbytes(self.dice.randrange(1, 1400)), address)]
        self.broken += len(more)
        return out + more


class GarbageMessages(Cheat):
    rule = "messages of any kind with random bytes behind it"

    def act(self, match: Match, now: float) -> None:
        if self.dice.random() < 0.1:
            for peer in self.others:
                kind = self.dice.choice((*MessageKind, 0x30, 0xFF))
                self.say(peer, bytes((kind,)) + self.dice.randbytes(self.dice.randrange(60)))


class ReplaysDatagrams(Cheat):
    rule = "sends its own old datagrams again"

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._old: deque[tuple[bytes, Hashable]] = deque(maxlen=REMEMBERED)

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        again = [self.dice.choice(self._old) for _ in range(3)] if self._old else []
        self._old.extend(out)
        self.broken += len(again)
        return out + again


class ReplaysMessages(Cheat):
    rule = "sends its own old messages again, to anybody"
    needs_return = True
    least_peers = 4

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._old: deque[bytes] = deque(maxlen=REMEMBERED)

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        self._old.append(data)
        return (data,)

    def act(self, match: Match, now: float) -> None:
        if self._old and self.others and self.dice.random() < 0.1:
            self.say(self.dice.choice(self.others), self.dice.choice(self._old))


class ReplaysPayloads(Cheat):
    rule = "sends its own old payloads again"

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._old: deque[bytes] = deque(maxlen=REMEMBERED)

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        again = [self.dice.choice(self._old) for _ in range(2)] if self._old else []
        self._old.append(data)
        return self.instead(data, *again)


class RequestFlood:
    """Asks for connections of all kinds from an endpoint of its own, which no session knows."""

    def __init__(self, session: Any, sim: Any, dice: Random) -> None:
        self._session = session
        self._dice = dice
        known = (inside_of(session).link if isinstance(session, RollbackSession) else session._link).config
        sealing = Sealing(sealed=known.sealed, secret=known.secret)
        self._link = LinkEndpoint(link_config_for(sim, session.config, sealing), entropy=dice.randbytes)

    def receive(self, data: bytes, address: Hashable, now: float) -> None:
        self._link.receive_datagram(data, address, now=now)
        self._link.events()

    def datagrams(self, addresses: Iterable[Hashable], now: float) -> Datagrams:
        """New requests to these, and what the old ones have to send."""
        for address in addresses:
            if len(self._link.connections) < 40 and self._dice.random() < 0.3:
                known = inside_of(self._session).token if isinstance(self._session, RollbackSession) else b""
                token = known.ljust(TOKEN_SIZE, b"\0")
                call = encode_call(token, self._dice.randrange(256), REACH)
                watch = encode_watch(self._dice.choice((0, 5, 1 << 30, FROM_A_STATE)))
                data = self._dice.choice((call, watch, encode_play(REACH), b"", self._dice.randbytes(20)))
                self._link.dial(address, seats=self._dice.choice((0, 1, 1, 200)), data=data)
        self._link.handle_timeout(now=now)
        return self._link.datagrams_to_send(now=now)


class Knocks(Cheat):
    """Base class of cheats that ask others for connections, over and over."""

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._flood = RequestFlood(session, session.sim, dice)

    def addresses(self) -> list[Hashable]:
        """Who is asked."""
        raise NotImplementedError

    def received(self, data: bytes, address: Hashable, now: float) -> None:
        self._flood.receive(data, address, now)

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        more = self._flood.datagrams(self.addresses(), now)
        self.broken += len(more)
        return out + more


class FloodsOfRequests(Knocks):
    rule = "asks for connections of all kinds, many times a second"

    def addresses(self) -> list[Hashable]:
        return [peer.connection.address for peer in self.others if peer.connection is not None]


FLOODS: dict[str, type[Cheat]] = {
    "floods-application": flooding(MessageKind.APPLICATION),
    "floods-evidence": flooding(MessageKind.EVIDENCE),
    "floods-drop": flooding(MessageKind.DROP),
    "floods-long-messages": FloodsOfLongMessages,
    "floods-announcements": FloodsOfAnnouncements,
    "streams-states": StreamsStates,
    "floods-wants": FloodsOfWants,
    "floods-requests": FloodsOfRequests,
    "passes-false-inputs": PassesFalseInputs,
    "garbage-payloads": GarbagePayloads,
    "garbage-datagrams": GarbageDatagrams,
    "garbage-messages": GarbageMessages,
    "replays-datagrams": ReplaysDatagrams,
    "replays-messages": ReplaysMessages,
    "replays-payloads": ReplaysPayloads,
}
