"""Forwards the messages of peers between two others of the match that do not hear each other.

DROP, REMATCH, RESYNCED and PAUSE are sent by each peer to all, and may be received twice. A receiver forwards them to
peers that have said that they no longer hear the sender. A peer uses a forwarded message only if it does not hear the
origin itself, and only if it is new: so forwarding comes to an end.
"""

from typing import TYPE_CHECKING

from retick.errors import DecodeError, HistoryEvicted, InputConflict, ProtocolViolation, RetickError, UsageError
from retick.rollback.events import InputConflictDetected
from retick.rollback.match.match import Match
from retick.rollback.session.drop_agreement import learn_inputs
from retick.rollback.session.input_bounds import DECIDING_SECONDS
from retick.rollback.session.messages.decisions import SERIAL_END, serial_of
from retick.rollback.session.messages.forward import (
    FORWARDED,
    MOST_PASSED,
    WANT,
    PassedInputs,
    WantedInputs,
    decode_forward,
    decode_pass,
    decode_want,
    encode_forward,
    encode_pass,
    encode_want,
)
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

WITH_SERIAL = (MessageKind.DROP, MessageKind.PAUSE)
"""Messages that begin with a match number and a serial."""
MOST_RESYNCED = 16
"""The most different RESYNCED or REMATCH of one peer per match that are forwarded: honest peers send few."""


