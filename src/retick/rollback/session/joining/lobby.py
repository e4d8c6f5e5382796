"""Before a match: the host gives out seats, tells everyone who takes part, and starts when all are linked."""

from typing import TYPE_CHECKING

from retick.errors import DecodeError, InvalidValue
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback.session.messages.addresses import check_reachable, unpack_address
from retick.rollback.session.messages.roster import (
    MAX_SEATS_EACH,
    Roster,
    check_seats,
    decode_ready,
    decode_roster,
    decode_start,
    encode_ready,
    encode_roster,
    encode_start,
)
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import HOST_ID, Peer, Phase, Role

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Lobby"]

MOST_REDIRECTIONS = 8
"""How often a peer that wants to join follows the address of another one."""


class Lobby(SessionPart):
    """The lobby, on the host and on those who join."""

    def __init__(self, session: "RollbackSession") -> None:
        super().__init__(session)
        self._redirections = 0
        self._reported = False

    def admit(self, request: Request) -> Accept | Refuse:
        """On the host: give a joiner the lowest free seats."""
        session = self._session
        taken = {player for peer in session.peers.values() for player in peer.players} | set(session.local_players)
        free = [player for player in range(session.sim.num_players) if player not in taken]
        if not 1 <= request.seats <= min(len(free), MAX_SEATS_EACH):
            return Refuse(reason=Reason.SEATS, text=f"{request.seats} seats were asked for, {len(free)} are free")
        peer_id = next(peer_id for peer_id in range(1, 256) if peer_id not in session.peers)
        peer = session.peers[peer_id] = Peer(peer_id, tuple(free[: request.seats]), Role.JOINER)
        peer.attach(request.connection)
        return Accept(seats=peer.players)

    def follow_redirection(self, peer: Peer, text: str) -> bool:
        """The peer that we dialled names its sponsor: dial that one; False when this leads nowhere."""
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
        """The host looks whether everyone is there, the others whether all their links are up."""
        session = self._session
        if session.is_host and session.phase is Phase.GATHERING:
            self._send_rosters_when_complete()
        elif not session.is_host and session.phase is Phase.LINKING:
            self._report_when_linked()

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Before the rosters are out a joiner may leave and its seats are free again; after that nobody may."""
        session = self._session
        if session.is_host and session.phase is Phase.GATHERING:
            del session.peers[peer.peer_id]
        elif session.phase in (Phase.GATHERING, Phase.LINKING):
            session.end(reason)

    def _send_rosters_when_complete(self) -> None:
        session = self._session
        seated = len(session.local_players) + sum(len(peer.players) for peer in session.peers.values())
        if seated < session.sim.num_players or not all(peer.is_connected for peer in session.peers.values()):
            return
        session.phase = Phase.LINKING
        entries = session.roster_entries("")
        for peer in session.peers.values():
            peer.send(encode_roster(Roster(peer.peer_id, session.token, entries)))

    def receive_roster(self, peer: Peer, data: bytes) -> None:
        """The host says who takes part: call those who came before us, expect calls of those who came after."""
        session = self._session
        roster = decode_roster(data)
        self._check_roster(roster, peer)
        session.phase = Phase.LINKING
        session.peer_id, session.token = roster.peer_id, roster.token
        for entry in roster.entries:
            if entry.peer_id == HOST_ID:
                peer.players = entry.players
            elif entry.peer_id < session.peer_id:
                session.call(entry)
            elif entry.peer_id > session.peer_id:
                session.peers[entry.peer_id] = Peer(entry.peer_id, entry.players)
        for entry in roster.entries:
            if entry.peer_id > session.peer_id:
                session.expect(session.peers[entry.peer_id])
        self._report_when_linked()

    def _check_roster(self, roster: Roster, host: Peer) -> None:
        """Every seat of the game has its peer, the host has one, ours are those that we were granted.

        And those that we are to call have addresses that can be ours to call.
        """
        session = self._session
        seats = {entry.peer_id: entry.players for entry in roster.entries}
        taken = check_seats(seats.values(), session.sim.num_players)
        if HOST_ID not in seats or roster.peer_id == HOST_ID or len(taken) != session.sim.num_players:
            raise InvalidValue("a roster without the host, or with a seat that nobody plays")
        ours = seats[roster.peer_id]
        if ours != session.local_players or len(ours) != session.seats_asked:
            raise InvalidValue(f"a roster that gives this peer the seats {ours}")
        for entry in roster.entries:
            if HOST_ID < entry.peer_id < roster.peer_id and host.connection is not None:
                check_reachable(entry.address, host.connection.address)

    def _report_when_linked(self) -> None:
        """Tell the host, once, that all links are up."""
        peers = self._session.peers
        if not self._reported and all(peer.is_connected for peer in peers.values()):
            self._reported = True
            peers[HOST_ID].send(encode_ready())

    def receive_ready(self, peer: Peer, data: bytes) -> None:
        """On the host: when the last one is ready, mix the seeds of all links, and start."""
        session = self._session
        decode_ready(data)
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
        self._session.start(seed)
