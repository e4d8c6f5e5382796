"""A session that speaks the real protocol and breaks rules: the base class of cheats, and where it reaches in.

Theory of operation. A cheat is played by a real :class:`RollbackSession` whose state stays honest; only what leaves it
is changed. There are three places for that. What a peer is sent goes through :class:`TappedConnection`, which stands in
front of the link's connection: messages and payloads can be withheld, replaced or doubled there. Datagrams can be
changed after the link has made them. And in each turn a cheat may send what no honest session would. Nothing else of a
session is touched, so cheats keep working when the protocol changes.
"""

from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import TYPE_CHECKING, Any

from retick.errors import RetickError
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import SessionInside, inside_of
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Phase
from retick.rollback.session.session import RollbackSession

__all__ = ["Cheat", "CheatingSession", "Datagrams"]

Datagrams = list[tuple[bytes, Hashable]]
LAST_WORDS = 0.05
"""Seconds in which the last messages of one that vanishes can still leave."""


class Cheat:
    """Breaks no rule. Every hook is optional."""

    in_lobby = False
    """Whether it cheats before its match begins, too."""

    def __init__(self, session: Any, dice: Random) -> None:
        self.session = session
        self.dice = dice
        self.broken = 0
        """How often a rule was broken."""

    def settings(self, config: MatchConfig) -> MatchConfig:
        """The settings of the cheat's own session, from when its match begins."""
        return config

    def clock(self, now: float) -> float:
        """The time that the cheat's own session is told."""
        return now

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        """What is sent to a peer in place of this message."""
        return (data,)

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        """What is sent to a peer in place of this payload."""
        return (data,)

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        """What leaves in place of these datagrams."""
        return out

    def received(self, data: bytes, address: Hashable, now: float) -> None:
        """A datagram came; the session has read it already."""

    def turn(self, now: float) -> None:
        """Before datagrams leave: send something more, or leave."""

    # For cheats.

    @property
    def inside(self) -> Any:
        """The inside of the cheat's own session; spectators have none."""
        return inside_of(self.session)

    @property
    def others(self) -> list[Peer]:
        """The peers with which there is a link."""
        return [peer for peer in self.inside.peers.values() if peer.is_connected]

    def say(self, peer: Peer, message: bytes) -> None:
        """Send a message past the tap."""
        tap: Any = peer.connection
        if isinstance(tap, TappedConnection) and tap.is_connected and tap.real.send_reliable(message):
            self.broken += 1

    def throw(self, peer: Peer, payload: bytes) -> None:
        """Send a payload past the tap."""
        tap: Any = peer.connection
        if isinstance(tap, TappedConnection) and tap.is_connected:
            tap.real.send_unreliable(payload)
            self.broken += 1


class TappedConnection:
    """A connection of the link; what is sent through it passes the cheat first."""

    __slots__ = ("cheat", "peer", "real")

    def __init__(self, real: Any, peer: Peer, session: "CheatingSession") -> None:
        object.__setattr__(self, "real", real)
        object.__setattr__(self, "peer", peer)
        object.__setattr__(self, "cheat", session)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)

    def send_reliable(self, data: bytes) -> bool:
        sent = [self.real.send_reliable(each) for each in self.cheat.pass_message(self.peer, bytes(data))]
        return all(sent)

    def send_unreliable(self, data: bytes) -> bool:
        sent = [self.real.send_unreliable(each) for each in self.cheat.pass_payload(self.peer, bytes(data))]
        return all(sent)


class _Tap(SessionPart):
    """The cheat as a part of its session: it sees every link first."""

    def __init__(self, session: "CheatingSession") -> None:
        super().__init__(inside_of(session))
        self._cheating = session

    def peer_connected(self, peer: Peer) -> None:
        connection: Any = peer.connection
        if connection is not None and not isinstance(connection, TappedConnection):
            peer.connection = TappedConnection(connection, peer, self._cheating)  # type: ignore[assignment]  # stands in front of it


