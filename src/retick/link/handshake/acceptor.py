"""The acceptor's half of the handshake: keeps nothing until a cookie comes back, then compares settings and answers.

An answer is never longer than its question, so nobody can use an acceptor to flood a third party. REQUEST is always
answered, so that no number of forged ones keeps a newcomer from its cookie; HELLOs with a valid cookie have budgets,
see ``StrangerLimits``.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from retick.link.address_proof import path_key
from retick.link.connection import Connection
from retick.link.handshake import packets
from retick.link.handshake.cookies import CookieJar
from retick.link.handshake.dialler import Dialler, Wanted
from retick.link.handshake.packets import (
    Hello,
    acceptor_share,
    commitment_to,
    mix_seed,
)
from retick.link.handshake.strangers import Refusals, StrangerLimits
from retick.link.layout import SEALED_VERSION, VERSION, State
from retick.link.reasons import Reason, describe
from retick.link.request import Accept, Refuse, Request, Terms

if TYPE_CHECKING:
    from retick.link.endpoint import LinkEndpoint

_REMEMBERED = 256
"""How many handshakes of closed connections are remembered, so that a late copy of their HELLO opens nothing."""
_ANSWERS_WAITING = 256
"""How many cookies may wait for the next call of datagrams_to_send: what a driver may spend on strangers before it
serves connections. In a greater flood, a newcomer gets its cookie at one of its next tries."""


class Acceptor:
    """Answers REQUEST and HELLO for one endpoint."""

    def __init__(self, endpoint: "LinkEndpoint", jar: CookieJar, admit: Callable[[Request], Accept | Refuse]) -> None:
        self._endpoint = endpoint
        self._jar = jar
        self._admit = admit
        self._accepted: dict[tuple[Hashable, int], Accepted] = {}
        self._finished: dict[tuple[Hashable, int], None] = {}
        self.limits = StrangerLimits(endpoint.config)
        self.refusals = Refusals()

    def forget(self, connection: Connection) -> None:
        """Remember a closed connection, so that a late copy of its HELLO does not open another."""
        origin = connection._origin
        if origin is None:
            return
        self._accepted.pop(origin, None)
        self.limits.leave(connection, origin[0])
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
        elif packets.version_of(data) != self._endpoint._version:
            self._refuse(nonce, Refuse(reason=Reason.VERSION, text=self._words_for(data)), address)
        else:
            cookie = self._jar.cookie(nonce, address, now)
            commitment = commitment_to(acceptor_share(self._jar.key, cookie))
            version = self._endpoint._version
            self._endpoint._reply(packets.encode_cookie(nonce, cookie, commitment, version), address)

    def _words_for(self, request: bytes) -> str:
        """The reason for refusing a REQUEST of another version."""
        known, asked = self._endpoint._version, packets.version_of(request)
        if {known, asked} != {VERSION, SEALED_VERSION}:
            return f"this side speaks version {known} of the link"
        sealed = self._endpoint.config.sealed
        form = "sealed" if sealed else "plain"
        return f"the other side takes {form} links only: set sealed={sealed} here, or sealed={not sealed} on both"

    def _refuse(self, nonce: bytes, refusal: Refuse, address: Hashable) -> None:
        self.refusals.note(refusal, address)
        text = packets.encode_refuse(nonce, refusal.reason, refusal.text, self._endpoint._version)
        self._endpoint._reply(text, address)

    def receive_hello(self, data: bytes, address: Hashable, now: float) -> None:
        hello = packets.decode_hello(data)
        if not self._may_enter(hello.nonce, hello.cookie, hello.offer.connection_id, address, now):
            return
        known = self._accepted.get((address, hello.offer.connection_id))
        if known is None:
            self._consider(hello, address, now)
        elif known.connection.state is State.ACCEPTED or known.hello.nonce == hello.nonce:
            self._send_accept(known, hello, address, now)
        else:
            self._endpoint.dropped["unexpected"] += 1

    def _may_enter(self, nonce: bytes, cookie: bytes, dialler_id: int, address: Hashable, now: float) -> bool:
        """Whether a HELLO may be read: it needs a valid cookie, and room at the door. A drop is counted."""
        origin, fault = (address, dialler_id), ""
        if not self._endpoint.config.accepting:
            fault = "not_accepting"
        elif not self._jar.is_valid(cookie, nonce, address, now):
            fault = "bad_cookie"
        elif not self.limits.may_answer(address, now):
            fault = "rate_limited"
        elif origin in self._finished:
            fault = "unexpected"
        elif origin not in self._accepted and self.limits.is_crowded(address):
            # No answer: an honest dialler asks again, and by then the others at its address are confirmed.
            fault = "unconfirmed"
        if fault:
            self._endpoint.dropped[fault] += 1
        return not fault

    def _consider(self, hello: Hello, address: Hashable, now: float) -> None:
        refusal = self._reason_to_refuse(hello, address)
        if refusal is None:
            refusal = self._admit_or_refuse(hello, address, now)
        if refusal is not None:
            self._refuse(hello.nonce, refusal, address)

    def _reason_to_refuse(self, hello: Hello, address: Hashable) -> Refuse | None:
        config, offer = self._endpoint.config, hello.offer
        found: Reason | None = None
        detail = ""
        if self.limits.is_banned(address):
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
        elif self.limits.is_full_for(address):
            found, detail = Reason.FULL, f"{config.max_connections_per_address} from one address"
        if found is None:
            return None
        text = describe(found)
        return Refuse(reason=found, text=f"{text}: {detail}" if detail else text)

    def _admit_or_refuse(self, hello: Hello, address: Hashable, now: float) -> Refuse | None:
        """Ask the application, and open the connection if it accepts."""
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
        known = Accepted(connection, hello, answer, now)
        self._register(known, address, now)
        self._send_accept(known, hello, address, now)
        return None

    def _register(self, known: "Accepted", address: Hashable, now: float) -> None:
        connection = known.connection
        connection._sequences.heard_at = now
        connection._origin = origin = (address, known.hello.offer.connection_id)
        self._endpoint.connections[connection.local_id] = connection
        self._accepted[origin] = known
        self.limits.enter(connection, address)

    def _wait_for_confirmation(self, known: "Accepted", now: float) -> None:
        connection, config = known.connection, self._endpoint.config
        # A dialler that starts again has time until its dial ends. One that only repeats itself gets no more.
        longest = max(config.dial_timeout, config.confirm_timeout)
        connection._confirm_by = min(now + config.confirm_timeout, known.since + longest)
        self._endpoint._arm(connection, connection._confirm_by)

    def _send_accept(self, known: "Accepted", hello: Hello, address: Hashable, now: float) -> None:
        """Answer a HELLO that was admitted. With a new nonce the old answer did not arrive: agree again."""
        if known.connection.state is State.ACCEPTED:
            known.hello = hello
            self._agree(known)
            self._wait_for_confirmation(known, now)
        self._endpoint._reply(packets.encode_accept(self._acceptance(known)), address)

    def _agree(self, known: "Accepted") -> None:
        connection, hello = known.connection, known.hello
        connection._nonce = hello.nonce
        connection.terms = self._terms(known, hello.data)
        share = acceptor_share(self._jar.key, hello.cookie)
        connection._path_key = path_key(
            hello.nonce, hello.cookie, hello.offer.connection_id, connection.local_id, hello.seed_share, share
        )

    def _terms(self, known: "Accepted", data: bytes) -> Terms:
        """What both sides have agreed on; ``data`` comes from the dialler's application."""
        hello, config = known.hello, self._endpoint.config
        return Terms(
            capabilities=config.capabilities & hello.offer.capabilities,
            tick_rate=config.tick_rate or hello.offer.tick_rate,
            seats=tuple(sorted(set(known.answer.seats))),
            seed=mix_seed(hello.seed_share, acceptor_share(self._jar.key, hello.cookie)),
            peer_game_version=hello.offer.game_version,
            peer_data=data,
        )

    def _acceptance(self, known: "Accepted") -> packets.Acceptance:
        hello, offer = known.hello, self._endpoint._offer(known.connection)
        return packets.Acceptance(
            nonce=hello.nonce,
            offer=offer._replace(tick_rate=offer.tick_rate or hello.offer.tick_rate),
            seats=sum(1 << seat for seat in set(known.answer.seats)),
            seed_share=acceptor_share(self._jar.key, hello.cookie),
            data=known.answer.data,
        )


