"""The peers of a session: who plays, what all know of them alike, whom we hear, and who has said whom it hears."""

from collections.abc import Hashable, Iterable

from retick.rollback.desync.equivocation import NO_KEY, Sign
from retick.rollback.session.agreement import STEP
from retick.rollback.session.core import SessionCore
from retick.rollback.session.messages.roster import MemberTerms, Reach, RosterEntry
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import HOST_ID, Peer, Role


class Hearing:
    """What each peer has stated about whom it no longer hears. What follows is decided by the agreement."""

    def __init__(self) -> None:
        self.accusers: dict[int, int] = {}
        """Peers that somebody no longer hears, with the first that said so."""
        self._unheard: dict[int, dict[int, int]] = {}

    def add(self, by: int, peer_id: int, reason: int) -> bool:
        """Note that peer ``by`` no longer hears ``peer_id``; False if that was known."""
        unheard = self._unheard.setdefault(by, {})
        if peer_id in unheard:
            return False
        unheard[peer_id] = reason
        self.accusers.setdefault(peer_id, by)
        return True

    def unheard_by(self, peer_id: int) -> dict[int, int]:
        """The peers that this one no longer hears, with the reason for each."""
        return self._unheard.get(peer_id, {})

    def forget(self, peer_id: int) -> None:
        """Forget a dropped peer's id, which a newcomer gets."""
        self.accusers.pop(peer_id, None)
        self._unheard.pop(peer_id, None)
        for unheard in self._unheard.values():
            unheard.pop(peer_id, None)

    def keep(self, peer_ids: set[int]) -> None:
        """Forget all other peers: they are lost."""
        named = {peer_id for unheard in self._unheard.values() for peer_id in unheard}
        for peer_id in (named | set(self._unheard)) - peer_ids:
            self.forget(peer_id)

    def hears(self, peer_id: int, other: int) -> bool:
        """Whether a peer hears another one, as far as it has not said otherwise."""
        return other not in self.unheard_by(peer_id)

    def is_accused(self, peer_id: int) -> bool:
        """Whether somebody no longer hears this peer."""
        return any(peer_id in unheard for unheard in self._unheard.values())


class Members(SessionCore):
    """The part of a session that knows who takes part; ``inside`` adds the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.peer_id = HOST_ID
        """This peer's own id in the match; a joiner learns it from the host."""
        self.local_players: tuple[int, ...] = ()
        """The seats played here; a joiner learns its own when it is accepted."""
        self.sign: Sign = bytes
        """Signs this peer's inputs and statements, over sealed links."""
        self.public_key = NO_KEY
        """The public key with which others verify them; zeros over plain links."""
        self.own_reach = Reach()
        """This peer's window and delay, as it announces them."""
        self.disconnect_after = 0.0
        """The host's ``disconnect_after``, at least what an agreement needs: all peers use the same."""
        self.match_count = 0
        """How many matches the session has had before this one. Packets carry it modulo 256."""
        self.hearing = Hearing()
        self.parts: tuple[SessionPart, ...] = ()

    def give_peer_id(self, peer_id: int) -> None:
        """Tell the parts that a newcomer gets this id."""
        for part in self.parts:
            part.peer_id_given(peer_id)

    def set_disconnect_after(self, seconds: float) -> None:
        self.disconnect_after = max(seconds, STEP)

    def terms(self) -> dict[int, MemberTerms]:
        """What all members know alike of each of them, this peer included."""
        others = {peer.peer_id: MemberTerms(peer.players, peer.key, peer.reach) for peer in self.players_peers()}
        return {self.peer_id: self.own_terms(), **others}

    def own_terms(self) -> MemberTerms:
        return MemberTerms(self.local_players, self.public_key, self.own_reach)

    @property
    def longest_rtt(self) -> float:
        """The longest round trip to any peer, in seconds."""
        return max((peer.connection.rtt for peer in self.peers.values() if peer.connection), default=0.0)

    def players_peers(self) -> list[Peer]:
        """The other peers that play, heard or not."""
        return [peer for peer in self.peers.values() if peer.role is not Role.NEWCOMER]

    def heard_peers(self) -> list[Peer]:
        """The other playing peers that we hear."""
        return [peer for peer in self.players_peers() if peer.is_heard]

    @property
    def peer_addresses(self) -> tuple[Hashable, ...]:
        """The addresses of the other players: save them with ``seat_token`` to come back."""
        return tuple(peer.connection.address for peer in self.heard_peers() if peer.connection is not None)

    def forwarders_of(self, peer_ids: Iterable[int]) -> list[Peer]:
        """The peers that we hear and that claim to hear one of ``peer_ids``, which we do not."""
        unheard = [peer_id for peer_id in peer_ids if peer_id in self.peers and not self.peers[peer_id].is_heard]
        return [
            peer for peer in self.heard_peers() if any(self.hearing.hears(peer.peer_id, peer_id) for peer_id in unheard)
        ]

    def roster_entries(self) -> tuple[RosterEntry, ...]:
        """The players: this peer first, without an address, then the others with those at which this one sees them."""
        others = [
            RosterEntry(peer.peer_id, peer.players, peer.connection.address, key=peer.key, reach=peer.reach)
            for peer in self.players_peers()
            if peer.connection is not None
        ]
        own = RosterEntry(self.peer_id, self.local_players, "", key=self.public_key, reach=self.own_reach)
        return (own, *others)
