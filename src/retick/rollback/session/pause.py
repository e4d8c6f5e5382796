"""A pause: all peers stop before the same frame, and continue when nobody wants the pause any more.

Theory of operation. A peer that wants a pause names a frame a little ahead, stops there, and tells all (PAUSE). Each
other peer answers with its own frame, and stops there. Once a peer knows the frames of all, it runs up to the highest
of them: no peer can have passed it. A peer that resumes sends PAUSE again, without the wish; when nobody wants the
pause any more, everyone continues. Pauses are numbered: a peer at a higher number knows that the last pause is over. A
pause changes no state, so lies about it cost only time, and each peer has a limit for that per match.
"""

from collections import defaultdict
from typing import TYPE_CHECKING

from retick.errors import InvalidValue, NotSynchronized, UsageError
from retick.rollback.events import MatchPaused, MatchResumed
from retick.rollback.match.match import Match
from retick.rollback.session.messages.decisions import Pausing, decode_pause, encode_pause
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.rollback.session.rematch import next_number

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

ANSWER_SECONDS = 3.0
"""Seconds that a peer may take to say where it stops; then the others pause without it."""
MOST_PAUSES = 256
"""The most pauses in one match: a byte counts them; further ones are ignored."""
LONGEST_STEP = 1.0
"""The most seconds that count between two checks: a process that was stopped has paused nobody."""
MOST_AHEAD = 1024
"""Frames, besides three histories, by which a stop may lie ahead of our own frame."""


