"""A connection may move to a new address when the peer proves that it is the one from the handshake.

A datagram for a known connection from another address is dropped unread and not answered: a stranger must not learn
whether an id exists. A peer that hears nothing for a while sends CLAIM, which proves that it is the peer. If it comes
from another address, the receiver answers with PROVE, a challenge bound to that address; the peer answers with PROOF.
Both proofs are hashes under the path key, which only the two sides of the handshake can compute.
"""

from collections.abc import Hashable
from hashlib import blake2s
from hmac import compare_digest
from typing import TYPE_CHECKING

from retick.link.events import AddressChanged
from retick.link.handshake.cookies import CookieJar
from retick.link.layout import PROOF, PROVE
from retick.link.packets import decode_claim, decode_prove, encode_claim, encode_prove

if TYPE_CHECKING:
    from retick.link.connection import Connection
    from retick.link.endpoint import LinkEndpoint

CHALLENGE_INTERVAL = 0.1
"""Seconds between two challenges of one connection."""
CLAIM_AFTER = 0.75
"""Silence before a CLAIM, as a multiple of the report interval: longer than the keepalive of an idle link."""


def path_key(
    nonce: bytes, cookie: bytes, dialler_id: int, acceptor_id: int, dialler_share: int, acceptor_share: int
) -> bytes:
    """Derive the path key, which both sides compute from the whole handshake."""
    text = nonce + cookie + dialler_id.to_bytes(4, "little") + acceptor_id.to_bytes(4, "little")
    text += dialler_share.to_bytes(8, "little") + acceptor_share.to_bytes(8, "little")
    return blake2s(text, person=b"path-key", digest_size=32).digest()


def path_proof(key: bytes, challenge: bytes) -> bytes:
    """The correct answer to a challenge."""
    return blake2s(challenge, key=key, person=b"pathprof", digest_size=8).digest()


def claim_proof(key: bytes, claim: bytes) -> bytes:
    """The proof at the end of a CLAIM, over the bytes before it."""
    return blake2s(claim, key=key, person=b"claim___", digest_size=8).digest()


class Claims:
    """The claims of one connection: sent when it hears nothing, and received."""

    __slots__ = ("_sent", "challenged_at", "newest")

    def __init__(self) -> None:
        self._sent = 0
        self.newest = 0
        """The highest number received in a good CLAIM."""
        self.challenged_at = float("-inf")
        """When the last PROVE was sent."""

    def next(self, connection: "Connection") -> bytes:
        """Make the next CLAIM of a connection."""
        self._sent += 1
        claim = encode_claim(connection.remote_id, self._sent)
        return claim + claim_proof(connection._path_key, claim)


class AddressProof:
    """Reads claims and sends, answers and checks challenges, for one endpoint."""

    def __init__(self, endpoint: "LinkEndpoint", jar: CookieJar) -> None:
        self._endpoint = endpoint
        self._jar = jar

    def receive_claim(self, data: bytes, address: Hashable, now: float) -> None:
        """Receive a CLAIM: the peer hears nothing. If it now has another address, challenge that address."""
        connection_id, number, claim, proof = decode_claim(data)
        connection = self._connection_with(connection_id)
        if connection is None:
            return
        claims = connection._claims
        if number <= claims.newest or not compare_digest(proof, claim_proof(connection._path_key, claim)):
            self._endpoint.dropped["bad_proof"] += 1
            return
        claims.newest = number
        if address != connection.address and now >= claims.challenged_at + CHALLENGE_INTERVAL:
            claims.challenged_at = now
            challenge = self._jar.challenge(connection.local_id, address, now)
            self._endpoint._reply(encode_prove(PROVE, connection.remote_id, challenge), address)

    def challenges(self, connection: "Connection", address: Hashable, now: float) -> tuple[bytes, bytes]:
        """The challenges valid for this address: the one to send now, and the previous slot's."""
        return self._jar.challenges(connection.local_id, address, now)

    def receive_prove(self, data: bytes, address: Hashable, now: float) -> None:
        """Answer a challenge, which must come from the peer's known address."""
        connection_id, challenge = decode_prove(data)
        connection = self._connection_with(connection_id)
        if connection is None:
            return
        if connection.address != address:
            self._endpoint.dropped["bad_proof"] += 1
            return
        proof = path_proof(connection._path_key, challenge)
        self._endpoint._reply(encode_prove(PROOF, connection.remote_id, proof), address)

    def receive_proof(self, data: bytes, address: Hashable, now: float) -> None:
        """Move the connection to this address if the proof is correct for it."""
        connection_id, proof = decode_prove(data)
        connection = self._connection_with(connection_id)
        if connection is None:
            return
        challenges = self.challenges(connection, address, now)
        if not any(compare_digest(proof, path_proof(connection._path_key, c)) for c in challenges):
            self._endpoint.dropped["bad_proof"] += 1
        elif connection.address != address:
            old, connection.address = connection.address, address
            self._endpoint._events.append(AddressChanged(connection=connection, old=old, new=address))

    def _connection_with(self, connection_id: int) -> "Connection | None":
        """The connected connection that a datagram is for; otherwise counts the drop and returns None."""
        connection = self._endpoint.connections.get(connection_id)
        if connection is not None and connection.is_connected:
            return connection
        self._endpoint.dropped["unknown_connection" if connection is None else "unexpected"] += 1
        return None
