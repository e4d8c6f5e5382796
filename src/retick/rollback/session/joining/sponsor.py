"""How a newcomer gets free seats in a running match, while the others keep playing.

Theory of operation. The newcomer dials any peer of the match and is redirected to its *sponsor*, the peer with the
lowest id. The sponsor sends it a final state and tells the other players to expect its call (MEET). From that state's
frame on every player sends the newcomer its inputs like to any other peer; the newcomer runs them as fast as they come.
Once it has a link with everybody it says so to all (JOINED), and when it has nearly caught up the sponsor asks for a
decision (``membership``). If all state that they are ready for it, it is a member from then on, and the decision says
from which frame it plays.

Only one newcomer comes in at a time, so each step has a time limit. A newcomer takes the place when its link is up, and
not before; it loses it if it makes no progress.
"""

from collections.abc import Hashable
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from retick.errors import UsageError
from retick.link import Accept, Reason, Refuse, Request
from retick.link.addresses import origin_of, pack_address
from retick.link.request import NO_SEAT_TOKEN
from retick.rollback.match.match import Match, waited_for
from retick.rollback.session.joining.newcomer import LEVEL_SECONDS
from retick.rollback.session.messages.join import Meet, encode_meet, encode_welcome
from retick.rollback.session.messages.kinds import (
    ASK_SPONSOR,
    EQUIVOCATION,
    NO_ACKNOWLEDGEMENTS,
    NO_INPUTS,
    UNSIGNED,
    MessageKind,
    encode_byte,
)
from retick.rollback.session.messages.roster import MAX_SEATS_EACH, NO_PAIR_TOKEN, PAIR_TOKEN_SIZE
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import NO_ID, Peer, Role
from retick.rollback.session.state_transfer import PackedState, StateSender
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

# Addresses whose newcomers led to nothing: each must wait before it is let in again, twice as long every time.
#
# An address is an IPv4 address or a /64 network of IPv6, as at the link's door. Time is that of the last frame.

FIRST_WAIT = 5.0
"""Seconds for which an address is refused the first time: others may come first."""
LONGEST_WAIT = 320.0
"""The longest wait in seconds; a wait is also remembered for this long after it ended."""
MOST_HELD_OFF = 64
"""How many addresses are remembered; beyond that, the one whose wait ends first is forgotten."""


class Wait(NamedTuple):
    """The wait of one address."""

    times: int
    """How often the address has had to wait."""
    until: float


class HeldOff:
    """The addresses that must wait, and for how long."""

    def __init__(self) -> None:
        self._now = 0.0
        self._waits: dict[Hashable, Wait] = {}

    def hold(self, address: Hashable, now: float) -> None:
        """Note that a newcomer from this address led to nothing."""
        origin = origin_of(address)
        before = self._waits.pop(origin, None)
        times = before.times + 1 if before is not None and now < before.until + LONGEST_WAIT else 1
        self._waits[origin] = Wait(times, now + min(FIRST_WAIT * 2 ** (times - 1), LONGEST_WAIT))
        if len(self._waits) > MOST_HELD_OFF:
            del self._waits[min(self._waits, key=lambda other: self._waits[other].until)]

    def seconds_left(self, address: Hashable) -> float:
        """Seconds that this address must still wait; 0 or less if it need not."""
        wait = self._waits.get(origin_of(address))
        return wait.until - self._now if wait is not None else 0.0

    def pass_time(self, now: float) -> bool:
        """Note the time; returns whether any address must wait."""
        self._now = now
        return any(now < wait.until for wait in self._waits.values())


LONGEST_JOIN = 30.0
"""Seconds after which a newcomer that has not become a player is given up."""
LONGEST_STANDSTILL = 5.0
"""Seconds without progress of the newcomer, while the match runs, after which it is given up."""
ASK_EVERY = 1.0
"""Seconds between two decisions about one newcomer: a player may not have been ready for it."""
PROBATION = 60.0
"""Seconds after coming in during which a peer must not be lost while all wait for it, or its address must wait."""
EXPELLED = frozenset({Reason.VIOLATION, NO_INPUTS, NO_ACKNOWLEDGEMENTS, EQUIVOCATION, UNSIGNED})
BUSY = "somebody else is joining: try again in a moment"


