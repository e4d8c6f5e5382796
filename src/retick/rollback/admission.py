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

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback import lobby
from retick.rollback import membership as wire
from retick.rollback.events import MatchStarted, PlayersReturned
from retick.rollback.match import Match
from retick.rollback.peer import Peer, Role
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session import RollbackSession

__all__ = ["ASK_ANOTHER", "Newcomer", "Sponsor"]

ASK_ANOTHER = 200
"""A reason of refusal: the text is the address of the machine that lets people in."""

CHUNK = 32768
LEVEL_SECONDS = 0.75
"""How far behind a newcomer may be, travel time included, when the frame of its first input is agreed."""
LONGEST_ADMISSION = 30.0
"""Seconds after which somebody who has not come in by then is given up."""
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
        self._proposed = False
        self._joined = False
        self._waits = False
        self._state: list[bytes] = []

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
        busy = any(peer.role is Role.NEWCOMER for peer in session.peers.values())
        if busy or session.newest_number >= 254 or session.match is None or session.match.joins_at is None:
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
        meeting = wire.Meeting(newcomer.number, newcomer.players, frame, address)
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
        while self._state and newcomer.send(self._state[0]):
            del self._state[0]
        if self._joined and not self._proposed:
            self._propose_when_level(newcomer, match)
        since = self._frames.get(newcomer.number, match.engine.frame)
        if match.engine.frame - since > LONGEST_ADMISSION * match.config.tick_rate:
            self.cancel(match)

    def meet(self, meeting: wire.Meeting, member: int) -> None:
        """Another member brings somebody in: expect a call."""
        session = self._session
        self._brought_by[meeting.number] = member
        lost = {player for players in session.departures.lost.values() for player in players}
        if meeting.number in session.peers or set(meeting.players) - lost - set(session.gone):
            raise InvalidValue(f"machine {meeting.number} cannot take the seats {meeting.players}")
        if set(meeting.players) - set(session.gone):
            # The others have agreed on a drop for which we still wait for somebody's word.
            self._early_meetings[meeting.number] = meeting
            return
        session.newest_number = max(session.newest_number, meeting.number)
        self._frames[meeting.number] = meeting.frame
        session.expect(Peer(meeting.number, meeting.players, Role.NEWCOMER))

    def dropped(self, match: Match) -> None:
        """A drop is agreed: those who are to take these seats can be met now."""
        self._forget_orphans(match)
        meetings, self._early_meetings = self._early_meetings, {}
        for meeting in meetings.values():
            self.meet(meeting, self._brought_by[meeting.number])
        proposals, self._early_proposals = self._early_proposals, {}
        for number, asker in proposals.items():
            self.proposed(asker, number, match)

    def _forget_orphans(self, match: Match) -> None:
        """Those whom a lost machine was bringing in, and about whom no survivor had its last word, must come again."""
        for number, member in list(self._brought_by.items()):
            newcomer = self._session.peers.get(number)
            if member in self._session.departures.lost:
                self._early_meetings.pop(number, None)
                self._early_proposals.pop(number, None)
                if newcomer is not None and newcomer.role is Role.NEWCOMER:
                    self.remove(newcomer, match)

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
            peer.send(wire.encode_numbered(wire.PROMISE, number, self.promise(match)))

    def cancelled(self, number: int, match: Match) -> None:
        """Another member has given up bringing somebody in."""
        self._early_meetings.pop(number, None)
        self._early_proposals.pop(number, None)
        newcomer = self._session.peers.get(number)
        if newcomer is not None and newcomer.role is Role.NEWCOMER:
            self.remove(newcomer, match)

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
        match.barrier = None
        peer.role = Role.PLAYER
        self.commits[peer.number] = (wire.bits_of(peer.players), frame)
        self._session.tell(PlayersReturned(peer=peer.number, players=peer.players, frame=frame))

    def cancel(self, match: Match) -> None:
        """Give up bringing somebody in: it may call again."""
        newcomer, self.newcomer, self._state, self._waits = self.newcomer, None, [], False
        match.barrier = None
        if newcomer is None:
            return
        for peer in self._session.players_peers():
            peer.send(wire.encode_number(wire.CANCEL, newcomer.number))
        self.remove(newcomer, match)

    def remove(self, newcomer: Peer, match: Match) -> None:
        """Forget somebody who was expected."""
        match.barrier = None
        match.remove_peer(newcomer.number)
        self._session.peers.pop(newcomer.number, None)
        if newcomer.connection is not None:
            newcomer.connection.close(Reason.DENIED, "the match changed meanwhile: try again")


