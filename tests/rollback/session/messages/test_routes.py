"""The message table: what is not in it shows its sender out, whoever that is; the page has the same table."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.rollback.events import PeerDisconnected
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.routes import MESSAGE_TABLE, MessageRoutes
from retick.rollback.session.peer import Peer, Phase, Role
from tests.rollback.session.matches import assert_all_play, playing_mesh, towards

PAGE = Path(__file__).parents[4] / "docs" / "formats" / "session-messages.md"
ALLOWED = {(row.kind, sender, phase) for row in MESSAGE_TABLE for sender in row.senders for phase in row.phases}


def routes() -> tuple[MessageRoutes, list[tuple[type, str]]]:
    """The table with parts that note what they receive."""
    heard: list[tuple[type, str]] = []

    def note(part: type, method: str) -> Any:
        return lambda self, peer, data: heard.append((part, method))

    rows = [row._replace(receive=note(row.part, row.receive.__name__)) for row in MESSAGE_TABLE]
    parts = [part.__new__(part) for part in {row.part for row in MESSAGE_TABLE}]
    return MessageRoutes(tuple(parts), rows), heard


@pytest.mark.parametrize("kind", [*MessageKind, len(MessageKind), 0xFF])
def test_a_message_is_received_from_the_roles_and_in_the_phases_of_its_rows_and_no_others(kind: int) -> None:
    made, heard = routes()
    for role, phase in itertools.product(Role, Phase):
        heard.clear()
        peer = Peer(1, (1,), role)
        if (kind, role, phase) in ALLOWED:
            made.receive(peer, bytes((kind,)), phase)
            [row] = [row for row in MESSAGE_TABLE if row.kind == kind and role in row.senders and phase in row.phases]
            assert heard == [(row.part, row.receive.__name__)]
            assert getattr(row.part, row.receive.__name__) is row.receive
        else:
            with pytest.raises(InvalidValue, match=f"kind {kind} "):
                made.receive(peer, bytes((kind,)), phase)


def test_no_two_rows_claim_the_same_message() -> None:
    rows = [(row.kind, s, phase) for row in MESSAGE_TABLE for s in row.senders for phase in row.phases]
    assert len(rows) == len(set(rows))


def test_every_kind_has_a_row_but_the_one_that_only_spectators_are_sent() -> None:
    assert set(MessageKind) - {row.kind for row in MESSAGE_TABLE} == {MessageKind.FEED}


def test_spectators_may_send_nothing() -> None:
    assert all(Role.SPECTATOR not in row.senders for row in MESSAGE_TABLE)


@pytest.mark.parametrize(
    "kind", [len(MessageKind), 0x77, 0xFF, MessageKind.FEED, MessageKind.READY, MessageKind.WELCOME, MessageKind.ROSTER]
)
def test_a_message_without_a_row_shows_its_sender_out_and_the_others_play_on(kind: int) -> None:
    mesh = playing_mesh(3)
    towards(mesh, "peer2", "peer0").send(bytes((kind,)) + bytes(40))
    mesh.run(1.0)
    assert [event.text for event in mesh["peer0"].events_of(PeerDisconnected)] == [
        "a message that the match does not allow"
    ]
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_all_play(mesh, 0)


def as_markdown() -> str:
    """The table as the page has it."""
    lines = ["| kind | name | allowed from | in phase | received by |", "|---|---|---|---|---|"]
    for row in MESSAGE_TABLE:
        senders = ", ".join(role.name for role in row.senders)
        phases = "any" if row.phases == tuple(Phase) else ", ".join(phase.name for phase in row.phases)
        lines.append(f"| `{row.kind:02X}` | {row.kind.name} | {senders} | {phases} | `{row.part.__name__}` |")
    return "\n".join(lines)


def test_the_page_has_this_table() -> None:
    assert as_markdown() in PAGE.read_text(encoding="utf-8"), f"the table is now:\n{as_markdown()}"
