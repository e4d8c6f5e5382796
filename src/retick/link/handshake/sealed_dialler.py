"""The dialler's half of the sealed handshake: HELLO with Noise's first message, then ENTER until ADMIT comes."""

from collections.abc import Hashable
from typing import Any

from retick.errors import InvalidValue
from retick.link import sealed_path
from retick.link.handshake.dialler import FIRST_WAIT, LONGEST_WAIT, WAIT_GROWTH, Dialler
from retick.link.handshake.packets import Offer
from retick.link.handshake.sealed_packets import (
    Proposal,
    SealedHello,
    decode_admit,
    decode_answer,
    decode_sealed_accept,
    encode_enter,
    encode_proposal,
    encode_sealed_hello,
    prologue_of,
)
from retick.link.handshake.seed import mix_seed
from retick.link.layout import ENTER, MAX_SEATS
from retick.link.reasons import Reason
from retick.link.request import Terms
from retick.link.sealing.identity import ROLE_ACCEPTOR, ROLE_DIALLER, check_identity, prove_identity
from retick.link.sealing.keys import agree
from retick.link.sealing.noise import Handshake, Pattern, psk_of
from retick.link.state import State

__all__ = ["SealedDialler"]


class SealedDialler(Dialler):
    """What one sealed connection asks for, and when it asks again."""

    __slots__ = ("_acceptor_share", "_handshake", "_offer", "_question")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._question = b""
        """HELLO, the same for all repetitions under one cookie."""
        self._handshake: Handshake | None = None
        """While an ACCEPT is waited for."""
        self._offer: Offer | None = None
        """The acceptor's, while ADMIT is waited for."""
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
            prologue=prologue_of(connection._nonce, self._cookie, connection.local_id, self._commitment),
            psk=psk_of(config.secret) if config.secret is not None else b"",
            remote_static=config.server_key or b"",
        )
        proposal = Proposal(
            config.capabilities,
            config.required,
            config.game_version,
            config.tick_rate,
            wanted.seats,
            self._share,
            config.game_id,
            wanted.token,
        )
        message = self._handshake.write_message(encode_proposal(proposal), self._endpoint._entropy(32))
        self._question = encode_sealed_hello(
            SealedHello(connection._nonce, self._cookie, connection.local_id, pattern, message)
        )

    def _hello(self) -> bytes:
        return self._question

    def receive_accept(self, data: bytes, now: float) -> None:
        message = decode_sealed_accept(data)
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
        offer, self._acceptor_share = decode_answer(payload)
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
            body = encode_enter(self._wanted.data, identity)
            out.append((sealed_path.send(connection, ENTER, body, now), connection.address))
            self._next_at = now + self._wait
            self._wait = min(self._wait * WAIT_GROWTH, LONGEST_WAIT)

    def receive_admit(self, sequence: int, data: bytes, now: float) -> None:
        """ADMIT that has opened. InvalidValue, and no change, when it is malformed."""
        admission = decode_admit(data)
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
        connection.terms = Terms(
            capabilities=self._endpoint.config.capabilities & offer.capabilities,
            tick_rate=offer.tick_rate,
            seats=tuple(seat for seat in range(MAX_SEATS) if admission.seats >> seat & 1),
            seed=mix_seed(self._share, self._acceptor_share),
            peer_game_version=offer.game_version,
            peer_data=entry.data,
        )
        connection._become_connected(now)
