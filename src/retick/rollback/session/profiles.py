"""Names and profiles: each peer tells every other one its own, and peers without links are sent lists.

A peer says who it is on every link itself, so nobody can give another player's name to a third one. A waiting joiner
has a link only with the host, and a spectator only with a player: they are sent a list.
"""

from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.rollback.events import RosterChanged, RosterPeer
from retick.rollback.match.match import Match
from retick.rollback.session.messages.profile import (
    Profile,
    check_profile,
    decode_list,
    decode_profile,
    encode_list,
    encode_profile,
)
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Phase, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


class Profiles(SessionPart):
    """What this peer says about itself, and what others have said about themselves."""

    def __init__(self, session: "SessionInside", own: Profile) -> None:
        super().__init__(session)
        self.own = check_profile(own)
        identity = session.link.config.identity
        self._fingerprint = None if identity is None else _fingerprint_of_key(identity)
        self._known: dict[int, Profile] = {}
        """Profiles by peer id; those of dropped peers stay until their id is given again."""
        self._listed: tuple[RosterPeer, ...] = ()
        """On a joiner without a match: the host's list, with the fingerprints that this peer knows itself."""

    def of(self, peer_id: int) -> Profile:
        """The profile of a peer; empty if it has not sent one yet."""
        return self._known.get(peer_id) or Profile()

    def roster(self) -> tuple[RosterPeer, ...]:
        """The peers that take part, in the order of ids."""
        session = self._session
        if not session.is_host and session.match is None and session.phase is not Phase.LINKING:
            return self._listed  # it has no id of its own yet, even if it was dropped before it got one
        own = self.own
        found = [RosterPeer(session.peer_id, session.local_players, own.name, own.data, self._fingerprint)]
        for peer in session.players_peers():
            said = self.of(peer.peer_id)
            found.append(RosterPeer(peer.peer_id, peer.players, said.name, said.data, peer.fingerprint))
        return tuple(sorted(found))

    def peer_connected(self, peer: Peer) -> None:
        """Send our profile first if we accepted the link: we know by now who has called, the caller may not."""
        if peer.role is not Role.SPECTATOR:
            # Another peer may have had this id.
            self._known.pop(peer.peer_id, None)
            if not peer.was_dialled:
                peer.send(encode_profile(self.own))

    def receive_profile(self, peer: Peer, data: bytes) -> None:
        profile = decode_profile(data)
        if peer.peer_id in self._known:
            raise InvalidValue(f"a second PROFILE of peer {peer.peer_id}")
        self._known[peer.peer_id] = profile
        if peer.was_dialled:
            peer.send(encode_profile(self.own))
        self._tell()
        self._send_lists()

    def receive_list(self, peer: Peer, data: bytes) -> None:
        """Receive the host's list of who is there."""
        own = self._session.local_players
        proved = {peer.peer_id: peer.fingerprint}
        self._listed = tuple(
            each._replace(fingerprint=self._fingerprint if each.players == own else proved.get(each.peer_id))
            for each in decode_list(data)
        )
        if self._session.phase is Phase.GATHERING:
            self._tell()

    def _tell(self) -> None:
        """Report the roster, once anything is known: a joiner gets the host's profile before its list."""
        if roster := self.roster():
            self._session.tell(RosterChanged(roster=roster))

    def _send_lists(self) -> None:
        """On a host before the match: tell all joiners who is there."""
        session = self._session
        if session.is_host and session.match is None:
            message = encode_list(self.roster())
            for peer in session.peers.values():
                if peer.is_connected:
                    peer.send(message)

    def newcomer_became_player(self, newcomer: Peer, frame: int, match: Match) -> None:
        self._tell()

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Called after the lobby has forgotten a joiner."""
        if self._session.match is None and self._known.pop(peer.peer_id, None) is not None:
            self._send_lists()

    def peer_id_given(self, peer_id: int) -> None:
        self._known.pop(peer_id, None)

    def renumber(self, before: int, after: int) -> None:
        """Note the id of the peer that this newcomer has dialled."""
        if before in self._known:
            self._known[after] = self._known.pop(before)


def _fingerprint_of_key(identity: bytes) -> str:
    from retick.link.sealing.keys import fingerprint_of  # here, because it imports cryptography
    from retick.link.sealing.primitives import signer_of

    return fingerprint_of(signer_of(identity))
