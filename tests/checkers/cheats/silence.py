"""Cheats that keep quiet: inputs, acknowledgements, answers, or everything towards one peer."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from retick.link.layout import CONTROL
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer
from retick.testing.scenarios import limits_around
from retick.wire import rbn1
from tests.checkers.cheats.cheat import Cheat, Datagrams, kind_of, read_inputs

__all__ = ["SILENCES", "withholding"]

SAID_BY_HOSTS = (
    MessageKind.ROSTER,
    MessageKind.START,
    MessageKind.WELCOME,
    MessageKind.STATE,
    MessageKind.MEET,
    MessageKind.PROPOSE,
    MessageKind.COMMIT,
    MessageKind.CANCEL,
    MessageKind.LIST,
)
"""Kinds that only a host or a sponsor sends, or mostly."""
DRIP_SECONDS = 1.0
"""Between two packets of one that sends its inputs in drips."""


class WithholdsAcknowledgements(Cheat):
    rule = "acknowledges none of the inputs that it receives"

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._frozen: dict[int, int] = {}

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        packet = read_inputs(data)
        if packet is None:
            return (data,)
        ack = self._frozen.setdefault(peer.peer_id, packet.ack_frame)
        return self.instead(rbn1.encode(packet._replace(ack_frame=ack), rbn1.ALL_EXTENSIONS))


class PlaysBlind(WithholdsAcknowledgements):
    rule = "acknowledges no inputs, and plays on without those that it is not sent again"

    @classmethod
    def settings(cls, config: MatchConfig) -> MatchConfig:
        return replace(config, prediction_window=8000, **limits_around(8192))


class WithholdsLinkReports(Cheat):
    rule = "acknowledges no reliable message, and sends none: only payloads leave"

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        kept = [(data, address) for data, address in out if data[0] != CONTROL]
        self.broken += len(out) - len(kept)
        return kept


class SendsNoInputs(Cheat):
    rule = "sends no inputs, while its link is alive"

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.withheld() if read_inputs(data) is not None else (data,)


class SendsNoPayloads(Cheat):
    rule = "sends no payload of any kind, while its link is alive"

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.withheld()


class SendsNoInputsToOne(Cheat):
    rule = "sends no inputs to one peer, and plays with the others"
    least_peers = 3

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.withheld() if peer is self.victim and read_inputs(data) is not None else (data,)


class SilentToOne(Cheat):
    rule = "sends nothing at all to one peer, and plays with the others"
    least_peers = 3

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._address: object = None

    def act(self, match: Match, now: float) -> None:
        victim = self.victim
        if self._address is None and victim is not None and victim.connection is not None:
            self._address = victim.connection.address

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        kept = [(data, address) for data, address in out if address != self._address]
        self.broken += len(out) - len(kept)
        return kept


class SendsInputsInDrips(Cheat):
    rule = "sends one packet of inputs in a second: the others wait again and again"

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._next: dict[int, float] = {}

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        now: float = self.session.time
        if read_inputs(data) is None:
            return (data,)
        if now < self._next.get(peer.peer_id, 0.0):
            return self.withheld()
        self._next[peer.peer_id] = now + DRIP_SECONDS
        return (data,)


def withholding(kind: MessageKind, *, from_one: bool = False) -> type[Cheat]:
    """A cheat that never sends one kind of message, or not to one of the others."""

    class Withholds(Cheat):
        rule = f"never sends {kind.name}{' to one peer' if from_one else ''}"
        needs_return = kind not in (
            MessageKind.ROSTER,
            MessageKind.READY,
            MessageKind.START,
            MessageKind.LIST,
            MessageKind.FORWARD,
            MessageKind.ASK,
        )
        needs_cut = kind is MessageKind.FORWARD
        needs_resync = kind is MessageKind.ASK
        in_lobby = kind in (
            MessageKind.ROSTER,
            MessageKind.READY,
            MessageKind.START,
            MessageKind.PROFILE,
            MessageKind.LIST,
        )
        hosts = kind in SAID_BY_HOSTS
        never_hosts = kind is MessageKind.PROMISE
        roles = ("newcomer",) if kind is MessageKind.JOINED else ("player",)
        least_peers = 2 if in_lobby else 4

        def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
            is_for_it = not from_one or peer is self.victim
            return self.withheld() if kind_of(data) is kind and is_for_it else (data,)

    return Withholds


NEVER_ASKED_FOR = (
    MessageKind.SIGNED,
    MessageKind.APPLICATION,
    MessageKind.FEED,
    MessageKind.EVIDENCE,
    MessageKind.REMATCH,
    MessageKind.RESYNC,
    MessageKind.RESYNCED,
    MessageKind.RETURN,
    MessageKind.PAUSE,
)
"""Kinds that only an application's wish brings about: to withhold them says no more than not to wish."""
SENT_TO_ALL = (MessageKind.DROP, MessageKind.MEET, MessageKind.PROPOSE, MessageKind.COMMIT, MessageKind.ROSTER)
"""Kinds that a peer could keep from one of the others."""

SILENCES: dict[str, type[Cheat]] = {
    "withholds-acknowledgements": WithholdsAcknowledgements,
    "plays-blind": PlaysBlind,
    "withholds-link-reports": WithholdsLinkReports,
    "no-inputs": SendsNoInputs,
    "no-payloads": SendsNoPayloads,
    "no-inputs-to-one": SendsNoInputsToOne,
    "silent-to-one": SilentToOne,
    "inputs-in-drips": SendsInputsInDrips,
    **{f"withholds-{kind.name.lower()}": withholding(kind) for kind in MessageKind if kind not in NEVER_ASKED_FOR},
    **{f"withholds-{kind.name.lower()}-from-one": withholding(kind, from_one=True) for kind in SENT_TO_ALL},
}
