"""Cheats that lie: in each kind of message, in the fields of input packets, and about the clock."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from retick.link import Reason
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.session.messages.decisions import Drop, Known, encode_drop
from retick.rollback.session.messages.join import Meet, StateHeader, encode_chunk, encode_meet, encode_resync
from retick.rollback.session.messages.kinds import MessageKind, decode_byte_and_number, encode_byte_and_number
from retick.rollback.session.messages.roster import pack_seats
from retick.rollback.session.peer import Peer
from retick.sim.contract import input_size_of
from retick.testing.scenarios import limits_around
from retick.wire import rbn1
from tests.checkers.cheats.cheat import Cheat, kind_of, read_inputs
from tests.checkers.cheats.random_messages import Draws, random_message

__all__ = ["DECEITS", "lying_in"]

FRAMES_AHEAD = 1200
"""How far ahead of the present frame one that runs ahead sends inputs."""
FIRST_SERIAL = 1000
"""Of a DROP that is a lie: higher than those of its session's own."""
Commits = tuple[tuple[int, int, int], ...]


class Lies(Cheat):
    """Base class: something untrue to somebody about three times a second."""

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._serial = FIRST_SERIAL

    def act(self, match: Match, now: float) -> None:
        if self.others and self.dice.random() < 0.05:
            self.lie(match)

    def lie(self, match: Match) -> None:
        """Send it."""
        raise NotImplementedError

    def say_to_some(self, message: bytes) -> None:
        """To one of the others, or to all."""
        all_of_them = self.others
        for peer in all_of_them if self.dice.random() < 0.5 else [self.dice.choice(all_of_them)]:
            self.say(peer, message)

    def say_drop(
        self,
        peers: Iterable[Peer],
        match: Match,
        lost: Iterable[int],
        commits: Commits = (),
        known: tuple[Known, ...] = (),
    ) -> None:
        """A DROP that is newer than all before it, and names these as lost and no longer heard."""
        self._serial += 1
        named = frozenset(lost)
        drop = Drop(
            named,
            known=known,
            commits=commits,
            match=match.number,
            unheard=tuple((peer_id, int(Reason.TIMEOUT)) for peer_id in sorted(named)),
            serial=self._serial,
        )
        for peer in peers:
            self.say(peer, encode_drop(drop, input_size_of(self.session.sim)))


def lying_in(kind: MessageKind) -> type[Cheat]:
    """A cheat whose messages of one kind have random fields, and who sends them unasked."""

    class LiesIn(Lies):
        rule = f"{kind.name} with fields that are not true"
        needs_return = kind not in (MessageKind.APPLICATION, MessageKind.ROSTER, MessageKind.READY, MessageKind.START)
        in_lobby = kind in (
            MessageKind.ROSTER,
            MessageKind.READY,
            MessageKind.START,
            MessageKind.PROFILE,
            MessageKind.LIST,
        )
        splits = kind in (
            MessageKind.START,
            MessageKind.COMMIT,
            MessageKind.WELCOME,
            MessageKind.MEET,
            MessageKind.STATE,
        )

        def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
            if kind_of(data) is not kind or self.dice.random() < 0.3:
                return (data,)
            return self.instead(random_message(kind, Draws(self.session, self.dice)))

        def lie(self, match: Match) -> None:
            self.say_to_some(random_message(kind, Draws(self.session, self.dice)))

    return LiesIn


class DropsEverybody(Lies):
    rule = "says of each other peer that it is lost"

    def lie(self, match: Match) -> None:
        named = self.dice.choice(self.others)
        rest = [peer for peer in self.others if peer is not named]
        self.say_drop(rest if self.dice.random() < 0.5 else self.others, match, [named.peer_id])


class DropsAllAtOnce(Lies):
    rule = "tells each peer that all the others are lost"
    least_peers = 3

    def lie(self, match: Match) -> None:
        for peer in self.others:
            self.say_drop([peer], match, [other.peer_id for other in self.others if other is not peer])


class SetsTwoAgainstEachOther(Lies):
    rule = "tells two peers that they have lost each other"
    least_peers = 3

    def lie(self, match: Match) -> None:
        if len(self.others) > 1:
            first, second = self.dice.sample(self.others, 2)
            self.say_drop([first], match, [second.peer_id])
            self.say_drop([second], match, [first.peer_id])


class ClaimsCommits(Lies):
    rule = "a DROP with newcomers that never became players"
    needs_return = True
    least_peers = 4

    def lie(self, match: Match) -> None:
        draws = Draws(self.session, self.dice)
        commits = tuple((draws.peer_id(), pack_seats(draws.players()), draws.frame()) for _ in range(3))
        self.say_drop(self.others, match, [], commits=commits)


class ChangesItsDrops(Lies):
    rule = "DROP with a lost peer, with claims that are never shown, and without it, in turn"
    needs_return = True
    least_peers = 3

    def lie(self, match: Match) -> None:
        agreement = self.inside.drop_agreement
        lost = agreement.lost if self.dice.random() < 0.5 else ()
        ahead = self.dice.choice((1, 40, 400))
        known = tuple(
            Known(player, match.engine.first_missing(player) + ahead, ()) for player in agreement.undecided_players()
        )
        self.say_drop(self.others, match, lost, known=known if lost else ())


