"""Who takes part, and everything that the peers decide together: one agreement, fed and applied.

Theory of operation. Parts of the session have wishes (a pause, a rematch, a state to go on from, a newcomer), links
end, and this part puts what is so into this peer's statement of each slot. When a slot is decided it applies what
follows, in the order of docs/formats/membership.md: losses and cuts, the next match, a newcomer, a pause. No other part
decides anything with other peers.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from retick.errors import HistoryEvicted
from retick.link import Reason
from retick.rollback.events import FramesTakenBack, PeerUnheard, PlayersDropped
from retick.rollback.match.match import Match, missing_of
from retick.rollback.session.agreement import DELTA, EAGER, MOST_WAITING, STEP, Agreement
from retick.rollback.session.messages.agreement import LARGEST_BODY, ReadyNewcomer, Statement, Tail, Taken, Wishes
from retick.rollback.session.messages.kinds import NO_INPUTS, MessageKind, describe
from retick.rollback.session.messages.roster import roster_hash
from retick.rollback.session.outcome import Cut, Decided, SlotMembers, decided
from retick.rollback.session.part import EarlyMessages, SessionPart
from retick.rollback.session.peer import Peer, Role
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

STOP_SECONDS = 0.25
"""Seconds by which a stop is ahead, in addition to two round trips; one second at most."""
LONGEST_STOP = 1.0
"""The most seconds by which a stop is ahead."""
MOST_LATE = 10.0
"""Seconds for which slots may wait for one member alone before we no longer hear it."""
MOST_EXCUSED = 20.0
"""Seconds for which a member may send no inputs because it waits for a decision or for another one: longer than any
slot takes, and together with ``input_timeout`` longer than one takes after the culprit was waited for as long."""
FORGIVEN = 0.1
"""Seconds of either that are forgiven each second."""
SHOW_SECONDS = 6.0
"""Seconds in which those that claim the inputs of a lost player must have shown them."""


class TimeAllowance:
    """Seconds that are counted for each member, and forgiven little by little."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._used: dict[int, float] = {}
        self._looked_at = 0.0

    def pass_time(self, now: float) -> None:
        """Forgive."""
        forgiven, self._looked_at = FORGIVEN * max(now - self._looked_at, 0.0), now
        self._used = {peer_id: used - forgiven for peer_id, used in self._used.items() if used > forgiven}

    def use(self, peer_id: int, seconds: float) -> bool:
        """Count seconds for a member; False once they are too many."""
        used = self._used[peer_id] = min(self._used.get(peer_id, 0.0) + seconds, self._most)
        return used < self._most

    def forget(self, peer_id: int) -> None:
        self._used.pop(peer_id, None)


