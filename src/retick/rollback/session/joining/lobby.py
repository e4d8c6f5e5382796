"""Before a match: the host gives out seats, tells everyone who takes part, and starts once all are linked.

Theory of operation. When all seats are taken the host sends ROSTER, everyone connects to everyone, and each peer says
READY once it has all links. If a joiner leaves before the match has started, or is not ready in time, the host tells
the others (CANCEL): they keep their seats, close their links with each other, and wait for the next ROSTER. Each ROSTER
has its own token, so nothing said about an earlier one is mistaken for the present one.
"""

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from retick.errors import DecodeError, InvalidValue
from retick.link import Accept, Reason, Refuse, Request
from retick.link.addresses import check_reachable, unpack_address
from retick.rollback.events import PeerDisconnected
from retick.rollback.session.link_config import check_disconnect_after
from retick.rollback.session.messages.kinds import RETURNED, MessageKind, decode_byte, describe, encode_byte
from retick.rollback.session.messages.roster import (
    MAX_SEATS_EACH,
    NO_PAIR_TOKEN,
    NONCE_SIZE,
    PAIR_TOKEN_SIZE,
    Roster,
    check_seats,
    decode_ready,
    decode_roster,
    decode_start,
    encode_ready,
    encode_roster,
    encode_start,
)
from retick.rollback.session.part import EarlyMessages, SessionPart
from retick.rollback.session.peer import HOST_ID, NO_ID, Peer, Phase, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

MOST_EARLY = 64
"""The most messages of one peer that may wait for START: what others send too much is not its fault."""
MOST_REDIRECTIONS = 8
"""How often a peer that wants to join is redirected to another one."""
MOST_ROSTERS = 32
"""The most rosters that a joiner accepts; each makes it call addresses that it only heard of."""
LINKING_SECONDS = 10.0
"""Seconds for which a joiner tries to connect to all others, if its peers are lost sooner than that."""
GRACE = 5.0
"""Seconds more that the host waits for READY; a joiner waits this long again for START."""


def _too_few(asked: int, free: list[int]) -> str:
    return f"{asked} seat{'s' * (asked != 1)} asked for, {len(free)} free"


def _is_open(peer: Peer) -> bool:
    return peer.connection is not None and peer.connection.close_reason is None