class Forwarding(SessionPart):
    """The newest messages of each peer, and to whom they must be forwarded."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._newest: dict[tuple[int, int], bytes] = {}
        """The newest message, by origin and kind."""
        self._waiting: dict[tuple[int, int, int], bytes] = {}
        """By peer, origin and kind: what to forward when the link to that peer has room."""
        self._resynced: dict[int, list[bytes]] = {}
        """All RESYNCED of each peer for one match: the contents of two do not say which one is older."""
        self._rematches: dict[int, list[bytes]] = {}
        """All REMATCH of each peer for one match."""

    def received(self, origin: int, message: bytes) -> None:
        """Forward a message that was received and valid."""
        if message[0] not in FORWARDED:
            return
        self._newest[origin, message[0]] = message
        if message[0] not in WITH_SERIAL:
            seen = self._seen(message[0]).setdefault(origin, [])
            if seen and seen[0][1] != message[1]:
                seen.clear()
            if message not in seen and len(seen) < MOST_RESYNCED:
                seen.append(message)
        for peer in self._session.heard_peers():
            if origin in self._session.hearing.unheard_by(peer.peer_id):
                self._pass_on(peer, origin, message)

    def send_newest(self, origin: int, peer: Peer) -> None:
        """Forward the last messages of an origin to a peer that no longer hears it."""
        if peer.is_heard:
            for (sender, _), message in self._newest.items():
                if sender == origin:
                    self._pass_on(peer, origin, message)

    def _pass_on(self, peer: Peer, origin: int, message: bytes) -> None:
        """Send it now if the link has room; else later, and then only the newest: so a flood fills no queue."""
        if not peer.send_if_room(encode_forward(origin, message)):
            self._waiting[peer.peer_id, origin, message[0]] = message
            self._session.is_quiet = False

    def after_frame(self, match: Match, now: float) -> bool:
        waiting, self._waiting = self._waiting, {}
        for (peer_id, origin, _), message in waiting.items():
            peer = self._session.peers.get(peer_id)
            if peer is not None and peer.is_heard:
                self._pass_on(peer, origin, message)
        return bool(self._waiting)

    def receive_forward(self, peer: Peer, data: bytes) -> None:
        origin, message = decode_forward(data)
        session = self._session
        sender = session.peers.get(origin)
        if peer.role is not Role.PLAYER or sender is None or sender.role is not Role.PLAYER:
            return
        if sender.is_heard or not self._is_news(origin, message):
            return
        try:
            session.routes.receive(sender, message, session.phase)
        except RetickError:
            # The origin may be at fault, or the forwarder: nobody is blamed.
            if peer.exchange is not None:
                peer.exchange.dropped["BadForward"] += 1
            return
        self.received(origin, message)

    def _is_news(self, origin: int, message: bytes) -> bool:
        """Whether a message is newer than the newest of its kind; one that is too short to tell is refused later."""
        known = self._newest.get((origin, message[0]))
        if known is None or len(message) < 2:
            return True
        if message[0] in WITH_SERIAL:
            return len(message) < SERIAL_END or serial_of(message) > serial_of(known)
        if message[1] != known[1]:
            return (message[1] - known[1]) % 256 < 128
        seen = self._seen(message[0]).get(origin, [])
        return message not in seen and len(seen) < MOST_RESYNCED

    def _seen(self, kind: int) -> dict[int, list[bytes]]:
        return self._resynced if kind == MessageKind.RESYNCED else self._rematches

    def peer_id_given(self, peer_id: int) -> None:
        self._newest = {key: message for key, message in self._newest.items() if key[0] != peer_id}
        self._resynced.pop(peer_id, None)
        self._rematches.pop(peer_id, None)

    def roster_agreed(self, match: Match) -> None:
        """Forget the messages of dropped peers."""
        peers = self._session.peers
        self._newest = {key: message for key, message in self._newest.items() if key[0] in peers}
        self._resynced = {origin: seen for origin, seen in self._resynced.items() if origin in peers}
        self._rematches = {origin: seen for origin, seen in self._rematches.items() if origin in peers}


# Inputs of players whose peer we do not hear: asked for with WANT, answered with PASS by any peer that has them.
#
# Theory of operation. A peer that misses a player's inputs, because it has not heard that peer for a quarter of a
# second or does not hear it at all, asks another peer each time that it sends packets, in turn. The answer comes from
# what that one has confirmed, so a broken path between two of three does not stop the match, and a peer that is silent
# towards one other cannot hold it up. An answer is used only if it was asked for; it cannot change what is known.

ASK_AFTER = 0.25
"""Seconds without a new frame after which other peers are asked for missing inputs."""
GO_ON_ASKING = 1.0
"""Seconds for which a player's inputs are still asked for after an answer has brought new ones."""
ANSWER_SECONDS = 2.0
"""Seconds after the last WANT in which a PASS is received."""
HOLD_SECONDS = 6.0
"""Seconds for which peers that claim to hear a peer may forward none of the inputs we wait for, beyond the time in
which they stop hearing it: ``disconnect_after`` if its link is dead, ``input_timeout`` if it sends no inputs."""
ALIVE_SECONDS = 1.5
"""A link that received something within this many seconds is alive."""
WITHHELD_SECONDS = 4.0
"""The same limit if another peer, that hears them too, says that the peer in question is lost: their DROP told it that
they do not hear it. They have kept this DROP from us, and the others wait for us."""


