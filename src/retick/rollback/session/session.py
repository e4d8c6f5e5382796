"""A match over links: find each other, agree, play, come and go. Sans-I/O, like everything below ``transport``.

Theory of operation. One machine hosts; the others dial it and are given seats (``gathering``). When every seat is
taken the host tells all of them who takes part, each dials those that came before it, and when all links are up the
host gives the seed and the match starts. From then on machines are equal: inputs travel directly between each two
of them, lost machines are dropped by agreement (``leaving``), newcomers take their seats (``admission``), others
watch (``audience``). docs/rollback.md draws the states.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from retick.errors import InvalidValue, NotSynchronized, RetickError, UsageError
from retick.link import (
    Accept,
    Connected,
    Disconnected,
    Interrupted,
    LinkEndpoint,
    LinkEvent,
    Reason,
    Refuse,
    Refused,
    Request,
    describe,
)
from retick.link import MessageReceived as LinkMessageReceived
from retick.link import Resumed as LinkResumed
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
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.stats import SessionStats
from retick.rollback.session import messages as wire
from retick.rollback.session import roster as lobby
from retick.rollback.session.admit import EarlyCallers
from retick.rollback.session.core import Routine
from retick.rollback.session.desync_part import DesyncPart
from retick.rollback.session.drop_agreement import Departures
from retick.rollback.session.drops import Leaving
from retick.rollback.session.link_config import EXTENSIONS, link_config_for
from retick.rollback.session.lobby import Gathering
from retick.rollback.session.outbox import offer
from retick.rollback.session.peer import HOST, Peer, Phase, Role
from retick.rollback.session.rematch import Rematch
from retick.rollback.session.resync import Resync
from retick.rollback.session.spectator_feed import WATCH, Audience
from retick.rollback.session.sponsor import ASK_ANOTHER, Newcomer, Sponsor
from retick.sim.contract import Input, input_size_of

__all__ = ["Phase", "RollbackSession"]

ENDING_SECONDS = 1.0
"""How long the last frames may take to reach those who watch."""
VIOLATION = "a message that the match does not allow"
MOST_SILENT_CALLS = 3
"""How often a machine of the match is called that does not answer."""


class RollbackSession(Routine):
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

        ``host_address`` may also be any machine of a match that runs already and has free seats. ``entropy(n)`` gives
        n random bytes: ``os.urandom``, or a seeded generator's in a test.
        """
        if not 1 <= seats <= sim.num_players:
            raise UsageError(f"seats must be from 1 to the game's {sim.num_players} players, not {seats}")
        if lobby.MAX_SEATS_EACH < seats < sim.num_players:
            raise UsageError(f"one machine of several plays at most {lobby.MAX_SEATS_EACH} seats, not {seats}")
        super().__init__()
        self.sim = sim
        self.config = config or MatchConfig()
        self.number = HOST
        """This machine's number in the match."""
        self.local_players: tuple[int, ...] = tuple(range(seats)) if host_address is None else ()
        """The seats played here; a joiner learns its own when it is admitted."""
        self.token = entropy(lobby.TOKEN_SIZE) if host_address is None else b""
        """What machines of this match show each other when they call."""
        self.newest_number = HOST
        """The highest number that any machine of this match has had; none is given twice."""
        self.departures = Departures()
        self.is_host = host_address is None
        self.link = LinkEndpoint(
            link_config_for(sim, self.config), entropy=entropy, admit=self._admit, on_payload=self.take_payload
        )
        self.seats_asked = seats
        """How many players are at this machine."""
        self._early = EarlyCallers()
        self._gathering = Gathering(self)
        self.sponsor = Sponsor(self)
        """What this machine does for those who come in mid-match."""
        self._newcomer = Newcomer(self)
        self._audience = Audience(self)
        self._leaving = Leaving(self)
        self._rematch = Rematch(self)
        self._inquiry = DesyncPart(self)
        self._resync = Resync(self)
        if host_address is not None:
            host = self.peers[HOST] = Peer(HOST, ())
            self.dial(host, host_address, seats=seats)
        elif seats == sim.num_players:
            self.start(int.from_bytes(entropy(4), "little") % 0xFFFFFFFF + 1)

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

    @property
    def gone(self) -> tuple[int, ...]:
        """Players who left and whose seats are free."""
        return tuple(sorted(self.departures.decided))

    def advance(self, pressed: Input | tuple[Input, ...], *, now: float) -> None:
        """Run the next frame with what is pressed here: one input, or one for each local player."""
        if not self.running:
            raise NotSynchronized(f"no frame can be run: the session is {self.phase.value}")
        self._running().advance(pressed, now)

    def send_message(self, data: bytes, *, peer: int | None = None) -> bool:
        """Send the application's own bytes reliably to one machine, or to all.

        False if a queue is full, or nobody is connected.
        """
        if peer is not None and peer not in self.peers:
            raise UsageError(f"there is no machine {peer} in this match: there are {sorted(self.peers)}")
        message = bytes((lobby.APPLICATION,)) + data
        targets = self.players_peers() if peer is None else [self.peers[peer]]
        taken = [offer(target, message) for target in targets if target.is_connected]
        return bool(taken) and all(taken)

    def rematch(self) -> None:
        """Propose to play again with seats moved on by one machine; it starts when all have proposed it."""
        self._rematch.propose(self._running())

    def resync(self, machine: int) -> None:
        """After a desync: go on from the state of ``machine``, once every other application has named it too."""
        self.is_quiet = False
        self._resync.agree(machine, self._running())

    def close(self, text: str = "", *, linger: float = 0.0) -> None:
        """Leave in good order, messages within ``linger`` seconds first; go on until ``next_timeout`` is None."""
        if self.match is not None and self.running:
            self._audience.feed(self.match, least=1)
        self.link.close(Reason.GOODBYE, text, linger=linger)
        self._end("left the match")

    def stats(self, *, now: float) -> SessionStats:
        """All numbers of the match at this moment."""
        measured = self._running().stats(now)
        return replace(
            measured,
            peers={
                key: self.peers[key].measured(stats, now) if key in self.peers else stats
                for key, stats in measured.peers.items()
            },
        )

    @property
    def spectators(self) -> int:
        """How many machines watch through this one."""
        return self._audience.size

    @property
    def dropped(self) -> dict[str, int]:
        """Datagrams that were not taken, by reason; packets within a match are counted in its statistics."""
        return {reason: count for reason, count in self.link.dropped.items() if count}

    def ask_parts(self, match: Match, now: float) -> bool:
        if self.sponsor.newcomer is not None:
            self.sponsor.pump()
        if match.joins_at is None:
            self._newcomer.report()
        if self._audience.size:
            self._audience.feed(match)
        if match.alarm.is_open:
            self._inquiry.pump(match, now)
        if self._resync.is_open:
            self._resync.pump()
        waiting = self.sponsor.newcomer is not None or match.joins_at is None or self._audience.size > 0
        return not (waiting or match.alarm.is_open or self._resync.is_open)

    # For the parts of a session.

    def tell(self, event: MatchEvent) -> None:
        self.happened.append(event)

    def players_peers(self) -> list[Peer]:
        """The other machines that play."""
        return [peer for peer in self.peers.values() if peer.role is Role.PLAYER]

    def members(self, without: Peer | None = None) -> list[lobby.Member]:
        """The other machines that play, with the addresses at which this one sees them."""
        return [
            lobby.Member(peer.number, peer.players, peer.connection.address)
            for peer in self.players_peers()
            if peer is not without and peer.connection is not None
        ]

    def dial(self, peer: Peer, address: Hashable, *, seats: int = 0, data: bytes = b"") -> None:
        peer.connection = self.link.dial(address, seats=seats, data=data)
        peer.connection.tag = peer

    def meet(self, member: lobby.Member) -> None:
        """Call a machine of the match that is known from a roster."""
        peer = self.peers[member.number] = Peer(member.number, member.players)
        self._call(peer, member.address)

    def _call(self, peer: Peer, address: Hashable) -> None:
        peer.calls += 1
        self.dial(peer, address, data=self.token + bytes((self.number,)))

    def expect(self, peer: Peer) -> None:
        """A machine of the match that is going to call, or has called before we knew of it."""
        self.peers[peer.number] = peer
        connection = self._early.claim(self.token, peer.number)
        if connection is not None:
            peer.connection = connection
            connection.tag = peer
            if connection.is_connected:
                self._on_connected(peer)

    def exchange_with(self, peer: Peer, first_frame: int) -> None:
        """Begin to send our inputs from ``first_frame`` on, and to take those of the other machine."""
        terms = peer.connection.terms if peer.connection is not None else None
        extensions = terms.capabilities & EXTENSIONS if terms is not None else 0
        if self.match is not None and peer.number not in self.match.exchanges:
            self.match.add_peer(peer.number, peer.players, extensions=extensions, first_frame=first_frame)

    def run(self, match: Match) -> None:
        self.match = match
        self.phase = Phase.RUNNING
        self.is_quiet = False

    def start(self, seed: int, number: int = 0, state: Any = None) -> None:
        """Begin a match at its frame 0, with all machines that are linked; from ``state``, if one is given."""
        self.newest_number = max(self.newest_number, self.number, *self.peers)
        config = self.config
        self.run(
            Match(
                self.sim, seed=seed, local_players=self.local_players, config=config, number=number % 256, state=state
            )
        )
        for peer in sorted(self.players_peers(), key=lambda peer: peer.number):
            self.exchange_with(peer, 0)
        self._audience.restart()
        self._inquiry.forget()
        self._resync.forget()
        self.tell(MatchStarted(seed=seed, local_players=self.local_players))

    def end(self, reason: str) -> None:
        """No more frames here: the others, and those who watch, must not wait for any."""
        if self.phase is not Phase.ENDED:
            if self.match is not None and self.running:
                self._audience.feed(self.match, least=1)
            self.link.close(Reason.GOODBYE, reason, linger=ENDING_SECONDS)
            self._end(reason)

    def _end(self, reason: str) -> None:
        if self.phase is not Phase.ENDED:
            self.phase = Phase.ENDED
            self.tell(MatchEnded(reason=reason))

    # What links say.

    def _admit(self, request: Request) -> Accept | Refuse:
        self.is_quiet = False
        if request.data.startswith(WATCH):
            return self._audience.admit(request)
        if self.token and EarlyCallers.is_call(request) and request.data.startswith(self.token):
            return self._expected(request)
        if not self.token and EarlyCallers.is_call(request):
            return self._early.hold(request)
        if self.phase is Phase.GATHERING and self.is_host:
            return self._gathering.admit(request)
        if self.phase is Phase.RUNNING and not request.data:
            return self.sponsor.admit(request)
        return Refuse(reason=Reason.DENIED, text="nobody is expected here")

    def _expected(self, request: Request) -> Accept | Refuse:
        """A machine of this match calls."""
        number = request.data[lobby.TOKEN_SIZE]
        peer = self.peers.get(number)
        if peer is None and self.phase is Phase.RUNNING and number > self.newest_number:
            return self._early.hold(request)
        if peer is None or peer.connection is not None:
            return Refuse(reason=Reason.DENIED, text="not a machine of this match")
        peer.connection = request.connection
        request.connection.tag = peer
        return Accept()

    def on_link_events(self, now: float) -> None:
        for event in self.link.events():
            peer = event.connection.tag
            if not isinstance(peer, Peer):
                continue
            if isinstance(event, LinkMessageReceived):
                self._on_message(peer, event.data, now)
            else:
                self._on_rare(peer, event)

    def _on_rare(self, peer: Peer, event: LinkEvent) -> None:
        silent = isinstance(event, Disconnected) and event.reason == Reason.NO_ANSWER
        if silent and 0 < peer.calls < MOST_SILENT_CALLS:
            self._call(peer, event.connection.address)
        elif isinstance(event, Refused) and event.reason == ASK_ANOTHER and peer.number == HOST and self.match is None:
            if not self._gathering.ask_another(peer, event.text, self.seats_asked):
                self._on_gone(peer, ASK_ANOTHER, "sent on and on, and nobody lets us in")
        elif isinstance(event, Refused | Disconnected):
            self._on_gone(peer, event.reason, event.text)
        elif peer.role is Role.SPECTATOR:
            self._audience.connected(peer)
        elif isinstance(event, Connected):
            self._on_connected(peer)
        elif isinstance(event, Interrupted):
            self.tell(PeerInterrupted(peer=peer.number))
        elif isinstance(event, LinkResumed):
            self.tell(PeerResumed(peer=peer.number))

    def _on_connected(self, peer: Peer) -> None:
        connection = peer.connection
        if not self.local_players and connection is not None and connection.terms is not None:
            self.local_players = connection.terms.seats
        self.tell(PeerConnected(peer=peer.number, players=peer.players))
        if peer is self.sponsor.newcomer and self.match is not None:
            self.sponsor.begin(peer, self.match)
        elif self.sponsor.expects(peer):
            self.sponsor.connected(peer)
        elif self.phase in (Phase.GATHERING, Phase.LINKING):
            self._gathering.connected()
            self._newcomer.report()
        else:
            self._newcomer.connected(peer)

    def _on_message(self, peer: Peer, data: bytes, now: float) -> None:
        kind = data[0] if data else -1
        try:
            if peer.role is Role.SPECTATOR:
                raise InvalidValue("a spectator has nothing to say")
            if kind == lobby.APPLICATION:
                self.tell(MessageReceived(peer=peer.number, data=data[1:]))
            elif kind in (lobby.ROSTER, lobby.READY, lobby.START):
                self._gathering.take(peer, kind, data)
            elif kind == wire.WELCOME or (kind == wire.STATE and self.match is None):
                self._on_newcomers_message(peer, kind, data)
            elif kind in (wire.EVIDENCE, wire.RESYNC, wire.STATE, wire.RESYNCED):
                self._on_desync_message(peer, kind, data, self._running(), now)
            else:
                self._on_members_message(peer, kind, data, self._running())
        except RetickError:
            self._close_violator(peer)

    def _on_newcomers_message(self, peer: Peer, kind: int, data: bytes) -> None:
        if kind == wire.WELCOME and self.phase is Phase.GATHERING and not self.is_host:
            self._newcomer.welcome(peer, wire.decode_welcome(data))
        elif kind == wire.STATE and self.match is None:
            self._newcomer.take_chunk(*wire.decode_chunk(data))
        else:
            self._close_violator(peer)

    def _on_desync_message(self, peer: Peer, kind: int, data: bytes, match: Match, now: float) -> None:
        if kind == wire.EVIDENCE:
            self._inquiry.hear(peer, data[1:], match, now)
        elif kind == wire.RESYNC:
            self._resync.announced(peer, data, match)
        elif kind == wire.STATE:
            self._resync.take_chunk(peer, *wire.decode_chunk(data), match)
        else:
            self._resync.ready(peer, *wire.decode_numbered(data), match)

    def _on_members_message(self, peer: Peer, kind: int, data: bytes, match: Match) -> None:
        sponsor = self.sponsor
        if kind == wire.DROP:
            self._leaving.hear(peer, wire.decode_drop(data, input_size_of(self.sim)), match)
        elif kind == wire.MEET:
            sponsor.meet(wire.decode_meeting(data), peer.number)
        elif kind == wire.JOINED and peer is sponsor.newcomer:
            sponsor.joined(match)
        elif kind == wire.PROPOSE:
            sponsor.proposed(peer, wire.decode_number(data), match)
        elif kind == wire.PROMISE:
            sponsor.promised(peer, *wire.decode_numbered(data), match)
        elif kind == wire.COMMIT:
            self._on_commit(peer, *wire.decode_numbered(data), match)
        elif kind == wire.CANCEL:
            sponsor.cancelled(peer, wire.decode_number(data), match)
        elif kind == wire.REMATCH:
            self._rematch.proposed(peer, wire.decode_number(data), match)
        else:
            self._close_violator(peer)

    def _on_commit(self, peer: Peer, number: int, frame: int, match: Match) -> None:
        """The word of the one who brings a newcomer in; nobody else's counts."""
        if number == self.number:
            if self._newcomer.is_brought_by(peer):
                self._newcomer.commit(frame, match)
            return
        newcomer = self.peers.get(number)
        if newcomer is not None and newcomer.role is Role.NEWCOMER and self.sponsor.speaks_for(number, peer):
            self.sponsor.commit(newcomer, frame, match)

    def _on_gone(self, peer: Peer, reason: int, text: str) -> None:
        words = text or describe(reason)
        if peer.role is Role.SPECTATOR:
            self._audience.leave(peer)
            return
        if self.peers.get(peer.number) is not peer:
            return
        self.tell(PeerDisconnected(peer=peer.number, players=peer.players, reason=reason, text=words))
        self._inquiry.lose(peer.number)
        if self.match is not None and self.running and peer.role is Role.NEWCOMER:
            if peer is self.sponsor.newcomer:
                self.sponsor.cancel(self.match)
            else:
                self.sponsor.remove(peer, self.match)
        elif self.match is not None and self.running and self.match.joins_at is not None:
            self._leaving.lose(peer, self.match)
        elif self.is_host and self.phase is Phase.GATHERING:
            del self.peers[peer.number]
        else:
            self.end(words)

    def _close_violator(self, peer: Peer) -> None:
        """Show a machine out, and tell the others before it can tell them that it has lost us."""
        if peer.connection is not None:
            peer.connection.close(Reason.VIOLATION, VIOLATION)
            self._on_gone(peer, Reason.VIOLATION, VIOLATION)

    def _running(self) -> Match:
        if self.match is None:
            raise NotSynchronized(f"there is no match yet: the session is {self.phase.value}")
        return self.match
