"""The peers of a session: who plays, whom we hear, who hears whom, and who is connected to us.

Theory of operation. An edge leads from one peer to another unless the first has said that it no longer hears the
second. A peer is lost if no chain of edges leads from us to it. So one accuser removes only its own edge: a peer is
lost only if every other one that is connected to us no longer hears it. What a peer says about others matters only for
those that are reached through it: a peer that says different things to different peers does not turn them against each
other. A peer that is no longer heard is sent nothing any more, and so notices it too. Nothing said is ever taken back:
edges only go.
"""

from collections.abc import Hashable, Iterable

from retick.rollback.desync.equivocation import NO_KEY, Sign
from retick.rollback.match.match import Match
from retick.rollback.session.core import SessionCore
from retick.rollback.session.messages.roster import RosterEntry
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import HOST_ID, Peer, Role


class Hearing:
    """What each peer has said about whom it no longer hears. ``drops`` does the sending."""

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
        """Forget all other peers, which every peer knows to be dropped."""
        named = {peer_id for unheard in self._unheard.values() for peer_id in unheard}
        for peer_id in (named | set(self._unheard)) - peer_ids:
            self.forget(peer_id)

    def hears(self, peer_id: int, other: int) -> bool:
        """Whether an edge leads from a peer to another: it has not said that it no longer hears it."""
        return other not in self.unheard_by(peer_id)

    def is_accused(self, peer_id: int) -> bool:
        """Whether somebody no longer hears this peer."""
        return any(peer_id in unheard for unheard in self._unheard.values())

    def is_broken(self, peer_ids: set[int]) -> bool:
        """Whether one of these peers does not hear another of them."""
        return any(peer_ids & self.unheard_by(peer_id).keys() for peer_id in peer_ids)

    def connected(self, start: int, peer_ids: Iterable[int]) -> set[int]:
        """The peers in ``peer_ids`` to which a chain of edges leads from ``start``."""
        found, left, ends = set(), set(peer_ids), [start]
        while ends:
            end = ends.pop()
            beside = {peer_id for peer_id in left if self.hears(end, peer_id)}
            left -= beside
            found |= beside
            ends += beside
        return found


class Members(SessionCore):
    """The part of a session that knows who takes part; ``inside`` adds the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.peer_id = HOST_ID
        """This peer's own id in the match; a joiner learns it from the host."""
        self.newest_peer_id = HOST_ID
        """The highest id that any peer of this match has had, as far as known."""
        self.local_players: tuple[int, ...] = ()
        """The seats played here; a joiner learns its own when it is accepted."""
        self.sign: Sign = bytes
        """Signs this peer's inputs, over sealed links."""
        self.public_key = NO_KEY
        """The public key with which others verify them; zeros over plain links."""
        self.hearing = Hearing()
        self.parts: tuple[SessionPart, ...] = ()

    def give_peer_id(self, peer_id: int) -> None:
        """Tell the parts that a newcomer gets this id."""
        self.newest_peer_id = max(self.newest_peer_id, peer_id)
        for part in self.parts:
            part.peer_id_given(peer_id)

    def tell_roster_agreed(self, match: Match) -> None:
        """Tell the parts that all peers count the same players again."""
        for part in self.parts:
            part.roster_agreed(match)

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

    def roster_entries(self, own_address: str) -> tuple[RosterEntry, ...]:
        """The players: this peer first, then the others with the addresses at which this one sees them."""
        others = [
            RosterEntry(peer.peer_id, peer.players, peer.connection.address, key=peer.key)
            for peer in self.players_peers()
            if peer.connection is not None
        ]
        return (RosterEntry(self.peer_id, self.local_players, own_address, key=self.public_key), *others)
