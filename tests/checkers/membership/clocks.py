"""What no longer matters is forgotten in the sessions themselves, so that waiting leads to no new states.

Every bound of membership is a time that is compared with the clock. Once it is long past, or what it was for is over,
it no longer matters how long ago it was. The fields are changed, and not only left out of the digest: so two sessions
with the same digest have nothing left that could make them behave differently.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from retick.rollback.session.drops import LONGEST_STEP
from retick.rollback.session.forwarding import ANSWER_SECONDS
from retick.rollback.session.joining.joins import COMMITS_TOGETHER
from retick.rollback.session.peer import LAST_PEER_ID, Role
from tests.checkers.membership.frames import ORIGIN
from tests.checkers.membership.link import ANY_REASON, Status

__all__ = ["DURATIONS", "forget_ends", "forget_exchanges", "forget_joins", "forget_times"]

ENDS = (Status.CONNECTED, Status.CLOSED)
"""Where a connection is when it cannot come up any more: it is up, or it is over."""

SENT_AGAIN = 4
"""Frames that are sent to a player each time: nobody who plays is further behind. Fewer than ``canonical.OLD``: what is
older stands for any frame, and inputs from there would be for frames that the receiver has otherwise."""
PAST = 1.0
"""Seconds after which the short bounds (a quarter of a second to 0.75) have run out; less than one step of time."""
MOST_TURNS = 2
"""In a model of up to four machines at most two can be asked in turn for the inputs of a third."""

LONGEST_LATE = 30.0
"""Seconds of lateness after which everybody who can be blamed has been; more than all of its bounds together."""

DURATIONS = {("Joins", "_waited"), ("Watch", "waited"), ("Drops", "_late_for"), ("Drops", "_unproved_for")}
"""Fields with seconds, and not with times."""


def forget_times(value: Any, now: float) -> None:
    """Forget the times of one part of a session that no longer matter at ``now``."""
    forget = _FORGET.get(type(value).__name__)
    if forget is not None:
        forget(value, now)


def _forget_joins(joins: Any, now: float) -> None:
    if joins.blameless_until <= now:
        joins.blameless_until = 0.0
    if not joins.has_promised:
        joins._promised_at, joins._promised = 0.0, range(0)
    session, most = joins._session, COMMITS_TOGETHER + PAST
    joins._waited = {
        sponsor: min(seconds, most)
        for sponsor, seconds in joins._waited.items()
        if seconds > 0.0 and sponsor in session.peers
    }
    if session.match is not None:
        final = session.match.engine.final_state_frame
        joins._first_frames = {
            peer_id: frame
            for peer_id, frame in joins._first_frames.items()
            if not _has_settled(session.peers.get(peer_id)) or final < frame
        }
    joins._sponsors = {
        peer_id: sponsor for peer_id, sponsor in joins._sponsors.items() if _may_be_proposed(joins, peer_id, sponsor)
    }


def _has_settled(peer: Any) -> bool:
    """Whether a newcomer is none any more, and no link to it can come up: its first frame is asked for no more."""
    if peer is None:
        return True
    return peer.role is not Role.NEWCOMER and peer.connection is not None and peer.connection.status in ENDS


def _may_be_proposed(joins: Any, peer_id: int, sponsor: int) -> bool:
    """Whether it still matters who has announced a newcomer."""
    peers = joins._session.peers
    if peer_id in joins._early_meets or peer_id in joins._early_proposals or peer_id == joins._promised_for:
        return True
    return peers[peer_id].role is Role.NEWCOMER if peer_id in peers else sponsor in peers


def _forget_sponsor(sponsor: Any, now: float) -> None:
    if sponsor.newcomer is None:
        sponsor._first_frame = sponsor._began_at = sponsor._proposed_at = None
        sponsor._promises, sponsor._progress, sponsor._last, sponsor._moved_at = {}, (), 0, 0.0
        sponsor._has_joined = sponsor._waits_for_state = False
        sponsor._sender = None
    # For those that come in, are lost, and come again: in the model nobody comes so often.
    sponsor._came_in = {}


def _forget_held_off(held_off: Any, now: float) -> None:
    held_off._now = 0.0
    held_off._waits = {origin: wait for origin, wait in held_off._waits.items() if now < wait.until}


def _forget_newcomer(newcomer: Any, now: float) -> None:
    match = newcomer._session.match
    if match is not None and match.joins_at is not None:
        newcomer._since = None
    if match is not None and match.is_taken_in:
        newcomer._taken_since, newcomer._denied_at = None, 0.0


def _forget_lobby(lobby: Any, now: float) -> None:
    if lobby._session.match is not None:
        lobby._since = None


def _forget_calls(calls: Any, now: float) -> None:
    calls._waiting = {shown: link for shown, link in calls._waiting.items() if link.close_reason is None}
    calls._since = {shown: since for shown, since in calls._since.items() if shown in calls._waiting}


def _forget_drops(drops: Any, now: float) -> None:
    session = drops._session
    drops._early = {peer_id: drop for peer_id, drop in drops._early.items() if peer_id in session.peers}
    still = {peer.peer_id for peer in session.players_peers() if not peer.is_heard}
    if session.drop_agreement.undecided:
        still |= session.drop_agreement.lost.keys()
        drops._looked_at = max(drops._looked_at, now - LONGEST_STEP)
        drops._late_for = _capped(drops._late_for)
        drops._unproved_for = _capped(drops._unproved_for)
    else:
        drops._late_for, drops._unproved_for = defaultdict(float), defaultdict(float)
        drops._lost_when_counted, drops._looked_at = 0, now
    drops._unheard_at = {
        peer_id: max(at, now - LONGEST_LATE) for peer_id, at in sorted(drops._unheard_at.items()) if peer_id in still
    }


def _capped(seconds: Any) -> Any:
    """Those that are late, and no more seconds than are ever asked for."""
    late = {peer_id: min(each, LONGEST_LATE) for peer_id, each in sorted(seconds.items()) if each}
    return defaultdict(float, late)


def _forget_agreed(agreement: Any, now: float) -> None:
    """What was said of lost peers counts as long as their drop is undecided: the next one is about others too."""
    agreement.lost = dict(sorted(agreement.lost.items()))
    agreement.decided = dict(sorted(agreement.decided.items()))
    received = {peer_id: drop._replace(serial=0, unheard=()) for peer_id, drop in sorted(agreement._received.items())}
    if not agreement.undecided:
        received = {
            peer_id: drop
            if drop.lost - agreement.lost.keys()
            else drop._replace(known=(), decided=(), commits=(), before=frozenset())
            for peer_id, drop in received.items()
        }
        agreement._sent = {}
    agreement._received = received


def _forget_hearing(hearing: Any, now: float) -> None:
    """Why a peer is not heard is only told to applications."""
    hearing._unheard = {
        peer_id: dict.fromkeys(sorted(hearing._unheard[peer_id]), ANY_REASON) for peer_id in sorted(hearing._unheard)
    }


def _forget_forwarding(forwarding: Any, now: float) -> None:
    """What a lost peer said last is passed on to those that still hear it, or have not said that they do not."""
    session = forwarding._session
    players = [peer.peer_id for peer in session.players_peers()]
    forwarding._newest = {
        (origin, kind): message
        for (origin, kind), message in sorted(forwarding._newest.items())
        if origin in players or any(origin not in session.hearing.unheard_by(player) for player in players)
    }


def forget_exchanges(match: Any) -> None:
    """A player is sent the newest inputs whether it has acknowledged them or not, and ignores what it has.

    How far the others are is asked by newcomers; and where a packet does not have all inputs of its sender: in the
    model it always has.
    """
    for exchange in match.exchanges:
        if exchange.peer.role is not Role.NEWCOMER:
            exchange.acknowledged = max(match.engine.frame - SENT_AGAIN, ORIGIN - 1)
            if exchange.known_below <= exchange.acknowledged:
                exchange.known_below = 0
        if match.joins_at is not None:
            exchange.their_frame = -1


def _forget_order(link: Any, now: float) -> None:
    link.connections = dict(sorted(link.connections.items()))


def forget_ends(session: Any) -> None:
    """The end of a connection whose peer is gone already, or is not heard any more, means nothing."""
    session.link.closing = [event for event in session.link.closing if _is_awaited(session, event.connection.tag)]


def _is_awaited(session: Any, peer: Any) -> bool:
    return peer is not None and session.peers.get(peer.peer_id) is peer and bool(peer.is_heard)


def _forget_connection(connection: Any, now: float) -> None:
    if connection.status == Status.CLOSED:
        connection.is_silent, connection.key, connection.terms = False, ("", 0), None


def _forget_bounds(bounds: Any, now: float) -> None:
    peers = bounds._session.peers.values()
    bounds._watched = {
        peer: watch
        for peer, watch in bounds._watched.items()
        if peer.exchange is not None and any(peer is known for known in peers)
    }
    bounds._looked_at = max(bounds._looked_at, now - PAST)
    if not bounds._watched:
        bounds._looked_at, bounds._frame = now - PAST, 0


def _forget_watch(watch: Any, now: float) -> None:
    watch.heard_since = max(watch.heard_since, now - PAST)


def _forget_asking(asking: Any, now: float) -> None:
    session = asking._session
    asking._frame_since = max(asking._frame_since, now - PAST)
    if session.match is not None and asking._frame != session.match.engine.frame:
        # Frames only grow: this one does not come again.
        asking._frame, asking._frame_since = -1, now - PAST
    if not session.players_peers() and not session.drop_agreement.undecided:
        # Nobody is there whose inputs could be missing.
        asking._frame, asking._frame_since = -1, now - PAST
    still = {peer.peer_id for peer in session.players_peers() if not peer.is_heard}
    still |= set(session.drop_agreement.lost) if session.drop_agreement.undecided else set()
    asking._held = {peer_id: held for peer_id, held in asking._held.items() if peer_id in still}
    asking._alive = (
        {peer_id: max(at, now - LONGEST_LATE) for peer_id, at in asking._alive.items()} if asking._held else {}
    )
    asking._asked = {key: at for key, at in asking._asked.items() if now <= at + ANSWER_SECONDS}
    asking._helped = {player: at for player, at in asking._helped.items() if now < at + PAST}
    # The exchanges of a session are visited before its parts, and their counts are zero: so are those of the parts.
    asking._good_packets = {
        peer_id: (0, at) for peer_id, (_, at) in sorted(asking._good_packets.items()) if now < at + PAST
    }
    asking._turn %= MOST_TURNS if session.sim.num_players > 3 else 1


def forget_joins(session: Any) -> None:
    """Nobody will ever join again: what only a newcomer would ask for."""
    joins, sponsor = session.joins, session.sponsor
    joins._last_id, joins._unanswered, joins._waited, joins._first_frames, joins._sponsors = 0, 0, {}, {}, {}
    session.newest_peer_id = LAST_PEER_ID
    sponsor._held_off._waits, sponsor._unpromised = {}, Counter()


def _forget_pause(pause: Any, now: float) -> None:
    if not pause._stops:
        pause._began_at = pause._paused_at = pause._looked_at = 0.0


def _forget_match(match: Any, now: float) -> None:
    # Whether the end of a stall is told matters to applications only.
    match.is_stall_told = False
    match.stalled_since = max(match.stalled_since, now - PAST) if match.is_stalled else 0.0


_FORGET: dict[str, Callable[[Any, float], None]] = {
    "Joins": _forget_joins,
    "Sponsor": _forget_sponsor,
    "HeldOff": _forget_held_off,
    "Newcomer": _forget_newcomer,
    "Lobby": _forget_lobby,
    "EarlyCalls": _forget_calls,
    "Drops": _forget_drops,
    "DropAgreement": _forget_agreed,
    "Hearing": _forget_hearing,
    "InputBounds": _forget_bounds,
    "Watch": _forget_watch,
    "InputForwarding": _forget_asking,
    "Forwarding": _forget_forwarding,
    "ModelLink": _forget_order,
    "ModelConnection": _forget_connection,
    "Match": _forget_match,
    "Pause": _forget_pause,
}