class InputForwarding(SessionPart):
    """Asks for missing inputs, and answers such requests."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._wanted: dict[tuple[int, int], int] = {}
        """By peer id and player: the first frame that this peer has asked us for since we last sent."""
        self._asked: dict[tuple[int, int], float] = {}
        """By peer id and player: when we last asked."""
        self._helped: dict[int, float] = {}
        """Players, with the time when an answer last brought new inputs of each."""
        self._good_packets: dict[int, tuple[int, float]] = {}
        """For each peer, while inputs are missing: how many packets were good, and when the last one came."""
        self._turn = 0
        self._frame = -1
        self._frame_since = 0.0
        self._held: dict[int, tuple[int, float]] = {}
        """Peers that we do not hear and wait for, with the first missing frame, and since when."""
        self._alive: dict[int, float] = {}
        """Peers that may be blamed for it, and since when their links are alive."""
        self._conflicts: set[tuple[int, int]] = set()

    def match_begun(self, match: Match) -> None:
        self._wanted, self._asked, self._helped, self._held, self._conflicts = {}, {}, {}, {}, set()
        self._good_packets, self._alive = {}, {}
        self._frame = -1

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
        self._session.is_quiet = False
        return None

    def _use(self, peer: Peer, data: bytes, match: Match, now: float) -> str | None:
        passed = decode_pass(data, input_size_of(match.sim))
        if passed.match != match.number:
            return "AnotherMatch"
        asked_at = self._asked.get((peer.peer_id, passed.player))
        if asked_at is None or now > asked_at + ANSWER_SECONDS:
            return "PassNotAsked"
        is_lost = passed.player in self._session.drop_agreement.undecided_players()
        if is_lost and not self._is_agreed(match):
            return "PassNotAsked"
        news, conflict = self._learn(passed, match, now)
        if news:
            self._helped[passed.player] = now
        if is_lost:
            # At once: no frame may run with inputs that only we have behind those that came.
            self._session.drops.drop_when_agreed(match)
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

    def _is_agreed(self, match: Match) -> bool:
        """Whether all have named the same lost peers, so that only inputs are missing."""
        return not self._session.drop_agreement.disagreeing(self._session.drops.survivors(match), match.number)

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
        missing = self._missing(match, is_stalled=now >= self._frame_since + ASK_AFTER)
        if not missing:
            return False
        self._turn += 1
        self._note_good_packets(match, now)
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

    def _missing(self, match: Match, *, is_stalled: bool) -> list[tuple[int, int]]:
        """The players whose inputs to ask for, each with its peer's id."""
        session = self._session
        missing = [
            (player, peer.peer_id)
            for peer in session.players_peers()
            for player in peer.players
            if not peer.is_heard
            or player in self._helped
            or (is_stalled and match.engine.first_missing(player) <= match.frontier)
        ]
        undecided = session.drop_agreement.undecided_players()
        if undecided and self._is_agreed(match):
            lost = session.drop_agreement.lost.items()
            missing += [(player, peer_id) for peer_id, players in lost for player in players if player in undecided]
        return missing

    def _ask(self, player: int, owner: int, match: Match, now: float) -> None:
        session = self._session
        others = [peer for peer in session.heard_peers() if peer.peer_id != owner]
        nearest = [peer for peer in others if session.hearing.hears(peer.peer_id, owner)] or others
        if not nearest:
            return
        peer = nearest[self._turn % len(nearest)]
        self._asked[peer.peer_id, player] = now
        if peer.connection is not None:
            want = WantedInputs(match.number, player, match.engine.first_missing(player))
            peer.connection.send_unreliable(encode_want(want))

    def _expel_who_holds_inputs_back(self, match: Match, now: float) -> None:
        """Expel peers that claim to hear a peer for whose inputs we wait, but forward none of them."""
        session = self._session
        held: dict[int, tuple[int, float]] = {}
        for peer in session.players_peers():
            frame = min(match.engine.first_missing(player) for player in peer.players)
            if not peer.is_heard and frame <= match.frontier:
                known = self._held.get(peer.peer_id)
                held[peer.peer_id] = known if known is not None and known[0] == frame else (frame, now)
        self._held = held
        for peer_id, (_, since) in held.items():
            for guilty in session.forwarders_of([peer_id]):
                if now >= max(since, self._alive_since(guilty, now)) + self._longest_hold(peer_id, guilty):
                    session.expel(guilty, f"hears peer {peer_id} and passes on none of its inputs")
        if not held:
            self._alive = {}

    def _alive_since(self, peer: Peer, now: float) -> float:
        """Since when its link is alive without a break, as far as it was checked: before, nothing could come."""
        link = peer.connection
        if link is None or link.stats.silent_for >= ALIVE_SECONDS:
            self._alive[peer.peer_id] = now
        return self._alive.setdefault(peer.peer_id, now)

    def _longest_hold(self, peer_id: int, guilty: Peer) -> float:
        session, config = self._session, self._session.config
        if any(session.hearing.hears(by, guilty.peer_id) for by in session.drop_agreement.losers_of(peer_id)):
            return WITHHELD_SECONDS
        timeout = DECIDING_SECONDS if session.resyncing.people_decide else config.input_timeout
        return max(config.disconnect_after, timeout) + HOLD_SECONDS
