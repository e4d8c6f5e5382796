"""Cheats that tell different peers different things; who signs both can be proved to have lied."""

from collections.abc import Iterable
from random import Random
from typing import Any

from retick.rollback.desync.equivocation import sign_range
from retick.rollback.match.match import Match
from retick.rollback.session.messages.forward import Signed, decode_range, encode_range, encode_signed
from retick.rollback.session.messages.kinds import MessageKind, decode_byte_and_number, encode_byte_and_number
from retick.rollback.session.peer import Peer
from retick.rollback.session.signing import inputs_of
from retick.sim.contract import input_size_of
from retick.wire import rbn1
from tests.checkers.cheats.cheat import Cheat, kind_of, read_inputs
from tests.checkers.cheats.deceit import Lies, LiesWhileOneJoins

__all__ = ["EQUIVOCATIONS"]

FRAMES = 0xFFFFFF


class TwoInputs(Cheat):
    rule = "other inputs to half of the peers"
    splits = True
    least_peers = 3

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._from: int | None = None
        """The first frame whose inputs differ."""

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        packet, match = read_inputs(data), self.inside.match
        if packet is None or not self.is_told_otherwise(peer) or match is None:
            return (data,)
        if self._from is None:
            self._from = match.engine.local_frontier
        start, seats = packet.start_frame & FRAMES, packet.seats
        inputs = tuple(
            value ^ 1 if self.changes(start + at // seats) else value for at, value in enumerate(packet.inputs)
        )
        return self.instead(rbn1.encode(packet._replace(inputs=inputs), rbn1.ALL_EXTENSIONS))

    def changes(self, frame: int) -> bool:
        """Whether the inputs of a frame are not the same for all."""
        return self._from is not None and frame >= self._from

    def is_told_otherwise(self, peer: Peer) -> bool:
        """Whether this peer gets the other inputs."""
        return not peer.peer_id & 1


class SignsBoth(TwoInputs):
    rule = "other inputs to one of the peers, and signs for each what it was sent"

    def is_told_otherwise(self, peer: Peer) -> bool:
        return peer is self.victim

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        match = self.inside.match
        if (
            kind_of(data) != MessageKind.RANGE
            or not self.is_told_otherwise(peer)
            or match is None
            or self._from is None
        ):
            return (data,)
        message, inside = decode_range(data), self.inside
        found = message.range
        by = inside.signed_ranges.by(inside.peer_id, inside.local_players, match)
        told = bytearray(inputs_of(match, inside.local_players, found.first, found.end))
        size = input_size_of(match.sim)
        for at in range(0, len(told), size):
            told[at] ^= self.changes(found.first + at // by.width)
        signed = sign_range(inside.sign, by, found.first, bytes(told))
        return self.instead(encode_range(message._replace(range=signed)))


class SignsOthers(Cheat):
    rule = "signs other inputs than it sends"
    least_peers = 3

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data) != MessageKind.RANGE or self.inside.match is None:
            return (data,)
        message, inside = decode_range(data), self.inside
        by = inside.signed_ranges.by(inside.peer_id, inside.local_players, inside.match)
        signed = sign_range(inside.sign, by, message.range.first, bytes(message.range.frames * by.width))
        return self.instead(encode_range(message._replace(range=signed)))


class SignsNothing(Cheat):
    rule = "signs none of its inputs"
    least_peers = 3

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.withheld() if kind_of(data) == MessageKind.RANGE else (data,)


class ForgesSignatures(Cheat):
    rule = "shows ranges of others that they did not sign"
    least_peers = 3

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        others = [other for other in self.others if other is not peer]
        match = self.inside.match
        if kind_of(data) != MessageKind.RANGE or not others or match is None:
            return (data,)
        victim = self.dice.choice(others)
        by = self.inside.signed_ranges.by(victim.peer_id, victim.players, match)
        message = decode_range(data)
        forged = sign_range(self.inside.sign, by, message.range.first, bytes(message.range.frames * by.width))
        return self.instead(data, encode_signed(Signed(match.number, victim.peer_id, forged, b"")))


class ChangesItsMind(Cheat):
    rule = "other inputs for frames that it has sent inputs for"
    splits = True

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        packet = read_inputs(data)
        if packet is None or self.dice.random() < 0.8:
            return (data,)
        return self.instead(
            data, rbn1.encode(packet._replace(inputs=tuple(value ^ 1 for value in packet.inputs)), rbn1.ALL_EXTENSIONS)
        )


class TwoChecksums(Cheat):
    rule = "a false checksum to one peer, and true ones to the others"
    least_peers = 3

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        packet = read_inputs(data)
        if packet is None or packet.checksum is None or peer is not self.victim:
            return (data,)
        return self.instead(rbn1.encode(packet._replace(checksum=packet.checksum ^ 1), rbn1.ALL_EXTENSIONS))


class TwoDrops(Lies):
    rule = "names other peers as lost to each peer"
    least_peers = 4

    def lie(self, match: Match) -> None:
        for peer in self.others:
            rest = [other.peer_id for other in self.others if other is not peer]
            self.say_drop([peer], match, [self.dice.choice(rest)] if rest else [])


class TwoCommits(LiesWhileOneJoins):
    rule = "COMMIT with another frame to each peer"
    kind = MessageKind.COMMIT
    hosts = splits = True

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        peer_id, frame = decode_byte_and_number(data)
        return (encode_byte_and_number(MessageKind.COMMIT, peer_id, frame + peer.peer_id),)


class TwoPromises(LiesWhileOneJoins):
    rule = "CANCEL and PROMISE for the same newcomer"
    kind = MessageKind.PROMISE
    never_hosts = True

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return data, bytes((MessageKind.CANCEL, data[1])), data


EQUIVOCATIONS: dict[str, type[Cheat]] = {
    "two-inputs": TwoInputs,
    "signs-both": SignsBoth,
    "signs-others": SignsOthers,
    "signs-nothing": SignsNothing,
    "forges-signatures": ForgesSignatures,
    "changes-its-mind": ChangesItsMind,
    "two-checksums": TwoChecksums,
    "two-drops": TwoDrops,
    "two-commits": TwoCommits,
    "two-promises": TwoPromises,
}
