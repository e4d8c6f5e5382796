"""Spectators of this peer: they get a final state, and from there on every final frame's inputs.

Only final inputs are sent, reliably and in order, so a spectator never predicts and never rolls back. Each watches at
its own pace; one that falls too far behind is disconnected, and can reconnect for a new state. The spectator's side is
``rollback.spectate``.
"""

from typing import TYPE_CHECKING

from retick.errors import HistoryEvicted, UsageError
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback.events import RosterPeer
from retick.rollback.match.match import Match
from retick.rollback.session.messages.connect import ConnectRequest
from retick.rollback.session.messages.join import Feed, encode_feed, encode_welcome
from retick.rollback.session.messages.profile import encode_list
from retick.rollback.session.messages.roster import RosterEntry
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import SPECTATOR_ID, Peer, Role
from retick.rollback.session.state_transfer import PackedState, StateSender
from retick.sim.contract import PacksState, input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

FEED_EVERY = 6
"""How many frames are sent together."""
FEED_MOST = 256
"""The most frames in one message."""
SHARED_FRAMES = 600
"""The most frames by which a state that is being sent to others may be old to serve a new spectator."""
MOST_STATES = 2
"""The most packed states of one match that are held for spectators; spectators that need another one wait."""
NOT_YET_PLAYED = 600
"""Frames by which a spectator may be ahead of its new source, which was stopped for a while and will get there."""


class Beginning:
    """A packed state that spectators begin with: one for all that come at about the same time."""

    def __init__(self, frame: int, sender: StateSender) -> None:
        self.frame = frame
        self.sender = sender


class Spectator:
    """One spectator: the frame that it needs next, and the state that it still has to get."""

    __slots__ = ("beginning", "listed", "match", "needs_state", "next_frame", "peer", "roster")

    def __init__(self, peer: Peer, next_frame: int, match: int) -> None:
        self.peer = peer
        self.next_frame = next_frame
        self.match = match
        self.needs_state = False
        """Whether it waits for a state that is not on its way yet."""
        self.beginning: Beginning | None = None
        """The state that is on its way."""
        self.roster: tuple[RosterEntry, ...] = ()
        self.listed: tuple[RosterPeer, ...] = ()
        """The names and profiles that it was sent."""

    def begin_with(self, beginning: Beginning, match: int) -> None:
        self.needs_state = False
        self.next_frame, self.match, self.beginning = beginning.frame, match, beginning
        beginning.sender.add(self.peer)

    def waits_for_state(self) -> bool:
        """Whether some of its state is still to be sent."""
        if self.beginning is not None and not self.beginning.sender.is_sending_to(self.peer):
            self.beginning = None
        return self.needs_state or self.beginning is not None