class Membership(SessionPart):
    """Feeds the agreement, and applies what is decided."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self.agreement: Agreement | None = None
        """None before all have begun the match, and for a newcomer before it is a member."""
        self._all_begin_by = 0.0
        """When all that are heard have begun the first match."""
        self.free: dict[int, int] = {}
        """The seats that nobody plays, with their first frame on neutral input."""
        self.wishes: dict[int, Wishes] = {}
        """What each member wants, as last decided."""
        self._leaves: str | None = None
        """Why this peer leaves; None if it does not."""
        self._open: dict[int, int] = {}
        """Lost players whose cut is not decided, with the peer that had them."""
        self._cuts: dict[int, tuple[Cut, int, float]] = {}
        """Cuts whose inputs are not all here, with the peer that was lost, and since when."""
        self._coming: dict[int, int] = {}
        """Players of newcomers whose first frame is too far ahead for our history."""
        self._said: set[int] = set()
        """The members that we have named as unheard in a decided slot."""
        self._is_wanted = False
        """Whether a slot is wanted without other news."""
        self._stop: int | None = None
        """The frame before which this peer stands until the open slot is decided."""
        self._stated: frozenset[int] = frozenset()
        """The players whose tails our statement of the open slot shows."""
        self._ready: ReadyNewcomer | None = None
        """The newcomer that our statement of the open slot names."""
        self._named_at: dict[int, float] = {}
        """Members that others name as unheard in this slot, and when we first heard of it."""
        self._is_applying = False
        """Whether a decision is being applied: what parts do meanwhile is looked at afterwards."""
        self._early = EarlyMessages(session, MOST_WAITING)
        """Messages of newcomers that are members for others already, and about a slot that begins in a moment."""
        self._late = TimeAllowance(MOST_LATE)
        self._excused = TimeAllowance(MOST_EXCUSED)

    # What others ask.

    @property
    def undecided(self) -> set[int]:
        """The lost players whose cut is not decided, or whose inputs before the cut are not all here."""
        return {*self._open, *self._cuts}

    def has_stated(self, player: int) -> bool:
        """Whether our statement of the open slot says what we know of a player: until it is decided, we learn no more.

        Else some would have run as final what the decision, which knows only what was stated, takes back.
        """
        return player in self._stated

    @property
    def is_deciding(self) -> bool:
        """Whether a decision is still to come, or what it needs."""
        return bool(self.undecided) or (self.agreement is not None and self.agreement.is_open)

    @property
    def wanted_inputs(self) -> dict[int, int]:
        """The lost players whose inputs before a decided cut are missing here, with the frame up to which they are."""
        return {player: cut.first for player, (cut, _, _) in self._cuts.items()}

    def owner_of(self, player: int) -> int | None:
        """The lost peer that had an undecided player."""
        known = self._cuts.get(player)
        return known[1] if known is not None else self._open.get(player)

    def excuses(self, peer_id: int, missing: int, seconds: float) -> bool:
        """Whether a peer sends no input for frame ``missing`` because it waits, too; for so many seconds, not for ever.

        It has stopped until a decision, or asks us for another one's inputs: it will blame that one before we blame it.
        """
        peer, stated = self._session.peers.get(peer_id), () if self.agreement is None else self.agreement.statements()
        reach = 0 if peer is None else peer.reach.frames
        has_stopped = any(said.author == peer_id and _last_frame(said, reach) <= missing for said in stated)
        waits = has_stopped or self._session.input_forwarding.is_stuck(peer_id, missing)
        return waits and self._excused.use(peer_id, seconds)

    def names(self, newcomer: Peer) -> bool:
        """Whether our statement of the open slot names this newcomer: it may be a member in a moment."""
        return self._ready is not None and self._ready.peer_id == newcomer.peer_id

    def has_decided_since(self, time: float) -> bool:
        """Whether a slot was opened after this time, and is decided: all members have stated whom they hear."""
        return self.agreement is not None and self.agreement.last_opened_at >= time

    def want_slot(self) -> None:
        """Ask for a decision, because something may have changed that only a decision settles."""
        self._is_wanted = True
        self._session.is_quiet = False

    def leave(self, text: str) -> None:
        """Tell the others in a last statement that this peer leaves, with its last inputs."""
        agreement, match = self.agreement, self._session.match
        if agreement is None or match is None or not self._session.heard_peers():
            return
        self._leaves = text
        agreement.open(self._session.now)
        if agreement.wants_statement:
            agreement.state(self._statement(agreement, match), self._session.now)
        self._send(agreement)

    # Beginning.

    def match_begun(self, match: Match) -> None:
        if self.agreement is None and match.joins_at is not None:
            session = self._session
            self._all_begin_by = session.now + session.lobby.longest_start + STEP
            self._begin_when_all_have(match, session.now)

    def _begin_when_all_have(self, match: Match, now: float) -> None:
        """Decide nothing before all have begun: the host may have kept START from some, which could not take part.

        Honest peers learn at about the same time who has: each packet shows it, and others pass its inputs on.
        """
        session = self._session
        if len(session.players_peers()) > 1:
            late = [peer for peer in session.heard_peers() if not self._has_begun(peer, match)]
            if late and now < self._all_begin_by:
                return
            for peer in late:
                session.expel(peer, describe(NO_INPUTS), reason=NO_INPUTS)
        self._become_member(self._roster_hash(), 0, match)
        for peer in session.players_peers():
            if not peer.is_heard and self.agreement is not None:
                self.agreement.stop_hearing(peer.peer_id, now)
        self.receive_early()

    def _has_begun(self, peer: Peer, match: Match) -> bool:
        is_known = match.engine.first_missing(peer.players[0]) > 0 or peer in self._early
        return is_known or (peer.exchange is not None and peer.exchange.packets_in > 0)

    def _become_member(self, history: bytes, slot: int, match: Match) -> None:
        session = self._session
        self.agreement = Agreement(
            session.peer_id,
            {peer_id: terms.key for peer_id, terms in session.terms().items()},
            history,
            disconnect_after=session.disconnect_after,
            sign=session.sign,
            input_size=input_size_of(match.sim),
            first_slot=slot,
        )

    def _roster_hash(self, nonce: bytes = b"") -> bytes:
        session = self._session
        return roster_hash(session.token + nonce, session.terms(), session.disconnect_after)

    def _taken_hash(self, match: Match) -> bytes:
        """The hash of all that a newcomer was told by its sponsor alone, and must know as the others do."""
        numbers = self._session.match_count.to_bytes(4, "little") + match.seed.to_bytes(4, "little")
        return self._roster_hash(numbers)

    def take_part(self, taken: Taken, match: Match) -> bool:
        """Begin as a newcomer that has become a member; False if the others count other members than we do."""
        if taken.roster != self._taken_hash(match):
            return False
        self._become_member(taken.history, taken.slot, match)
        return True

    # Messages.

    def receive(self, peer: Peer, data: bytes) -> None:
        """Receive a message of the agreement."""
        session, agreement = self._session, self.agreement
        if agreement is None or peer.role is Role.NEWCOMER:
            self._early.keep(peer, data)
        elif peer.peer_id in agreement.members:
            session.is_quiet = False
            agreement.receive(peer.peer_id, data, session.now)
            if data[0] != MessageKind.DECIDED:  # nothing follows from it at once, and a flood of it must be cheap
                self.turn(self._match, session.now)

    def receive_early(self) -> None:
        """Receive what members sent before they, or this peer, were known to be members."""
        self._early.receive(*self._early)

    # Losing peers.

    def peer_gone(self, peer: Peer, reason: str) -> None:
        session, match = self._session, self._session.match
        if peer.role is Role.PLAYER and session.running and match is not None and match.joins_at is not None:
            self._stop_hearing(peer, match)

    def _stop_hearing(self, peer: Peer, match: Match) -> None:
        session, link = self._session, peer.connection
        session.stop_exchange(peer)
        peer.is_heard = False
        session.is_quiet = False
        reason = link.close_reason if link is not None else None
        session.hearing.add(session.peer_id, peer.peer_id, Reason.NO_ANSWER if reason is None else reason)
        session.sponsor.cancel()
        if self.agreement is not None:
            self.agreement.stop_hearing(peer.peer_id, session.now)

    def peer_id_given(self, peer_id: int) -> None:
        self._session.hearing.forget(peer_id)
        self.wishes.pop(peer_id, None)
        self._said.discard(peer_id)
        self._late.forget(peer_id)
        self._excused.forget(peer_id)

    # The turns of a slot.

    def after_frame(self, match: Match, now: float) -> bool:
        if self.agreement is None and match.joins_at is not None:
            self._begin_when_all_have(match, now)
        agreement = self.agreement
        if agreement is None:
            return match.joins_at is not None
        agreement.round_trip = self._session.longest_rtt
        agreement.poll(now)
        self.turn(match, now)
        if self._session.match is not match or not self._session.running:
            return True
        self._drop_when_complete(match, now)
        self._let_come_when_near(match)
        self._excused.pass_time(now)
        self._expel_late(agreement, now)
        return agreement.is_busy or bool(self._cuts) or bool(self._coming) or self._has_news()

    def turn(self, match: Match, now: float) -> None:
        """Open a slot if there is news, state, apply what is decided, and send."""
        agreement, session = self.agreement, self._session
        if agreement is None or session.match is not match or self._is_applying:
            return
        if agreement.may_open(now) and self._has_news():
            agreement.open(now)
        if agreement.wants_statement and self._may_state(agreement, match, now):
            agreement.state(self._statement(agreement, match), now)
        self._send(agreement)
        if agreement.decision() is not None:
            self._apply(agreement, match, now)
            self._send(agreement)
            self.receive_early()

    def _send(self, agreement: Agreement) -> None:
        for peer_id, data in agreement.drain():
            peer = self._session.peers.get(peer_id)
            if peer is not None:
                peer.send(data)

    def _has_news(self) -> bool:
        own_wishes = self.wishes.get(self._session.peer_id, Wishes())
        is_news = self._is_wanted or bool(self._open) or self._own_wishes() != own_wishes
        return is_news or any(peer_id not in self._said for peer_id, _ in self._unheard())

    def _own_wishes(self) -> Wishes:
        session = self._session
        return Wishes(
            session.pausing.is_wanted, session.rematching.wanted, session.resyncing.offered, session.pausing.over
        )

    def _unheard(self) -> list[tuple[int, int]]:
        session = self._session
        reasons = session.hearing.unheard_by(session.peer_id)
        return [(peer.peer_id, reasons.get(peer.peer_id, 0)) for peer in session.players_peers() if not peer.is_heard]

    def _may_state(self, agreement: Agreement, match: Match, now: float) -> bool:
        return now >= agreement.latest_statement_at or not self._is_anybody_in_doubt(agreement, match, now)

    def _is_anybody_in_doubt(self, agreement: Agreement, match: Match, now: float) -> bool:
        """Whether a member may be lost that our statement would still count as heard."""
        session, stated = self._session, set()
        for said in agreement.statements():
            stated.add(said.author)
            for peer_id, _ in said.unheard:
                self._named_at.setdefault(peer_id, now)
        for peer in session.heard_peers():
            if peer.connection is None or peer.peer_id in stated:
                continue
            silent_for = peer.connection.stats.silent_for
            named_for = now - self._named_at.get(peer.peer_id, -math.inf)
            if silent_for > session.link.config.quiet_after or named_for <= max(min(DELTA, silent_for), EAGER):
                return True
            if peer.peer_id in self._named_at and _is_waited_for(peer, match):
                return True  # others have lost it for that, and so shall we in a moment
        return False

    def _statement(self, agreement: Agreement, match: Match) -> Statement:
        session = self._session
        self._stop = self._next_stop(match)
        self.set_barrier(match)
        unheard = self._unheard()
        self._ready = session.joins.ready_newcomer(match)
        tails = self._tails(agreement, {peer_id for peer_id, _ in unheard}, match)
        self._stated = frozenset(tail.player for tail in tails)
        return Statement(
            agreement.slot,
            agreement.history,
            session.peer_id,
            self._stop,
            self._own_wishes(),
            self._ready,
            self._leaves,
            tuple(unheard),
            tails,
        )

    def _next_stop(self, match: Match) -> int:
        """A frame so far ahead that, as a rule, a decision comes first; at a pause, the frame of the pause."""
        if match.pause_at is not None:
            return max(match.engine.frame, match.pause_at)
        seconds = min(STOP_SECONDS + 2 * self._session.longest_rtt, LONGEST_STOP)
        frames = math.ceil(seconds * match.config.tick_rate)
        return match.engine.frame + min(frames, max(match.config.history // 2, 1))

    def _tails(self, agreement: Agreement, unheard: set[int], match: Match) -> tuple[Tail, ...]:
        """What we know of the players of peers that are lost or leave; of our own, if we leave."""
        session, engine = self._session, match.engine
        leaving = {said.author for said in agreement.statements() if said.leaves is not None}
        for peer_id in leaving - unheard - {session.peer_id}:
            # It has said all: what it sends to some of us after that could not be in anybody's tail.
            session.stop_exchange(session.peers[peer_id])
        gone = unheard | leaving
        players = {player for peer_id in gone for player in session.peers[peer_id].players} | set(self._open)
        players |= set(session.local_players) if self._leaves is not None else set()
        room = (LARGEST_BODY - 512) // (max(len(players), 1) * input_size_of(match.sim)) - 8
        length = max(min(self._members(match).longest_tail, room), 0)
        tails = []
        for player in sorted(players):
            missing = engine.first_missing(player)
            first = min(max(missing - length, engine.held_from()), missing)
            tails.append(Tail(player, missing, tuple(engine.inputs_of(player, first, missing))))
        return tuple(tails)

    def set_barrier(self, match: Match) -> None:
        """Stand where our statement or a resync says; at the earlier of both."""
        stops = [at for at in (self._stop, self._session.resyncing.freeze_at) if at is not None]
        match.barrier = min(stops, default=None)

    def _expel_late(self, agreement: Agreement, now: float) -> None:
        """Stop hearing members for which slots have waited too long."""
        self._late.pass_time(now)
        for peer_id, seconds in agreement.drain_late().items():
            peer = self._session.peers.get(peer_id)
            if peer is not None and not self._late.use(peer_id, seconds):
                self._session.expel(peer, "keeps the others waiting for its statements")

    # What was decided.

    def _members(self, match: Match) -> SlotMembers:
        return SlotMembers(
            self._session.terms(), self._open, self.free, self._session.sim.num_players, match.config.tick_rate
        )

    def _apply(self, agreement: Agreement, match: Match, now: float) -> None:
        """Apply what was decided, and begin the next slot; what came about that one before is received afterwards."""
        session, decision = self._session, agreement.decision()
        assert decision is not None
        said = agreement.decided_statements()
        found = decided(session.peer_id, self._members(match), decision.lost, said)
        self._stop, self._ready, self._named_at, self._is_wanted = None, None, {}, False
        self._stated = frozenset()
        self.set_barrier(match)
        self._note_unheard(said)
        keys = {peer_id: key for peer_id, key in agreement.members.items() if peer_id not in found.lost}
        if found.newcomer is not None:
            keys[found.newcomer.peer_id] = found.newcomer.terms.key
        for sender, data in agreement.begin_next(keys):
            self._early.keep(session.peers[sender], data)
        if session.peer_id in found.lost:
            session.end("the others went on without this peer")
            return
        self._is_applying = True
        try:
            self._carry_out(found, said, match, now)
        finally:
            self._is_applying = False

    def _note_unheard(self, said: Mapping[int, Statement]) -> None:
        session = self._session
        for author, each in said.items():
            for peer_id, reason in each.unheard:
                if author == session.peer_id:
                    self._said.add(peer_id)
                elif session.hearing.add(author, peer_id, reason) and (
                    peer_id == session.peer_id or peer_id in session.peers
                ):
                    session.tell(PeerUnheard(peer=peer_id, by=author, reason=reason, text=describe(reason)))

    def _carry_out(self, found: Decided, said: Mapping[int, Statement], match: Match, now: float) -> None:
        session = self._session
        self._lose(found.lost, said)
        for cut in found.cuts:
            self._cuts[cut.player] = (cut, self._open.pop(cut.player, session.peer_id), now)
        before, self.wishes = self.wishes, found.wishes
        self._drop_when_complete(match, now)
        if not session.running or self._is_over_alone(is_news=bool(found.lost)):
            return
        session.rematching.note_wishes(before)
        if found.resync is not None:
            session.resyncing.begin(match, found.resync)
        elif found.rematch is not None:
            session.rematching.begin(match, found.rematch)
        if session.match is not match:
            return
        session.pausing.note_wishes(found, match)
        if found.newcomer is not None:
            self._let_play(found.newcomer, found.first_frame, match)  # it is told of the pause, if there is one now
        session.joins.slot_decided(match)
        session.resyncing.note_wishes(match)

    def _is_over_alone(self, *, is_news: bool) -> bool:
        """Whether the match ends because nobody else is left."""
        session = self._session
        is_alone = is_news and not session.players_peers() and not session.reconnect.left_alone()
        if is_alone and session.config.end_when_alone and not session.returns.keep_open():
            session.end("everyone else has left")
        return not session.running

    def _lose(self, lost: Collection[int], said: Mapping[int, Statement]) -> None:
        session = self._session
        if lost:
            session.sponsor.cancel()  # its newcomer would wait for them
        for peer_id in sorted(lost):
            peer = session.peers[peer_id]
            reason, text = self._why_lost(peer, said.get(peer_id))
            session.expel(peer, text, reason=reason)
            session.stop_exchange(peer)
            del session.peers[peer_id]
            self._open |= dict.fromkeys(peer.players, peer_id)
            self._coming = {player: frame for player, frame in self._coming.items() if player not in peer.players}
            self._said.discard(peer_id)
            session.returns.remember(peer)
            session.reconnect.remember(peer)

    def _why_lost(self, peer: Peer, own: Statement | None) -> tuple[Reason, str]:
        """The reason for which a member that we may still hear is lost, and its own words if it leaves."""
        if own is not None and own.leaves is not None:
            return Reason.GOODBYE, own.leaves
        is_silent = peer.connection is None or peer.connection.stats.silent_for > self._session.link.config.quiet_after
        return (Reason.TIMEOUT if is_silent else Reason.GOODBYE), "took no part in a decision"

    # Lost players.

    def _drop_when_complete(self, match: Match, now: float) -> None:
        """Drop the players whose inputs before the cut are all here."""
        session, engine = self._session, match.engine
        for player, (cut, owner, since) in list(self._cuts.items()):
            if engine.first_missing(player) >= cut.first and cut.frame <= engine.frame + engine.history:
                del self._cuts[player]
                self._drop(cut, owner, match)
                if not self.is_deciding:
                    session.joins.slot_decided(match)
            elif now > since + SHOW_SECONDS and engine.first_missing(player) < cut.first:
                self._cuts[player] = (cut, owner, now)
                for peer in [peer for peer in session.heard_peers() if peer.peer_id in cut.claimed_by]:
                    session.expel(peer, "inputs that are claimed and not shown")

    def _drop(self, cut: Cut, owner: int, match: Match) -> None:
        session, engine, player = self._session, match.engine, cut.player
        changed, final = _first_change(cut, match), engine.final_state_frame
        frame, inputs = cut.frame, cut.inputs
        try:
            engine.drop_player(player, frame, inputs)
        except HistoryEvicted:
            # Only a liar among the others makes it so long ago. The checksums will show that the states differ.
            frame = engine.first_missing(player)
            engine.drop_player(player, frame)
            changed = None
        self.free[player] = frame
        accuser = session.hearing.accusers.get(owner)
        session.tell(PlayersDropped(players=(player,), frame=frame, accuser=accuser))
        if cut.claimed > frame or changed is not None:
            match.compare_after(max(cut.claimed, frame))
        if changed is not None and changed < final:
            match.take_back(changed)
            session.tell(FramesTakenBack(frame=changed))
            for part in session.parts:
                part.frames_taken_back(changed, match)

    # Newcomers, and the next match.

    def _let_play(self, found: ReadyNewcomer, frame: int, match: Match) -> None:
        agreement, session = self.agreement, self._session
        assert agreement is not None
        newcomer = session.peers.get(found.peer_id)
        if newcomer is None or newcomer.role is not Role.NEWCOMER:
            # We stood still while the others let it in.
            newcomer = session.peers[found.peer_id] = Peer(found.peer_id, found.terms.players)
            newcomer.key, newcomer.reach, newcomer.is_heard = found.terms.key, found.terms.reach, False
        newcomer.role = Role.PLAYER
        if not newcomer.is_heard or not newcomer.is_connected:
            self._stop_hearing(newcomer, match)
        pause_at = session.pausing.pauses_at(match)
        taken = Taken(agreement.slot, agreement.history, frame, self._taken_hash(match), pause_at)
        for player in newcomer.players:
            self.free.pop(player, None)
            self._coming[player] = frame
        self._let_come_when_near(match)
        session.hearing.keep({session.peer_id, *session.peers})
        session.joins.let_play(newcomer, frame, taken, match)
        if any(wishes != Wishes() for wishes in self.wishes.values()):
            self.want_slot()  # the newcomer learns what the others want

    def _let_come_when_near(self, match: Match) -> None:
        """Expect inputs of newcomers again, once their first frame is within reach of our history."""
        engine = match.engine
        for player, frame in list(self._coming.items()):
            if frame <= engine.frame + 3 * engine.history:
                del self._coming[player]
                engine.restore_player(player, frame)

    def start_over(self, free: Iterable[int]) -> None:
        """Begin another match, in which nobody plays the seats ``free``."""
        self.free = dict.fromkeys(free, 0)
        self._open, self._cuts, self._coming, self.wishes = {}, {}, {}, {}
        self._is_wanted = False


def _last_frame(said: Statement, reach: int) -> int:
    """The frame up to which the author of a statement can send inputs until the decision: it misses those of others."""
    return min([said.stop, *(tail.missing + reach for tail in said.tails)])


def _is_waited_for(peer: Peer, match: Match) -> bool:
    """Whether the match stands here because inputs of this peer are missing."""
    return (
        match.is_stalled and peer.exchange is not None and bool(missing_of(peer.exchange, match.engine, match.frontier))
    )


def _first_change(cut: Cut, match: Match) -> int | None:
    """The first frame in which the cut is not what is known here of the player's inputs; None if it is in all."""
    engine = match.engine
    end = engine.first_missing(cut.player)
    first = max(cut.first, engine.held_from())
    known = engine.inputs_of(cut.player, first, end) if first < end else []
    for frame, value in enumerate(known, first):
        if value != (cut.inputs[frame - cut.first] if frame < cut.frame else 0):
            return frame
    return None
