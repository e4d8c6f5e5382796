"""What a member of a match can sign and send by hand: statements that say something else to each of the others."""

from typing import Any

from retick.rollback.session.agreement import TEXT
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import (
    Consent,
    Signature,
    SignedItem,
    Statement,
    encode_consent,
    encode_item,
    encode_statement,
)
from retick.rollback.session.messages.kinds import MessageKind
from retick.sim.contract import input_size_of
from retick.testing.mesh import Mesh


def signed(inside: Any, kind: MessageKind, body: bytes) -> bytes:
    """An item of a member, as it signs it."""
    signature = inside.sign(TEXT + bytes((kind,)) + body)
    return encode_item(SignedItem(kind, (Signature(inside.peer_id, signature),), body))


def statement_of(mesh: Mesh, name: str, **changes: Any) -> bytes:
    """A statement of a member for the present slot: nothing is new, but for these changes."""
    inside = inside_of(mesh[name].session)
    agreement = inside.membership.agreement
    said = Statement(agreement.slot, agreement.history, inside.peer_id, stop=inside.match.engine.frame + 30)
    body = encode_statement(said._replace(**changes), input_size_of(inside.sim))
    return signed(inside, MessageKind.STATEMENT, body)


def consent_of(mesh: Mesh, name: str, vector: bytes) -> bytes:
    """A consent of a member for the present slot."""
    inside = inside_of(mesh[name].session)
    agreement = inside.membership.agreement
    given = Consent(agreement.slot, agreement.history, inside.peer_id, vector)
    return signed(inside, MessageKind.CONSENT, encode_consent(given))


def mute(mesh: Mesh, name: str) -> None:
    """This member sends and passes on nothing of the agreement from now on; in everything else it is honest."""
    membership = inside_of(mesh[name].session).membership
    membership._send = lambda agreement: agreement.drain()
