"""How a machine takes free seats in a running match, while the others play on.

Theory of operation. The newcomer calls any machine of the match: its *sponsor*. The sponsor sends it a final state
and tells the other members to expect it (MEET). From that state's frame on every member sends the newcomer its
inputs like to any other machine; the newcomer runs them as fast as they come. Once it has a link with everybody
(JOINED) the sponsor asks all members for a frame (PROPOSE). Each answers with a frame a little ahead and promises to
stop there until it hears more (PROMISE). The highest of them is the frame from which on the newcomer plays (COMMIT):
nobody can have passed it. With a promise of a few round trips nobody ever gets to the point of stopping.
"""

import math
from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback.events import PlayersReturned
from retick.rollback.match.match import Match
from retick.rollback.session import messages as wire
from retick.rollback.session import roster as lobby
from retick.rollback.session.newcomer import LEVEL_SECONDS, Newcomer
from retick.rollback.session.outbox import offer
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.transition import next_number
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["ASK_ANOTHER", "Newcomer", "Sponsor"]

ASK_ANOTHER = 200
"""A reason of refusal: the text is the address of the machine that lets people in."""

CHUNK = 32768
LONGEST_ADMISSION = 30.0
"""Seconds after which somebody who has not come in by then is given up."""
LAST_NUMBER = 254
"""The highest number of a machine: 255 stands for spectators."""
PROMISE_SECONDS = 0.25
"""How far ahead a promise is, beside two round trips."""