class Lobby(SessionPart):
    """The lobby, on the host and on joiners."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._offered: list[Peer] = []
        """On the host: joiners whose links are not up yet."""
        self._redirections = 0
        self._reported = False
        self._early = EarlyMessages(session, MOST_EARLY)
        """Messages of peers whose match runs already."""
        self._rosters = 0
        self._since: float | None = None
        """When we first waited after the last ROSTER."""
        self._missing: dict[int, str] = {}
        """Other joiners with whom a link was lost or never made, and why."""

    @property
    def _seconds(self) -> float:
        """Seconds to wait: a joiner that vanished must be missed first, so that nobody else has to leave."""
        return max(LINKING_SECONDS, self._session.disconnect_after + 2.0)

    @property
    def longest_start(self) -> float:
        """Seconds after ROSTER in which a joiner has START, or leaves."""
        return self._seconds + 2 * GRACE

    def admit(self, request: Request, old: Peer | None = None) -> Accept | Refuse:
        """On the host: offer a joiner free seats, the lowest of those that were offered least often.

        They are its own once its link is up: a joiner that never confirms a connection takes no seat from anybody. If
        ``old`` is given, that joiner has come back by this request, and is offered its seats again.
        """
        if old is not None:
            self._session.expel(old, describe(RETURNED), reason=RETURNED)
        before = old.players if old is not None else ()
        free = self._free()
        if not 1 <= request.seats <= min(len(free), MAX_SEATS_EACH):
            return Refuse(reason=Reason.SEATS, text=_too_few(request.seats, free))
        self._offered = [peer for peer in self._offered if _is_open(peer)]
        offers = Counter(player for peer in self._offered for player in peer.players)
        least = sorted(free, key=lambda player: (player not in before, offers[player]))[: request.seats]
        peer = Peer(NO_ID, tuple(sorted(least)), Role.JOINER)
        self._offered.append(peer)
        peer.attach(request.connection)
        return Accept(seats=peer.players)

    def _free(self) -> list[int]:
        session = self._session
        taken = {player for peer in session.peers.values() for player in peer.players} | set(session.local_players)
        return [player for player in range(session.sim.num_players) if player not in taken]

    def let_in(self, peer: Peer) -> bool:
        """On the host: give a joiner whose link is up the seats that it was offered, if they are still free."""
        session, free = self._session, self._free()
        self._offered = [other for other in self._offered if other is not peer]
        if session.phase is not Phase.GATHERING or not set(peer.players) <= set(free):
            if peer.connection is not None:
                peer.connection.tag = None
                peer.connection.close(Reason.SEATS, _too_few(len(peer.players), free))
            return False
        peer.peer_id = next(peer_id for peer_id in range(1, 256) if peer_id not in session.peers)
        session.peers[peer.peer_id] = peer
        return True

    def follow_redirection(self, peer: Peer, text: str) -> bool:
        """Dial the sponsor that the dialled peer names; False if this leads nowhere."""
        self._redirections += 1
        try:
            address = unpack_address(text.encode())
            check_reachable(address, peer.connection.address if peer.connection is not None else None)
        except DecodeError:
            return False
        if self._redirections > MOST_REDIRECTIONS:
            return False
        self._session.dial_to_play(peer, address, heard_of=True)
        return True

    def peer_connected(self, peer: Peer) -> None:
        """On the host, check whether everyone is there; on others, whether all their links are up."""
        session = self._session
        if session.is_host and session.phase is Phase.GATHERING:
            self._send_rosters_when_complete()
        elif not session.is_host and session.phase is Phase.LINKING:
            self._report_when_linked()

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Free the seats of a joiner that leaves; without the host, nothing continues."""
        session = self._session
        if session.phase not in (Phase.GATHERING, Phase.LINKING):
            return
        if session.is_host:
            del session.peers[peer.peer_id]
            if session.phase is Phase.LINKING:
                self._gather_again(peer)
        elif session.phase is Phase.LINKING and peer.role is not Role.HOST:
            # The host will notice too, and say so; unless only our own path to this peer is broken.
            self._missing[peer.peer_id] = reason
        else:
            session.end(reason)

    def _gather_again(self, gone: Peer) -> None:
        """On the host: withdraw the roster."""
        session = self._session
        session.phase, session.token = Phase.GATHERING, b""
        for other in session.peers.values():
            other.ready = False
            other.send(encode_byte(MessageKind.CANCEL, gone.peer_id))

    def receive_cancel(self, peer: Peer, data: bytes) -> None:
        """A joiner has left: wait for the next roster, without links to the others."""
        decode_byte(data)
        session = self._session
        session.phase, session.token = Phase.GATHERING, b""
        self._early.clear()
        for other in [other for other in session.peers.values() if other is not peer]:
            text = "the roster is no longer valid"
            if other.connection is not None:
                other.connection.tag = None
                other.connection.close(Reason.GOODBYE, text)
            del session.peers[other.peer_id]
            session.tell(PeerDisconnected(peer=other.peer_id, players=other.players, reason=Reason.GOODBYE, text=text))

    def while_waiting(self, now: float) -> None:
        session = self._session
        if session.phase is not Phase.LINKING:
            self._since = None
            return
        if self._since is None:
            self._since = now
        waited = now - self._since
        if session.is_host and waited > self._seconds + GRACE:
            for peer in [peer for peer in session.peers.values() if not peer.ready]:
                text = f"peer {peer.peer_id} was not ready after {waited:.0f} s"
                session.expel(peer, text, reason=Reason.DENIED)
        elif not session.is_host and not self._reported and waited > self._patience():
            session.end(self._complaint())
        elif not session.is_host and waited > self.longest_start:
            session.end("the host does not start the match")

    def _apart(self) -> list[int]:
        """The others with whom there is no link."""
        return [peer.peer_id for peer in self._session.peers.values() if not peer.is_connected]

    def _patience(self) -> float:
        """Seconds to wait: of two without a link, the caller leaves first, and the other one can stay."""
        is_caller = any(peer_id < self._session.peer_id for peer_id in self._apart())
        return self._seconds if is_caller else self._seconds + GRACE / 2

    def _complaint(self) -> str:
        """Say who could not reach whom; the host sees it too."""
        session, apart = self._session, self._apart()
        why = next((self._missing[peer_id] for peer_id in apart if peer_id in self._missing), "no answer")
        names = ", ".join(str(peer_id) for peer_id in apart)
        return f"peer {session.peer_id} has no link with peer {names}: {why}"

    def _send_rosters_when_complete(self) -> None:
        session = self._session
        seated = len(session.local_players) + sum(len(peer.players) for peer in session.peers.values())
        if seated < session.sim.num_players or not all(peer.is_connected for peer in session.peers.values()):
            return
        session.phase, self._since = Phase.LINKING, None
        roster = Roster(HOST_ID, session.entropy(NONCE_SIZE), session.disconnect_after, session.roster_entries())
        session.token = roster.token
        tokens = {frozenset(pair): session.entropy(PAIR_TOKEN_SIZE) for pair in combinations(session.peers, 2)}
        for peer in session.peers.values():
            # Only the two of a pair know its token: nobody can call in the name of a third one.
            told = tuple(
                entry._replace(pair_token=tokens.get(frozenset((entry.peer_id, peer.peer_id)), NO_PAIR_TOKEN))
                for entry in roster.entries
            )
            peer.send(encode_roster(roster._replace(peer_id=peer.peer_id, entries=told)))

    def receive_roster(self, peer: Peer, data: bytes) -> None:
        """Receive the roster: call the peers that came before us, expect calls of those that came after."""
        session = self._session
        roster = decode_roster(data)
        self._check_roster(roster, peer)
        self._rosters += 1
        if self._rosters > MOST_ROSTERS:
            raise InvalidValue(f"more than {MOST_ROSTERS} rosters, and no match")
        session.phase, self._since = Phase.LINKING, None
        self._reported, self._missing = False, {}
        session.peer_id, session.token = roster.peer_id, roster.token
        session.set_disconnect_after(roster.disconnect_after)
        for entry in roster.entries:
            if entry.peer_id == HOST_ID:
                peer.players = entry.players
            elif entry.peer_id < session.peer_id:
                session.call(entry)
            elif entry.peer_id > session.peer_id:
                later = session.peers[entry.peer_id] = Peer(entry.peer_id, entry.players)
                later.pair_token, later.key, later.reach = entry.pair_token, entry.key, entry.reach
        for entry in roster.entries:
            if entry.peer_id > session.peer_id:
                session.expect(session.peers[entry.peer_id])
        self._report_when_linked()

    def _check_roster(self, roster: Roster, host: Peer) -> None:
        """Check that every seat of the game has its peer, the host has one, and ours are those that we were granted.

        The peers that we are to call must have addresses that we may dial.
        """
        session = self._session
        seats = {entry.peer_id: entry.players for entry in roster.entries}
        taken = check_seats(seats.values(), session.sim.num_players)
        if HOST_ID not in seats or roster.peer_id == HOST_ID or len(taken) != session.sim.num_players:
            raise InvalidValue("a roster without the host, or with a seat that nobody plays")
        shown = {entry.peer_id: (entry.players, entry.key, entry.reach) for entry in roster.entries}
        ours = shown[roster.peer_id]
        if ours != session.own_terms() or len(ours[0]) != session.seats_asked:
            raise InvalidValue(f"a roster that gives this peer the seats {ours[0]}, or another key, window or delay")
        if shown[HOST_ID][1:] != (host.key, host.reach):
            raise InvalidValue("a roster with another key, window or delay of the host than its own")
        check_disconnect_after(roster.disconnect_after, session.config)
        for entry in roster.entries:
            if HOST_ID < entry.peer_id < roster.peer_id and host.connection is not None:
                check_reachable(entry.address, host.connection.address)

    def _report_when_linked(self) -> None:
        """Tell the host, once, that all links are up."""
        peers = self._session.peers
        if not self._reported and all(peer.is_connected for peer in peers.values()):
            self._reported = True
            peers[HOST_ID].send(encode_ready(self._session.token))

    def receive_ready(self, peer: Peer, data: bytes) -> None:
        """On the host: once the last one is ready, mix the seeds of all links, and start."""
        session = self._session
        if decode_ready(data) != session.token or session.phase is not Phase.LINKING:
            # For a withdrawn roster.
            return
        peer.ready = True
        if not all(other.ready for other in session.peers.values()):
            return
        mixed = 0
        for other in session.peers.values():
            if other.connection is not None and other.connection.terms is not None:
                mixed ^= other.connection.terms.seed
        seed = mixed % 0xFFFFFFFF + 1
        for other in session.peers.values():
            other.send(encode_start(seed))
        session.start(seed)

    def receive_start(self, peer: Peer, data: bytes) -> None:
        seed = decode_start(data)
        if not self._reported:
            # A peer without a link is never lost: the match would wait for it for ever.
            raise InvalidValue("a START before all links of this peer are up")
        session = self._session
        session.start(seed)
        for other in [other for other in session.players_peers() if not other.is_connected]:
            # It was lost after it was ready. The others lose it in the match too.
            for part in session.parts:
                part.peer_gone(other, self._missing.get(other.peer_id, "lost before the match began"))
        self._early.receive(*self._early)

    def hold(self, peer: Peer, data: bytes) -> None:
        """Keep a message until our match runs: the START of another joiner has come before ours."""
        self._early.keep(peer, data)
