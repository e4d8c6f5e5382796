"""A connection may move to a new address when the peer proves that it is the one from the handshake.

A datagram for a known connection from another address is dropped, whatever is in it. The receiver answers with PROVE,
a challenge bound to that address; the peer answers with PROOF, a hash of the challenge under the path key, which only
the two sides of the handshake can compute.
"""

from collections.abc import Hashable
from hashlib import blake2s
from hmac import compare_digest
from typing import TYPE_CHECKING

from retick.link.events import AddressChanged
from retick.link.handshake.cookies import CookieJar
from retick.link.layout import PROOF, PROVE, PROVE_SIZE
from retick.link.packets import decode_prove, encode_prove

if TYPE_CHECKING:
    from retick.link.connection import Connection
    from retick.link.endpoint import LinkEndpoint

__all__ = ["AddressProof", "path_key", "path_proof"]

CHALLENGE_INTERVAL = 0.1
"""Seconds between two challenges of one connection."""


def path_key(
    nonce: bytes, cookie: bytes, dialler_id: int, acceptor_id: int, dialler_share: int, acceptor_share: int
) -> bytes:
    """A key that both sides compute from the whole handshake."""
    text = nonce + cookie + dialler_id.to_bytes(4, "little") + acceptor_id.to_bytes(4, "little")
    text += dialler_share.to_bytes(8, "little") + acceptor_share.to_bytes(8, "little")
    return blake2s(text, person=b"path-key", digest_size=32).digest()


def path_proof(key: bytes, challenge: bytes) -> bytes:
    """The right answer to a challenge."""
    return blake2s(challenge, key=key, person=b"pathprof", digest_size=8).digest()


class AddressProof:
    """Sends challenges, answers them and checks the answers, for one endpoint."""

    def __init__(self, endpoint: "LinkEndpoint", jar: CookieJar) -> None:
        self._endpoint = endpoint
        self._jar = jar

    def receive_from_new_address(
        self, connection: "Connection", sequence: int, size: int, address: Hashable, now: float
    ) -> None:
        """Drop a datagram of ``size`` bytes from an address that is not the peer's, and challenge that address."""
        self._endpoint.dropped["unproven_address"] += 1
        is_due = now >= connection._challenged_at + CHALLENGE_INTERVAL
        # A datagram shorter than the challenge gets none: no answer is longer than its question.
        if not is_due or not connection.is_connected or size < PROVE_SIZE:
            return
        if connection._sequences.is_newer(sequence):
            connection._challenged_at = now
            challenge = self._jar.challenge(connection.local_id, address, now)
            self._endpoint._reply(encode_prove(PROVE, connection.remote_id, challenge), address)

    def receive_prove(self, data: bytes, address: Hashable, now: float) -> None:
        """Answer a challenge, which must come from the peer's known address."""
        connection, challenge = self._connection_and_value(data)
        if connection is None:
            return
        if connection.address != address:
            self._endpoint.dropped["bad_proof"] += 1
            return
        proof = path_proof(connection._path_key, challenge)
        self._endpoint._reply(encode_prove(PROOF, connection.remote_id, proof), address)

    def receive_proof(self, data: bytes, address: Hashable, now: float) -> None:
        """Move the connection to this address if the proof is right for it."""
        connection, proof = self._connection_and_value(data)
        if connection is None:
            return
        challenges = self._jar.challenges(connection.local_id, address, now)
        if not any(compare_digest(proof, path_proof(connection._path_key, c)) for c in challenges):
            self._endpoint.dropped["bad_proof"] += 1
        elif connection.address != address:
            old, connection.address = connection.address, address
            self._endpoint._events.append(AddressChanged(connection=connection, old=old, new=address))

    def _connection_and_value(self, data: bytes) -> "tuple[Connection | None, bytes]":
        """The connection that a PROVE or PROOF is for, None and counted when there is none."""
        connection_id, value = decode_prove(data)
        connection = self._endpoint.connections.get(connection_id)
        if connection is None:
            self._endpoint.dropped["unknown_connection"] += 1
        elif not connection.is_connected:
            self._endpoint.dropped["unexpected"] += 1
            return None, value
        return connection, value
