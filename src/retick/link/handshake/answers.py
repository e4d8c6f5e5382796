"""What a dialler's endpoint does with COOKIE, ACCEPT and REFUSE: finds the dialler that they are for."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from retick.link.handshake import packets
from retick.link.state import State

if TYPE_CHECKING:
    from retick.link.connection import Connection
    from retick.link.endpoint import LinkEndpoint

__all__ = ["Answers"]


class Answers:
    """Reads the answers of acceptors for one endpoint."""

    def __init__(self, endpoint: "LinkEndpoint") -> None:
        self._endpoint = endpoint

    def _dialled(self, data: bytes, address: Hashable) -> "Connection | None":
        """The connection whose dialler an answer is for: by its nonce, from the address that was dialled."""
        connection = self._endpoint._by_nonce.get(packets.nonce_of(data))
        return connection if connection is not None and connection.address == address else None

    def receive_cookie(self, data: bytes, address: Hashable, now: float) -> None:
        connection = self._dialled(data, address)
        if connection is not None:
            _, cookie, commitment = packets.decode_cookie(data, self._endpoint._version)
            dialler = connection._dialler
            if dialler is not None and dialler.receive_cookie(cookie, commitment, now):
                return
        self._endpoint.dropped["unexpected"] += 1

    def receive_accept(self, data: bytes, address: Hashable, now: float) -> None:
        connection = self._dialled(data, address)
        if connection is not None:
            if connection._dialler is not None:
                connection._dialler.receive_accept(data, now)
                return
            if connection.is_connected and not self._endpoint.config.sealed:
                packets.decode_accept(data)
                # The acceptor repeats itself because it has received nothing from us yet.
                connection._status_at = now
                connection._want_to_send()
        self._endpoint.dropped["unexpected"] += 1

    def receive_refuse(self, data: bytes, address: Hashable, now: float) -> None:
        connection = self._dialled(data, address)
        if connection is not None:
            _, reason, text = packets.decode_refuse(data)
            # With keys, a refusal is a BYE that opens: this one may be anybody's.
            if connection._dialler is not None and connection.state is not State.ENTERING:
                connection._dialler.receive_refusal(reason, text)
                return
        self._endpoint.dropped["unexpected"] += 1
