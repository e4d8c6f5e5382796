"""Before a match: the host gives out seats, tells everyone who takes part, and starts when all are linked."""

from typing import TYPE_CHECKING

from retick.errors import DecodeError, InvalidValue
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback.session import roster as lobby
from retick.rollback.session.peer import HOST, Peer, Phase

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["Gathering"]

MOST_REDIRECTIONS = 8
"""How often a machine that wants to join is sent on to another one."""


class Gathering:
    """The lobby's part of a session, on the host and on those who join."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._linking = False
        self._redirections = 0
        self._reported = False

    def admit(self, request: Request) -> Accept | Refuse:
        """On the host: give the next free seats to whoever asks."""
        session = self._session
        taken = {player for peer in session.peers.values() for player in peer.players} | set(session.local_players)
        free = [player for player in range(session.sim.num_players) if player not in taken]
        if not 1 <= request.seats <= min(len(free), lobby.MAX_SEATS_EACH):
            return Refuse(reason=Reason.SEATS, text=f"{request.seats} seats were asked for, {len(free)} are free")
        number = next(number for number in range(1, 256) if number not in session.peers)
        peer = session.peers[number] = Peer(number, tuple(free[: request.seats]))
        peer.connection = request.connection
        request.connection.tag = peer
        return Accept(seats=peer.players)

    def ask_another(self, peer: Peer, text: str, seats: int) -> bool:
        """The machine that we called names the one that lets people in: call that; False when this leads nowhere."""
        self._redirections += 1
        try:
            address = lobby.unpack_address(text.encode())
        except DecodeError:
            return False
        if self._redirections > MOST_REDIRECTIONS:
            return False
        self._session.dial(peer, address, seats=seats)
        return True

    def connected(self) -> None:
        """A link came up: the host looks whether everyone is there, the others whether all their links are."""
        if self._session.is_host:
            self._send_rosters_when_complete()
        elif self._linking:
            self._report_ready()

    def take(self, peer: Peer, kind: int, data: bytes) -> None:
        """A message of the lobby; InvalidValue when it has no place now."""
        session = self._session
        from_host = peer.number == HOST and not session.is_host and session.match is None
        if kind == lobby.ROSTER and from_host and not self._linking:
            self._on_roster(lobby.decode_roster(data))
        elif kind == lobby.READY and session.is_host and self._linking and session.match is None and len(data) == 1:
            self._on_ready(peer)
        elif kind == lobby.START and from_host and self._linking:
            session.start(lobby.decode_start(data))
        else:
            raise InvalidValue(f"a lobby message of kind {kind} that has no place here")

    def _send_rosters_when_complete(self) -> None:
        session = self._session
        seated = len(session.local_players) + sum(len(peer.players) for peer in session.peers.values())
        if seated < session.sim.num_players or not all(peer.is_connected for peer in session.peers.values()):
            return
        self._begin_linking()
        members = (lobby.Member(HOST, session.local_players, "host"), *session.members())
        for peer in session.peers.values():
            peer.send(lobby.encode_roster(lobby.Roster(peer.number, session.token, members)))

    def _begin_linking(self) -> None:
        self._linking = True
        self._session.phase = Phase.LINKING

    def _on_roster(self, roster: lobby.Roster) -> None:
        """The host says who takes part: dial those who came before us, expect those who came after."""
        session = self._session
        self._check_roster(roster)
        self._begin_linking()
        session.number, session.token = roster.number, roster.token
        for member in roster.members:
            if member.number == HOST:
                session.peers[HOST].players = member.players
            elif member.number < session.number:
                session.meet(member)
            elif member.number > session.number:
                session.peers[member.number] = Peer(member.number, member.players)
        for member in roster.members:
            if member.number > session.number:
                session.expect(session.peers[member.number])
        self._report_ready()

    def _check_roster(self, roster: lobby.Roster) -> None:
        """Every seat of the game has its machine, the host has one, and ours are those that we were granted."""
        session = self._session
        seats = {member.number: member.players for member in roster.members}
        taken = lobby.check_seats(seats.values(), session.sim.num_players)
        if HOST not in seats or roster.number == HOST or len(taken) != session.sim.num_players:
            raise InvalidValue("a roster without the host, or with a seat that nobody plays")
        mine = seats[roster.number]
        if mine != session.local_players or len(mine) != session.seats_asked:
            raise InvalidValue(f"a roster that gives this machine the seats {mine}")

    def _report_ready(self) -> None:
        """Tell the host, once, that all links are up."""
        peers = self._session.peers
        if not self._reported and all(peer.is_connected for peer in peers.values()):
            self._reported = True
            peers[HOST].send(bytes((lobby.READY,)))

    def _on_ready(self, peer: Peer) -> None:
        """On the host: when the last one is ready, mix the seeds of all links, and start."""
        session = self._session
        peer.ready = True
        if not all(other.ready for other in session.peers.values()):
            return
        mixed = 0
        for other in session.peers.values():
            if other.connection is not None and other.connection.terms is not None:
                mixed ^= other.connection.terms.seed
        seed = mixed % 0xFFFFFFFF + 1
        for other in session.peers.values():
            other.send(lobby.encode_start(seed))
        session.start(seed)
