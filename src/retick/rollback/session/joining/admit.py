"""Decides who may connect: each request says what it wants, and the part responsible for that decides.

A peer of the match may call before it is known here. A roster or a MEET makes two peers known to each other, and one of
them receives it first. The other must not refuse the call while its own message is still on the way. Such a call is
accepted and waits; nothing is received over it until its peer is known.
"""

from collections.abc import Hashable
from dataclasses import replace
from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

from retick.errors import DecodeError
from retick.link import Accept, Connection, Reason, Refuse, Request
from retick.link.addresses import origin_of
from retick.rollback.desync.equivocation import NO_KEY, Sign
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.link_config import EXTENSIONS, reach_fault, reach_of
from retick.rollback.session.members import Members
from retick.rollback.session.messages.connect import (
    ConnectRequest,
    Want,
    decode_request,
    encode_acceptance,
    encode_call,
    encode_play,
    version_fault,
)
from retick.rollback.session.messages.kinds import (
    EQUIVOCATION,
    NO_MATCH,
    OTHER_VERSION,
    REACHES_TOO_FAR,
    UNSIGNED,
    describe,
)
from retick.rollback.session.messages.roster import Reach, RosterEntry
from retick.rollback.session.peer import Peer, Phase

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

MOST_EARLY_CALLS = 16
"""The most calls that may wait for their peer to become known."""
EARLY_SECONDS = 12.0
"""How many seconds such a call may wait."""
KEYS_DIFFER = "over sealed links inputs are signed, over plain ones they are not"
CROWDED = "too many wait here already"
INTRODUCED_OTHERWISE = "not the key, window and delay with which this peer was introduced"


class ConnectionRequests:
    """Answers requests to connect."""

    def __init__(self, session: "SessionInside") -> None:
        self._session = session
        self._early = EarlyCalls()
        self.shown_out: set[bytes | str | None] = set()
        """Proven liars: the keys with which they signed, and the fingerprints of their lasting keys."""

    def admit(self, request: Request) -> Accept | Refuse:
        """Answer a request; an acceptance carries our version and our window and delay."""
        self._session.is_quiet = False
        fault = version_fault(request.data)
        if fault is not None:
            return Refuse(reason=OTHER_VERSION, text=fault)
        try:
            wanted = decode_request(request.data)
        except DecodeError:
            return Refuse(reason=Reason.DENIED, text="a request that is not in the session protocol")
        fault = reach_fault(wanted.reach, self._session.config) if wanted.want is not Want.WATCH else None
        if fault is not None:
            return Refuse(reason=REACHES_TOO_FAR, text=fault)
        if wanted.want is Want.PLAY and (wanted.key == NO_KEY) != (self._session.public_key == NO_KEY):
            return Refuse(reason=UNSIGNED, text=KEYS_DIFFER)
        is_liar = request.fingerprint is not None and request.fingerprint in self.shown_out
        if wanted.key in self.shown_out or (is_liar and wanted.want is not Want.WATCH):
            return Refuse(reason=EQUIVOCATION, text=describe(EQUIVOCATION))
        answer = self._answer(request, wanted)
        if wanted.want is Want.PLAY and isinstance(request.connection.tag, Peer):
            request.connection.tag.key, request.connection.tag.reach = wanted.key, wanted.reach
        acceptance = encode_acceptance(reach_of(self._session.config), self._session.public_key)
        return replace(answer, data=acceptance) if isinstance(answer, Accept) else answer

    def _answer(self, request: Request, wanted: ConnectRequest) -> Accept | Refuse:
        session = self._session
        if session.phase is Phase.ENDED:
            return Refuse(reason=NO_MATCH, text="the match is over here")
        if wanted.want is Want.WATCH:
            return session.spectator_feed.admit(request, wanted)
        if wanted.want is Want.CALL:
            return self._answer_call(request, wanted)
        old = session.returns.peer_with(wanted.seat_token)
        if session.match is None and session.is_host and (old is not None or session.phase is Phase.GATHERING):
            return session.lobby.admit(request, old)
        if session.phase is Phase.RUNNING:
            refusal = session.reconnect.refusal(wanted)
            return refusal or session.sponsor.admit(request, old, wanted.seat_token)
        return Refuse(reason=NO_MATCH, text="nobody is expected here")

    def _answer_call(self, request: Request, call: ConnectRequest) -> Accept | Refuse:
        """Answer the call of another peer of a match."""
        session = self._session
        is_of_next_roster = session.phase is Phase.LINKING and not session.is_host and call.token != session.token
        if not session.token or is_of_next_roster:
            return self._early.hold(request, call)
        peer = session.peers.get(call.peer_id) if call.token == session.token else None
        may_become_known = session.phase is Phase.RUNNING and call.peer_id != session.peer_id
        if peer is None and call.token == session.token and may_become_known:
            return self._early.hold(request, call)
        is_free = peer is not None and peer.connection is None and peer.is_heard
        if peer is None or not is_free or not compare_digest(call.pair_token, peer.pair_token):
            return Refuse(reason=Reason.DENIED, text="not a peer of this match")
        if (call.key, call.reach) != (peer.key, peer.reach):
            return Refuse(reason=UNSIGNED, text=INTRODUCED_OTHERWISE)
        peer.attach(request.connection)
        return Accept()

    def claim(self, peer: Peer) -> Connection | None:
        """The connection of a peer that has become known, if it has called already."""
        shown = ShownRequest(self._session.token, peer.pair_token, peer.peer_id, peer.key, peer.reach)
        return self._early.claim(shown)

    def expire(self, now: float) -> bool:
        """Close calls that nobody has claimed in time; returns whether others still wait."""
        return self._early.expire(now)


