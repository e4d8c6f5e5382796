"""The inside of a session: its parts, and what they call. Applications see a ``RollbackSession`` around it.

``messages.routes`` says which part receives which message. Only tests and checkers look inside a session, by
``inside_of``.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from retick.errors import RetickError
from retick.link import (
    Connected,
    Disconnected,
    Interrupted,
    LinkEvent,
    LinkResumed,
    Reason,
    Refused,
    ReliableReceived,
    Sealing,
)
from retick.link.request import SEAT_TOKEN_SIZE, check_token, commitment_of
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY, keys_of
from retick.rollback.events import (
    MatchEnded,
    MatchEvent,
    MatchStarted,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.recording import Recording, RecordsMatches
from retick.rollback.session.application import ApplicationMessages, Leaving, Picture, RecordingPart, SessionCues
from retick.rollback.session.desync_part import DesyncPart
from retick.rollback.session.forwarding import InputForwarding
from retick.rollback.session.input_bounds import InputBounds
from retick.rollback.session.joining.admit import ConnectionRequests, Dialling
from retick.rollback.session.joining.joins import Joins
from retick.rollback.session.joining.lobby import Lobby
from retick.rollback.session.joining.newcomer import Newcomer
from retick.rollback.session.joining.sponsor import Sponsor
from retick.rollback.session.link_config import acceptance_fault, link_config_for, places_for
from retick.rollback.session.membership import Membership
from retick.rollback.session.messages.connect import accepted_key, announced_reach
from retick.rollback.session.messages.join import StateHeader, Welcome
from retick.rollback.session.messages.kinds import ASK_SPONSOR, UNSIGNED, describe
from retick.rollback.session.messages.profile import Profile
from retick.rollback.session.messages.roster import TOKEN_SIZE
from retick.rollback.session.messages.routes import MessageRoutes
from retick.rollback.session.pause import Pause
from retick.rollback.session.peer import HOST_ID, Peer, Phase, Role
from retick.rollback.session.profiles import Profiles
from retick.rollback.session.rematch import Rematch
from retick.rollback.session.resync import Resync
from retick.rollback.session.returns import Reconnect, Returns
from retick.rollback.session.signing import SignedRanges
from retick.rollback.session.spectator_feed import SpectatorFeed
from retick.routes.online import Online, OnlineEnded, OnlineEvent
from retick.routes.routed_link import make_link

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

ENDING_SECONDS = 1.0
"""Seconds that the last frames may take to reach spectators."""
LEAVING_SECONDS = 0.5
"""Seconds that the last statement of a peer that leaves may take to reach the others."""
VIOLATION = "a message that the match does not allow"


class SessionInside(Dialling):
    """Everything that a session is made of."""

    def __init__(
        self,
        sim: Any,
        config: MatchConfig,
        entropy: Callable[[int], bytes],
        host_address: Hashable | None,
        *,
        seats: int,
        own: tuple[str, bytes],
        record: RecordsMatches | None,
        shown_token: bytes,
        reconnect: bool,
        sealing: Sealing,
        online: Online | None = None,
    ) -> None:
        """Takes the arguments of a RollbackSession; ``own`` is name and profile, ``shown_token`` is from before."""
        super().__init__(config)
        self.sim = sim
        self.picture = Picture(sim)
        self.recording = None if record is None else Recording(record)
        self.local_players = tuple(range(seats)) if host_address is None else ()
        self.token = entropy(TOKEN_SIZE) if host_address is None else b""
        self.entropy = entropy
        self.is_host = host_address is None
        self.seats_asked = seats
        self.now = 0.0
        """The time at which the parts were last called."""
        self.admission = ConnectionRequests(self)
        self.link = make_link(
            link_config_for(sim, self.config, sealing),
            online,
            on_online=self.on_online,
            places=places_for(sim, config),
            entropy=entropy,
            admit=self.admission.admit,
            on_payload=self.receive_payload,
        )
        if self.link.config.sealed:
            # Never the lasting key: token and seed are the host's choice, so one that gave two matches the same ones
            # could show what an honest machine signed in the first as a lie in the second.
            self.sign, self.public_key = keys_of(entropy(KEY_SIZE))
        self.shown_token = check_token(shown_token)
        self.seat_token = entropy(SEAT_TOKEN_SIZE)
        """The secret of the seats that this session gets: save it to come back with it, and tell nobody."""
        self.application = ApplicationMessages(self)
        self.cues = SessionCues(self)
        self.leaving = Leaving(self)
        self.reconnect = Reconnect(self, is_wanted=reconnect)
        self.make_parts(Profile(*own, commitment_of(self.seat_token)))
        if host_address is not None:
            host = self.peers[HOST_ID] = Peer(HOST_ID, (), Role.HOST)
            self.dial_to_play(host, host_address)
        elif seats == sim.num_players:
            self.start(int.from_bytes(entropy(4), "little") % 0xFFFFFFFF + 1)

    def make_parts(self, own: Profile) -> None:
        """Make parts that have no match and know nobody: at first, and when the session comes back to its match."""
        self.lobby = Lobby(self)
        self.profiles = Profiles(self, own)
        self.returns = Returns(self)
        self.pausing = Pause(self)
        self.newcomer = Newcomer(self)
        self.spectator_feed = SpectatorFeed(self)
        self.signed_ranges = SignedRanges(self)
        self.desyncs = DesyncPart(self)
        self.sponsor = Sponsor(self)
        self.joins = Joins(self)
        self.membership = Membership(self)
        self.rematching = Rematch(self)
        self.resyncing = Resync(self)
        self.input_forwarding = InputForwarding(self)
        self.parts = (
            self.application,
            self.lobby,
            self.profiles,
            self.newcomer,
            self.spectator_feed,
            self.signed_ranges,
            self.desyncs,
            self.cues,
            self.leaving,
            self.sponsor,
            self.joins,
            self.returns,
            self.input_forwarding,
            self.membership,
            self.pausing,
            self.rematching,
            self.resyncing,
            InputBounds(self),
            self.reconnect,
        )
        """In call order: spectators get a match's last frames first."""
        if self.recording is not None:
            self.parts += (RecordingPart(self, self.recording),)
        self.routes = MessageRoutes(self.parts)

    # Calls for the parts of a session.

    @property
    def running(self) -> bool:
        """Whether frames can be run."""
        return self.phase is Phase.RUNNING

    @property
    def gone(self) -> tuple[int, ...]:
        """The seats of dropped players that are free."""
        return tuple(sorted(self.membership.free))

    def welcome_to(self, peer_id: int, match: Match, frame: int, state: StateHeader) -> Welcome:
        """What is said first to one that gets a state: as to a spectator, without any token."""
        numbers = (match.seed, self.match_count, frame)
        who = (self.gone, self.roster_entries())
        return Welcome(self.peer_id, peer_id, bytes(TOKEN_SIZE), self.disconnect_after, *numbers, state, *who)

    def tell(self, event: MatchEvent) -> None:
        """Report an event to the application."""
        self.happened.append(event)

    def on_online(self, event: OnlineEvent) -> None:
        """Report an event of the routes; without a place at the relay there is no match."""
        self.happened.append(event)
        if isinstance(event, OnlineEnded):
            self.end(event.text)

    def start(self, seed: int, *, number: int = 0, state: Any = None, free: list[int] | None = None) -> None:
        """Begin a match at its frame 0 with all linked peers, from ``state`` if one is given.

        Nobody plays the seats in ``free``.
        """
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
        if self.running:
            self.membership.leave(text)
            linger = max(linger, LEAVING_SECONDS)
        self.link.close(Reason.GOODBYE, text, linger=linger)
        self._end("left the match")

    def end(self, reason: str) -> None:
        """End the match here; the other peers and the spectators must not wait for more frames."""
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
                # Events of the match precede its end.
                self.happened += self.match.events()
            if self.recording is not None:
                self.recording.end()
            self.tell(MatchEnded(reason=reason))

    def expel(self, peer: Peer, text: str = VIOLATION, *, reason: int = Reason.VIOLATION) -> None:
        """Disconnect a peer that breaks the rules, and tell the others before it can claim that it has lost us."""
        if peer.connection is not None and peer.is_heard:
            peer.connection.close(reason, text)
            # It is gone now, and not again when the link reports it.
            peer.connection.tag = None
            self._on_gone(peer, reason, text)

    # Calls for the core.

    def on_forwarding(self, peer: Peer, data: bytes, now: float) -> None:
        if self.match is not None:
            self.input_forwarding.receive(peer, data, self.match, now)

    def ask_parts(self, match: Match, now: float) -> bool:
        self.now, is_quiet = now, True
        for part in self.parts:
            if part.after_frame(match, now):
                is_quiet = False
            if self.match is not match or not self.running:
                return False
        return is_quiet

    def catch_up(self, match: Match, now: float) -> None:
        """Run the known frames of a match in which the local players do not play yet, without the application.

        Before their first own frame, the players of a newcomer have neutral inputs.
        """
        neutral: Any = (0,) * len(self.local_players) if len(self.local_players) > 1 else 0
        while match.due(now):
            match.advance(neutral, now)

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
            if isinstance(event, ReliableReceived):
                self.receive_message(peer, event.data)
            else:
                self._on_rare(peer, event)

    def receive_message(self, peer: Peer, data: bytes) -> None:
        """Handle a message of a peer."""
        try:
            self.routes.receive(peer, data, self.phase)
        except RetickError:
            # After the end, only the application's messages are allowed, and nobody is to blame.
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
        shown = (peer.key, peer.reach)
        if terms is not None and peer.was_dialled:
            shown = (accepted_key(terms.peer_data), announced_reach(terms.peer_data))
        if peer.role is Role.HOST:
            peer.key, peer.reach = shown
        is_signing = shown[0] != NO_KEY
        if peer.role is not Role.SPECTATOR and (
            shown != (peer.key, peer.reach) or is_signing != (self.public_key != NO_KEY)
        ):
            self.expel(peer, "shows another key than the one that it was introduced with", reason=UNSIGNED)
            return
        if terms is not None and not self.local_players:
            self.local_players = terms.seats
        if peer.role is Role.NEWCOMER and not self.sponsor.let_in(peer):
            return
        if peer.role is Role.JOINER and not self.lobby.let_in(peer):
            return
        if peer.role is not Role.SPECTATOR:
            self.tell(PeerConnected(peer=peer.peer_id, players=peer.players, fingerprint=peer.fingerprint))
        for part in self.parts:
            part.peer_connected(peer)

    def _on_gone(self, peer: Peer, reason: int, text: str) -> None:
        words = text or describe(reason)
        if peer.role is not Role.SPECTATOR:
            if self.peers.get(peer.peer_id) is not peer or not peer.is_heard:
                return
            if self.phase is not Phase.ENDED:
                self.tell(PeerDisconnected(peer=peer.peer_id, players=peer.players, reason=int(reason), text=words))
        for part in self.parts:
            part.peer_gone(peer, words)


def inside_of(session: "RollbackSession") -> Any:
    """The inside of a RollbackSession, for tests and checkers."""
    return session._inside
