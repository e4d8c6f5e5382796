"""How a session gets links with the other peers of a match, and exchanges inputs over them."""

from collections.abc import Hashable

from retick.rollback.match.config import MatchConfig
from retick.rollback.session.joining.admit import Admission
from retick.rollback.session.link_config import EXTENSIONS, reach_of
from retick.rollback.session.members import Members
from retick.rollback.session.messages.connect import announced_reach, encode_call, encode_play
from retick.rollback.session.messages.roster import RosterEntry
from retick.rollback.session.peer import Peer

__all__ = ["Dialling"]


class Dialling(Members):
    """A session as far as it asks others for links; ``session`` adds all the rest."""

    admission: Admission
    seats_asked: int
    """How many players are at this peer."""
    shown_token: bytes
    """The seat token that this peer shows: it held seats before. It has another one for the seats that it gets now."""
    token: bytes
    """The name of the roster, which peers of this match show when they call each other."""

    def __init__(self, config: MatchConfig) -> None:
        super().__init__()
        self.config = config
        self._reach = reach_of(config)

    def dial_to_play(self, peer: Peer, address: Hashable, *, heard_of: bool = False) -> None:
        """Ask for seats at the host, or in a match that runs."""
        data = encode_play(self._reach, self.shown_token, keeps_match=self.match is not None, key=self.public_key)
        peer.was_dialled = True
        peer.attach(self.link.dial(address, seats=self.seats_asked, data=data, heard_of=heard_of))

    def call(self, entry: RosterEntry) -> None:
        """Call a peer of the match that is known from a roster."""
        peer = self.peers[entry.peer_id] = Peer(entry.peer_id, entry.players)
        peer.key = entry.key
        data, peer.was_dialled = encode_call(self.token, self.peer_id, self._reach, entry.pair_token), True
        peer.attach(self.link.dial(entry.address, seats=0, data=data, heard_of=True))

    def expect(self, peer: Peer) -> None:
        """A peer of the match is going to call, or has called before we knew of it."""
        self.peers[peer.peer_id] = peer
        connection = self.admission.claim(peer)
        if connection is not None:
            peer.attach(connection)
            if connection.is_connected:
                self.on_connected(peer)

    def exchange_with(self, peer: Peer, first_frame: int) -> None:
        """Begin to send our inputs from ``first_frame`` on to a peer, and to receive its own."""
        terms = peer.connection.terms if peer.connection is not None else None
        if self.match is not None and terms is not None and peer.exchange is None and peer.is_heard:
            extensions, reach = terms.capabilities & EXTENSIONS, sum(announced_reach(terms.peer_data))
            self.match.add_peer(peer, extensions=extensions, first_frame=first_frame, reach=reach)

    def stop_exchange(self, peer: Peer) -> None:
        """Nothing more is received from a peer, or sent to it, in this match."""
        if self.match is not None:
            self.match.remove_peer(peer)

    def on_connected(self, peer: Peer) -> None:
        """The link with a peer is up, and it is known who that is."""
        raise NotImplementedError
