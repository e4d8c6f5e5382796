"""Cheats that tell different peers different things. Without signatures nobody can prove which was said."""

from collections.abc import Iterable
from random import Random
from typing import Any

from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import Kind, decode_byte_and_number, encode_byte_and_number
from retick.rollback.session.peer import Peer
from retick.testing.cheats.cheat import Cheat, read_inputs
from retick.testing.cheats.deceit import Lies, LiesWhileOneJoins
from retick.wire import rbn1

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
        if packet is None or peer.peer_id % 2 or match is None:
            return (data,)
        if self._from is None:
            self._from = match.engine.local_frontier
        start, seats = packet.start_frame & FRAMES, packet.seats
        inputs = tuple(
            value ^ 1 if start + at // seats >= self._from else value for at, value in enumerate(packet.inputs)
        )
        return self.instead(rbn1.encode(packet._replace(inputs=inputs), rbn1.ALL_EXTENSIONS))


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
    kind = Kind.COMMIT
    hosts = splits = True

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        peer_id, frame = decode_byte_and_number(data)
        return (encode_byte_and_number(Kind.COMMIT, peer_id, frame + peer.peer_id),)


class TwoPromises(LiesWhileOneJoins):
    rule = "CANCEL and PROMISE for the same newcomer"
    kind = Kind.PROMISE
    never_hosts = True

    def lies(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return data, bytes((Kind.CANCEL, data[1])), data


EQUIVOCATIONS: dict[str, type[Cheat]] = {
    "two-inputs": TwoInputs,
    "changes-its-mind": ChangesItsMind,
    "two-checksums": TwoChecksums,
    "two-drops": TwoDrops,
    "two-commits": TwoCommits,
    "two-promises": TwoPromises,
}
