"""The table of limits: complete, true, the same in the docs; and tests for limits that nothing else passes."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retick.errors import DecodeError, UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.link import LinkConfig, LinkEndpoint
from retick.link.handshake import acceptor
from retick.rollback.events import MatchEnded, MessageReceived
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import spectator_feed
from retick.rollback.session.joining import lobby
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.roster import (
    MAX_ADDRESS,
    MAX_PEERS,
    MAX_SEATS,
    RosterEntry,
    decode_entries,
    encode_entries,
)
from retick.rollback.session.peer import LAST_PEER_ID
from retick.testing.cheats import CHEATS
from retick.testing.limits import LIMITS, OTHER_NUMBERS, rendered
from retick.testing.mesh import Mesh, MeshHung
from retick.transport.simulated import SimulatedNetwork
from tests.toys import Tally

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "retick"
NUMBER = (ast.Constant, ast.Name, ast.expr_context, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def is_number(node: ast.AST | None) -> bool:
    if node is None or not all(isinstance(each, NUMBER) for each in ast.walk(node)):
        return False
    parts = list(ast.walk(node))
    values = [each.value for each in parts if isinstance(each, ast.Constant)]
    names = [each.id for each in parts if isinstance(each, ast.Name)]
    return all(type(value) in (int, float) for value in values) and all(name.isupper() for name in names)


def assigned(node: ast.stmt) -> Iterator[tuple[str, ast.AST | None]]:
    """Names and what they are given, also of ``A, B = 1, 2``."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        for target, value in zip(node.targets[0].elts, node.value.elts, strict=True):
            yield ast.unparse(target), value


