"""A match over links, from the first connection to the end. Sans-I/O, like everything below ``transport``.

Theory of operation. One peer hosts; the others dial it and are given seats (``joining.lobby``). When every seat is
taken the host tells all of them who takes part, each calls those that came before it, and when all links are up the
host gives the seed and the match starts. From then on peers are equal: inputs travel directly between each two of them,
lost peers are dropped by agreement (``drops``), newcomers take free seats (``joining.sponsor``), spectators watch
(``spectator_feed``). Each of these is a part (``part``); which part receives which message is in ``messages.routes``.
docs/rollback.md draws the states.
"""

from collections.abc import Callable, Hashable
from typing import Any

from retick.errors import RetickError, UsageError
from retick.link import Connected, Disconnected, Interrupted, LinkEndpoint, LinkEvent, Reason, Refused
from retick.link import MessageReceived as LinkMessageReceived
from retick.link import Resumed as LinkResumed
from retick.link.seat_token import NO_SEAT_TOKEN, SEAT_TOKEN_SIZE, check_token, commitment_of
from retick.rollback.engine.cues import CueEvent
from retick.rollback.events import (
    MatchEnded,
    MatchEvent,
    MatchStarted,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
    RosterPeer,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.recording import RecordsMatches
from retick.rollback.session.application.cues import SessionCues
from retick.rollback.session.application.game_loop import GameLoop
from retick.rollback.session.application.leaving import Leaving
from retick.rollback.session.application.recording_part import RecordingPart
from retick.rollback.session.application_messages import ApplicationMessages
from retick.rollback.session.desync_part import DesyncPart
from retick.rollback.session.drop_agreement import DropAgreement
from retick.rollback.session.drops import Drops
from retick.rollback.session.forwarding import Forwarding
from retick.rollback.session.identity.profiles import Profiles
from retick.rollback.session.identity.reconnect import Reconnect
from retick.rollback.session.identity.returns import Returns
from retick.rollback.session.input_bounds import InputBounds
from retick.rollback.session.input_forwarding import InputForwarding
from retick.rollback.session.joining.admit import Admission
from retick.rollback.session.joining.joins import Joins
from retick.rollback.session.joining.lobby import Lobby
from retick.rollback.session.joining.newcomer import Newcomer
from retick.rollback.session.joining.sponsor import Sponsor
from retick.rollback.session.link_config import acceptance_fault, link_config_for
from retick.rollback.session.messages.profile import Profile
from retick.rollback.session.messages.reasons import ASK_SPONSOR, describe
from retick.rollback.session.messages.roster import MAX_SEATS_EACH, TOKEN_SIZE
from retick.rollback.session.messages.routes import MessageRoutes
from retick.rollback.session.pausing.pause import Pause
from retick.rollback.session.peer import HOST_ID, Peer, Phase, Role
from retick.rollback.session.rematch import Rematch
from retick.rollback.session.resync import Resync
from retick.rollback.session.spectator_feed import SpectatorFeed

__all__ = ["Phase", "RollbackSession"]

ENDING_SECONDS = 1.0
"""How long the last frames may take to reach spectators."""
VIOLATION = "a message that the match does not allow"


class RollbackSession(GameLoop):
    """One peer's side of a match: five calls for the network, ``due`` and ``advance`` for the frames."""

    def __init__(
        self,
        sim: Any,
        *,
        entropy: Callable[[int], bytes],
        config: MatchConfig | None = None,
        seats: int = 1,
        host_address: Hashable | None = None,
        record: RecordsMatches | None = None,
        name: str = "",
        profile: bytes = b"",
        seat_token: bytes = NO_SEAT_TOKEN,
        reconnect: bool = False,
    ) -> None:
        """Host, or with ``host_address`` join, a match of ``sim`` with ``seats`` players at this peer.

        ``name`` is shown to people, ``profile`` is the application's: 64 and 128 bytes at most, known to all others.
        ``seat_token`` is that of a session which held seats before: this one gets the same ones back. With
        ``reconnect`` it comes back by itself when all others were lost through silence.

        ``host_address`` may also be any peer of a match that runs already and has free seats. ``entropy(n)`` gives
        n random bytes: ``os.urandom``, or a seeded generator's in a test. ``record`` gets every final frame:
        ``retick.replay.LiveRecording("match.rtk")``, or any object of its shape.
        """
        if not 1 <= seats <= sim.num_players:
            raise UsageError(f"seats must be from 1 to the game's {sim.num_players} players, not {seats}")
        if MAX_SEATS_EACH < seats < sim.num_players:
            raise UsageError(f"one peer of several plays at most {MAX_SEATS_EACH} seats, not {seats}")
        super().__init__(sim, config or MatchConfig(), record)
        self.local_players = tuple(range(seats)) if host_address is None else ()
        self.token = entropy(TOKEN_SIZE) if host_address is None else b""
        self.entropy = entropy
        self.drop_agreement = DropAgreement()
        self.is_host = host_address is None
        self.seats_asked = seats
        self.now = 0.0
        """The time at which the parts were last called."""
        self.admission = Admission(self)
        self.link = LinkEndpoint(
            link_config_for(sim, self.config),
            entropy=entropy,
            admit=self.admission.admit,
            on_payload=self.receive_payload,
        )
        self.shown_token = check_token(seat_token)
        self.seat_token = entropy(SEAT_TOKEN_SIZE)
        """The secret of the seats that this session gets: save it to come back with it, and tell it to nobody."""
        self._application = ApplicationMessages(self)
        self._cues = SessionCues(self)
        self._leaving = Leaving(self)
        self.reconnect = Reconnect(self, is_wanted=reconnect)
        self.make_parts(Profile(name, profile, commitment_of(self.seat_token)))
        if host_address is not None:
            host = self.peers[HOST_ID] = Peer(HOST_ID, (), Role.HOST)
            self.dial_to_play(host, host_address)
        elif seats == sim.num_players:
            self.start(int.from_bytes(entropy(4), "little") % 0xFFFFFFFF + 1)

    def make_parts(self, own: Profile) -> None:
        """For a session that has no match and knows nobody: at first, and when it comes back to its match."""
        self.lobby = Lobby(self)
        self.profiles = Profiles(self, own)
        self.returns = Returns(self)
        self._pause = Pause(self)
        self.newcomer = Newcomer(self)
        self.spectator_feed = SpectatorFeed(self)
        self.desyncs = DesyncPart(self)
        self.sponsor = Sponsor(self)
        self.joins = Joins(self)
        self.drops = Drops(self)
        self._rematch = Rematch(self)
        self.resyncing = Resync(self)
        self.forwarding = Forwarding(self)
        self._input_forwarding = InputForwarding(self)
        self.parts = (
            self._application,
            self.lobby,
            self.profiles,
            self.newcomer,
            self.spectator_feed,
            self.desyncs,
            self._cues,
            self._leaving,
            self.sponsor,
            self.joins,
            self.returns,
            self._input_forwarding,
            self.drops,
            self._pause,
            self._rematch,
            self.resyncing,
            self.forwarding,
            InputBounds(self),
            self.reconnect,
        )
        """In the order of calls: spectators get a match's last frames first, and a drop is agreed before a rematch."""
        if self.recording is not None:
            self.parts += (RecordingPart(self, self.recording),)
        self.routes = MessageRoutes(self.parts)

    # For the game's loop.

    @property
    def gone(self) -> tuple[int, ...]:
        """Players who were dropped and whose seats are free."""
        return tuple(sorted(self.drop_agreement.decided))

    def cues(self) -> list[CueEvent]:
        """Sounds and effects that start, are confirmed or were wrong since the last call; ask in every turn."""
        return self._cues.drain()

    @property
    def roster(self) -> tuple[RosterPeer, ...]:
        """Who takes part, with names and profiles, in the order of peer ids; while a joiner waits, who is there."""
        return self.profiles.roster()

    def send_message(self, data: bytes, *, peer: int | None = None, spectators: bool = False) -> bool:
        """Send the application's own bytes reliably: to the peer with this id, or to all that play.

        With ``spectators``, to those that watch through this peer instead. False if a queue is full, or nobody is
        connected.
        """
        return self._application.send(data, peer, spectators=spectators)

    def rematch(self, seats: tuple[int, ...] = ()) -> None:
        """Propose to play again; it starts when all have proposed the same. Seats move on by one peer.

        Or ``seats[i]`` is the new seat of whoever has seat i now: (0, 1) keeps the seats of two, (1, 0) swaps them.
        """
        self._rematch.propose(tuple(seats))

    def pause(self) -> None:
        """Stop the match for all, at one frame, until every peer that has paused it has called ``resume``."""
        self._pause.pause()

    def resume(self) -> None:
        """Do not want a pause any more; the match goes on when nobody else does."""
        self._pause.resume()

    @property
    def paused_by(self) -> tuple[int, ...]:
        """The ids of the peers, this one's included, that want the match to be paused."""
        return self._pause.wanted_by

    def resync(self, peer: int) -> None:
        """After a desync: go on from the state of the peer with this id, once every other application has named it."""
        self.is_quiet = False
        self.resyncing.agree(peer)

    def drop(self, peer: int, *, ban: bool = False) -> None:
        """Stop hearing the peer with this id. In a match its players are out when all others have dropped or lost it.

        With ``ban`` requests from its address are refused here from now on.
        """
        if peer not in self.peers:
            raise UsageError(f"there is no peer {peer} in this match: there are {sorted(self.peers)}")
        connection = self.peers[peer].connection
        if ban and connection is not None:
            self.link.ban(connection.address)
        self.is_quiet = False
        self.expel(self.peers[peer], "shown out", reason=Reason.DENIED)

    def close(self, text: str = "", *, linger: float = 0.0) -> None:
        """Leave in good order, messages within ``linger`` seconds first; go on until ``next_timeout`` is None.

        After a desync it takes up to two seconds until all peers have what the report is made of.
        """
        self._leaving.leave(text, linger)

    @property
    def spectators(self) -> int:
        """How many watch through this peer."""
        return self.spectator_feed.size

    @property
    def dropped(self) -> dict[str, int]:
        """Datagrams that were dropped, by reason; packets within a match are counted in its statistics."""
        return {reason: count for reason, count in self.link.dropped.items() if count}

    # For the parts of a session.

    def tell(self, event: MatchEvent) -> None:
        """Give the application an event."""
        self.happened.append(event)

    def start(self, seed: int, *, number: int = 0, state: Any = None, free: list[int] | None = None) -> None:
        """Begin a match at its frame 0 with all peers that are linked, from ``state`` if one is given.

        ``free`` are seats that nobody plays.
        """
        self.newest_peer_id = max(self.newest_peer_id, self.peer_id, *self.peers)
        match = Match(
            self.sim, seed=seed, local_players=self.local_players, config=self.config, number=number, state=state
        )
        for peer in self.players_peers():
            peer.role = Role.PLAYER
        for player in free or ():
            match.engine.drop_player(player, 0)
        self.tell(MatchStarted(seed=seed, local_players=self.local_players))
        self.begin(match, 0)

    def begin(self, match: Match, first_frame: int) -> None:
        """Run a match; the others need our inputs from ``first_frame`` on."""
        self.match = match
        self.phase = Phase.RUNNING
        self.is_quiet = False
        for peer in sorted(self.players_peers(), key=lambda peer: peer.peer_id):
            peer.exchange = None
            self.exchange_with(peer, first_frame)
        for part in self.parts:
            part.match_begun(match)

    def leave_now(self, text: str, linger: float) -> None:
        """Say goodbye: nothing is left to explain."""
        self._feed_last_frames()
        self.link.close(Reason.GOODBYE, text, linger=linger)
        self._end("left the match")

    def end(self, reason: str) -> None:
        """No more frames here: the other peers and the spectators must not wait for any."""
        if self.phase is not Phase.ENDED and not self.reconnect.asks_on():
            self._feed_last_frames()
            self.link.close(Reason.GOODBYE, reason, linger=ENDING_SECONDS)
            self._end(reason)

    def _feed_last_frames(self) -> None:
        if self.match is not None and self.running:
            self.spectator_feed.feed(self.match, least=1)

    def _end(self, reason: str) -> None:
        if self.phase is not Phase.ENDED:
            self.phase, self.wakes_at = Phase.ENDED, None
            if self.match is not None:
                # What happened in the match was before its end.
                self.happened += self.match.events()
            if self.recording is not None:
                self.recording.end()
            self.tell(MatchEnded(reason=reason))

    def expel(self, peer: Peer, text: str = VIOLATION, *, reason: int = Reason.VIOLATION) -> None:
        """Disconnect a peer that breaks the rules, and tell the others before it can claim that it has lost us."""
        if peer.connection is not None and peer.is_heard:
            peer.connection.close(reason, text)
            # It is gone now, and not once more when the link says so.
            peer.connection.tag = None
            self._on_gone(peer, reason, text)

    # For the core.

    def on_forwarding(self, peer: Peer, data: bytes, now: float) -> None:
        if self.match is not None:
            self._input_forwarding.receive(peer, data, self.match, now)

    def ask_parts(self, match: Match, now: float) -> bool:
        self.now, is_quiet = now, True
        for part in self.parts:
            if part.after_frame(match, now):
                is_quiet = False
            if self.match is not match or not self.running:
                return False
        return is_quiet

    def wait(self, now: float) -> None:
        self.now = now
        self.admission.expire(now)
        for part in self.parts:
            part.while_waiting(now)

    def on_link_events(self, now: float) -> None:
        self.now = now
        for event in self.link.events():
            peer = event.connection.tag
            if not isinstance(peer, Peer) or self.reconnect.takes(peer, event):
                continue
            if isinstance(event, LinkMessageReceived):
                self.receive_message(peer, event.data)
            else:
                self._on_rare(peer, event)

    def receive_message(self, peer: Peer, data: bytes) -> None:
        """Handle a message of a peer, and pass it on to those that do not hear that peer."""
        try:
            self.routes.receive(peer, data, self.phase)
            if self.running:
                self.forwarding.received(peer.peer_id, data)
        except RetickError:
            # After the end nothing is allowed but the application's messages, and nobody is to blame.
            if self.phase is not Phase.ENDED:
                self.expel(peer)

    def _on_rare(self, peer: Peer, event: LinkEvent) -> None:
        if isinstance(event, Refused) and event.reason == ASK_SPONSOR and peer.role is Role.HOST:
            if not self.lobby.follow_redirection(peer, event.text):
                self._on_gone(peer, ASK_SPONSOR, "sent on and on, and nobody lets us in")
        elif isinstance(event, Refused | Disconnected):
            self._on_gone(peer, event.reason, event.text)
        elif isinstance(event, Connected):
            self.on_connected(peer)
        elif isinstance(event, Interrupted) and peer.role is not Role.SPECTATOR:
            self.tell(PeerInterrupted(peer=peer.peer_id))
        elif isinstance(event, LinkResumed) and peer.role is not Role.SPECTATOR:
            self.tell(PeerResumed(peer=peer.peer_id))

    def on_connected(self, peer: Peer) -> None:
        terms = peer.connection.terms if peer.connection is not None else None
        fault = acceptance_fault(terms.peer_data, self.config) if terms is not None and peer.was_dialled else None
        if fault is not None:
            self.expel(peer, fault[1], reason=fault[0])
            return
        if terms is not None and not self.local_players:
            self.local_players = terms.seats
        if peer.role is Role.NEWCOMER and not self.sponsor.let_in(peer):
            return
        if peer.role is Role.JOINER and not self.lobby.let_in(peer):
            return
        if peer.role is not Role.SPECTATOR:
            self.tell(PeerConnected(peer=peer.peer_id, players=peer.players))
        for part in self.parts:
            part.peer_connected(peer)

    def _on_gone(self, peer: Peer, reason: int, text: str) -> None:
        words = text or describe(reason)
        if peer.role is not Role.SPECTATOR:
            if self.peers.get(peer.peer_id) is not peer or not peer.is_heard:
                return
            self.tell(PeerDisconnected(peer=peer.peer_id, players=peer.players, reason=int(reason), text=words))
        for part in self.parts:
            part.peer_gone(peer, words)