class Sponsor:
    """The side of the members: one admission at a time, by the sponsor itself or by another member."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self.newcomer: Peer | None = None
        """Whom this machine is bringing in; None when it is bringing in nobody."""
        self.commits: dict[int, tuple[int, int]] = {}
        """Machines that came in: their seats as bits, and the frame of their first input."""
        self._frames: dict[int, int] = {}
        self._brought_by: dict[int, int] = {}
        self._early_meetings: dict[int, wire.Meeting] = {}
        self._early_proposals: dict[int, Peer] = {}
        self._promises: dict[int, int] = {}
        self._promised_for: int | None = None
        self._proposed = False
        self._joined = False
        self._waits = False
        self._state: list[bytes] = []

    @property
    def has_promised(self) -> bool:
        """Whether this machine waits for another's word on a newcomer, who may be playing already elsewhere."""
        return self._promised_for is not None

    def admit(self, request: Request) -> Accept | Refuse:
        """Somebody asks for seats in the running match."""
        session = self._session
        first = min(session.players_peers(), key=lambda peer: peer.number, default=None)
        if first is not None and first.number < session.number and first.connection is not None:
            # One machine lets people in, or two of them might give the same seat away.
            return Refuse(reason=ASK_ANOTHER, text=lobby.pack_address(first.connection.address).decode())
        free = session.gone
        if not 1 <= request.seats <= min(len(free), lobby.MAX_SEATS_EACH):
            return Refuse(reason=Reason.SEATS, text=f"{request.seats} seats were asked for, {len(free)} are free")
        if not isinstance(session.sim, PacksState):
            return Refuse(reason=Reason.DENIED, text="this game's state cannot be sent: nobody can join in mid-match")
        if session.newest_number >= LAST_NUMBER:
            return Refuse(reason=Reason.FULL, text="too many have come and gone in this match: nobody else can join")
        busy = any(peer.role is Role.NEWCOMER for peer in session.peers.values())
        if busy or session.match is None or session.match.joins_at is None:
            return Refuse(reason=Reason.DENIED, text="somebody else is joining: try again in a moment")
        session.newest_number += 1
        number = session.newest_number
        peer = self.newcomer = session.peers[number] = Peer(number, free[: request.seats], Role.NEWCOMER)
        peer.connection = request.connection
        request.connection.tag = peer
        return Accept(seats=peer.players)

    def begin(self, newcomer: Peer, match: Match) -> None:
        """The newcomer's link is up: send it the state, and tell the others of it.

        The state must lie behind the last input of everyone who left, because the newcomer takes them as neutral.
        """
        session = self._session
        frame = match.engine.final_state_frame
        left = session.departures
        self._waits = left.undecided or frame < max(left.decided.values(), default=0)
        if self._waits:
            return
        data = session.sim.pack_state(match.engine.state_at(frame))
        members = (lobby.Member(session.number, session.local_players, "sponsor"), *session.members(newcomer))
        newcomer.send(
            wire.encode_welcome(
                wire.Welcome(
                    sender=session.number,
                    number=newcomer.number,
                    token=session.token,
                    seed=match.seed,
                    match=match.number,
                    frame=frame,
                    checksum=match.engine.checksum_at(frame),
                    state_size=len(data),
                    gone=tuple(sorted(set(session.gone) - set(newcomer.players))),
                    members=members,
                )
            )
        )
        self._state = [wire.encode_chunk(at, data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
        self._promises = {}
        self._proposed = self._joined = False
        address = newcomer.connection.address if newcomer.connection is not None else ""
        meeting = wire.Meeting(newcomer.number, newcomer.players, frame, address, match.number)
        for peer in session.players_peers():
            peer.send(wire.encode_meeting(meeting))
        self._frames[newcomer.number] = frame
        session.exchange_with(newcomer, frame)
        self.pump()

    def pump(self) -> None:
        """Begin if it is time, send on of the state what the link takes, and see how far the newcomer is."""
        newcomer, match = self.newcomer, self._session.match
        if newcomer is None or match is None:
            return
        if self._waits:
            self.begin(newcomer, match)
        while self._state and offer(newcomer, self._state[0]):
            del self._state[0]
        if self._joined and not self._proposed:
            self._propose_when_level(newcomer, match)
        since = self._frames.get(newcomer.number, match.engine.frame)
        if match.engine.frame - since > LONGEST_ADMISSION * match.config.tick_rate:
            self.cancel(match)

    def meet(self, meeting: wire.Meeting, member: int) -> None:
        """Another member brings somebody in: expect a call."""
        session, match = self._session, self._session.match
        if match is None:
            return
        # A lost machine may have given this number to somebody of whom the one that lets people in now never heard.
        self._forget_orphan(meeting.number, match)
        self._check_meeting(meeting, member)
        self._brought_by[meeting.number] = member
        session.newest_number = max(session.newest_number, meeting.number)
        if meeting.match not in (match.number, next_number(match)):
            # Of the last match, which has ended here: whoever announced it ends it too, and sends the newcomer away.
            return
        lost = {player for players in session.departures.lost.values() for player in players}
        if meeting.match == next_number(match):
            # The others have begun the next match, for which we still wait for somebody's word.
            self._early_meetings[meeting.number] = meeting
        elif set(meeting.players) - lost - set(session.gone):
            raise InvalidValue(f"machine {meeting.number} cannot take the seats {meeting.players}")
        elif set(meeting.players) - set(session.gone):
            # The others have agreed on a drop for which we still wait for somebody's word.
            self._early_meetings[meeting.number] = meeting
        else:
            self._frames[meeting.number] = meeting.frame
            session.expect(Peer(meeting.number, meeting.players, Role.NEWCOMER))

    def _check_meeting(self, meeting: wire.Meeting, member: int) -> None:
        """Only the machine that lets people in may announce somebody, and nobody whom we know already."""
        session = self._session
        first = min(peer.number for peer in session.players_peers()) if session.players_peers() else member
        if member not in session.peers or member != first or member > session.number:
            raise InvalidValue(f"machine {member} lets nobody in")
        known = {session.number, *session.peers, *session.departures.lost, *self._early_meetings}
        if meeting.number in known or meeting.number > LAST_NUMBER:
            raise InvalidValue(f"machine {meeting.number} is no newcomer")

    def dropped(self, match: Match) -> None:
        """A drop is agreed: those who are to take these seats can be met now."""
        self._forget_orphans(match)
        self.begun(match)
        self._settled(match)

    def begun(self, match: Match) -> None:
        """Take up what came too early: before a drop was agreed here, or before this match had begun."""
        meetings, self._early_meetings = self._early_meetings, {}
        for meeting in meetings.values():
            member = self._session.peers.get(self._brought_by[meeting.number])
            try:
                if member is not None:
                    self.meet(meeting, member.number)
            except InvalidValue:
                if member is not None and member.connection is not None:
                    member.connection.close(Reason.VIOLATION, "a newcomer who cannot come")
        proposals, self._early_proposals = self._early_proposals, {}
        for number, asker in proposals.items():
            self.proposed(asker, number, match)

    def _forget_orphans(self, match: Match) -> None:
        """Those whom a lost machine was bringing in, and about whom no survivor had its last word, must come again."""
        for number in list(self._brought_by):
            self._forget_orphan(number, match)

    def _forget_orphan(self, number: int, match: Match) -> None:
        newcomer = self._session.peers.get(number)
        if self._brought_by.get(number) in self._session.departures.lost:
            self._early_meetings.pop(number, None)
            self._early_proposals.pop(number, None)
            if newcomer is not None and newcomer.role is Role.NEWCOMER:
                self._dismiss(newcomer, match)

    def proposed(self, peer: Peer, number: int, match: Match) -> None:
        """Another member asks from which frame on its newcomer may play.

        Answered when it is agreed here too who has left: the newcomer has nothing to say about that, and would be
        waited for if it came in before. Not answered for one whom this machine has lost: it must not stop for it, and
        the newcomer, who has lost this machine too, gives up.
        """
        newcomer = self._session.peers.get(number)
        if self._brought_by.get(number) != peer.number:
            raise InvalidValue(f"a PROPOSE for machine {number}, which its sender did not announce")
        if number in self._early_meetings or self._session.departures.undecided:
            self._early_proposals[number] = peer
        elif newcomer is not None and newcomer.role is Role.NEWCOMER:
            self._promised_for = number
            peer.send(wire.encode_numbered(wire.PROMISE, number, self.promise(match)))

    def speaks_for(self, number: int, member: Peer) -> bool:
        """Whether it is this member who brings that newcomer in."""
        return self._brought_by.get(number) == member.number

    def cancelled(self, member: Peer, number: int, match: Match) -> None:
        """Another member has given up bringing somebody in."""
        if not self.speaks_for(number, member):
            return
        self._early_meetings.pop(number, None)
        self._early_proposals.pop(number, None)
        newcomer = self._session.peers.get(number)
        if newcomer is not None and newcomer.role is Role.NEWCOMER:
            self._dismiss(newcomer, match)
            self._settled(match)

    def expects(self, peer: Peer) -> bool:
        """Whether another member announced this machine; it may play already when its link comes up here."""
        return peer.number in self._frames

    def connected(self, peer: Peer) -> None:
        """A newcomer that another member announced has called: send it our inputs."""
        self._session.exchange_with(peer, self._frames[peer.number])

    def joined(self, match: Match) -> None:
        """The newcomer has state and links."""
        self._joined = True
        if self.newcomer is not None and not self._proposed:
            self._propose_when_level(self.newcomer, match)

    def _propose_when_level(self, newcomer: Peer, match: Match) -> None:
        """Ask everyone for a frame, once the newcomer has come near: else all would have to wait for it there."""
        exchange = match.exchanges.get(newcomer.number)
        if exchange is None or match.engine.frame - exchange.acknowledged > LEVEL_SECONDS * match.config.tick_rate:
            return
        self._proposed = True
        self._promises[self._session.number] = self.promise(match)
        for peer in self._session.players_peers():
            peer.send(wire.encode_number(wire.PROPOSE, newcomer.number))
        self._commit_when_promised(match)

    def promise(self, match: Match) -> int:
        """A frame a little ahead, at which this machine stops until it hears the agreed one."""
        rtt = max((peer.connection.rtt for peer in self._session.peers.values() if peer.connection), default=0.0)
        ahead = math.ceil((PROMISE_SECONDS + 2 * rtt) * match.config.tick_rate)
        match.barrier = match.engine.frame + min(ahead, match.config.history // 2)
        return match.barrier

    def promised(self, peer: Peer, number: int, frame: int, match: Match) -> None:
        # Nobody can be further ahead than its window and its delay, and each looks at most half of history ahead.
        if peer.role is not Role.PLAYER or frame > match.engine.frame + 2 * match.config.history:
            raise InvalidValue(f"a PROMISE of frame {frame}, at frame {match.engine.frame}")
        if self.newcomer is not None and number == self.newcomer.number and self._proposed:
            self._promises[peer.number] = frame
            self._commit_when_promised(match)

    def _commit_when_promised(self, match: Match) -> None:
        session, newcomer = self._session, self.newcomer
        if newcomer is None or any(peer.number not in self._promises for peer in session.players_peers()):
            return
        frame = max(self._promises.values())
        message = wire.encode_numbered(wire.COMMIT, newcomer.number, frame)
        for peer in (*session.players_peers(), newcomer):
            peer.send(message)
        self.newcomer = None
        self.commit(newcomer, frame, match)

    def commit(self, peer: Peer, frame: int, match: Match) -> None:
        """From ``frame`` on the newcomer plays its seats."""
        for player in peer.players:
            match.engine.restore_player(player, frame)
            self._session.departures.forget_player(player)
        match.barrier = self._promised_for = None
        peer.role = Role.PLAYER
        self.commits[peer.number] = (wire.bits_of(peer.players), frame)
        self._session.tell(PlayersReturned(peer=peer.number, players=peer.players, frame=frame))
        for part in self._session.departures.parts:
            part.came(peer, match)

    def cancel(self, match: Match) -> None:
        """Give up bringing somebody in: it may call again."""
        self._call_off(match)
        self._settled(match)

    def _call_off(self, match: Match) -> None:
        newcomer, self.newcomer, self._state, self._waits = self.newcomer, None, [], False
        match.barrier = None
        if newcomer is None:
            return
        for peer in self._session.players_peers():
            peer.send(wire.encode_number(wire.CANCEL, newcomer.number))
        self._dismiss(newcomer, match)

    def remove(self, newcomer: Peer, match: Match) -> None:
        """One whom another member brings in is lost to us.

        If we have promised a frame, the others may have let it in by now: only their word tells.
        """
        if self._promised_for == newcomer.number:
            match.remove_peer(newcomer.number)
            return
        self._dismiss(newcomer, match)
        self._settled(match)

    def send_away(self, match: Match) -> None:
        """Another match begins: whoever is not in by now must come again."""
        if self.newcomer is not None:
            self._call_off(match)
        for peer in [peer for peer in self._session.peers.values() if peer.role is Role.NEWCOMER]:
            self._dismiss(peer, match)

    def _dismiss(self, newcomer: Peer, match: Match) -> None:
        match.barrier = None
        if self._promised_for == newcomer.number:
            self._promised_for = None
        match.remove_peer(newcomer.number)
        self._session.peers.pop(newcomer.number, None)
        if newcomer.connection is not None:
            newcomer.connection.close(Reason.DENIED, "the match changed meanwhile: try again")

    def _settled(self, match: Match) -> None:
        for part in self._session.departures.parts:
            part.settled(match)