def numbers_in(module: str, text: str) -> Iterator[str]:
    """Constants with a number, and fields of configurations."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Config"):
            for line in node.body:
                yield from (f"{module}:{node.name}.{name}" for name, value in assigned(line) if is_number(value))
        for name, value in assigned(node):
            if name.isupper() and is_number(value):
                yield f"{module}:{name}"


def unknown(numbers: Iterator[str]) -> list[str]:
    rows = {row.where for row in LIMITS} | set(OTHER_NUMBERS)
    return [each for each in numbers if each not in rows and f"{each.partition(':')[0]}:*" not in rows]


def all_numbers() -> Iterator[str]:
    for room in ("rollback", "link"):
        for path in sorted((SOURCES / room).rglob("*.py")):
            module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
            yield from numbers_in(module, path.read_text())


def test_every_number_of_a_match_and_its_links_is_in_the_table_or_known_to_be_no_limit() -> None:
    assert unknown(all_numbers()) == [], "a new limit needs a row in retick.testing.limits, and a test that passes it"


def test_a_planted_limit_is_found() -> None:
    text = (
        "MOST_SHEEP = 4 << 2\nclass FoldConfig:\n    dogs: int = 3\n    name: str = 'x'\nWOLVES, X = 1, 'y'\nother = 1"
    )
    assert unknown(numbers_in("rollback.fold", text)) == [
        "rollback.fold:MOST_SHEEP",
        "rollback.fold:FoldConfig.dogs",
        "rollback.fold:WOLVES",
    ]


def test_every_row_is_of_a_number_that_exists() -> None:
    found = set(all_numbers())
    assert [row.where for row in LIMITS if row.where not in found] == []
    assert [where for where in OTHER_NUMBERS if not where.endswith("*") and where not in found] == []
    assert all(isinstance(row.value, int | float) for row in LIMITS)


@pytest.mark.parametrize("row", LIMITS, ids=lambda row: row.where)
def test_what_passes_a_limit_exists(row: Any) -> None:
    if row.passed_by == "chaos":
        return
    if row.passed_by.startswith("cheat:"):
        assert row.passed_by.removeprefix("cheat:") in CHEATS
        return
    file, _, name = row.passed_by.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text()


def test_the_docs_have_the_same_table() -> None:
    assert rendered() in (ROOT / "docs" / "testing.md").read_text()


def test_unread_events_hold_messages_back_and_lose_none() -> None:
    [most] = [row.value for row in LIMITS if row.where.endswith(":MOST_UNREAD")]
    mesh = Mesh(Tally)
    mesh.start()
    first, second = (mesh[name].session for name in ("peer0", "peer1"))
    first.happened.extend(MatchEnded(reason="not read") for _ in range(most))
    now = mesh.network.now
    assert second.send_message(b"hello")
    for step in range(100):
        for one, other, name in ((first, second, "peer0"), (second, first, "peer1")):
            for data, _ in one.datagrams_to_send(now=now + step * 0.01):
                other.receive_datagram(data, name, now=now + step * 0.01)
    assert not any(isinstance(event, MessageReceived) for event in first.happened)
    first.events()
    first.datagrams_to_send(now=now + 1.0)
    assert [event.data for event in first.happened if isinstance(event, MessageReceived)] == [b"hello"]


def test_a_peer_that_never_answers_is_called_three_times() -> None:
    mesh = Mesh(lambda: Scramble(3), config=MatchConfig(disconnect_after=60.0))
    mesh.cut("peer1", "peer2", 1000.0)
    with pytest.raises(MeshHung):
        mesh.start(limit=25.0)
    assert not any(peer.events_of(MatchEnded) for peer in mesh.alive)
    mesh.run(20.0)
    assert all(peer.events_of(MatchEnded) for peer in mesh.alive)


def test_a_match_whose_ids_are_used_up_says_so() -> None:
    mesh = Mesh(lambda: Scramble(3), config=MatchConfig(disconnect_after=1.0))
    mesh.start()
    mesh["peer0"].session.newest_peer_id = LAST_PEER_ID
    mesh.crash("peer2")
    mesh.run(3.0)
    mesh.restart("peer2", every=60.0)
    mesh.run(3.0)
    [ended] = mesh["peer2"].events_of(MatchEnded)
    assert "too many have come and gone" in ended.reason


def test_a_spectator_gets_all_frames_in_messages_of_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectator_feed, "FEED_MOST", 7)
    mesh = Mesh(Fighter)
    mesh.start()
    mesh.play(60)
    watcher = mesh.watch("watcher", "peer0")
    mesh.run(1.0)
    mesh.pause("peer0", 1.0)
    mesh.run(5.0)
    mesh.verify()
    assert max(watcher.rows) > 300
    assert len(watcher.rows) == max(watcher.rows) - min(watcher.rows) + 1


def test_a_joiner_that_is_sent_on_too_often_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MOST_REDIRECTIONS", 0)
    mesh = Mesh(lambda: Scramble(3), config=MatchConfig(disconnect_after=1.0))
    mesh.start()
    mesh.crash("peer2")
    mesh.run(3.0)
    mesh.restart("peer2", through="peer1", every=60.0)
    mesh.run(3.0)
    [ended] = mesh["peer2"].events_of(MatchEnded)
    assert "sent on and on" in ended.reason


def test_rosters_past_their_bounds_are_refused() -> None:
    entries = [RosterEntry(number, (number % MAX_SEATS,), "a") for number in range(MAX_PEERS + 1)]
    assert len(decode_entries(encode_entries(tuple(entries[:MAX_PEERS])), 0)) == MAX_PEERS
    with pytest.raises(DecodeError):
        decode_entries(encode_entries(tuple(entries)), 0)
    with pytest.raises(DecodeError):
        decode_entries(encode_entries((RosterEntry(0, (0,), "a" * (MAX_ADDRESS + 1)),)), 0)
    with pytest.raises(UsageError, match=f"at most {MAX_SEATS} players"):
        link_config_for(Tally(MAX_SEATS + 1), MatchConfig())


def test_only_the_newest_closed_handshakes_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "_REMEMBERED", 3)
    network = SimulatedNetwork(seed=1)
    dice = iter(range(1, 10000))
    host = LinkEndpoint(LinkConfig(), entropy=lambda size: next(dice).to_bytes(size, "little"))
    guest = LinkEndpoint(LinkConfig(), entropy=lambda size: (next(dice) + 77).to_bytes(size, "little"))
    network.attach("host", host)
    network.attach("guest", guest)
    for _ in range(6):
        connection = guest.dial("host")
        network.flush("guest")
        network.run(until=network.now + 1.0)
        assert connection.is_connected
        connection.close()
        network.flush("guest")
        network.run(until=network.now + 1.0)
    assert len(host._acceptor._finished) == 3
