"""Handles datagrams that only sealed connections receive: ENTER, ADMIT, PROVE, PROOF, and those from a new address.

A sealed datagram that opens comes from the peer, from whatever address. To learn whether the peer *is* there takes
another step: PROVE goes to the new address with a challenge bound to it, and a PROOF with that challenge moves the
connection.
"""

from collections.abc import Hashable
from hmac import compare_digest
from typing import TYPE_CHECKING, cast

from retick.errors import InvalidValue
from retick.link.address_proof import CHALLENGE_INTERVAL
from retick.link.events import AddressChanged
from retick.link.layout import ADMIT, BYE, BYE_ACK, CONTROL, ENTER, ENVELOPE_SIZE, PROOF, PROVE, TAG_SIZE, State
from retick.link.packets import ENVELOPE

if TYPE_CHECKING:
    from retick.link.connection import Connection
    from retick.link.endpoint import LinkEndpoint
    from retick.link.handshake.sealed import SealedAcceptor, SealedDialler

CHALLENGE_SIZE = 8
PROVE_SIZE = ENVELOPE_SIZE + CHALLENGE_SIZE + TAG_SIZE
_STATES: dict[int, frozenset[State]] = {
    CONTROL: frozenset({State.CONNECTED, State.CLOSING}),
    BYE: frozenset({State.ENTERING, State.ACCEPTED, State.CONNECTED, State.CLOSING}),
    BYE_ACK: frozenset({State.CLOSING}),
    PROVE: frozenset({State.CONNECTED}),
    PROOF: frozenset({State.CONNECTED}),
    ENTER: frozenset({State.ACCEPTED, State.CONNECTED}),
    ADMIT: frozenset({State.ENTERING, State.CONNECTED}),
}
"""The states in which each kind is expected."""
_FROM_THE_PEERS_ADDRESS = frozenset({ENTER, ADMIT, PROVE})


def _endpoint_of(connection: "Connection") -> "LinkEndpoint":
    return cast("LinkEndpoint", connection._endpoint)


def fault_of(connection: "Connection", kind: int, address: Hashable) -> str:
    """The reason for dropping a datagram before it is opened; empty if it may come now and from there."""
    state = connection.state
    is_expected = state in _STATES.get(kind, ())
    if not is_expected or kind == (ADMIT if connection._origin is not None else ENTER):
        return "unexpected"
    is_up = state in _STATES[CONTROL]
    if address != connection.address and (kind in _FROM_THE_PEERS_ADDRESS or not is_up):
        return "unproven_address"
    return ""


def send(connection: "Connection", kind: int, body: bytes, now: float) -> bytes:
    """Make a sealed datagram with the next number."""
    sequences = connection._sequences
    sequence = sequences.number(ENVELOPE_SIZE + len(body), now)
    return connection._sealed(ENVELOPE.pack(kind, connection.remote_id, sequence, sequences.newest & 0xFF) + body)


def decode_challenge(data: bytes) -> bytes:
    """Read the challenge of a PROVE or PROOF with its envelope."""
    if len(data) != ENVELOPE_SIZE + CHALLENGE_SIZE:
        raise InvalidValue(f"PROVE and PROOF have a challenge of {CHALLENGE_SIZE} bytes")
    return data[ENVELOPE_SIZE:]


def receive(connection: "Connection", kind: int, sequence: int, data: bytes, address: Hashable, now: float) -> None:
    """Receive an opened datagram that is not a payload: its envelope and its body."""
    if kind <= BYE_ACK:
        connection._receive_other(kind, sequence, data, now)
        return
    endpoint = _endpoint_of(connection)
    try:
        if kind == ENTER:
            cast("SealedAcceptor", endpoint._acceptor).receive_enter(connection, sequence, data, now)
        elif kind == ADMIT:
            _receive_admit(connection, sequence, data, now)
        else:
            value = decode_challenge(data)
            if connection._sequences.note(sequence, len(data), now):
                _receive_challenge(connection, kind, value, address, now)
    except InvalidValue:
        endpoint.dropped["malformed"] += 1


def _receive_admit(connection: "Connection", sequence: int, data: bytes, now: float) -> None:
    if connection._dialler is not None:
        cast("SealedDialler", connection._dialler).receive_admit(sequence, data, now)
    else:
        # Repeated: an earlier one answered an ENTER that had been sent again.
        connection._sequences.note(sequence, len(data), now)


def _receive_challenge(connection: "Connection", kind: int, value: bytes, address: Hashable, now: float) -> None:
    endpoint = _endpoint_of(connection)
    if kind == PROVE:
        endpoint._reply(send(connection, PROOF, value, now), address)
        return
    challenges = endpoint._address_proof.challenges(connection, address, now)
    if not any(compare_digest(value, challenge) for challenge in challenges):
        endpoint.dropped["bad_proof"] += 1
    elif connection.address != address:
        old, connection.address = connection.address, address
        endpoint._events.append(AddressChanged(connection=connection, old=old, new=address))


def on_moved(connection: "Connection", kind: int, sequence: int, size: int, address: Hashable, now: float) -> None:
    """Ask whether the peer is at a new address, from which a datagram of ``size`` bytes came and opened."""
    if kind > CONTROL or connection.state is not State.CONNECTED or sequence != connection._sequences.newest:
        return
    claims, endpoint = connection._claims, _endpoint_of(connection)
    if size < PROVE_SIZE or now < claims.challenged_at + CHALLENGE_INTERVAL:
        return
    claims.challenged_at = now
    challenge = endpoint._address_proof.challenges(connection, address, now)[0]
    endpoint._reply(send(connection, PROVE, challenge, now), address)
