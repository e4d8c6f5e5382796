"""Inputs of players whose peer we do not hear: asked for with WANT, answered with PASS by any peer that has them.

Theory of operation. A peer that misses a player's inputs, because it has not heard that peer for a quarter of a second
or does not hear it at all, asks another peer each time that it sends packets, in turn. The answer comes from what that
one has confirmed, so a broken path between two of three does not stop the match, and a peer that is silent towards one
other cannot hold it up. An answer is used only if it was asked for; it cannot change what is known.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from retick.errors import DecodeError, HistoryEvicted, InputConflict, ProtocolViolation, UsageError
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.events import InputConflictDetected
from retick.rollback.match.match import Match
from retick.rollback.session.input_bounds import DECIDING_SECONDS, LONGEST_STEP
from retick.rollback.session.messages.forward import (
    MOST_PASSED,
    WANT,
    PassedInputs,
    WantedInputs,
    decode_pass,
    decode_want,
    encode_pass,
    encode_want,
)
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

ASK_AFTER = 0.25
"""Seconds without a new frame after which other peers are asked for missing inputs."""
ASK_EVERY = 0.01
"""Seconds between two requests, whatever arrives: requests of two that miss the same must not cause each other."""
GO_ON_ASKING = 1.0
"""Seconds for which a player's inputs are still asked for after an answer has brought new ones."""
ANSWER_SECONDS = 2.0
"""Seconds after the last WANT in which a PASS is received."""
HOLD_SECONDS = 6.0
"""Seconds for which peers that claim to hear a peer may forward none of the inputs we wait for, beyond the time in
which they stop hearing it: ``disconnect_after`` if its link is dead, ``input_timeout`` if it sends no inputs."""
ALIVE_SECONDS = 1.5
"""A link that received something within this many seconds is alive."""


def learn_inputs(
    engine: RollbackEngine, player: int, first: int, inputs: tuple[int, ...]
) -> tuple[int, InputConflict | None]:
    """Store inputs of a player that another peer knows; returns how many were new, and the conflict with ours, if any.

    The player's peer may have sent us other inputs. Ours stand, even behind a gap that it left; those that we lack
    are the same for all. The peer that told us is not to blame.
    """
    # With a shorter history than the sender's, not all of them may fit: the rest is asked for later.
    inputs = inputs[: max(engine.frame + engine.history + 1 - first, 0)]
    if not inputs:
        return 0, None
    try:
        return engine.add_remote_inputs(player, first, inputs), None
    except InputConflict as conflict:
        news = 0
        for frame, value in enumerate(inputs, first):
            with suppress(InputConflict):
                news += engine.add_remote_inputs(player, frame, (value,))
        return news, conflict


