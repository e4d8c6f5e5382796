"""A pause: all peers stop before the same frame, and continue when nobody wants the pause any more.

Who wants a pause says so in its statements (``membership``), and so does who no longer wants it; ``outcome`` finds the
frame. A pause changes no
state, so a lie about it costs only time. Each peer counts that time, and states whose pauses it no longer waits for:
when most do, the pause is over for all. A newcomer has counted nothing, and takes over what most others state.
"""

from collections import defaultdict
from typing import TYPE_CHECKING

from retick.errors import NotSynchronized, UsageError
from retick.rollback.events import MatchPaused, MatchResumed
from retick.rollback.match.match import Match
from retick.rollback.session.outcome import Decided, is_over
from retick.rollback.session.part import SessionPart

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

LONGEST_STEP = 1.0
"""The most seconds that count between two checks: a process that was stopped has paused nobody."""


class Pause(SessionPart):
    """Wants a pause for this peer, and stands while anybody does."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._forget()

    def _forget(self) -> None:
        self.is_wanted = False
        """Whether this peer's application wants the match to be paused."""
        self._wanting: set[int] = set()
        """The peers that want it, as decided."""
        self._paused_at = self._looked_at = self._session.now
        self._is_told = False
        self._used: defaultdict[int, float] = defaultdict(float)
        """Seconds for which each peer has kept the match paused."""
        self.over: tuple[int, ...] = ()
        """The peers whose pauses this one has waited for as long as it will."""
        self._is_new = False
        """Whether this peer has come into the match and not heard yet for whom the others still wait."""

    @property
    def wanted_by(self) -> tuple[int, ...]:
        """The peers that want the match to be paused."""
        session = self._session
        players = {peer.peer_id for peer in session.players_peers()}
        return tuple(sorted((self._wanting & players) | ({session.peer_id} if self.is_wanted else set())))

    def pause(self) -> None:
        match, own = self._match, self._session.peer_id
        if match.joins_at is None:
            raise NotSynchronized("a match can be paused once the seat here is taken")
        if self._used[own] >= self._session.config.longest_pause:
            raise UsageError(
                f"this peer has paused the match for {self._session.config.longest_pause:g} s, the most it may"
            )
        if not self.is_wanted:
            self._change(is_wanted=True)

    def resume(self) -> None:
        if self.is_wanted:
            self._change(is_wanted=False)

    def _change(self, *, is_wanted: bool) -> None:
        self.is_wanted = is_wanted
        self._session.is_quiet = False

    def note_wishes(self, found: Decided, match: Match) -> None:
        """Stand or go on, as was decided."""
        self._wanting = set(found.paused_by)
        if self._is_new:
            self._is_new = False
            others = {peer_id: each for peer_id, each in found.wishes.items() if peer_id != self._session.peer_id}
            self._end([peer_id for peer_id in others if is_over(peer_id, others)])
        if self._wanting:
            if match.pause_at is None:
                # As long as anybody wants it, it stands there: who has another wish does not move it.
                match.pause_at, self._looked_at = found.pause_at, self._session.now
            self._session.is_quiet = False
        else:
            self._go_on(match)

    def pauses_at(self, match: Match) -> int | None:
        """The frame before which the peers pause; None if nobody wants it, as decided so far."""
        return match.pause_at if self._wanting else None

    def _go_on(self, match: Match) -> None:
        match.pause_at = None
        if self._is_told:
            self._is_told = False
            self._session.tell(MatchResumed(frame=match.engine.frame, seconds=self._session.now - self._paused_at))

    def after_frame(self, match: Match, now: float) -> bool:
        if not self._wanting:
            return False
        seconds, self._looked_at = min(now - self._looked_at, LONGEST_STEP), now
        for peer_id in self._wanting:
            self._used[peer_id] += seconds
        self._end([peer_id for peer_id in self._wanting if self._used[peer_id] >= self._session.config.longest_pause])
        if not self._is_told and match.pause_at is not None and match.engine.frame >= match.pause_at:
            self._is_told, self._paused_at = True, now
            self._session.tell(MatchPaused(frame=match.engine.frame, peers=self.wanted_by))
        return True

    def _end(self, peer_ids: list[int]) -> None:
        """Wait for the pauses of these peers no longer, as soon as most others do not either."""
        if self._session.peer_id in peer_ids:
            self.resume()
        more = set(peer_ids) - {*self.over, self._session.peer_id}
        if more:
            self.over += tuple(sorted(more))
            self._session.is_quiet = False

    def peer_id_given(self, peer_id: int) -> None:
        self._used.pop(peer_id, None)
        self.over = tuple(each for each in self.over if each != peer_id)

    def match_begun(self, match: Match) -> None:
        self._forget()
        self._is_new = match.joins_at is None