class Newcomer:
    """The side of the one who comes."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._welcome: wire.Welcome | None = None
        self._state = bytearray()
        self._joined = False

    @property
    def has_state(self) -> bool:
        return self._session.match is not None

    def welcome(self, sponsor: Peer, welcome: wire.Welcome) -> None:
        if self._welcome is not None or not isinstance(self._session.sim, PacksState):
            raise InvalidValue("a WELCOME that was not asked for")
        session = self._session
        self._check_welcome(welcome)
        self._welcome = welcome
        del session.peers[sponsor.number]
        sponsor.number = welcome.sender
        session.number = session.newest_number = welcome.number
        session.token = welcome.token
        for member in welcome.members:
            if member.number == welcome.sender:
                sponsor.players = member.players
                session.peers[member.number] = sponsor
            else:
                session.meet(member)

    def _check_welcome(self, welcome: wire.Welcome) -> None:
        session = self._session
        seats = {member.number: member.players for member in welcome.members}
        groups = (*seats.values(), welcome.gone, session.local_players)
        lobby.check_seats(groups, session.sim.num_players)
        if welcome.sender not in seats or welcome.number in seats or len(session.local_players) != session.seats_asked:
            raise InvalidValue("a WELCOME without its sender, or with other seats than were asked for")

    def take_chunk(self, offset: int, part: bytes) -> None:
        welcome = self._welcome
        if welcome is None or offset != len(self._state) or offset + len(part) > welcome.state_size:
            raise InvalidValue("a part of a state that does not follow the one before")
        self._state += part
        if len(self._state) == welcome.state_size:
            self._enter(welcome)

    def _enter(self, welcome: wire.Welcome) -> None:
        session = self._session
        try:
            state = session.sim.unpack_state(bytes(self._state))
        except (DecodeError, UsageError) as error:
            raise InvalidValue(f"a state that does not decode: {error}") from error
        if session.sim.checksum(state) != welcome.checksum:
            raise InvalidValue("a state that does not have its checksum")
        self._state.clear()
        match = Match(
            session.sim,
            seed=welcome.seed,
            local_players=session.local_players,
            config=session.config,
            state=state,
            start_frame=welcome.frame,
            joins_at=None,
            number=welcome.match,
        )
        for player in welcome.gone:
            match.engine.drop_player(player, welcome.frame)
            session.departures.decided[player] = welcome.frame
        session.run(match)
        for peer in session.peers.values():
            if peer.is_connected:
                session.exchange_with(peer, welcome.frame)
        self.report()

    def connected(self, peer: Peer) -> None:
        """A link with a member is up."""
        if self._welcome is not None and self.has_state:
            self._session.exchange_with(peer, self._welcome.frame)
        self.report()

    def report(self) -> None:
        """Tell the sponsor, once, that we have the state and all links, and have run what they brought."""
        welcome, session = self._welcome, self._session
        if welcome is None or self._joined or not self.has_state:
            return
        if all(peer.is_connected for peer in session.peers.values()) and self._is_level():
            self._joined = True
            session.peers[welcome.sender].send(bytes((wire.JOINED,)))

    def _is_level(self) -> bool:
        """Whether we have come near to where the others are; where a link came up late, inputs are still missing."""
        match = self._session.match
        if match is None:
            return False
        newest = max((exchange.their_frame for exchange in match.exchanges.values()), default=-1)
        return newest - match.engine.frame <= LEVEL_SECONDS * match.config.tick_rate

    def commit(self, frame: int, match: Match) -> None:
        """The frame of our first own input is agreed: once, or another machine could silence ours at any time."""
        if match.joins_at is not None:
            return
        match.joins_at = frame
        for exchange in match.exchanges.values():
            exchange.acks_below = frame
        self._session.tell(MatchStarted(seed=match.seed, local_players=self._session.local_players, frame=frame))
