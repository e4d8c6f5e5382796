"""The session of the original LAN demo: three ASCII messages, then bare RBN1 by address. For old programs only.

::

    joiner                          host
      | HELLO (every 30 ticks)        |
      |------------------------------>|
      |             ACK               |
      |<------------------------------|
      | START                         |
      |------------------------------>|   connected; a first RBN1 packet counts as START too

There is no proof of address, no version, no goodbye, and the seed is always 1. The host plays seat 0, the joiner
seat 1. Between new programs use :class:`~retick.rollback.session.session.RollbackSession`.

Since an address is never proven, a host sends no more bytes to it than came from it: forging a third party's address
cannot make the host send more than the forger does. A joiner sends to the address that its user gave.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Any

from retick.errors import NotSynchronized, UsageError
from retick.rollback.events import MatchEvent, MatchStarted, PeerConnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.peer import MatchPeer
from retick.rollback.match.recording import Recording, RecordsMatches
from retick.rollback.match.stats import SessionStats
from retick.sim.contract import Input
from retick.wire import rbn1

HELLO, ACK, START = b"HELLO", b"ACK", b"START"
HELLO_EVERY_TICKS = 30
CALLER_KEPT = 2.0
"""Seconds that a host waits for START after a HELLO before it accepts another caller."""
SEED = 1
HEADERS = 28
"""Bytes of IP and UDP headers around each datagram: many short answers to a long question would also amplify."""


class LanSession:
    """One side of a LAN match: the five calls of every endpoint, and ``due``/``advance`` for the frames."""

    def __init__(
        self,
        sim: Any,
        *,
        host_address: Hashable | None = None,
        config: MatchConfig | None = None,
        record: RecordsMatches | None = None,
    ) -> None:
        """Join the host at ``host_address``; without one, be the host. ``record`` is as in a RollbackSession."""
        if sim.num_players != 2:
            raise UsageError(f"the LAN mode is for two players, not {sim.num_players}")
        self.config = config or MatchConfig()
        self.match: Match | None = None
        self.dropped: Counter[str] = Counter()
        self.recording = None if record is None else Recording(record)
        """What the recorder gets; this mode has no end of its own, so call its ``end`` when leaving."""
        self._sim = sim
        self._peer = host_address
        self._hosting = host_address is None
        self._out: list[tuple[bytes, Hashable]] = []
        self._events: list[MatchEvent] = []
        self._hello_at: float | None = None
        self._called_at = 0.0
        self._credit = 0
        """On a host: bytes that came from the peer's address and were not answered yet."""

    @property
    def local_player(self) -> int:
        return 0 if self._hosting else 1

    @property
    def running(self) -> bool:
        return self.match is not None

    @property
    def state(self) -> Any:
        return self._running().engine.state

    @property
    def frame(self) -> int:
        return self._running().engine.frame

    @property
    def next_frame_at(self) -> float | None:
        """When the next frame is due; None before the first."""
        return None if self.match is None else self.match.pace.next_frame_at

    def due(self, *, now: float) -> bool:
        """Whether to call ``advance`` now."""
        return self.match is not None and self.match.due(now)

    def advance(self, pressed: Input, *, now: float) -> None:
        self._running().advance(pressed, now)

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        if address == self._peer:
            self._credit += HEADERS + len(data)
        if data == HELLO and self._hosting and self._is_free_for(address, now):
            # Answered every time: the joiner repeats it if the ACK was lost.
            if address != self._peer:
                self._credit = HEADERS + len(data)
            self._peer = address
            self._called_at = now
            self._out.append((ACK, address))
        elif address != self._peer:
            self.dropped["StrangeAddress"] += 1
        elif data == ACK and not self._hosting:
            self._out.append((START, address))
            self._start()
        elif self.match is None and self._hosting and (data == START or rbn1.try_decode(data) is not None):
            self._start()
            if data != START:
                self._receive(data, now)
        elif self.match is not None:
            if data != START:
                self._receive(data, now)
        else:
            self.dropped["BeforeTheStart"] += 1

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        out, self._out = self._out, []
        if self.match is not None:
            out += [(data, self._peer) for _, data in self.match.packets(now)]
        return [datagram for datagram in out if self._affords(len(datagram[0]))] if self._hosting else out

    def _affords(self, size: int) -> bool:
        """Whether the host may send so many bytes. A datagram that it may not send counts as lost in the network."""
        if self._credit < HEADERS + size:
            self.dropped["Withheld"] += 1
            return False
        self._credit -= HEADERS + size
        return True

    def next_timeout(self) -> float | None:
        if self.match is not None:
            return self.match.next_timeout()
        if self._hosting:
            return None
        return self._hello_at if self._hello_at is not None else 0.0

    def handle_timeout(self, *, now: float) -> None:
        """Send HELLO again until the host answers."""
        if self.match is not None or self._hosting:
            return
        if self._hello_at is None or now >= self._hello_at:
            self._out.append((HELLO, self._peer))
            self._hello_at = now + HELLO_EVERY_TICKS / self.config.tick_rate

    def events(self) -> list[MatchEvent]:
        happened, self._events = self._events, []
        return happened + (self.match.events() if self.match is not None else [])

    def stats(self, *, now: float) -> SessionStats:
        return self._running().stats(now)

    def _is_free_for(self, address: Hashable, now: float) -> bool:
        """Whether an address is the present caller, or may become it: a HELLO alone reserves the host only briefly."""
        if self._peer is None or self._peer == address:
            return True
        return self.match is None and now - self._called_at > CALLER_KEPT

    def _running(self) -> Match:
        if self.match is None:
            raise NotSynchronized("the match has not started: wait for MatchStarted")
        return self.match

    def _receive(self, data: bytes, now: float) -> None:
        for exchange in self._running().exchanges:
            self._running().receive(exchange, data, now)

    def _start(self) -> None:
        if self.match is not None:
            return
        mine, theirs = self.local_player, 1 - self.local_player
        self.match = Match(self._sim, seed=SEED, local_players=(mine,), config=self.config)
        if self.recording is not None:
            self.recording.begin(self.match)
        # The old program may send checksums of guessed states, so they raise no alarm.
        self.match.add_peer(MatchPeer(self._peer, (theirs,)), compare_checksums=False, numbered=False)
        self._events.append(PeerConnected(peer=self._peer, players=(theirs,)))
        self._events.append(MatchStarted(seed=SEED, local_players=(mine,)))
