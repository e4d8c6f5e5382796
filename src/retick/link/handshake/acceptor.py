"""The acceptor's half of the handshake: keeps nothing until a cookie comes back, then compares settings and answers.

An answer is never longer than its question: an acceptor cannot be used to flood a third party. REQUEST is always
answered, so that no number of forged ones keeps a newcomer from its cookie; what comes with a good cookie has budgets,
see ``door``.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from retick.link.address_proof import path_key
from retick.link.connection import Connection
from retick.link.handshake import packets
from retick.link.handshake.cookies import CookieJar
from retick.link.handshake.door import Door
from retick.link.handshake.packets import Hello
from retick.link.handshake.seed import acceptor_share, commitment_to, mix_seed
from retick.link.layout import VERSION
from retick.link.reasons import Reason, describe
from retick.link.request import Accept, Refuse, Request, Terms
from retick.link.state import State

if TYPE_CHECKING:
    from retick.link.endpoint import LinkEndpoint

__all__ = ["Acceptor"]

_REMEMBERED = 256
"""Handshakes of closed connections that are remembered, so that a late copy of their HELLO opens nothing."""
_ANSWERS_WAITING = 256
"""Cookies that wait for the next call of datagrams_to_send: what a driver may spend on strangers before it comes to the
connected. In a flood beyond that, a newcomer gets its cookie at one of its next tries."""


class Acceptor:
    """Answers REQUEST and HELLO for one endpoint."""

    def __init__(self, endpoint: "LinkEndpoint", jar: CookieJar, admit: Callable[[Request], Accept | Refuse]) -> None:
        self._endpoint = endpoint
        self._jar = jar
        self._admit = admit
        self._accepted: dict[tuple[Hashable, int], _Accepted] = {}
        self._finished: dict[tuple[Hashable, int], None] = {}
        self.door = Door(endpoint.config)

    def forget(self, connection: Connection) -> None:
        """The connection is closed; a late copy of its HELLO must not open another."""
        origin = connection._origin
        if origin is None:
            return
        self._accepted.pop(origin, None)
        self.door.leave(connection, origin[0])
        if connection._sequences.received:
            self._finished[origin] = None
            if len(self._finished) > _REMEMBERED:
                del self._finished[next(iter(self._finished))]

    def receive_request(self, data: bytes, address: Hashable, now: float) -> None:
        nonce = packets.decode_request(data)
        if not self._endpoint.config.accepting:
            self._endpoint.dropped["not_accepting"] += 1
        elif len(self._endpoint._replies) >= _ANSWERS_WAITING:
            self._endpoint.dropped["rate_limited"] += 1
        elif packets.version_of(data) != VERSION:
            text = f"this side speaks version {VERSION} of the link"
            self._endpoint._reply(packets.encode_refuse(nonce, Reason.VERSION, text), address)
        else:
            cookie = self._jar.cookie(nonce, address, now)
            commitment = commitment_to(acceptor_share(self._jar.key, cookie))
            self._endpoint._reply(packets.encode_cookie(nonce, cookie, commitment), address)

    def receive_hello(self, data: bytes, address: Hashable, now: float) -> None:
        hello = packets.decode_hello(data)
        if not self._endpoint.config.accepting:
            self._endpoint.dropped["not_accepting"] += 1
            return
        if not self._jar.is_valid(hello.cookie, hello.nonce, address, now):
            self._endpoint.dropped["bad_cookie"] += 1
            return
        if not self.door.may_answer(address, now):
            self._endpoint.dropped["rate_limited"] += 1
            return
        origin = (address, hello.offer.connection_id)
        known = self._accepted.get(origin)
        if origin in self._finished:
            self._endpoint.dropped["unexpected"] += 1
        elif known is None and self.door.is_crowded(address):
            # No answer: an honest dialler asks again, and by then the others of its address are confirmed.
            self._endpoint.dropped["unconfirmed"] += 1
        elif known is None:
            self._consider(hello, address, now)
        elif known.connection.state is State.ACCEPTED or known.hello.nonce == hello.nonce:
            self._send_accept(known, hello, address, now)
        else:
            self._endpoint.dropped["unexpected"] += 1

    def _consider(self, hello: Hello, address: Hashable, now: float) -> None:
        refusal = self._reason_to_refuse(hello, address)
        if refusal is None:
            refusal = self._admit_or_refuse(hello, address, now)
        if refusal is not None:
            self._endpoint._reply(packets.encode_refuse(hello.nonce, refusal.reason, refusal.text), address)

    def _reason_to_refuse(self, hello: Hello, address: Hashable) -> Refuse | None:
        config, offer = self._endpoint.config, hello.offer
        found: Reason | None = None
        detail = ""
        if self.door.is_banned(address):
            found, detail = Reason.DENIED, "this address is banned"
        elif hello.game_id != config.game_id:
            found, detail = Reason.GAME, f"this is {config.game_id!r}"
        elif offer.game_version != config.game_version:
            found, detail = Reason.GAME_VERSION, f"this is version {config.game_version}"
        elif offer.required & ~config.capabilities or config.required & ~offer.capabilities:
            found = Reason.CAPABILITY
        elif offer.tick_rate and config.tick_rate and offer.tick_rate != config.tick_rate:
            found, detail = Reason.TICK_RATE, f"this side runs at {config.tick_rate}"
        elif len(self._endpoint.connections) >= config.max_connections:
            found = Reason.FULL
        elif self.door.is_full_for(address):
            found, detail = Reason.FULL, f"{config.max_connections_per_address} from one address"
        if found is None:
            return None
        text = describe(found)
        return Refuse(reason=found, text=f"{text}: {detail}" if detail else text)

    def _admit_or_refuse(self, hello: Hello, address: Hashable, now: float) -> Refuse | None:
        """Ask the application, and open the connection when it accepts."""
        connection = Connection(self._endpoint, address, self._endpoint._new_id(), hello.nonce)
        connection.state = State.ACCEPTED
        connection.remote_id = hello.offer.connection_id
        answer = self._admit(
            Request(
                connection=connection,
                address=address,
                capabilities=hello.offer.capabilities,
                tick_rate=hello.offer.tick_rate,
                seats=hello.seats,
                data=hello.data,
            )
        )
        if isinstance(answer, Refuse):
            connection.state = State.CLOSED
            return answer
        connection._sequences.heard_at = now
        connection._origin = (address, hello.offer.connection_id)
        known = _Accepted(connection, hello, answer, now)
        self._endpoint.connections[connection.local_id] = connection
        self._accepted[connection._origin] = known
        self.door.enter(connection, address)
        self._send_accept(known, hello, address, now)
        return None

    def _send_accept(self, known: "_Accepted", hello: Hello, address: Hashable, now: float) -> None:
        """Answer a HELLO that was admitted. A new nonce means that the old answer did not arrive: agree anew."""
        connection = known.connection
        if connection.state is State.ACCEPTED:
            known.hello = hello
            self._agree(known)
            config = self._endpoint.config
            # A dialler that begins again has time until its dial ends. Whoever only repeats itself gets no more.
            longest = max(config.dial_timeout, config.confirm_timeout)
            connection._confirm_by = min(now + config.confirm_timeout, known.since + longest)
            self._endpoint._arm(connection, connection._confirm_by)
        self._endpoint._reply(packets.encode_accept(self._acceptance(known)), address)

    def _agree(self, known: "_Accepted") -> None:
        connection, hello, config = known.connection, known.hello, self._endpoint.config
        share = acceptor_share(self._jar.key, hello.cookie)
        connection._nonce = hello.nonce
        connection.terms = Terms(
            capabilities=config.capabilities & hello.offer.capabilities,
            tick_rate=config.tick_rate or hello.offer.tick_rate,
            seats=tuple(sorted(set(known.answer.seats))),
            seed=mix_seed(hello.seed_share, share),
            peer_game_version=hello.offer.game_version,
            peer_data=hello.data,
        )
        connection._path_key = path_key(
            hello.nonce, hello.cookie, hello.offer.connection_id, connection.local_id, hello.seed_share, share
        )

    def _acceptance(self, known: "_Accepted") -> packets.Acceptance:
        hello, offer = known.hello, self._endpoint._offer(known.connection)
        return packets.Acceptance(
            nonce=hello.nonce,
            offer=offer._replace(tick_rate=offer.tick_rate or hello.offer.tick_rate),
            seats=sum(1 << seat for seat in set(known.answer.seats)),
            seed_share=acceptor_share(self._jar.key, hello.cookie),
            data=known.answer.data,
        )


class _Accepted:
    """An admitted connection, the HELLO that it was last agreed with, the application's answer, and since when."""

    __slots__ = ("answer", "connection", "hello", "since")

    def __init__(self, connection: Connection, hello: Hello, answer: Accept, since: float) -> None:
        self.since = since
        self.connection = connection
        self.hello = hello
        self.answer = answer