class Accepted:
    """An accepted connection, the HELLO that it last agreed with, the application's answer, and since when.

    A sealed one also keeps the bytes of HELLO, the last answer (ACCEPT, then the body of ADMIT), and the token until
    the application is asked.
    """

    __slots__ = ("answer", "connection", "hello", "question", "reply", "since", "token")

    def __init__(
        self,
        connection: Connection,
        hello: Hello,
        answer: Accept,
        since: float,
        *,
        question: bytes = b"",
        reply: bytes = b"",
        token: bytes = b"",
    ) -> None:
        self.since = since
        self.connection = connection
        self.hello = hello
        self.answer = answer
        self.question = question
        self.reply = reply
        self.token = token


# The two forms of a handshake, plain and sealed: chooses the one for an endpoint.
#
# The imports of the sealed form, above all ``cryptography``, happen only when such an endpoint is made.


def make_acceptor(endpoint: "LinkEndpoint", jar: CookieJar, admit: Callable[[Request], Accept | Refuse]) -> Acceptor:
    if endpoint.config.sealed:
        from retick.link.handshake.sealed import SealedAcceptor

        return SealedAcceptor(endpoint, jar, admit)
    return Acceptor(endpoint, jar, admit)


def make_dialler(
    endpoint: "LinkEndpoint", connection: Connection, share: int, wanted: Wanted, heard_of: bool
) -> Dialler:
    if endpoint.config.sealed:
        from retick.link.handshake.sealed import SealedDialler

        return SealedDialler(endpoint, connection, share=share, wanted=wanted, heard_of=heard_of)
    return Dialler(endpoint, connection, share=share, wanted=wanted, heard_of=heard_of)