class Pause(SessionPart):
    """Tracks who wants a pause, and where everyone stops."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._serial = 0
        self._early: dict[int, Pausing] = {}
        """PAUSE messages of peers that already play the next match."""
        self._forget()

    def _forget(self) -> None:
        self._stops: dict[int, int] = {}
        """By peer id: where it stops, in the present pause."""
        self._wants: set[int] = set()
        self._number = 0
        """The number of the present pause, or else of the next one."""
        self._began_at = self._paused_at = self._looked_at = self._session.now
        self._is_told = False
        self._used: defaultdict[int, float] = defaultdict(float)
        """Seconds for which each peer has kept the match paused."""

    @property
    def wanted_by(self) -> tuple[int, ...]:
        """The peers that want the match to be paused."""
        return tuple(sorted(self._wants & self._players()))

    def _players(self) -> set[int]:
        return {self._session.peer_id, *(peer.peer_id for peer in self._session.players_peers())}

    def pause(self) -> None:
        match, own = self._match, self._session.peer_id
        if match.joins_at is None:
            raise NotSynchronized("a match can be paused once the seat here is taken")
        if self._number >= MOST_PAUSES or self._used[own] >= match.config.longest_pause:
            raise UsageError(f"this match was paused too often, or for more than {match.config.longest_pause:g} s")
        if own not in self._wants:
            self._wants.add(own)
            self._stop(match)
            self._send(match, self._session.players_peers())
            self._settle(match)

    def resume(self) -> None:
        if self._session.peer_id in self._wants:
            self._withdraw(self._match)

    def _withdraw(self, match: Match) -> None:
        self._wants.discard(self._session.peer_id)
        self._send(match, self._session.players_peers())
        self._settle(match)

    def _stop(self, match: Match) -> None:
        """Name our own frame, unless we already have in this pause."""
        session = self._session
        session.is_quiet = False
        if session.peer_id not in self._stops:
            self._stops[session.peer_id] = match.pause_at = match.engine.frame + session.joins.ahead(match)
            self._began_at = self._looked_at = session.now

    def _send(self, match: Match, peers: list[Peer]) -> None:
        own = self._session.peer_id
        self._serial += 1
        said = Pausing(match.number, self._serial, self._number, own in self._wants, self._stops[own])
        for peer in peers:
            peer.send(encode_pause(said))

    def receive_pause(self, peer: Peer, data: bytes) -> None:
        match, said = self._match, decode_pause(data)
        if said.match == next_number(match):
            self._early[peer.peer_id] = said
        elif said.match == match.number:
            if said.frame > match.engine.frame + MOST_AHEAD + 3 * match.config.history:
                raise InvalidValue(f"a PAUSE at frame {said.frame}, at frame {match.engine.frame}")
            self._hear(peer.peer_id, said, match)

    def _hear(self, peer_id: int, said: Pausing, match: Match) -> None:
        if said.pause > self._number:
            # It knows that our pause is over. A peer that still wants one says so again, with the new number.
            self._wants &= {self._session.peer_id}
            self._go_on(match, said.pause)
        if said.pause == self._number:
            self._stops.setdefault(peer_id, said.frame)
        if said.wants and self._used[peer_id] < match.config.longest_pause:
            self._wants.add(peer_id)
        else:
            self._wants.discard(peer_id)
        if self._wants and self._session.peer_id not in self._stops and self._number < MOST_PAUSES:
            self._stop(match)
            self._send(match, self._session.players_peers())
        self._settle(match)

    def _settle(self, match: Match) -> None:
        """Stop where the last of all stops, once that is known; continue when nobody wants the pause any more."""
        players, own = self._players(), self._session.peer_id
        if own not in self._stops:
            return
        is_late = self._session.now > self._began_at + ANSWER_SECONDS
        if not is_late and not players <= self._stops.keys():
            return
        frame = max(self._stops[player] for player in players if player in self._stops)
        if self._wants & players:
            match.pause_at = frame
            return
        self._wants = set()
        self._go_on(match, self._number + 1)

    def _go_on(self, match: Match, number: int) -> None:
        """End the present pause; the next one has this number."""
        self._number = number
        self._stops, match.pause_at = {}, None
        if self._is_told:
            self._is_told = False
            self._session.tell(MatchResumed(frame=match.engine.frame, seconds=self._session.now - self._paused_at))

    def after_frame(self, match: Match, now: float) -> bool:
        own = self._session.peer_id
        if own not in self._stops:
            return False
        seconds, self._looked_at = min(now - self._looked_at, LONGEST_STEP), now
        for peer_id in tuple(self._wants):
            self._used[peer_id] += seconds
            if self._used[peer_id] >= match.config.longest_pause:
                self._wants.discard(peer_id)
                if peer_id == own:
                    self._withdraw(match)
        self._settle(match)
        if self._wants and not self._is_told and match.pause_at is not None and match.engine.frame >= match.pause_at:
            self._is_told, self._paused_at = True, now
            self._session.tell(MatchPaused(frame=match.engine.frame, peers=self.wanted_by))
        return bool(self._stops)

    def excuses(self, peer_id: int, missing: int, seconds: float) -> bool:
        """Whether a peer sends no input for frame ``missing`` because it has stopped for a pause.

        A peer that wants a pause may have told only some of us. Those wait where they said, and the others must not
        blame them. But their waiting counts as a pause of theirs, so it ends.
        """
        if peer_id not in self._stops or missing < self._stops[peer_id]:
            return False
        if not self._wants:
            self._used[peer_id] += seconds
        return self._used[peer_id] < self._match.config.longest_pause

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Tell the newcomer where we stop."""
        if self._session.peer_id in self._stops:
            self._send(match, [newcomer])

    def roster_agreed(self, match: Match) -> None:
        """Forget the wishes of dropped peers."""
        self._settle(match)

    def peer_id_given(self, peer_id: int) -> None:
        self._stops.pop(peer_id, None)
        self._wants.discard(peer_id)
        self._used.pop(peer_id, None)
        self._early.pop(peer_id, None)

    def match_begun(self, match: Match) -> None:
        self._forget()
        early, self._early = self._early, {}
        for peer_id, said in early.items():
            if said.match == match.number and peer_id in self._players():
                self._hear(peer_id, said, match)
