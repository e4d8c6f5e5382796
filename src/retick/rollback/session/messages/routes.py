"""Every message kind: who may send it, in which phase of the receiver it is allowed, and which part receives it.

There is one row for each kind, or for each phase if two parts receive the same kind. A message without a row for its
sender's role and the receiver's phase breaks the rules. The part checks everything else (that the sender is the
sponsor, that a seat is free). The first table of docs/formats/session-messages.md equals this one; a test compares
them.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.application import ApplicationMessages
from retick.rollback.session.desync_part import DesyncPart
from retick.rollback.session.joining.joins import Joins
from retick.rollback.session.joining.lobby import Lobby
from retick.rollback.session.joining.newcomer import Newcomer
from retick.rollback.session.membership import Membership
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Phase, Role
from retick.rollback.session.profiles import Profiles
from retick.rollback.session.resync import Resync
from retick.rollback.session.returns import Returns
from retick.rollback.session.signing import SignedRanges

HOST, JOINER, PLAYER, NEWCOMER = Role.HOST, Role.JOINER, Role.PLAYER, Role.NEWCOMER
GATHERING, LINKING, RUNNING = (Phase.GATHERING,), (Phase.LINKING,), (Phase.RUNNING,)
LOBBY = (Phase.GATHERING, Phase.LINKING)
ANY_PHASE = tuple(Phase)
Receive = Callable[[Peer, bytes], None]


class MessageRow(NamedTuple):
    """One row of the table."""

    kind: MessageKind
    senders: tuple[Role, ...]
    """The sender's roles, as the receiver sees them, from which it is allowed."""
    phases: tuple[Phase, ...]
    """The phases of the receiver in which it is allowed."""
    part: type[SessionPart]
    receive: Callable[[Any, Peer, bytes], None]
    """The method of that part."""


# fmt: off
MESSAGE_TABLE: tuple[MessageRow, ...] = (
    MessageRow(MessageKind.APPLICATION, (HOST, JOINER, PLAYER, NEWCOMER), ANY_PHASE, ApplicationMessages,
               ApplicationMessages.receive),
    MessageRow(MessageKind.ROSTER, (HOST,), GATHERING, Lobby, Lobby.receive_roster),
    MessageRow(MessageKind.READY, (JOINER,), LOBBY, Lobby, Lobby.receive_ready),
    MessageRow(MessageKind.START, (HOST,), LINKING, Lobby, Lobby.receive_start),
    MessageRow(MessageKind.STATEMENT, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.STATEMENT, (PLAYER, NEWCOMER), RUNNING, Membership, Membership.receive),
    MessageRow(MessageKind.WELCOME, (HOST,), GATHERING, Newcomer, Newcomer.receive_welcome),
    MessageRow(MessageKind.STATE, (PLAYER,), GATHERING, Newcomer, Newcomer.receive_state),
    MessageRow(MessageKind.STATE, (PLAYER, NEWCOMER), RUNNING, Resync, Resync.receive_state),
    MessageRow(MessageKind.MEET, (PLAYER,), RUNNING, Joins, Joins.receive_meet),
    MessageRow(MessageKind.JOINED, (PLAYER, NEWCOMER), RUNNING, Joins, Joins.receive_joined),
    MessageRow(MessageKind.CONSENT, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.CONSENT, (PLAYER, NEWCOMER), RUNNING, Membership, Membership.receive),
    MessageRow(MessageKind.DECIDED, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.DECIDED, (PLAYER, NEWCOMER), RUNNING, Membership, Membership.receive),
    MessageRow(MessageKind.OUTCOME, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.OUTCOME, (PLAYER, NEWCOMER), RUNNING, Membership, Membership.receive),
    MessageRow(MessageKind.CANCEL, (HOST,), LINKING, Lobby, Lobby.receive_cancel),
    MessageRow(MessageKind.CANCEL, (PLAYER,), RUNNING, Joins, Joins.receive_cancel),
    MessageRow(MessageKind.TAKEN, (PLAYER,), RUNNING, Newcomer, Newcomer.receive_taken),
    MessageRow(MessageKind.EVIDENCE, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.EVIDENCE, (PLAYER, NEWCOMER), RUNNING, DesyncPart, DesyncPart.receive_evidence),
    MessageRow(MessageKind.ASK, (PLAYER, NEWCOMER), RUNNING, Resync, Resync.receive_ask),
    MessageRow(MessageKind.PROFILE, (HOST, JOINER, PLAYER, NEWCOMER), ANY_PHASE, Profiles, Profiles.receive_profile),
    MessageRow(MessageKind.LIST, (HOST,), LOBBY, Profiles, Profiles.receive_list),
    MessageRow(MessageKind.RETURN, (PLAYER,), RUNNING, Returns, Returns.receive_return),
    MessageRow(MessageKind.RANGE, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.RANGE, (PLAYER, NEWCOMER), RUNNING, SignedRanges, SignedRanges.receive_range),
    MessageRow(MessageKind.SIGNED, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(MessageKind.SIGNED, (PLAYER, NEWCOMER), RUNNING, SignedRanges, SignedRanges.receive_signed),
)
# fmt: on


class MessageRoutes:
    """The table, bound to the parts of one session."""

    def __init__(self, parts: tuple[SessionPart, ...], rows: Iterable[MessageRow] = MESSAGE_TABLE) -> None:
        by_class = {type(part): part for part in parts}
        self._rows: dict[tuple[int, Role, Phase], Receive] = {
            (row.kind, sender, phase): row.receive.__get__(by_class[row.part])
            for row in rows
            for sender in row.senders
            for phase in row.phases
        }

    def receive(self, peer: Peer, data: bytes, phase: Phase) -> None:
        """Pass a message to its part; raises InvalidValue without a row for it, or DecodeError if it is malformed."""
        kind = data[0] if data else -1
        receive = self._rows.get((kind, peer.role, phase))
        if receive is None:
            raise InvalidValue(f"a message of kind {kind} from a peer that {peer.role.value}, while {phase.value}")
        receive(peer, data)
