"""Cheats that watch: a spectator that sends what no spectator sends, or never acknowledges what it gets."""

from collections.abc import Hashable
from random import Random
from typing import Any, ClassVar

from retick.link.layout import CONTROL
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.spectate.spectator import SpectatorSession
from tests.checkers.cheats.cheat import Cheat, Datagrams
from tests.checkers.cheats.floods import Knocks

__all__ = ["WATCHERS", "CheatingSpectator"]


class Watcher(Cheat):
    """Base class of spectators that cheat; of the hooks only those for datagrams are called."""

    roles: ClassVar[tuple[str, ...]] = ("spectator",)

    @property
    def connection(self) -> Any:
        return self.session.connection


class WatchesWithoutReports(Watcher):
    rule = "a spectator that acknowledges nothing"

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        kept = [(data, address) for data, address in out if data[0] != CONTROL or self.dice.random() < 0.02]
        self.broken += len(out) - len(kept)
        return kept


class WatchesAndTalks(Watcher):
    rule = "a spectator that sends messages of all kinds"

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        if self.dice.random() < 0.1:
            kind = self.dice.choice(tuple(MessageKind))
            self.broken += self.connection.send_reliable(bytes((kind,)) + self.dice.randbytes(self.dice.randrange(40)))
            self.connection.send_unreliable(self.dice.randbytes(40))
        return out


class WatchesAndKnocks(Watcher, Knocks):
    rule = "a spectator that asks for connections of all kinds, many times a second"

    def addresses(self) -> list[Hashable]:
        return [self.session.source]


class WatchesAndThrows(Watcher):
    rule = "a spectator that sends garbage"

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        more = [(self.dice.randbytes(self.dice.randrange(1, 1400)), self.session.source) for _ in range(4)]
        self.broken += len(more)
        return out + more


class CheatingSpectator(SpectatorSession):
    """A spectator's session with a cheat in it."""

    def __init__(self, sim: Any, address: Hashable, *, cheat: type[Cheat], dice: Random, **details: Any) -> None:
        super().__init__(sim, address, **details)
        self.sim = sim
        self.cheat = cheat(self, dice)

    @property
    def connection(self) -> Any:
        return self._connection

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        super().receive_datagram(data, address, now=now)
        self.cheat.received(bytes(data), address, now)

    def datagrams_to_send(self, *, now: float) -> Datagrams:
        return self.cheat.datagrams(super().datagrams_to_send(now=now), now)


WATCHERS: dict[str, type[Cheat]] = {
    "watches-without-reports": WatchesWithoutReports,
    "watches-and-talks": WatchesAndTalks,
    "watches-and-knocks": WatchesAndKnocks,
    "watches-and-throws": WatchesAndThrows,
}