class SpectatorFeed(SessionPart):
    """The spectators that watch through this peer."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._spectators: dict[Peer, Spectator] = {}
        self._beginnings: list[Beginning] = []
        """The states that are being sent, the newest last."""

    @property
    def size(self) -> int:
        """How many spectators there are."""
        return len(self._spectators)

    def peers(self) -> list[Peer]:
        """The spectators."""
        return list(self._spectators)

    def admit(self, request: Request, wanted: ConnectRequest) -> Accept | Refuse:
        session = self._session
        if not isinstance(session.sim, PacksState):
            return Refuse(reason=Reason.DENIED, text="this game cannot be watched from its middle")
        if session.match is None or session.match.joins_at is None:
            return Refuse(reason=Reason.DENIED, text="the match has not begun: try again in a moment")
        if len(self._spectators) >= session.config.max_spectators:
            return Refuse(reason=Reason.FULL, text="no more spectators are accepted here")
        peer = Peer(SPECTATOR_ID, (), Role.SPECTATOR)
        peer.attach(request.connection)
        self._spectators[peer] = Spectator(peer, wanted.frame, wanted.match)
        return Accept()

    def peer_connected(self, peer: Peer) -> None:
        """Send a spectator its first state, unless it continues from a frame whose inputs are held."""
        match, spectator = self._session.match, self._spectators.get(peer)
        if match is None or spectator is None:
            return
        self._send_list(spectator)
        if spectator.match != self._session.match_count or not self._can_go_on(spectator.next_frame, match):
            spectator.needs_state = True
            self._begin_waiting(match)

    def peer_gone(self, peer: Peer, reason: str) -> None:
        self._spectators.pop(peer, None)

    def _can_go_on(self, frame: int, match: Match) -> bool:
        if frame >= match.engine.frame:
            return frame <= match.engine.frame + NOT_YET_PLAYED
        try:
            match.engine.inputs_at(frame)
        except HistoryEvicted:
            return False
        return True

    def _begin_waiting(self, match: Match) -> None:
        """Start spectators that need a state: with one that is already being sent, or with a new one."""
        for beginning in self._beginnings:
            beginning.sender.pump()
        self._beginnings = [beginning for beginning in self._beginnings if beginning.sender]
        waiting = [spectator for spectator in self._spectators.values() if spectator.needs_state]
        if not waiting:
            return
        newest = match.engine.final_state_frame
        is_recent = self._beginnings and newest - self._beginnings[-1].frame <= SHARED_FRAMES
        if not is_recent and not self._pack(match, newest):
            return
        for spectator in waiting:
            spectator.begin_with(self._beginnings[-1], self._session.match_count)

    def _pack(self, match: Match, frame: int) -> bool:
        """Prepare the state of ``frame`` for sending; False if it cannot, or must not yet, be sent."""
        session = self._session
        if len(self._beginnings) >= MOST_STATES:
            return False
        try:
            packed = PackedState(session.sim, match.engine.state_at(frame))
        except UsageError as error:
            for spectator in [each for each in self._spectators.values() if each.needs_state]:
                self._send_away(spectator, str(error))
            return False
        welcome = session.welcome_to(SPECTATOR_ID, match, frame, packed.header)
        self._beginnings.append(Beginning(frame, StateSender(encode_welcome(welcome), packed)))
        return True

    def after_frame(self, match: Match, now: float) -> bool:
        self.feed(match)
        return bool(self._spectators)

    def feed(self, match: Match, least: int = FEED_EVERY) -> None:
        """Send every spectator what has become final since the last time, if that is at least ``least`` frames."""
        if not self._spectators or self._session.reconnect.is_trying:
            # What is final while everybody else is lost may not stay so.
            return
        self._begin_waiting(match)
        final = match.engine.final_state_frame
        roster = self._session.roster_entries()
        rows: dict[int, bytes] = {}
        for spectator in list(self._spectators.values()):
            if spectator.waits_for_state() or not spectator.peer.is_connected:
                self._check_pace(spectator, match)
                continue
            if final - spectator.next_frame < least:
                continue
            try:
                self._send_rows(spectator, match, final, roster, rows)
            except HistoryEvicted:
                self._send_away(spectator, "too far behind: come again")

    def _check_pace(self, spectator: Spectator, match: Match) -> None:
        """Disconnect a spectator whose state takes so long that the next inputs are gone: others may need the place."""
        if spectator.beginning is not None and not self._can_go_on(spectator.next_frame, match):
            self._send_away(spectator, "too far behind: come again")

    def _send_rows(
        self,
        spectator: Spectator,
        match: Match,
        final: int,
        roster: tuple[RosterEntry, ...],
        rows: dict[int, bytes],
    ) -> None:
        first, end = spectator.next_frame, min(final, spectator.next_frame + FEED_MOST)
        if first not in rows:
            size = input_size_of(self._session.sim)
            frames = (match.engine.inputs_at(frame) for frame in range(first, end))
            rows[first] = b"".join(value.to_bytes(size, "little") for row in frames for value in row)
        self._send_list(spectator)
        news = () if spectator.roster == roster else roster
        if spectator.peer.send(encode_feed(Feed(first, rows[first], news))):
            spectator.next_frame = end
            spectator.roster = roster

    def _send_list(self, spectator: Spectator) -> None:
        """Send names and profiles, if they have changed."""
        roster = self._session.profiles.roster()
        if spectator.listed != roster and spectator.peer.send_if_room(encode_list(roster)):
            spectator.listed = roster

    def _send_away(self, spectator: Spectator, text: str) -> None:
        if spectator.peer.connection is not None:
            spectator.peer.connection.close(Reason.DENIED, text)
        self._spectators.pop(spectator.peer, None)

    def match_ending(self, match: Match) -> None:
        """Send everyone the last final frames of a match before the first state of the next."""
        self.feed(match, least=1)

    def match_begun(self, match: Match) -> None:
        """Start everyone anew, even a spectator that has not got all of a state of the last match."""
        self._start_anew(0, match)

    def frames_taken_back(self, first: int, match: Match) -> None:
        """Start those anew that were sent something else."""
        self._start_anew(first, match)

    def _start_anew(self, first: int, match: Match) -> None:
        """Send another state to all that were sent inputs of ``first`` or later frames."""
        for spectator in self._spectators.values():
            if spectator.next_frame >= first:
                spectator.needs_state, spectator.beginning = True, None
        self._beginnings = [beginning for beginning in self._beginnings if beginning.frame < first]
        self._begin_waiting(match)
