"""A match over links: find each other, agree, play, say goodbye. Sans-I/O, like everything below ``transport``.

Theory of operation. One machine hosts; the others dial it and are given seats. When every seat is taken the host tells
all of them who takes part, each dials those that came before it, and when all links are up the host gives the
seed and the match starts. From then on machines are equal: inputs travel directly between each two of them. For
two machines this is one handshake and one message. docs/rollback.md draws the states.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from enum import Enum
from typing import Any

from retick.errors import DecodeError, NotSynchronized, UsageError
from retick.link import (
    Accept,
    Connected,
    Connection,
    Disconnected,
    Interrupted,
    LinkConfig,
    LinkEndpoint,
    LinkEvent,
    Reason,
    Refuse,
    Refused,
    Request,
    UnreliableReceived,
    describe,
)
from retick.link import MessageReceived as LinkMessageReceived
from retick.link import Resumed as LinkResumed
from retick.rollback import lobby
from retick.rollback.config import MatchConfig
from retick.rollback.events import (
    MatchEnded,
    MatchEvent,
    MatchStarted,
    MessageReceived,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
)
from retick.rollback.match import Match
from retick.rollback.stats import PeerStats, RateMeter, SessionStats
from retick.sim.contract import Input, NamesItself, input_size_of
from retick.wire import rbn1

__all__ = ["Phase", "RollbackSession"]

HOST = 0
EXTENSIONS = rbn1.TIME_SYNC | rbn1.WIDE_INPUTS


class Phase(Enum):
    """Where a session is."""

    GATHERING = "waiting for everyone"
    LINKING = "connecting everyone to everyone"
    RUNNING = "playing"
    ENDED = "over"


class Peer:
    """Another machine as the session knows it."""

    __slots__ = ("connection", "meter", "number", "players", "ready")

    def __init__(self, number: int, players: tuple[int, ...]) -> None:
        self.number = number
        self.players = players
        self.connection: Connection | None = None
        self.ready = False
        self.meter = RateMeter()


class RollbackSession:
    """One machine's side: five calls for the network, ``due`` and ``advance`` for the frames."""

    def __init__(
        self,
        sim: Any,
        *,
        entropy: Callable[[int], bytes],
        config: MatchConfig | None = None,
        seats: int = 1,
        host_address: Hashable | None = None,
    ) -> None:
        """Host, or with ``host_address`` join, a match of ``sim`` with ``seats`` players at this machine.

        ``entropy(n)`` gives n random bytes: ``os.urandom``, or a seeded generator's in a test.
        """
        if not 1 <= seats <= sim.num_players:
            raise UsageError(f"seats must be from 1 to the game's {sim.num_players} players, not {seats}")
        self.config = config or MatchConfig()
        self.phase = Phase.GATHERING
        self.match: Match | None = None
        self.number = HOST
        """This machine's number in the match."""
        self.local_players = tuple(range(seats)) if host_address is None else ()
        """The seats played here; a joiner learns its own when it is admitted."""
        self._sim = sim
        self._peers: dict[int, Peer] = {}
        self._token = entropy(lobby.TOKEN_SIZE) if host_address is None else b""
        self._events: list[MatchEvent] = []
        self._now = 0.0
        self._link = LinkEndpoint(_link_config(sim, self.config), entropy=entropy, admit=self._admit)
        self._is_host = host_address is None
        if host_address is not None:
            host = Peer(HOST, ())
            host.connection = self._link.dial(host_address, seats=seats)
            host.connection.tag = host
            self._peers[HOST] = host

    # For the game's loop.

    @property
    def running(self) -> bool:
        """Whether frames can be run."""
        return self.phase is Phase.RUNNING

    @property
    def state(self) -> Any:
        """The game's present state."""
        return self._running().engine.state

    @property
    def frame(self) -> int:
        """The next frame to run."""
        return self._running().engine.frame

    def due(self, *, now: float) -> bool:
        """Whether ``advance`` is to be called now. False while the match waits for inputs: it goes on by itself."""
        return self.match is not None and self.running and self.match.due(now)

    def advance(self, pressed: Input | tuple[Input, ...], *, now: float) -> None:
        """Run the next frame with what is pressed here: one input, or one for each local player."""
        if not self.running:
            raise NotSynchronized(f"no frame can be run: the session is {self.phase.value}")
        self._running().advance(pressed, now)

    def send_message(self, data: bytes, *, peer: int | None = None) -> bool:
        """Send the application's own bytes reliably to one machine, or to all; False if a queue is full."""
        peers = self._peers.values() if peer is None else (self._peers[peer],)
        links = [found.connection for found in peers if found.connection is not None]
        message = bytes((lobby.APPLICATION,)) + data
        taken = [link.send_reliable(message) for link in links if link.is_connected]
        return all(taken)

    def close(self, text: str = "") -> None:
        """Leave in good order; keep the five calls going for a moment so that the others hear of it."""
        self._link.close(Reason.GOODBYE, text)
        self._end("left the match")

    def stats(self, *, now: float) -> SessionStats:
        """All numbers of the match at this moment."""
        match = self._running()
        measured = match.stats(now)
        peers = {key: self._measured(key, stats, now) for key, stats in measured.peers.items()}
        return replace(measured, peers=peers)

    @property
    def dropped(self) -> dict[str, int]:
        """Datagrams that were not taken, by reason; packets within a match are counted in its statistics."""
        return {reason: count for reason, count in self._link.dropped.items() if count}

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self._now = now
        self._link.receive_datagram(data, address, now=now)
        self._handle_link_events(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        self._now = now
        if self.match is not None and self.running:
            for key, data in self.match.packets(now):
                connection = self._peers[key].connection
                if connection is not None:
                    connection.send_unreliable(data)
        out = self._link.datagrams_to_send(now=now)
        for data, address in out:
            for peer in self._peers.values():
                if peer.connection is not None and peer.connection.address == address:
                    peer.meter.add(len(data), now)
        return out

    def next_timeout(self) -> float | None:
        times = [self._link.next_timeout()]
        if self.match is not None and self.running:
            times.append(self.match.next_timeout())
        return min((time for time in times if time is not None), default=None)

    def handle_timeout(self, *, now: float) -> None:
        self._now = now
        self._link.handle_timeout(now=now)
        self._handle_link_events(now)

    def events(self) -> list[MatchEvent]:
        happened, self._events = self._events, []
        return happened + (self.match.events() if self.match is not None else [])

    # Becoming a match.

    def _admit(self, request: Request) -> Accept | Refuse:
        if self._is_host:
            return self._give_seats(request)
        index = request.data[lobby.TOKEN_SIZE] if len(request.data) == lobby.TOKEN_SIZE + 1 else HOST
        peer = self._peers.get(index)
        known = self._token and request.data.startswith(self._token) and index > self.number
        if not known or peer is None or peer.connection is not None:
            return Refuse(reason=Reason.DENIED, text="not a machine of this match")
        peer.connection = request.connection
        request.connection.tag = peer
        return Accept()

    def _give_seats(self, request: Request) -> Accept | Refuse:
        if self.phase is not Phase.GATHERING:
            return Refuse(reason=Reason.FULL, text="the match has begun")
        taken = {player for peer in self._peers.values() for player in peer.players} | set(self.local_players)
        free = [player for player in range(self._sim.num_players) if player not in taken]
        if not 1 <= request.seats <= len(free):
            return Refuse(reason=Reason.SEATS, text=f"{request.seats} seats were asked for, {len(free)} are free")
        index = next(number for number in range(1, 256) if number not in self._peers)
        peer = Peer(index, tuple(free[: request.seats]))
        peer.connection = request.connection
        request.connection.tag = peer
        self._peers[index] = peer
        return Accept(seats=peer.players)

    def _on_connected(self, peer: Peer, connection: Connection) -> None:
        if not self._is_host and peer.number == HOST and connection.terms is not None:
            self.local_players = connection.terms.seats
        self._events.append(PeerConnected(peer=peer.number, players=peer.players))
        if self._is_host:
            self._send_rosters_when_complete()
        elif self.phase is Phase.LINKING:
            self._report_ready()

    def _send_rosters_when_complete(self) -> None:
        seated = len(self.local_players) + sum(len(peer.players) for peer in self._peers.values())
        links = [peer.connection for peer in self._peers.values()]
        if seated < self._sim.num_players or not all(link is not None and link.is_connected for link in links):
            return
        self.phase = Phase.LINKING
        members = [lobby.Member(HOST, self.local_players, "host")]
        for peer in self._peers.values():
            if peer.connection is not None:
                members.append(lobby.Member(peer.number, peer.players, peer.connection.address))
        for peer in self._peers.values():
            roster = lobby.Roster(peer.number, self._token, tuple(members))
            self._send(peer, lobby.encode_roster(roster))

    def _on_roster(self, roster: lobby.Roster) -> None:
        """The host says who takes part: dial those who came before us, expect those who came after."""
        self.phase = Phase.LINKING
        self.number, self._token = roster.number, roster.token
        for member in roster.members:
            if member.number == HOST:
                self._peers[HOST].players = member.players
            elif member.number != self.number:
                self._meet(member)
        self._report_ready()

    def _meet(self, member: lobby.Member) -> None:
        peer = self._peers[member.number] = Peer(member.number, member.players)
        if member.number < self.number:
            peer.connection = self._link.dial(member.address, seats=0, data=self._token + bytes((self.number,)))
            peer.connection.tag = peer

    def _report_ready(self) -> None:
        if all(peer.connection is not None and peer.connection.is_connected for peer in self._peers.values()):
            self._send(self._peers[HOST], bytes((lobby.READY,)))

    def _start(self, seed: int, now: float) -> None:
        self.phase = Phase.RUNNING
        self.match = Match(self._sim, seed=seed, local_players=self.local_players, config=self.config)
        for peer in sorted(self._peers.values(), key=lambda peer: peer.number):
            terms = peer.connection.terms if peer.connection is not None else None
            extensions = terms.capabilities & EXTENSIONS if terms is not None else 0
            self.match.add_peer(peer.number, peer.players, extensions=extensions)
        self._events.append(MatchStarted(seed=seed, local_players=self.local_players))

    # What links say.

    def _handle_link_events(self, now: float) -> None:
        for event in self._link.events():
            peer = event.connection.tag
            if not isinstance(peer, Peer) or self._peers.get(peer.number) is not peer:
                continue
            if isinstance(event, UnreliableReceived):
                if self.match is not None and self.running:
                    self.match.take(peer.number, event.data, now)
            elif isinstance(event, LinkMessageReceived):
                self._on_message(peer, event.data, now)
            else:
                self._on_rare(peer, event)

    def _on_rare(self, peer: Peer, event: LinkEvent) -> None:
        if isinstance(event, Connected):
            self._on_connected(peer, event.connection)
        elif isinstance(event, Interrupted):
            self._events.append(PeerInterrupted(peer=peer.number))
        elif isinstance(event, LinkResumed):
            self._events.append(PeerResumed(peer=peer.number))
        elif isinstance(event, Refused | Disconnected):
            self._on_gone(peer, event.reason, event.text)

    def _on_message(self, peer: Peer, data: bytes, now: float) -> None:
        kind = data[0] if data else -1
        try:
            if kind == lobby.APPLICATION:
                self._events.append(MessageReceived(peer=peer.number, data=data[1:]))
            elif kind == lobby.ROSTER and peer.number == HOST and self.phase is Phase.GATHERING and not self._is_host:
                self._on_roster(lobby.decode_roster(data))
            elif kind == lobby.READY and self._is_host and self.phase is Phase.LINKING and len(data) == 1:
                self._on_ready(peer, now)
            elif kind == lobby.START and peer.number == HOST and self.phase is Phase.LINKING:
                self._start(lobby.decode_start(data), now)
            else:
                self._close_violator(peer)
        except (DecodeError, UsageError):
            self._close_violator(peer)

    def _on_ready(self, peer: Peer, now: float) -> None:
        peer.ready = True
        if not all(other.ready for other in self._peers.values()):
            return
        mixed = 0
        for other in self._peers.values():
            if other.connection is not None and other.connection.terms is not None:
                mixed ^= other.connection.terms.seed
        seed = mixed % 0xFFFFFFFF + 1
        for other in self._peers.values():
            self._send(other, lobby.encode_start(seed))
        self._start(seed, now)

    def _on_gone(self, peer: Peer, reason: int, text: str) -> None:
        words = text or describe(reason)
        self._events.append(PeerDisconnected(peer=peer.number, players=peer.players, reason=reason, text=words))
        if self._is_host and self.phase is Phase.GATHERING:
            del self._peers[peer.number]
        else:
            self._end(words)

    def _close_violator(self, peer: Peer) -> None:
        if peer.connection is not None:
            peer.connection.close(Reason.VIOLATION, "a message that the match does not allow")

    def _end(self, reason: str) -> None:
        if self.phase is not Phase.ENDED:
            self.phase = Phase.ENDED
            self._events.append(MatchEnded(reason=reason))

    def _send(self, peer: Peer, message: bytes) -> None:
        if peer.connection is not None:
            peer.connection.send_reliable(message)

    def _running(self) -> Match:
        if self.match is None:
            raise NotSynchronized(f"there is no match yet: the session is {self.phase.value}")
        return self.match

    def _measured(self, key: Any, stats: PeerStats, now: float) -> PeerStats:
        peer = self._peers[key]
        if peer.connection is None:
            return stats
        link = peer.connection.stats
        packets, octets = peer.meter.rates(now)
        return replace(
            stats,
            rtt=link.rtt,
            jitter=link.jitter,
            loss_in=link.loss_in,
            loss_out=link.loss_out,
            packets_in=link.packets_received,
            packets_out=link.packets_sent,
            bytes_in=link.bytes_received,
            bytes_out=link.bytes_sent,
            packets_per_second_out=packets,
            bytes_per_second_out=octets,
        )


def _link_config(sim: Any, config: MatchConfig) -> LinkConfig:
    named = isinstance(sim, NamesItself)
    wide = input_size_of(sim) != 2
    return LinkConfig(
        game_id=sim.game_id if named else type(sim).__name__[:32],
        game_version=sim.game_version if named else 0,
        capabilities=EXTENSIONS,
        required=rbn1.WIDE_INPUTS if wide else 0,
        tick_rate=config.tick_rate,
    )