class Sponsor(SessionPart):
    """This peer as a sponsor: it brings in one newcomer at a time."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self.newcomer: Peer | None = None
        """The newcomer that this peer is letting in; None if there is none."""
        self._first_frame: int | None = None
        """The frame of the newcomer's state; None before it was sent."""
        self._waits_for_state = False
        self._sender: StateSender | None = None
        self._began_at: float | None = None
        """When our newcomer was first seen; None until the next frame."""
        self._asks_at = 0.0
        """When the players may be asked again."""
        self._progress: tuple[Any, ...] = ()
        self._moved_at = 0.0
        """When our newcomer last made progress, or the match stood still."""
        self._held_off = HeldOff()
        """Addresses of newcomers that were given up, or that made everybody wait."""
        self._came_in: dict[int, float] = {}
        """Newcomers that became players, whichever peer brought them in, and when."""

    def admit(self, request: Request, old: Peer | None = None, token: bytes = NO_SEAT_TOKEN) -> Accept | Refuse:
        """Answer a request for seats in the running match; the sender has proved to be ``old`` if that is given."""
        session = self._session
        others = [peer for peer in session.players_peers() if peer is not old]
        lowest = min(others, key=lambda peer: peer.peer_id, default=None)
        if lowest is not None and lowest.peer_id < session.peer_id and lowest.connection is not None:
            # A single peer lets newcomers in, or two of them might give the same seat away.
            return Refuse(reason=ASK_SPONSOR, text=pack_address(lowest.connection.address).decode())
        if any(not peer.is_heard for peer in others):
            return Refuse(reason=Reason.DENIED, text="players here do not hear each other: nobody can join now")
        # First seats that nobody may come back to; but a returning peer gets the seats that it held before.
        held = session.returns.held_seats
        free = old.players if old is not None else session.returns.seats_with(token)
        if len(free) != request.seats:
            free, old = tuple(sorted(session.gone, key=lambda seat: (seat in held, seat))), None
        if not 1 <= request.seats <= min(len(free), MAX_SEATS_EACH):
            wanted = f"{request.seats} seat{'s' * (request.seats != 1)}"
            return Refuse(reason=Reason.SEATS, text=f"{wanted} asked for, {len(free)} free")
        if not isinstance(session.sim, PacksState):
            return Refuse(reason=Reason.DENIED, text="this game's state cannot be sent: nobody can join in mid-match")
        seconds = self._held_off.seconds_left(request.address)
        if seconds > 0.0 and not session.reconnect.is_trying:
            text = f"the last one from there led to nothing: try again in {ceil(seconds)} s"
            return Refuse(reason=Reason.DENIED, text=text)
        if old is not None:
            return session.returns.admit(request, old, token) or Refuse(reason=Reason.DENIED, text=BUSY)
        if self.is_busy():
            return Refuse(reason=Reason.DENIED, text=BUSY)
        peer = Peer(NO_ID, tuple(sorted(free[: request.seats])), Role.NEWCOMER)
        peer.attach(request.connection)
        return Accept(seats=peer.players)

    def is_busy(self) -> bool:
        """Whether nobody can come in now."""
        session = self._session
        others = session.peers.values()
        joining = any(peer.role is Role.NEWCOMER or not peer.is_heard for peer in others)
        is_going = session.reconnect.is_accepted
        return joining or is_going or session.match is None or session.match.joins_at is None

    def let_in(self, peer: Peer) -> bool:
        """Give the place to a newcomer whose link is up, if it is ours and the place is still free.

        Also True for one that another peer brings in. Only now, because a newcomer that never confirms a connection
        could otherwise hold the place, and because several may have been offered the same seats.
        """
        session = self._session
        if peer.peer_id != NO_ID:
            return True
        if session.returns.waits(peer):
            return False
        peer_id = session.joins.next_peer_id()
        if self.is_busy() or peer_id is None or not set(peer.players) <= set(session.gone) or not session.running:
            if peer.connection is not None:
                peer.connection.tag = None
                peer.connection.close(Reason.DENIED, BUSY)
            return False
        peer.peer_id = peer_id
        session.give_peer_id(peer_id)
        session.peers[peer_id] = self.newcomer = peer
        # What the previous newcomer did says nothing about this one.
        self._first_frame, self._progress, self._began_at = None, (), None
        self._waits_for_state = False
        return True

    def peer_connected(self, peer: Peer) -> None:
        """Note that our newcomer's link is up."""
        if peer is self.newcomer:
            self._welcome(peer, self._match)

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Handle the loss of our newcomer, or of a player that cost time: its address must wait, others come first."""
        link = peer.connection
        if peer.role is Role.PLAYER and link is not None and self._has_cost_time(peer, link.close_reason):
            self._hold_off(link.address, self._session.now)
        if peer is self.newcomer and self._session.running:
            self.cancel()

    def _has_cost_time(self, peer: Peer, reason: int | None) -> bool:
        """Whether a player was expelled, or came in recently and leaves while everybody waits for its inputs."""
        if reason in EXPELLED:
            return True
        match, came_at = self._session.match, self._came_in.get(peer.peer_id)
        if match is None or came_at is None or self._session.now > came_at + PROBATION:
            return False
        return match.is_stalled and not set(peer.players).isdisjoint(waited_for(match.engine, match.frontier))

    def newcomer_became_player(self, newcomer: Peer, frame: int, match: Match) -> None:
        self._came_in[newcomer.peer_id] = self._session.now
        if newcomer is self.newcomer:
            self.newcomer = self._sender = None

    def match_ending(self, match: Match) -> None:
        """Give up our newcomer if it is not a player by now: it must try again."""
        self.cancel()

    def _welcome(self, newcomer: Peer, match: Match) -> None:
        """Send our newcomer the state, and tell the others about it.

        The state must lie behind the last input of every dropped player, because the newcomer simulates them as
        neutral.
        """
        session = self._session
        frame = match.engine.final_state_frame
        free = session.membership.free.values()
        self._waits_for_state = session.membership.is_deciding or frame < max(free, default=0)
        if self._waits_for_state:
            return
        try:
            packed = PackedState(session.sim, match.engine.state_at(frame))
        except UsageError as error:
            self.cancel(str(error))
            return
        tokens = {peer.peer_id: session.entropy(PAIR_TOKEN_SIZE) for peer in session.players_peers()}
        welcome = session.welcome_to(newcomer.peer_id, match, frame, packed.header)
        welcome = welcome._replace(
            token=session.token,
            gone=tuple(sorted(set(session.gone) - set(newcomer.players))),
            entries=tuple(
                entry._replace(pair_token=tokens.get(entry.peer_id, NO_PAIR_TOKEN)) for entry in welcome.entries
            ),
        )
        self._sender = StateSender(encode_welcome(welcome), packed)
        self._sender.add(newcomer)
        self._sender.pump()
        address = newcomer.connection.address if newcomer.connection is not None else ""
        meet = Meet(newcomer.peer_id, newcomer.players, frame, address, match.number)
        meet = meet._replace(key=newcomer.key, reach=newcomer.reach)
        for peer in session.players_peers():
            peer.send(encode_meet(meet._replace(pair_token=tokens[peer.peer_id])))
        self._first_frame = frame
        session.exchange_with(newcomer, frame)

    def after_frame(self, match: Match, now: float) -> bool:
        """Send our newcomer its state, and check its progress."""
        is_anybody_held_off = self._held_off.pass_time(now)
        newcomer = self.newcomer
        if newcomer is None:
            return is_anybody_held_off
        if self._waits_for_state:
            self._welcome(newcomer, match)
        if self._sender is not None:
            self._sender.pump()
        self._ask_when_level(newcomer, match, now)
        self._check_time(newcomer, match, now)
        return True

    def newcomer_joined(self, peer: Peer) -> None:
        """Note that a newcomer has the state and all links."""
        if peer is self.newcomer:
            # When the others have heard it, too.
            self._asks_at = self._session.now + self._session.longest_rtt

    def _ask_when_level(self, newcomer: Peer, match: Match, now: float) -> None:
        """Ask for a decision once the newcomer has nearly caught up: else all would have to wait for it."""
        exchange = newcomer.exchange
        if exchange is None or now < self._asks_at or not self._session.joins.has_joined(newcomer):
            return
        if match.engine.frame - exchange.acknowledged <= LEVEL_SECONDS * match.config.tick_rate:
            self._asks_at = now + ASK_EVERY
            self._session.membership.want_slot()

    def _check_time(self, newcomer: Peer, match: Match, now: float) -> None:
        """Give up a newcomer that takes too long."""
        if self._began_at is None:
            self._began_at = self._moved_at = now
        progress = self._progress_of(newcomer, match)
        if self._waits_for_state or progress[:1] == self._progress[:1] or progress[1:] != self._progress[1:]:
            self._moved_at = now
        self._progress = progress
        if now - self._moved_at > LONGEST_STANDSTILL or now - self._began_at > LONGEST_JOIN:
            if newcomer.connection is not None:
                self._hold_off(newcomer.connection.address, now)
            self.cancel("joining took too long: try again")

    def _hold_off(self, address: Hashable, now: float) -> None:
        self._held_off.hold(address, now)
        self._session.is_quiet = False

    def peer_id_given(self, peer_id: int) -> None:
        self._came_in.pop(peer_id, None)

    def _progress_of(self, newcomer: Peer, match: Match) -> tuple[Any, ...]:
        """Our frame, and everything that changes while a newcomer receives its state and catches up."""
        exchange, connection = newcomer.exchange, newcomer.connection
        return (
            match.engine.frame,
            exchange.acknowledged if exchange is not None else None,
            connection.queued_bytes if connection is not None else None,
            self._session.joins.has_joined(newcomer),
            self._first_frame,
        )

    def cancel(self, text: str = "") -> None:
        """Give up bringing in our newcomer, if there is one: it may try again."""
        newcomer, self.newcomer, self._sender, self._waits_for_state = self.newcomer, None, None, False
        match = self._session.match
        if newcomer is None or match is None:
            return
        for peer in self._session.players_peers():
            peer.send(encode_byte(MessageKind.CANCEL, newcomer.peer_id))
        self._session.joins.give_up(newcomer, match, text)