class MeetsNobody(Lies):
    rule = "MEET from one that is not the sponsor, or for nobody"

    def lie(self, match: Match) -> None:
        seats = self.session.gone or self.session.local_players
        new = self.inside.newest_peer_id + self.dice.choice((1, 1, 5))
        self.say_to_some(encode_meet(Meet(new % 256, seats, match.engine.frame, "nowhere", match.number)))


class LiesWhileOneJoins(Cheat):
    """Base class of cheats that send something else in place of one kind of message, while somebody comes in."""

    kind: ClassVar[MessageKind]
    needs_return = True
    least_peers = 4
    roles = ("player",)

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.instead(*self.lies(peer, data)) if kind_of(data) is self.kind else (data,)

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        raise NotImplementedError


class PromisesAbsurdFrames(LiesWhileOneJoins):
    rule = "PROMISE of a frame that is far away"
    kind = MessageKind.PROMISE
    never_hosts = True

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        peer_id, frame = decode_byte_and_number(data)
        history = self.session.config.history
        absurd = self.dice.choice((0, frame + history, frame + 2 * history - 20, frame + 4000, 0xFFFFFFFF))
        return (encode_byte_and_number(MessageKind.PROMISE, peer_id, min(absurd, 0xFFFFFFFF)),)


class CommitsTwice(LiesWhileOneJoins):
    rule = "COMMIT twice, with different frames"
    kind = MessageKind.COMMIT
    hosts = splits = True

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        peer_id, frame = decode_byte_and_number(data)
        return data, encode_byte_and_number(MessageKind.COMMIT, peer_id, frame + self.dice.choice((-1, 1, 20)))


class SendsStatesUnasked(Lies):
    rule = "RESYNC and STATE that nobody asked for"

    def lie(self, match: Match) -> None:
        match_state = match.engine.state_at(match.engine.final_state_frame)
        packed = self.session.sim.pack_state(match_state)
        if self.dice.random() < 0.5:
            packed = self.dice.randbytes(len(packed))
        checksum = self.session.sim.checksum(match_state) & 0xFFFFFFFF
        peer = self.dice.choice(self.others)
        self.say(peer, encode_resync((match.number + 1) % 256, StateHeader(len(packed), checksum)))
        self.say(peer, encode_chunk(0, packed))


class FalseChecksums(Cheat):
    rule = "checksums that no state has"

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        packet = read_inputs(data)
        if packet is None or packet.checksum is None or self.dice.random() < 0.5:
            return (data,)
        return self.instead(rbn1.encode(packet._replace(checksum=packet.checksum ^ 0x5A5A), rbn1.ALL_EXTENSIONS))


class FalseLeads(Cheat):
    rule = "leads and frames in the time sync block that are not its own"

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        packet = read_inputs(data)
        if packet is None or packet.time_sync is None:
            return (data,)
        sync = rbn1.TimeSync(self.dice.getrandbits(16), self.dice.choice((-32768, 32767)))
        return self.instead(rbn1.encode(packet._replace(time_sync=sync), rbn1.ALL_EXTENSIONS))


class RunsFast(Cheat):
    rule = "plays with a clock that is four times too fast, and a prediction window as long as its history"

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._offset: float | None = None

    @classmethod
    def settings(cls, config: MatchConfig) -> MatchConfig:
        return replace(config, prediction_window=2000, longest_catch_up=2.0, **limits_around(2048))

    def clock(self, now: float) -> float:
        if not self.session.is_cheating:
            return now
        if self._offset is None:
            self._offset = now
        self.broken += 1
        return self._offset + 4.0 * (now - self._offset)


class SendsInputsAhead(Cheat):
    """Its true inputs come too, and contradict."""

    rule = "inputs of frames that are far ahead, and ever more of them"
    splits = True

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._sent: dict[int, int] = {}

    def act(self, match: Match, now: float) -> None:
        top = match.number << 24
        for peer in self.others:
            first = self._sent.get(peer.peer_id, match.engine.local_frontier)
            if first < match.engine.frame + FRAMES_AHEAD:
                seats = len(self.session.local_players)
                packet = rbn1.InputPacket(top | first, top, (0,) * (32 * seats), input_size=2, seats=seats)
                self.throw(peer, rbn1.encode(packet, rbn1.ALL_EXTENSIONS))
                self._sent[peer.peer_id] = first + 32


DECEITS: dict[str, type[Cheat]] = {
    **{f"lies-in-{kind.name.lower()}": lying_in(kind) for kind in MessageKind},
    "drops-everybody": DropsEverybody,
    "drops-all-at-once": DropsAllAtOnce,
    "sets-two-against-each-other": SetsTwoAgainstEachOther,
    "claims-commits": ClaimsCommits,
    "changes-its-drops": ChangesItsDrops,
    "meets-nobody": MeetsNobody,
    "promises-absurd-frames": PromisesAbsurdFrames,
    "commits-twice": CommitsTwice,
    "sends-states-unasked": SendsStatesUnasked,
    "false-checksums": FalseChecksums,
    "false-leads": FalseLeads,
    "runs-fast": RunsFast,
    "inputs-ahead": SendsInputsAhead,
}
