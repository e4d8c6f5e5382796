"""Every message kind: who may send it, in which phase of the receiver it is allowed, and which part receives it.

One row for each kind, or for each phase where two parts receive the same kind. A message without a row for its
sender's role and the receiver's phase breaks the rules. What else a message must satisfy (that its sender is the
sponsor, that a seat is free) is checked by the part. The first table of docs/formats/session-messages.md is this one;
a test compares them.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.application.messages import ApplicationMessages
from retick.rollback.session.desync_part import DesyncPart
from retick.rollback.session.drops import Drops
from retick.rollback.session.forwarding import Forwarding
from retick.rollback.session.identity.profiles import Profiles
from retick.rollback.session.identity.returns import Returns
from retick.rollback.session.joining.joins import Joins
from retick.rollback.session.joining.lobby import Lobby
from retick.rollback.session.joining.newcomer import Newcomer
from retick.rollback.session.joining.sponsor import Sponsor
from retick.rollback.session.messages.kinds import Kind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.pausing.pause import Pause
from retick.rollback.session.peer import Peer, Phase, Role
from retick.rollback.session.rematch import Rematch
from retick.rollback.session.resync import Resync
from retick.rollback.session.signing.signed_ranges import SignedRanges

__all__ = ["MESSAGE_TABLE", "MessageRoutes", "MessageRow"]

HOST, JOINER, PLAYER, NEWCOMER = Role.HOST, Role.JOINER, Role.PLAYER, Role.NEWCOMER
GATHERING, LINKING, RUNNING = (Phase.GATHERING,), (Phase.LINKING,), (Phase.RUNNING,)
LOBBY = (Phase.GATHERING, Phase.LINKING)
ANY_PHASE = tuple(Phase)
Receive = Callable[[Peer, bytes], None]


class MessageRow(NamedTuple):
    """One row."""

    kind: Kind
    senders: tuple[Role, ...]
    """The roles, as the receiver sees them, from which it is allowed."""
    phases: tuple[Phase, ...]
    """The phases of the receiver in which it is allowed."""
    part: type[SessionPart]
    receive: Callable[[Any, Peer, bytes], None]
    """A method of that part."""


# fmt: off
MESSAGE_TABLE: tuple[MessageRow, ...] = (
    MessageRow(Kind.APPLICATION, (HOST, JOINER, PLAYER, NEWCOMER), ANY_PHASE, ApplicationMessages,
               ApplicationMessages.receive),
    MessageRow(Kind.ROSTER, (HOST,), GATHERING, Lobby, Lobby.receive_roster),
    MessageRow(Kind.READY, (JOINER,), LOBBY, Lobby, Lobby.receive_ready),
    MessageRow(Kind.START, (HOST,), LINKING, Lobby, Lobby.receive_start),
    MessageRow(Kind.DROP, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(Kind.DROP, (PLAYER, NEWCOMER), RUNNING, Drops, Drops.receive_drop),
    MessageRow(Kind.WELCOME, (HOST,), GATHERING, Newcomer, Newcomer.receive_welcome),
    MessageRow(Kind.STATE, (PLAYER,), GATHERING, Newcomer, Newcomer.receive_state),
    MessageRow(Kind.STATE, (PLAYER, NEWCOMER), RUNNING, Resync, Resync.receive_state),
    MessageRow(Kind.MEET, (PLAYER,), RUNNING, Joins, Joins.receive_meet),
    MessageRow(Kind.JOINED, (NEWCOMER,), RUNNING, Sponsor, Sponsor.receive_joined),
    MessageRow(Kind.PROPOSE, (PLAYER,), RUNNING, Joins, Joins.receive_propose),
    MessageRow(Kind.PROMISE, (PLAYER,), RUNNING, Sponsor, Sponsor.receive_promise),
    MessageRow(Kind.COMMIT, (PLAYER,), RUNNING, Joins, Joins.receive_commit),
    MessageRow(Kind.CANCEL, (HOST,), LINKING, Lobby, Lobby.receive_cancel),
    MessageRow(Kind.CANCEL, (PLAYER,), RUNNING, Joins, Joins.receive_cancel),
    MessageRow(Kind.REMATCH, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(Kind.REMATCH, (PLAYER, NEWCOMER), RUNNING, Rematch, Rematch.receive_rematch),
    MessageRow(Kind.EVIDENCE, (PLAYER, NEWCOMER), RUNNING, DesyncPart, DesyncPart.receive_evidence),
    MessageRow(Kind.RESYNC, (PLAYER, NEWCOMER), RUNNING, Resync, Resync.receive_resync),
    MessageRow(Kind.RESYNCED, (PLAYER, NEWCOMER), RUNNING, Resync, Resync.receive_resynced),
    MessageRow(Kind.FORWARD, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(Kind.FORWARD, (PLAYER, NEWCOMER), RUNNING, Forwarding, Forwarding.receive_forward),
    MessageRow(Kind.ASK, (PLAYER, NEWCOMER), RUNNING, Resync, Resync.receive_ask),
    MessageRow(Kind.PROFILE, (HOST, JOINER, PLAYER, NEWCOMER), ANY_PHASE, Profiles, Profiles.receive_profile),
    MessageRow(Kind.LIST, (HOST,), LOBBY, Profiles, Profiles.receive_list),
    MessageRow(Kind.RETURN, (PLAYER,), RUNNING, Returns, Returns.receive_return),
    MessageRow(Kind.PAUSE, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(Kind.PAUSE, (PLAYER, NEWCOMER), RUNNING, Pause, Pause.receive_pause),
    MessageRow(Kind.RANGE, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(Kind.RANGE, (PLAYER, NEWCOMER), RUNNING, SignedRanges, SignedRanges.receive_range),
    MessageRow(Kind.SIGNED, (PLAYER,), LINKING, Lobby, Lobby.hold),
    MessageRow(Kind.SIGNED, (PLAYER, NEWCOMER), RUNNING, SignedRanges, SignedRanges.receive_signed),
)
# fmt: on


class MessageRoutes:
    """The table with the parts of one session."""

    def __init__(self, parts: tuple[SessionPart, ...], rows: Iterable[MessageRow] = MESSAGE_TABLE) -> None:
        by_class = {type(part): part for part in parts}
        self._rows: dict[tuple[int, Role, Phase], Receive] = {
            (row.kind, sender, phase): row.receive.__get__(by_class[row.part])
            for row in rows
            for sender in row.senders
            for phase in row.phases
        }

    def receive(self, peer: Peer, data: bytes, phase: Phase) -> None:
        """Give a message to its part; InvalidValue when the table has no row for it, DecodeError when it is bad."""
        kind = data[0] if data else -1
        receive = self._rows.get((kind, peer.role, phase))
        if receive is None:
            raise InvalidValue(f"a message of kind {kind} from a peer that {peer.role.value}, while {phase.value}")
        receive(peer, data)
