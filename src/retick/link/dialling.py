"""The dialler's half of the handshake: ask, prove the address, propose, and take the answer.

Held by a connection until it is connected, and then gone.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from retick.link import handshake
from retick.link.events import Refused
from retick.link.proof import commitment, mixed_seed, path_key
from retick.link.reasons import Reason
from retick.link.terms import State, Terms

if TYPE_CHECKING:
    from retick.link.connection import Connection
    from retick.link.endpoint import LinkEndpoint

__all__ = ["Dialling"]

FIRST_WAIT = 0.25
SLOWEST = 0.5
HELLOS = 8
"""Unanswered, before it is asked for a new cookie."""


class Dialling:
    """What is being asked for, and when to ask again."""

    __slots__ = (
        "_commitment",
        "_connection",
        "_cookie",
        "_data",
        "_endpoint",
        "_give_up_at",
        "_hellos",
        "_next_at",
        "_seats",
        "_share",
        "_wait",
    )

    def __init__(
        self, endpoint: "LinkEndpoint", connection: "Connection", *, share: int, seats: int, data: bytes
    ) -> None:
        self._endpoint = endpoint
        self._connection = connection
        self._share = share
        self._seats = seats
        self._data = data
        self._cookie = b""
        self._commitment = b""
        self._hellos = 0
        self._wait = FIRST_WAIT
        self._next_at = 0.0
        self._give_up_at = -1.0

    def deadline(self) -> float:
        return min(self._next_at, self._give_up_at)

    def on_time(self, now: float) -> None:
        if 0.0 <= self._give_up_at <= now:
            self._connection._end(Reason.NO_ANSWER, "", by_peer=False)
        else:
            self._connection._soil()

    def drain(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        if self._give_up_at < 0.0:
            self._give_up_at = now + self._endpoint.config.dial_timeout
            self._next_at = now
        if now < self._next_at:
            return
        if self._hellos >= HELLOS:
            # A new share too: the acceptor has seen the old one, and commits anew in its next cookie.
            self._share = self._endpoint._begin_again(self._connection)
            self._hellos = 0
        if self._connection.state is State.PROPOSING:
            self._hellos += 1
            data = handshake.encode_hello(self._hello())
        else:
            data = handshake.encode_request(self._connection._nonce)
        out.append((data, self._connection.address))
        self._next_at = now + self._wait
        self._wait = min(self._wait * 1.5, SLOWEST)

    def _hello(self) -> handshake.Hello:
        config = self._endpoint.config
        return handshake.Hello(
            nonce=self._connection._nonce,
            cookie=self._cookie,
            connection_id=self._connection.local_id,
            capabilities=config.capabilities,
            required=config.required,
            game_version=config.game_version,
            tick_rate=config.tick_rate,
            seats=self._seats,
            seed_share=self._share,
            game_id=config.game_id,
            data=self._data,
        )

    def take_cookie(self, cookie: bytes, committed: bytes, now: float) -> bool:
        """False when no cookie is waited for."""
        if self._connection.state is not State.REQUESTING:
            return False
        self._cookie = cookie
        self._commitment = committed
        self._connection.state = State.PROPOSING
        self._hellos = 0
        self._wait = FIRST_WAIT
        self._next_at = now
        self._connection._soil()
        return True

    def take_acceptance(self, answer: handshake.Acceptance, now: float) -> bool:
        """False when no acceptance is waited for."""
        connection, config = self._connection, self._endpoint.config
        if connection.state is not State.PROPOSING:
            return False
        connection.remote_id = answer.connection_id
        connection._path_key = path_key(
            connection._nonce, self._cookie, connection.local_id, answer.connection_id, self._share, answer.seed_share
        )
        connection.terms = Terms(
            capabilities=config.capabilities & answer.capabilities,
            tick_rate=answer.tick_rate,
            seats=tuple(seat for seat in range(32) if answer.seats >> seat & 1),
            seed=mixed_seed(self._share, answer.seed_share),
            peer_game_version=answer.game_version,
            peer_data=answer.data,
        )
        if config.required & ~answer.capabilities:
            self._back_out(Reason.CAPABILITY, "a capability that this side requires is missing", now)
        elif commitment(answer.seed_share) != self._commitment:
            self._back_out(Reason.VIOLATION, "the share of the seed is not the one that was committed to", now)
        else:
            connection._become_connected(now)
        return True

    def _back_out(self, reason: int, text: str, now: float) -> None:
        self._connection._dialling = None
        self._connection._flow.heard_at = now
        self._connection.close(reason, text)

    def take_refusal(self, reason: int, text: str) -> None:
        connection = self._connection
        connection.state = State.CLOSED
        connection.close_reason = reason
        connection._dialling = None
        self._endpoint._forget(connection)
        self._endpoint._events.append(Refused(connection=connection, reason=reason, text=text))
