"""The acceptor's half of the handshake: nothing is kept until a cookie came back, then the terms are looked at.

Answers are never longer than what they answer, and there are only so many in a second.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from retick.link import handshake
from retick.link.config import Accept, Refuse
from retick.link.connection import Connection
from retick.link.handshake import Hello
from retick.link.proof import CookieJar, commitment, mixed_seed, path_key
from retick.link.reasons import Reason, describe
from retick.link.terms import Request, State, Terms

if TYPE_CHECKING:
    from retick.link.endpoint import LinkEndpoint

__all__ = ["Acceptor"]

_REMEMBERED = 256
"""Handshakes whose connection is over and which a late duplicate must not begin again."""


class Acceptor:
    """Answers REQUEST and HELLO for one endpoint."""

    def __init__(self, endpoint: "LinkEndpoint", jar: CookieJar, admit: Callable[[Request], Accept | Refuse]) -> None:
        self._endpoint = endpoint
        self._jar = jar
        self._admit = admit
        self._accepted: dict[tuple[Hashable, int], _Accepted] = {}
        self._finished: dict[tuple[Hashable, int], None] = {}
        self._answers = endpoint.config.handshake_rate
        self._answers_at: float | None = None

    def forget(self, connection: Connection) -> None:
        """The connection is over; a late copy of the HELLO that began it must not begin another."""
        origin = connection._reply_to
        if origin is None:
            return
        self._accepted.pop(origin, None)
        if connection._flow.received:
            self._finished[origin] = None
            if len(self._finished) > _REMEMBERED:
                del self._finished[next(iter(self._finished))]

    def _may_answer(self, now: float) -> bool:
        """A bucket that fills at the allowed rate and holds one second's worth."""
        rate = self._endpoint.config.handshake_rate
        if self._answers_at is not None:
            self._answers = min(rate, self._answers + max(0.0, now - self._answers_at) * rate)
        self._answers_at = now
        if self._answers < 1.0:
            self._endpoint.dropped["rate_limited"] += 1
            return False
        self._answers -= 1.0
        return True

    def receive_request(self, data: bytes, address: Hashable, now: float) -> None:
        nonce = handshake.decode_request(data)
        if not self._endpoint.config.accepting:
            self._endpoint.dropped["not_accepting"] += 1
        elif self._may_answer(now):
            if handshake.version_of(data) != handshake.VERSION:
                text = f"this side speaks version {handshake.VERSION} of the link"
                self._endpoint._reply(handshake.encode_refuse(nonce, Reason.VERSION, text), address)
                return
            cookie = self._jar.cookie(nonce, address, now)
            committed = commitment(self._jar.seed_share(cookie))
            self._endpoint._reply(handshake.encode_cookie(nonce, cookie, committed), address)

    def receive_hello(self, data: bytes, address: Hashable, now: float) -> None:
        hello = handshake.decode_hello(data)
        if not self._endpoint.config.accepting:
            self._endpoint.dropped["not_accepting"] += 1
            return
        if not self._jar.is_good(hello.cookie, hello.nonce, address, now):
            self._endpoint.dropped["bad_cookie"] += 1
            return
        if not self._may_answer(now):
            return
        origin = (address, hello.connection_id)
        known = self._accepted.get(origin)
        if origin in self._finished:
            self._endpoint.dropped["unexpected"] += 1
        elif known is None:
            self._consider(hello, address, now)
        elif known.connection.state is State.ACCEPTED or known.hello.nonce == hello.nonce:
            self._accept_again(known, hello, address, now)
        else:
            self._endpoint.dropped["unexpected"] += 1

    def _consider(self, hello: Hello, address: Hashable, now: float) -> None:
        refusal = self._reason_to_refuse(hello)
        if refusal is None:
            refusal = self._admit_or_refuse(hello, address, now)
        if refusal is not None:
            self._endpoint._reply(handshake.encode_refuse(hello.nonce, refusal.reason, refusal.text), address)

    def _reason_to_refuse(self, hello: Hello) -> Refuse | None:
        config = self._endpoint.config
        found: Reason | None = None
        detail = ""
        if hello.game_id != config.game_id:
            found, detail = Reason.GAME, f"this is {config.game_id!r}"
        elif hello.game_version != config.game_version:
            found, detail = Reason.GAME_VERSION, f"this is version {config.game_version}"
        elif hello.required & ~config.capabilities or config.required & ~hello.capabilities:
            found = Reason.CAPABILITY
        elif hello.tick_rate and config.tick_rate and hello.tick_rate != config.tick_rate:
            found, detail = Reason.TICK_RATE, f"this side runs at {config.tick_rate}"
        elif len(self._endpoint.connections) >= config.max_connections:
            found = Reason.FULL
        if found is None:
            return None
        text = describe(found)
        return Refuse(reason=found, text=f"{text}: {detail}" if detail else text)

    def _admit_or_refuse(self, hello: Hello, address: Hashable, now: float) -> Refuse | None:
        """Ask the application, and make the connection when it agrees."""
        connection = Connection(self._endpoint, address, self._endpoint._new_id(), hello.nonce)
        connection.state = State.ACCEPTED
        connection.remote_id = hello.connection_id
        answer = self._admit(
            Request(
                connection=connection,
                address=address,
                capabilities=hello.capabilities,
                tick_rate=hello.tick_rate,
                seats=hello.seats,
                data=hello.data,
            )
        )
        if isinstance(answer, Refuse):
            connection.state = State.CLOSED
            return answer
        connection._flow.heard_at = now
        connection._reply_to = (address, hello.connection_id)
        known = _Accepted(connection, hello, answer)
        self._endpoint.connections[connection.local_id] = connection
        self._accepted[connection._reply_to] = known
        self._accept_again(known, hello, address, now)
        return None

    def _accept_again(self, known: "_Accepted", hello: Hello, address: Hashable, now: float) -> None:
        """Answer a HELLO that was admitted. One with a new nonce gets a new share: the old answer did not arrive."""
        connection = known.connection
        if connection.state is State.ACCEPTED:
            known.hello = hello
            self._agree(known)
            connection._confirm_by = now + self._endpoint.config.confirm_timeout
            self._endpoint._arm(connection, connection._confirm_by)
        self._endpoint._reply(handshake.encode_accept(self._acceptance(known)), address)

    def _agree(self, known: "_Accepted") -> None:
        connection, hello, config = known.connection, known.hello, self._endpoint.config
        share = self._jar.seed_share(hello.cookie)
        connection._nonce = hello.nonce
        connection.terms = Terms(
            capabilities=config.capabilities & hello.capabilities,
            tick_rate=config.tick_rate or hello.tick_rate,
            seats=tuple(sorted(set(known.answer.seats))),
            seed=mixed_seed(hello.seed_share, share),
            peer_game_version=hello.game_version,
            peer_data=hello.data,
        )
        connection._path_key = path_key(
            hello.nonce, hello.cookie, hello.connection_id, connection.local_id, hello.seed_share, share
        )

    def _acceptance(self, known: "_Accepted") -> handshake.Acceptance:
        hello, config = known.hello, self._endpoint.config
        return handshake.Acceptance(
            nonce=hello.nonce,
            connection_id=known.connection.local_id,
            capabilities=config.capabilities,
            required=config.required,
            game_version=config.game_version,
            tick_rate=config.tick_rate or hello.tick_rate,
            seats=sum(1 << seat for seat in set(known.answer.seats)),
            seed_share=self._jar.seed_share(hello.cookie),
            data=known.answer.data,
        )


class _Accepted:
    """A connection that was admitted, the HELLO it was last agreed with, and the application's answer."""

    __slots__ = ("answer", "connection", "hello")

    def __init__(self, connection: Connection, hello: Hello, answer: Accept) -> None:
        self.connection = connection
        self.hello = hello
        self.answer = answer