class InputForwarding(SessionPart):
    """Asks for missing inputs, and answers such requests."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._wanted: dict[tuple[int, int], int] = {}
        """By peer id and player: the first frame that this peer has asked us for since we last sent."""
        self._needed: dict[tuple[int, int], tuple[int, float]] = {}
        """By peer id and player: the frame for which this peer can make none without that player's, and when it last
        asked us for them."""
        self._asked: dict[tuple[int, int], float] = {}
        """By peer id and player: when we last asked."""
        self._helped: dict[int, float] = {}
        """Players, with the time when an answer last brought new inputs of each."""
        self._good_packets: dict[int, tuple[int, float]] = {}
        """For each peer, while inputs are missing: how many packets were good, and when the last one came."""
        self._turn = 0
        self._asked_at = -ASK_EVERY
        self._frame = -1
        self._frame_since = self._begun_at = 0.0
        self._held: dict[int, tuple[int, float]] = {}
        """Peers that we do not hear and wait for, with the first missing frame, and since when; later if excused."""
        self._held_looked_at = 0.0
        self._alive: dict[int, float] = {}
        """Peers that may be blamed for it, and since when their links are alive."""
        self._conflicts: set[tuple[int, int]] = set()

    def match_begun(self, match: Match) -> None:
        self._wanted, self._asked, self._helped, self._held, self._conflicts = {}, {}, {}, {}, set()
        self._good_packets, self._alive, self._needed = {}, {}, {}
        self._frame = -1
        self._begun_at = self._session.now

    def receive(self, peer: Peer, data: bytes, match: Match, now: float) -> None:
        """Receive a payload that is not RBN1; bad ones are dropped and counted."""
        reason = None
        try:
            reason = self._receive_want(peer, data, match) if data[0] == WANT else self._use(peer, data, match, now)
        except (DecodeError, ProtocolViolation, UsageError) as error:
            reason = type(error).__name__
        if reason is not None and peer.exchange is not None:
            peer.exchange.dropped[reason] += 1

    def _receive_want(self, peer: Peer, data: bytes, match: Match) -> str | None:
        want = decode_want(data)
        if want.match != match.number:
            return "AnotherMatch"
        match.engine.first_missing(want.player)
        self._wanted[peer.peer_id, want.player] = want.frame
        self._needed[peer.peer_id, want.player] = (want.frame + peer.reach.frames, self._session.now)
        self._session.is_quiet = False
        return None

    def is_stuck(self, peer_id: int, missing: int) -> bool:
        """Whether a peer has just asked us for inputs without which it can make none for frame ``missing``."""
        return any(
            asker == peer_id and stop <= missing and self._session.now < asked_at + GO_ON_ASKING
            for (asker, _), (stop, asked_at) in self._needed.items()
        )

    def _use(self, peer: Peer, data: bytes, match: Match, now: float) -> str | None:
        passed = decode_pass(data, input_size_of(match.sim))
        if passed.match != match.number:
            return "AnotherMatch"
        asked_at = self._asked.get((peer.peer_id, passed.player))
        if asked_at is None or now > asked_at + ANSWER_SECONDS:
            return "PassNotAsked"
        membership = self._session.membership
        if membership.has_stated(passed.player):
            return "StatedAlready"
        if passed.player in membership.undecided:
            # Of a lost player only what comes before its agreed last inputs.
            end = membership.wanted_inputs.get(passed.player, 0)
            passed = passed._replace(inputs=passed.inputs[: max(end - passed.frame, 0)])
        news, conflict = self._learn(passed, match, now)
        if news:
            self._helped[passed.player] = now
        if conflict is not None:
            self._report(peer, conflict)
        return "InputConflict" if conflict is not None else None

    def _learn(self, passed: PassedInputs, match: Match, now: float) -> tuple[int, InputConflict | None]:
        """Store forwarded inputs; for a peer that we hear, only those it can have made, without acknowledging them."""
        owners = (peer for peer in self._session.heard_peers() if passed.player in peer.players)
        owner = next(owners, None)
        if owner is None or owner.exchange is None:
            return learn_inputs(match.engine, passed.player, passed.frame, passed.inputs)
        exchange, inputs = owner.exchange, passed.inputs
        if now < self._good_packets.get(owner.peer_id, (0, -ASK_AFTER))[1] + ASK_AFTER:
            # It has just told us where it is, and waits for somebody too: it has made no later input.
            newest = max(exchange.newest, exchange.their_frame - 1)
            inputs = inputs[: max(newest + 1 - passed.frame, 0)]
        news, conflict = learn_inputs(match.engine, passed.player, passed.frame, inputs)
        exchange.is_passed_on |= bool(news)
        return news, conflict

    def _report(self, peer: Peer, conflict: InputConflict) -> None:
        """Report a conflict once for each peer and player."""
        if (peer.peer_id, conflict.player) not in self._conflicts:
            self._conflicts.add((peer.peer_id, conflict.player))
            found = {name: getattr(conflict, name) for name in ("player", "frame", "confirmed", "received")}
            self._session.tell(InputConflictDetected(peer=peer.peer_id, **found))

    def after_frame(self, match: Match, now: float) -> bool:
        """Answer, once for each peer and player, and ask."""
        self._answer(match)
        if match.joins_at is None:
            return False
        if match.engine.frame != self._frame:
            self._frame, self._frame_since = match.engine.frame, now
        if self._helped:
            self._helped = {player: at for player, at in self._helped.items() if now < at + GO_ON_ASKING}
        latest = match.frontier if now >= self._frame_since + ASK_AFTER else -1
        if self._session.membership.agreement is None and now >= self._begun_at + ASK_AFTER:
            latest = max(latest, 0)  # all must soon know who has begun
        missing = self._missing(match, latest)
        if not missing:
            return False
        self._note_good_packets(match, now)
        if now >= self._asked_at + ASK_EVERY:
            self._asked_at = now
            self._turn += 1
            for player, owner in missing:
                self._ask(player, owner, match, now)
        self._expel_who_holds_inputs_back(match, now)
        return True

    def _note_good_packets(self, match: Match, now: float) -> None:
        for exchange in match.exchanges:
            good = exchange.packets_in - exchange.dropped.total()
            if self._good_packets.get(exchange.peer.peer_id, (0, 0.0))[0] != good:
                self._good_packets[exchange.peer.peer_id] = (good, now)

    def _answer(self, match: Match) -> None:
        wanted, self._wanted = self._wanted, {}
        engine = match.engine
        for (peer_id, player), frame in wanted.items():
            peer = self._session.peers.get(peer_id)
            end = min(engine.first_missing(player), frame + MOST_PASSED)
            if peer is None or peer.connection is None or end <= frame:
                continue
            try:
                inputs = tuple(engine.inputs_of(player, frame, end))
            except HistoryEvicted:
                continue
            passed = PassedInputs(match.number, player, frame, inputs)
            peer.connection.send_unreliable(encode_pass(passed, input_size_of(match.sim)))

    def _missing(self, match: Match, latest: int) -> list[tuple[int, int | None]]:
        """The players whose inputs up to frame ``latest`` to ask for, and those of whom we hear otherwise only."""
        session = self._session
        missing: list[tuple[int, int | None]] = [
            (player, peer.peer_id)
            for peer in session.players_peers()
            for player in peer.players
            if not peer.is_heard or player in self._helped or match.engine.first_missing(player) <= latest
        ]
        membership = session.membership
        return missing + [(player, membership.owner_of(player)) for player in membership.wanted_inputs]

    def _ask(self, player: int, owner: int | None, match: Match, now: float) -> None:
        session = self._session
        others = [peer for peer in session.heard_peers() if peer.peer_id != owner]
        nearest = [
            peer for peer in others if owner is not None and session.hearing.hears(peer.peer_id, owner)
        ] or others
        if not nearest:
            return
        peer = nearest[self._turn % len(nearest)]
        self._asked[peer.peer_id, player] = now
        if peer.connection is not None:
            want = WantedInputs(match.number, player, match.engine.first_missing(player))
            peer.connection.send_unreliable(encode_want(want))

    def _expel_who_holds_inputs_back(self, match: Match, now: float) -> None:
        """Expel peers that claim to hear a peer for whose inputs we wait, but forward none of them.

        What they have stated counts only if it was stated when they should have known better: in a slot that takes
        long, they state nothing. And as long as an open slot excuses the peer that we wait for, they excuse it, too.
        """
        session = self._session
        held: dict[int, tuple[int, float]] = {}
        seconds, self._held_looked_at = min(now - self._held_looked_at, LONGEST_STEP), now
        for peer in session.players_peers():
            frame = min(match.engine.first_missing(player) for player in peer.players)
            if not peer.is_heard and frame <= match.frontier:
                known = self._held.get(peer.peer_id)
                since = known[1] if known is not None and known[0] == frame else now
                is_excused = session.membership.excuses(peer.peer_id, frame, seconds)
                held[peer.peer_id] = (frame, min(since + seconds * is_excused, now))
        self._held = held
        for peer_id, (_, since) in held.items():
            for guilty in session.forwarders_of([peer_id]):
                until = max(since, self._alive_since(guilty, now)) + self._longest_hold()
                if now >= until and not session.membership.has_decided_since(until):
                    session.membership.want_slot()
                elif now >= until:
                    session.expel(guilty, f"hears peer {peer_id} and passes on none of its inputs")
        if not held:
            self._alive = {}

    def _alive_since(self, peer: Peer, now: float) -> float:
        """Since when its link is alive without a break, as far as it was checked: before, nothing could come."""
        link = peer.connection
        if link is None or link.stats.silent_for >= ALIVE_SECONDS:
            self._alive[peer.peer_id] = now
        return self._alive.setdefault(peer.peer_id, now)

    def _longest_hold(self) -> float:
        session, config = self._session, self._session.config
        timeout = DECIDING_SECONDS if session.resyncing.people_decide else config.input_timeout
        return max(session.disconnect_after, timeout) + HOLD_SECONDS