class ShownRequest(NamedTuple):
    """What a caller shows; identifies a waiting call as that of a peer."""

    token: bytes
    pair_token: bytes
    peer_id: int
    key: bytes
    reach: Reach


class EarlyCalls:
    """Waiting connections, by what their callers have shown."""

    def __init__(self) -> None:
        self._waiting: dict[ShownRequest, Connection] = {}
        self._since: dict[ShownRequest, float] = {}
        """When each was first seen to wait."""

    def hold(self, request: Request, call: ConnectRequest) -> Accept | Refuse:
        """Let a caller wait; nothing is received from it, since its connection belongs to no peer yet."""
        shown = ShownRequest(call.token, call.pair_token, call.peer_id, call.key, call.reach)
        self._waiting = {shown: link for shown, link in self._waiting.items() if link.close_reason is None}
        if shown in self._waiting or not self._has_room_for(request.address):
            return Refuse(reason=Reason.DENIED, text=CROWDED)
        self._waiting[shown] = request.connection
        self._since.pop(shown, None)
        return Accept()

    def _has_room_for(self, address: Hashable) -> bool:
        """Whether a call from this address may wait. If all places are taken, an address with more loses its last."""
        if len(self._waiting) < MOST_EARLY_CALLS:
            return True
        calls: dict[Hashable, list[ShownRequest]] = {}
        for shown, link in self._waiting.items():
            calls.setdefault(origin_of(link.address), []).append(shown)
        most = max(calls.values(), key=len)
        if len(most) <= len(calls.get(origin_of(address), ())) + 1:
            return False
        self._waiting.pop(most[-1]).close(Reason.DENIED, CROWDED)
        return True

    def claim(self, shown: ShownRequest) -> Connection | None:
        found = self._waiting.pop(shown, None)
        return found if found is not None and found.close_reason is None else None

    def expire(self, now: float) -> bool:
        for shown, link in list(self._waiting.items()):
            if now - self._since.setdefault(shown, now) > EARLY_SECONDS:
                del self._waiting[shown]
                link.close(Reason.DENIED, "nobody has announced this call")
        self._since = {shown: since for shown, since in self._since.items() if shown in self._waiting}
        return bool(self._waiting)


# Gets links with the other peers of a match, and exchanges inputs over them.


class Dialling(Members):
    """The part of a session that asks others for links; ``inside`` adds the rest."""

    admission: ConnectionRequests
    seats_asked: int
    """How many players are at this peer."""
    shown_token: bytes
    """The seat token that this peer shows because it held seats before. The seats that it gets now have another."""
    token: bytes
    """The name of the roster, which peers of this match show when they call each other."""
    next_keys: tuple[Sign, bytes] | None = None
    """The keys that this peer uses once it is let in elsewhere; None for the present ones.

    No two matches ever see the same key: what was signed in one says nothing about the other.
    """

    def __init__(self, config: MatchConfig) -> None:
        super().__init__()
        self.config = config
        self.own_reach = reach_of(config)
        self.set_disconnect_after(config.disconnect_after)

    def dial_to_play(self, peer: Peer, address: Hashable, *, heard_of: bool = False) -> None:
        """Ask for seats at the host, or in a match that runs."""
        key = self.public_key if self.next_keys is None else self.next_keys[1]
        data = encode_play(self.own_reach, self.shown_token, keeps_match=self.match is not None, key=key)
        peer.was_dialled = True
        peer.attach(self.link.dial(address, seats=self.seats_asked, data=data, heard_of=heard_of))

    def call(self, entry: RosterEntry) -> None:
        """Call a peer of the match known from a roster."""
        peer = self.peers[entry.peer_id] = Peer(entry.peer_id, entry.players)
        peer.key, peer.reach, peer.was_dialled = entry.key, entry.reach, True
        data = encode_call(self.token, self.peer_id, self.own_reach, entry.pair_token, self.public_key)
        peer.attach(self.link.dial(entry.address, seats=0, data=data, heard_of=True))

    def expect(self, peer: Peer) -> None:
        """Expect a call from a peer of the match, which may have called before we knew of it."""
        self.peers[peer.peer_id] = peer
        connection = self.admission.claim(peer)
        if connection is not None:
            peer.attach(connection)
            if connection.is_connected:
                self.on_connected(peer)

    def exchange_with(self, peer: Peer, first_frame: int) -> None:
        """Begin to send a peer our inputs from ``first_frame`` on, and to receive its own."""
        terms = peer.connection.terms if peer.connection is not None else None
        if self.match is not None and terms is not None and peer.exchange is None and peer.is_heard:
            extensions = terms.capabilities & EXTENSIONS
            self.match.add_peer(peer, extensions=extensions, first_frame=first_frame, reach=peer.reach.frames)

    def stop_exchange(self, peer: Peer) -> None:
        """Stop exchanging inputs with a peer in this match."""
        if self.match is not None:
            self.match.remove_peer(peer)

    def on_connected(self, peer: Peer) -> None:
        """Called when the link with a peer is up, and it is known who that is."""
        raise NotImplementedError
