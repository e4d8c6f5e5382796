"""The dialler's half of the handshake: REQUEST until a cookie comes, HELLO until an answer comes.

A connection holds its dialler until it is connected.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from retick.link.address_proof import path_key
from retick.link.events import Refused
from retick.link.handshake import packets
from retick.link.handshake.packets import (
    commitment_to,
    mix_seed,
)
from retick.link.layout import MAX_SEATS, MIN_HANDSHAKE, MIN_REQUEST, State
from retick.link.reasons import Reason
from retick.link.request import Terms

if TYPE_CHECKING:
    from retick.link.connection import Connection
    from retick.link.endpoint import LinkEndpoint

FIRST_WAIT = 0.25
"""Seconds before the first repetition."""
WAIT_GROWTH = 1.5
"""Each wait is this many times as long as the one before."""
LONGEST_WAIT = 0.5
"""The longest wait, in seconds."""
LONGEST_WAIT_HEARD_OF = 2.0
"""The longest wait for an address from a third peer, in seconds; each wait is twice the one before."""
MOST_UNANSWERED = 120
"""REQUESTs of one endpoint, together, to addresses only heard of that have not answered: enough for 15 addresses."""
UNANSWERED_RATE = 0.5
"""How many more of these REQUESTs are allowed each second."""
MAX_HELLOS = 8
"""How many HELLOs are sent without an answer before the handshake restarts: the acceptor may have a new secret."""


class Wanted(NamedTuple):
    """What the application wants from a dial."""

    seats: int
    """How many seats are wanted."""
    data: bytes
    token: bytes
    """The token, on sealed links only; else empty. ``repr`` hides it, since whoever has it may come in."""

    def __repr__(self) -> str:
        return f"Wanted(seats={self.seats}, {len(self.data)} bytes of data, {len(self.token)} of token)"


class Dialler:
    """The dialler of one connection: what it asks for, and when it asks again."""

    __slots__ = (
        "_asked",
        "_commitment",
        "_connection",
        "_cookie",
        "_endpoint",
        "_give_up_at",
        "_heard_of",
        "_hellos",
        "_next_at",
        "_share",
        "_wait",
        "_wanted",
    )

    def __init__(
        self,
        endpoint: "LinkEndpoint",
        connection: "Connection",
        *,
        share: int,
        wanted: Wanted,
        heard_of: bool = False,
    ) -> None:
        self._endpoint = endpoint
        self._connection = connection
        self._share = share
        self._wanted = wanted
        self._heard_of = heard_of
        """Whether the address comes from a third peer, and nobody there has answered yet."""
        self._asked = 0
        """How many REQUESTs were sent to such an address."""
        self._cookie = b""
        self._commitment = b""
        self._hellos = 0
        self._wait = FIRST_WAIT
        self._next_at = 0.0
        self._give_up_at = -1.0

    def deadline(self) -> float:
        return min(self._next_at, self._give_up_at)

    def handle_timeout(self, now: float) -> None:
        if 0.0 <= self._give_up_at <= now:
            self._connection._end(Reason.NO_ANSWER, "", by_peer=False)
        else:
            self._connection._want_to_send()

    def drain(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        """Append the next REQUEST or HELLO to ``out`` if it is due."""
        if self._give_up_at < 0.0:
            self._give_up_at = now + self._endpoint.config.dial_timeout
            self._next_at = now
        if now < self._next_at:
            return
        if self._hellos >= MAX_HELLOS:
            # A new share too: the acceptor has seen the old one, and commits again in its next cookie.
            self._share = self._endpoint._restart_handshake(self._connection)
            self._hellos = 0
        if self._connection.state is State.PROPOSING:
            self._hellos += 1
            data = self._hello()
        else:
            size = MIN_REQUEST if self._heard_of else MIN_HANDSHAKE
            data = packets.encode_request(self._connection._nonce, size, self._endpoint._version)
        self._next_at = now + self._wait
        if self._heard_of and not self._endpoint._unanswered.spend(now):
            return
        self._asked += self._heard_of
        out.append((data, self._connection.address))
        growth, longest = (2.0, LONGEST_WAIT_HEARD_OF) if self._heard_of else (WAIT_GROWTH, LONGEST_WAIT)
        self._wait = min(self._wait * growth, longest)

    def _hello(self) -> bytes:
        return packets.encode_hello(
            packets.Hello(
                nonce=self._connection._nonce,
                cookie=self._cookie,
                offer=self._endpoint._offer(self._connection),
                seats=self._wanted.seats,
                seed_share=self._share,
                game_id=self._endpoint.config.game_id,
                data=self._wanted.data,
            )
        )

    def receive_cookie(self, cookie: bytes, commitment: bytes, now: float) -> bool:
        """Receive a cookie; False if none is expected now."""
        if self._connection.state is not State.REQUESTING:
            return False
        self._heard_of = False
        self._endpoint._unanswered.give_back(self._asked)
        self._asked = 0
        self._cookie = cookie
        self._commitment = commitment
        self._connection.state = State.PROPOSING
        self._hellos = 0
        self._wait = FIRST_WAIT
        self._next_at = now
        self._connection._want_to_send()
        return True

    def receive_accept(self, data: bytes, now: float) -> None:
        """Receive an ACCEPT with this dialler's nonce."""
        answer = packets.decode_accept(data)
        connection, config, offer = self._connection, self._endpoint.config, answer.offer
        if connection.state is not State.PROPOSING:
            self._endpoint.dropped["unexpected"] += 1
            return
        connection.remote_id = offer.connection_id
        connection._path_key = path_key(
            connection._nonce, self._cookie, connection.local_id, offer.connection_id, self._share, answer.seed_share
        )
        connection.terms = Terms(
            capabilities=config.capabilities & offer.capabilities,
            tick_rate=offer.tick_rate,
            seats=tuple(seat for seat in range(MAX_SEATS) if answer.seats >> seat & 1),
            seed=mix_seed(self._share, answer.seed_share),
            peer_game_version=offer.game_version,
            peer_data=answer.data,
        )
        if self._is_as_required(offer, answer.seed_share):
            connection._become_connected(now)

    def _is_as_required(self, offer: packets.Offer, seed_share: int) -> bool:
        """Whether an acceptor's answer is acceptable; if not, send BYE."""
        if self._endpoint.config.required & ~offer.capabilities:
            self._connection.close(Reason.CAPABILITY, "a capability that this side requires is missing")
        elif commitment_to(seed_share) != self._commitment:
            self._connection.close(Reason.VIOLATION, "the share of the seed does not match its commitment")
        else:
            return True
        return False

    def receive_refusal(self, reason: int, text: str) -> None:
        connection = self._connection
        connection.state = State.CLOSED
        connection.close_reason = reason
        connection._dialler = None
        connection._seal = None
        self._endpoint._forget(connection)
        self._endpoint._events.append(Refused(connection=connection, reason=reason, text=text))


# An endpoint's handling of COOKIE, ACCEPT and REFUSE: finds the dialler that they are for.


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
            # With keys, a refusal is a BYE that opens: this one may come from anybody.
            if connection._dialler is not None and connection.state is not State.ENTERING:
                connection._dialler.receive_refusal(reason, text)
                return
        self._endpoint.dropped["unexpected"] += 1