class CheatingInside(SessionInside):
    """The inside of a session with a cheat in it."""

    cheat: Cheat | None = None

    def start(self, seed: int, **details: Any) -> None:
        if self.cheat is not None:
            # What it announced when it connected was honest.
            self.config = self.cheat.settings(self.config)
        super().start(seed, **details)


class CheatingSession(RollbackSession):
    """A session with a cheat in it, which begins to cheat ``begins`` seconds after its match began."""

    if TYPE_CHECKING:
        _inside: CheatingInside

    _inside_class = CheatingInside

    def __init__(
        self,
        sim: Any,
        *,
        cheat: Callable[["CheatingSession", Random], Cheat],
        dice: Random,
        begins: float = 0.0,
        config: MatchConfig | None = None,
        **details: Any,
    ) -> None:
        super().__init__(sim, config=config, **details)
        self.cheat = cheat(self, dice)
        self.error: RetickError | None = None
        """What the cheat's own session raised: it is gone since then, like a process that has crashed."""
        self.is_gone = False
        self._begins = begins
        self._started: float | None = None
        self._vanishes_at: float | None = None
        self.time = 0.0
        """Virtual seconds, as the network counts them."""
        self._inside.cheat = self.cheat
        self._inside.parts = (_Tap(self), *self._inside.parts)

    @property
    def has_started(self) -> bool:
        """Whether its match has begun."""
        return self._started is not None

    @property
    def is_cheating(self) -> bool:
        """Whether the time to cheat has come."""
        if self.cheat.in_lobby:
            return True
        return self._started is not None and self.time >= self._started + self._begins

    def vanish(self) -> None:
        """Send nothing more, to anybody."""
        self.is_gone = True

    def leave_soon(self) -> None:
        """Vanish once what was said so far has left."""
        if self._vanishes_at is None:
            self._vanishes_at = self.time + LAST_WORDS

    def pass_message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.cheat.message(peer, data) if self.is_cheating else (data,)

    def pass_payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return self.cheat.payload(peer, data) if self.is_cheating else (data,)

    # The calls of a session; what it raises because of its own cheating ends it.

    def receive_datagram(self, data: Any, address: Hashable, *, now: float) -> None:
        if self._survives(lambda: super(CheatingSession, self).receive_datagram(data, address, now=self._at(now))):
            self.cheat.received(bytes(data), address, now)

    def datagrams_to_send(self, *, now: float) -> Datagrams:
        out: Datagrams = []
        if self._vanishes_at is not None and now > self._vanishes_at:
            self.vanish()
        if self.is_cheating and not self.is_gone:
            self._survives(lambda: self.cheat.turn(now))
        self._survives(lambda: out.extend(super(CheatingSession, self).datagrams_to_send(now=self._at(now))))
        if self.is_cheating and not self.is_gone:
            out = self.cheat.datagrams(out, now)
        return [] if self.is_gone else out

    def handle_timeout(self, *, now: float) -> None:
        self._survives(lambda: super(CheatingSession, self).handle_timeout(now=self._at(now)))

    def due(self, *, now: float) -> bool:
        found: list[bool] = []
        self._survives(lambda: found.append(super(CheatingSession, self).due(now=self._at(now))))
        return bool(found and found[0])

    def advance(self, pressed: Any, *, now: float) -> None:
        self._survives(lambda: super(CheatingSession, self).advance(pressed, now=self._at(now)))

    def next_timeout(self) -> float | None:
        # A clock of its own makes its times another's: it is asked at every turn.
        return None if self.is_gone else self.time

    def _at(self, now: float) -> float:
        self.time = now
        if self._started is None and self.phase is Phase.RUNNING:
            self._started = now
        return self.cheat.clock(now)

    def _survives(self, call: Callable[[], object]) -> bool:
        if self.is_gone:
            return False
        try:
            call()
        except RetickError as error:
            self.error = error
            self.vanish()
        return not self.is_gone
