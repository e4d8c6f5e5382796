"""Both halves of the sealed handshake: Noise makes the keys, then ENTER asks the application and ADMIT answers.

Imported when an endpoint with sealed links is made, and not before: it brings ``cryptography`` with it.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, cast

from retick.errors import InvalidValue
from retick.link import sealed_path
from retick.link.connection import Connection
from retick.link.handshake import packets
from retick.link.handshake.acceptor import Accepted, Acceptor
from retick.link.handshake.dialler import FIRST_WAIT, LONGEST_WAIT, WAIT_GROWTH, Dialler
from retick.link.handshake.strangers import KEY_IS_BANNED
from retick.link.layout import ADMIT, ENTER, MAX_SEATS, State
from retick.link.reasons import Reason
from retick.link.request import Accept, Refuse, Request, Terms
from retick.link.sealing.keys import ROLE_ACCEPTOR, ROLE_DIALLER, agree, check_identity, prove_identity
from retick.link.sealing.noise import Handshake, Pattern, psk_of

if TYPE_CHECKING:
    from retick.link.config import LinkConfig

# The dialler's half of the sealed handshake: HELLO with Noise's first message, then ENTER until ADMIT comes.


class SealedDialler(Dialler):
    """The dialler of one sealed connection: what it asks for, and when it asks again."""

    __slots__ = ("_acceptor_share", "_handshake", "_offer", "_question")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._question = b""
        """The HELLO, the same for all repetitions under one cookie."""
        self._handshake: Handshake | None = None
        """The handshake while an ACCEPT is awaited; otherwise None."""
        self._offer: packets.Offer | None = None
        """The acceptor's offer while ADMIT is awaited; otherwise None."""
        self._acceptor_share = 0

    def receive_cookie(self, cookie: bytes, commitment: bytes, now: float) -> bool:
        if not super().receive_cookie(cookie, commitment, now):
            return False
        self._propose()
        return True

    def _propose(self) -> None:
        config, connection, wanted = self._endpoint.config, self._connection, self._wanted
        pattern = Pattern.NN
        if config.server_key is not None:
            pattern = Pattern.NK
        elif config.secret is not None:
            pattern = Pattern.NNPSK0
        self._handshake = Handshake(
            pattern,
            initiator=True,
            prologue=packets.prologue_of(connection._nonce, self._cookie, connection.local_id, self._commitment),
            psk=psk_of(config.secret) if config.secret is not None else b"",
            remote_static=config.server_key or b"",
        )
        proposal = packets.Proposal(
            config.capabilities,
            config.required,
            config.game_version,
            config.tick_rate,
            wanted.seats,
            self._share,
            config.game_id,
            wanted.token,
        )
        message = self._handshake.write_message(packets.encode_proposal(proposal), self._endpoint._entropy(32))
        self._question = packets.encode_sealed_hello(
            packets.SealedHello(connection._nonce, self._cookie, connection.local_id, pattern, message)
        )

    def _hello(self) -> bytes:
        return self._question

    def receive_accept(self, data: bytes, now: float) -> None:
        message = packets.decode_sealed_accept(data)
        connection, handshake = self._connection, self._handshake
        if connection.state is not State.PROPOSING or handshake is None:
            self._endpoint.dropped["unexpected"] += 1
            return
        try:
            payload = handshake.read_message(message)
        except InvalidValue:
            self._endpoint.dropped["bad_seal"] += 1
            return
        self._handshake = None
        offer, self._acceptor_share = packets.decode_answer(payload)
        self._offer = offer
        connection.remote_id = offer.connection_id
        agree(connection, handshake.split(), initiator=True, keylog=self._endpoint.config.keylog)
        if self._is_as_required(offer, self._acceptor_share):
            connection.state = State.ENTERING
            self._wait = FIRST_WAIT
            self._next_at = now
            connection._want_to_send()

    def drain(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        if self._connection.state is not State.ENTERING:
            super().drain(now, out)
        elif now >= self._next_at:
            connection = self._connection
            identity = prove_identity(self._endpoint.config.identity, ROLE_DIALLER, connection.handshake_hash)
            body = packets.encode_enter(self._wanted.data, identity)
            out.append((sealed_path.send(connection, ENTER, body, now), connection.address))
            self._next_at = now + self._wait
            self._wait = min(self._wait * WAIT_GROWTH, LONGEST_WAIT)

    def receive_admit(self, sequence: int, data: bytes, now: float) -> None:
        """Receive an ADMIT that has opened. If it is malformed, raises InvalidValue and changes nothing."""
        admission = packets.decode_admit(data)
        connection, entry, offer = self._connection, admission.entry, self._offer
        if offer is None or not connection._sequences.note(sequence, len(data), now):
            return
        try:
            if entry.public_key:
                connection.fingerprint = check_identity(
                    entry.public_key, entry.signature, ROLE_ACCEPTOR, connection.handshake_hash
                )
        except InvalidValue as error:
            connection.close(Reason.VIOLATION, str(error))
            return
        if self._endpoint._acceptor.limits.is_banned_key(connection.fingerprint):
            connection.close(Reason.DENIED, KEY_IS_BANNED)
            return
        connection.terms = Terms(
            capabilities=self._endpoint.config.capabilities & offer.capabilities,
            tick_rate=offer.tick_rate,
            seats=tuple(seat for seat in range(MAX_SEATS) if admission.seats >> seat & 1),
            seed=packets.mix_seed(self._share, self._acceptor_share),
            peer_game_version=offer.game_version,
            peer_data=entry.data,
        )
        connection._become_connected(now)


# The acceptor's half of the sealed handshake: HELLO makes keys, ENTER asks the application.
#
# Until ENTER has opened, the application does not know of a connection, and is not told of its end.

ANOTHER_SECRET = "the invite is for another match: ask for the one that the host shows now"
ANOTHER_KEY = "this server's key is not the one you were given: ask for its key, or for a new token"
_NEEDED = {
    frozenset({Pattern.NN}): "this side has no invite and no key: dial it without",
    frozenset({Pattern.NNPSK0}): "an invite is needed here",
    frozenset({Pattern.NK}): "a token with this server's key is needed here",
    frozenset({Pattern.NNPSK0, Pattern.NK}): "an invite, or a token with this server's key, is needed here",
}
"""The text for a dialler with another pattern, by the patterns that are accepted."""


def patterns_of(config: "LinkConfig") -> frozenset[Pattern]:
    """The patterns that an acceptor accepts."""
    found = {Pattern.NNPSK0} if config.secret is not None else set()
    if config.key_pair is not None:
        found.add(Pattern.NK)
    return frozenset(found or {Pattern.NN})


class SealedAcceptor(Acceptor):
    """Answers REQUEST, HELLO and ENTER for one sealed endpoint."""

    def receive_hello(self, data: bytes, address: Hashable, now: float) -> None:
        hello = packets.decode_sealed_hello(data)
        if not self._may_enter(hello.nonce, hello.cookie, hello.connection_id, address, now):
            return
        known = self._accepted.get((address, hello.connection_id))
        if known is None:
            self._open(hello, data, address, now)
        elif known.connection.state is not State.ACCEPTED:
            self._endpoint.dropped["unexpected"] += 1
        elif known.question == data:
            self._endpoint._reply(known.reply, address)
            self._wait_for_confirmation(known, now)
        elif known.hello.nonce != hello.nonce:
            # The dialler started again: nothing of the old keys was used.
            known.connection._end(Reason.NO_ANSWER, "", by_peer=False)
            self._open(hello, data, address, now)
        else:
            self._endpoint.dropped["unexpected"] += 1

    def _open(self, hello: packets.SealedHello, question: bytes, address: Hashable, now: float) -> None:
        """Read the first message; make the keys and answer, or refuse."""
        taken = patterns_of(self._endpoint.config)
        if hello.pattern not in taken:
            self._refuse(hello.nonce, Refuse(reason=Reason.SECRET, text=_NEEDED[taken]), address)
            return
        handshake = self._handshake(hello)
        try:
            payload = handshake.read_message(hello.message)
        except InvalidValue:
            text = ANOTHER_KEY if hello.pattern == Pattern.NK else ANOTHER_SECRET
            self._refuse(hello.nonce, Refuse(reason=Reason.SECRET, text=text), address)
            return
        proposal = packets.decode_proposal(payload)
        if proposal.token and hello.pattern != Pattern.NK:
            raise InvalidValue("a token was sent where everybody could have read it")
        asked = _as_plain(hello, proposal)
        refusal = self._reason_to_refuse(asked, address)
        if refusal is not None:
            self._refuse(hello.nonce, refusal, address)
            return
        connection = Connection(self._endpoint, address, self._endpoint._new_id(), hello.nonce)
        offer = self._endpoint._offer(connection)
        offer = offer._replace(tick_rate=offer.tick_rate or proposal.tick_rate)
        answer = packets.encode_answer(offer, packets.acceptor_share(self._jar.key, hello.cookie))
        message = handshake.write_message(answer, self._endpoint._entropy(32))
        connection.state = State.ACCEPTED
        connection.remote_id = hello.connection_id
        agree(connection, handshake.split(), initiator=False, keylog=self._endpoint.config.keylog)
        reply = packets.encode_sealed_accept(hello.nonce, message)
        known = Accepted(connection, asked, Accept(), now, question=question, reply=reply, token=proposal.token)
        self._register(known, address, now)
        self._endpoint._reply(reply, address)
        self._wait_for_confirmation(known, now)

    def _handshake(self, hello: packets.SealedHello) -> Handshake:
        config, pattern = self._endpoint.config, Pattern(hello.pattern)
        commitment = packets.commitment_to(packets.acceptor_share(self._jar.key, hello.cookie))
        return Handshake(
            pattern,
            initiator=False,
            prologue=packets.prologue_of(hello.nonce, hello.cookie, hello.connection_id, commitment),
            psk=psk_of(config.secret) if pattern is Pattern.NNPSK0 and config.secret is not None else b"",
            static=config.key_pair if pattern is Pattern.NK and config.key_pair is not None else b"",
        )

    def receive_enter(self, connection: Connection, sequence: int, data: bytes, now: float) -> None:
        """Receive an opened ENTER of an accepted connection; raises InvalidValue before any change if malformed."""
        entry = packets.decode_enter(data)
        known = self._accepted[cast(tuple[Hashable, int], connection._origin)]
        if not connection._sequences.note(sequence, len(data), now):
            return
        if connection.state is State.CONNECTED:
            self._endpoint._reply(sealed_path.send(connection, ADMIT, known.reply, now), connection.address)
            return
        try:
            if entry.public_key:
                connection.fingerprint = check_identity(
                    entry.public_key, entry.signature, ROLE_DIALLER, connection.handshake_hash
                )
        except InvalidValue as error:
            connection.close(Reason.VIOLATION, str(error))
            return
        if self.limits.is_banned_key(connection.fingerprint):
            self.refusals.note(Refuse(text=KEY_IS_BANNED), connection.address)
            connection.close(Reason.DENIED, KEY_IS_BANNED)
            return
        self._ask(known, entry.data, now)

    def _ask(self, known: Accepted, data: bytes, now: float) -> None:
        """Ask the application, and let the peer in or close the connection."""
        connection, hello = known.connection, known.hello
        answer = self._admit(
            Request(
                connection=connection,
                address=connection.address,
                capabilities=hello.offer.capabilities,
                tick_rate=hello.offer.tick_rate,
                seats=hello.seats,
                data=data,
                token=known.token,
                fingerprint=connection.fingerprint,
            )
        )
        known.question = known.token = b""
        if isinstance(answer, Refuse):
            self.refusals.note(answer, connection.address)
            connection.close(answer.reason, answer.text)
            return
        known.answer = answer
        connection.terms = self._terms(known, data)
        connection._become_connected(now)
        identity = prove_identity(self._endpoint.config.identity, ROLE_ACCEPTOR, connection.handshake_hash)
        # Kept: a peer that keeps repeating ENTER must not make us sign each time.
        known.reply = packets.encode_admit(sum(1 << seat for seat in set(answer.seats)), answer.data, identity)
        self._endpoint._reply(sealed_path.send(connection, ADMIT, known.reply, now), connection.address)


def _as_plain(hello: packets.SealedHello, proposal: packets.Proposal) -> packets.Hello:
    """The peer's request as a HELLO of the plain form."""
    offer = packets.Offer(
        hello.connection_id, proposal.capabilities, proposal.required, proposal.game_version, proposal.tick_rate
    )
    return packets.Hello(hello.nonce, hello.cookie, offer, proposal.seats, proposal.seed_share, proposal.game_id, b"")
