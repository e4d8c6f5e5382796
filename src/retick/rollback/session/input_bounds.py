"""Limits on what a peer may withhold while its link is alive: its acknowledgements, and its inputs.

Theory of operation. A peer that others wait for is expelled after ``input_timeout`` seconds of waiting. It is blamed
only if the next frame needs one of its own inputs, whoever could have sent it (``missing_of``). Frames that ran reduce
the waiting, so that a peer that sends one input now and then is expelled as well, but a slow one is not. A peer that
has left more than ``max_backlog`` frames unacknowledged is expelled, too. A newcomer may be further behind: it is
expelled when inputs that it needs are forgotten, because then it can no longer come in.

A dead link is not judged here: it has its own timeout. When such a peer is heard again, it has half as long as a link
may be quiet to send what it could not send before.
"""

from typing import TYPE_CHECKING

from retick.rollback.match.match import Exchange, Match, missing_of
from retick.rollback.session.messages.kinds import NO_ACKNOWLEDGEMENTS, NO_INPUTS, describe
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

LONGEST_STEP = 1.0
"""The most seconds that count between two checks: nobody else is to blame while our own process is stopped."""
FRAMES_TAKE_OFF = 10
"""How many times its own length a frame takes off the waiting: a tenth of the frame rate is tolerated."""
NEWCOMER_SECONDS = 16.0
"""Seconds, beyond ``disconnect_after``, that a newcomer waits longer before its first frame: the players know whom to
blame, and need time to decide about it."""
DECIDING_SECONDS = 60.0
"""Seconds of waiting after a reported desync, and while peers agree on a state (``resync``): people may have stopped
the match."""


class Watch:
    """Watches one peer that withholds something."""

    __slots__ = ("heard_since", "is_overdue", "is_waited_for", "waited")

    def __init__(self, now: float) -> None:
        self.waited = 0.0
        """Seconds of waiting, less what was taken off."""
        self.is_waited_for = self.is_overdue = False
        self.heard_since = now
        """Since when the link has been alive without a break, as far as it was watched."""


class InputBounds(SessionPart):
    """Expels peers that send no inputs, or no acknowledgements."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._watched: dict[Peer, Watch] = {}
        """Peers that withhold something now, or did until a moment ago."""
        self._looked_at = 0.0
        self._frame = 0

    def match_begun(self, match: Match) -> None:
        self._watched = {}
        self._frame = match.engine.frame

    def after_frame(self, match: Match, now: float) -> bool:
        """Check all peers: when the match stalls or a backlog is too long, and then as long as one is watched."""
        seconds = min(now - self._looked_at, LONGEST_STEP)
        taken_off = (match.engine.frame - self._frame) * FRAMES_TAKE_OFF / match.config.tick_rate
        self._looked_at, self._frame = now, match.engine.frame
        watched, self._watched = self._watched, {}
        membership = self._session.membership
        for peer in self._session.peers.values():
            if peer.exchange is None:
                continue
            # Before all have begun, nobody is to blame.
            is_waiting = match.is_stalled and match.joins_at is not None and membership.agreement is not None
            missing = missing_of(peer.exchange, match.engine, match.frontier) if is_waiting else []
            first = min((match.engine.first_missing(player) for player in missing), default=0)
            is_waited_for = bool(missing) and not membership.excuses(peer.peer_id, first, seconds)
            is_overdue = _is_overdue(peer, peer.exchange, match)
            watch = watched.get(peer) or Watch(now)
            if watch.is_waited_for:
                watch.waited += seconds
            watch.waited = max(watch.waited - taken_off, 0.0)
            watch.is_waited_for, watch.is_overdue = is_waited_for, is_overdue
            if is_waited_for or is_overdue or watch.waited:
                self._watched[peer] = watch
        for peer, watch in list(self._watched.items()):
            self._judge(peer, watch, match, now)
        return bool(self._watched)

    def _judge(self, peer: Peer, watch: Watch, match: Match, now: float) -> None:
        quiet_after = self._session.link.config.quiet_after
        if peer.connection is None or peer.connection.stats.silent_for > quiet_after:
            watch.heard_since = now
        if now - watch.heard_since < quiet_after / 2:
            return
        timeout = match.config.input_timeout
        if self._session.resyncing.people_decide:
            timeout = max(timeout, DECIDING_SECONDS)
        elif _is_catching_up(match) and not self._session.hearing.is_accused(peer.peer_id):
            # All may be waiting for one that sends its inputs to us alone. They find out which one it is; we cannot.
            timeout += self._session.disconnect_after + NEWCOMER_SECONDS
        if watch.is_overdue:
            self._session.expel(peer, describe(NO_ACKNOWLEDGEMENTS), reason=NO_ACKNOWLEDGEMENTS)
        elif watch.is_waited_for and watch.waited >= timeout:
            self._session.expel(peer, describe(NO_INPUTS), reason=NO_INPUTS)


def _is_catching_up(match: Match) -> bool:
    """Whether we are a newcomer before its first frame."""
    return match.joins_at is not None and match.engine.frame < match.joins_at


def _is_overdue(peer: Peer, exchange: Exchange, match: Match) -> bool:
    """Whether a peer has left too many of our inputs unacknowledged."""
    if peer.role is Role.NEWCOMER:
        return exchange.acknowledged + 1 < match.engine.held_from()
    return exchange.unacknowledged > match.config.max_backlog
