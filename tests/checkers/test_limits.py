"""The table of limits: complete, true, the same in the docs; and tests for limits that nothing else passes."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retick.errors import DecodeError, UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.rollback.events import MatchEnded, MessageReceived, PeerDisconnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import forwarding, spectator_feed
from retick.rollback.session.drops import LONGEST_STEP as DROPS_STEP
from retick.rollback.session.forwarding import ANSWER_SECONDS
from retick.rollback.session.input_bounds import LONGEST_STEP, InputBounds
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining import joins, lobby
from retick.rollback.session.joining.joins import COMMIT_SECONDS, MOST_UNANSWERED, ORPHAN_SECONDS
from retick.rollback.session.joining.sponsor import LONGEST_PROMISE
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.forward import PassedInputs, encode_forward, encode_pass
from retick.rollback.session.messages.kinds import MessageKind, encode_byte_and_number
from retick.rollback.session.messages.roster import (
    MAX_ADDRESS,
    MAX_PEERS,
    MAX_SEATS,
    RosterEntry,
    decode_entries,
    encode_entries,
)
from retick.testing.mesh import Mesh
from tests.checkers.cheats import CHEATS
from tests.checkers.limits import LIMITS, rendered
from tests.checkers.limits.limit import declared
from tests.checkers.other_numbers import OTHER_NUMBERS
from tests.link.handshake.test_strangers import ask
from tests.link.pair import make_endpoint
from tests.rollback.session.joining.test_sponsor import muted
from tests.rollback.session.matches import assert_all_play, playing_mesh, towards, with_a_free_seat
from tests.rollback.session.test_forwarding import apart
from tests.rollback.session.test_input_forwarding import counted, payload
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
        yield node.targets[0].id, declared(node.value)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        for target, value in zip(node.targets[0].elts, node.value.elts, strict=True):
            yield ast.unparse(target), value


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those that only the uncompiled form of a kernel has."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from statements(node.body + node.orelse)


def numbers_in(module: str, text: str) -> Iterator[str]:
    """Constants with a number, and fields of configurations."""
    for node in statements(ast.parse(text).body):
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
    for room in ("rollback", "link", "tokens", "relay", "routes", "snapshot/compact"):
        for path in sorted((SOURCES / room).rglob("*.py")):
            module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
            yield from numbers_in(module, path.read_text())


def test_every_number_of_a_match_and_its_links_is_in_the_table_or_known_to_be_no_limit() -> None:
    assert unknown(all_numbers()) == [], "a new limit needs a row in tests.checkers.limits, and a test that passes it"


def test_a_planted_limit_is_found() -> None:
    text = (
        "MOST_SHEEP = 4 << 2\nclass FoldConfig:\n    dogs: int = 3\n    name: str = 'x'\n"
        "WOLVES, X = 1, 'y'\nother = 1\nGATES = cython.declare(cython.int, 2)\nNAME = cython.declare(object, 'x')\n"
        "if not cython.compiled:\n    BELLS = 3  # C constant\n"
    )
    assert unknown(numbers_in("rollback.fold", text)) == [
        "rollback.fold:MOST_SHEEP",
        "rollback.fold:FoldConfig.dogs",
        "rollback.fold:WOLVES",
        "rollback.fold:GATES",
        "rollback.fold:BELLS",
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
    assert rendered() in (ROOT / "docs" / "internals" / "limits.md").read_text()


def test_unread_events_hold_messages_back_and_lose_none() -> None:
    [most] = [row.value for row in LIMITS if row.where == "rollback.session.core:MOST_UNREAD"]
    mesh = Mesh(Tally)
    mesh.start()
    first, second = (mesh[name].session for name in ("peer0", "peer1"))
    inside_of(first).happened.extend(MatchEnded(reason="not read") for _ in range(most))
    now = mesh.network.now
    assert second.send_message(b"hello")
    for step in range(100):
        for one, other, name in ((first, second, "peer0"), (second, first, "peer1")):
            for data, _ in one.datagrams_to_send(now=now + step * 0.01):
                other.receive_datagram(data, name, now=now + step * 0.01)
    assert not any(isinstance(event, MessageReceived) for event in inside_of(first).happened)
    first.events()
    first.datagrams_to_send(now=now + 1.0)
    assert [event.data for event in inside_of(first).happened if isinstance(event, MessageReceived)] == [b"hello"]


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
    entries = [RosterEntry(number, (number % MAX_SEATS,), f"a{number}") for number in range(MAX_PEERS + 1)]
    assert len(decode_entries(encode_entries(tuple(entries[:MAX_PEERS])), 0)) == MAX_PEERS
    with pytest.raises(DecodeError):
        decode_entries(encode_entries(tuple(entries)), 0)
    with pytest.raises(DecodeError):
        decode_entries(encode_entries((RosterEntry(0, (0,), "a" * (MAX_ADDRESS + 1)),)), 0)
    with pytest.raises(UsageError, match=f"at most {MAX_SEATS} players"):
        link_config_for(Tally(MAX_SEATS + 1), MatchConfig())


def test_strangers_together_get_no_more_answers_than_the_rate() -> None:
    host = make_endpoint(1, handshake_rate=5.0, max_connections=1000, sealed=False)
    answers = [ask(host, (f"203.0.113.{number}", 9), number + 1, now=1.0) for number in range(20)]
    assert [bool(answer) for answer in answers] == [True] * 5 + [False] * 15
    assert host.dropped["rate_limited"] == 15
    assert ask(host, ("203.0.113.99", 9), 99, now=2.0)


def test_of_one_peer_that_is_not_heard_a_few_resynced_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "MOST_RESYNCED", 3)
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    origin, session = mesh["peer1"].session.peer_id, mesh["peer0"].session
    for checksum in range(10):
        message = encode_byte_and_number(MessageKind.RESYNCED, 1, checksum)
        towards(mesh, "peer2", "peer0").send(encode_forward(origin, message))
    mesh.run(1.0)
    assert [message[2] for message in inside_of(session).forwarding._resynced[origin]] == [0, 1, 2]
    assert inside_of(session).resyncing._agreed[origin] == (1, 2)
    assert_all_play(mesh, 0)


def test_of_a_long_sleep_only_a_step_counts_as_waiting_for_others() -> None:
    mesh = playing_mesh(3)
    first, waited_for = mesh["peer0"].session, towards(mesh, "peer0", "peer1")
    held = inside_of(mesh["peer1"].session).match
    held.barrier = held.engine.frame
    mesh.run(1.5)
    [bounds] = [part for part in inside_of(first).parts if isinstance(part, InputBounds)]
    before = bounds._watched[waited_for].waited
    assert 0.5 < before < 1.5
    bounds.after_frame(inside_of(first).match, mesh.network.now + 30.0)
    assert before < bounds._watched[waited_for].waited <= before + LONGEST_STEP
    assert waited_for.is_heard
    held.barrier = None
    assert_all_play(mesh, 0)


def test_an_answer_that_comes_too_late_is_not_used() -> None:
    mesh = playing_mesh(3)
    session, helper = mesh["peer0"].session, mesh["peer2"].session
    (player,) = mesh["peer1"].session.local_players
    mesh.cut("peer0", "peer1", 1.0)
    mesh.run(2.5)
    asked_at = inside_of(session).input_forwarding._asked[helper.peer_id, player]
    answer = encode_pass(
        PassedInputs(0, player, 10, tuple(inside_of(session).match.engine.inputs_of(player, 10, 12))), 2
    )
    for late, dropped in ((0.5, {}), (0.0, {"PassNotAsked": 1})):
        mesh.run(asked_at + ANSWER_SECONDS - late - mesh.network.now)
        payload(mesh, "peer2", "peer0", answer)
        mesh.run(0.3)
        assert counted(mesh, "peer0", "peer2") == dropped
    assert_all_play(mesh, 0)


def texts_about(mesh: Mesh, name: str, peer_id: int) -> list[str]:
    """Why a peer no longer hears another one."""
    return [event.text for event in mesh[name].events_of(PeerDisconnected) if event.peer == peer_id]


def test_a_sponsor_that_lets_others_wait_again_and_again_is_expelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time for less than it may once."""
    monkeypatch.setattr(joins, "COMMITS_TOGETHER", 1.5 * LONGEST_PROMISE)
    mesh = with_a_free_seat(4)
    muted(mesh, "peer0", "_commit_when_promised", "sponsor")
    mesh.restart("peer3", every=1.0)
    member = inside_of(mesh["peer1"].session)
    mesh.run_until(lambda: member.joins.has_promised, limit=6.0, what="a frame is promised")
    mesh.run_until(lambda: not member.joins.has_promised, limit=LONGEST_PROMISE + 1.0, what="the newcomer is given up")
    assert texts_about(mesh, "peer1", 0) == []
    mesh.run_until(lambda: bool(texts_about(mesh, "peer1", 0)), limit=10.0, what="the sponsor is expelled")
    assert texts_about(mesh, "peer1", 0) == ["neither COMMIT nor CANCEL for a newcomer"]
    mesh.crash("peer0")
    mesh.crash("peer3")
    mesh.run(6.0)
    assert_all_play(mesh, 0)


def test_a_promise_of_which_nobody_says_more_is_called_off() -> None:
    """The sponsor says nothing, and another one that still hears it says nothing about it."""
    mesh = with_a_free_seat(4)
    muted(mesh, "peer0", "_commit_when_promised", "sponsor")
    muted(mesh, "peer0", "_check_time", "sponsor")
    muted(mesh, "peer0", "_send_drop", "drops")
    muted(mesh, "peer2", "after_frame")
    mesh.restart("peer3", every=600.0)
    member = inside_of(mesh["peer1"].session)
    mesh.run_until(lambda: member.joins.has_promised, limit=6.0, what="a frame is promised")
    mesh.run(COMMIT_SECONDS + ORPHAN_SECONDS - 0.5)
    assert not member.peers[0].is_heard
    assert member.joins.has_promised
    mesh.run(1.0)
    assert 0 in member.peers
    assert not member.joins.has_promised


def test_a_player_that_promises_nothing_again_and_again_is_expelled() -> None:
    mesh = with_a_free_seat(4)
    silent = mesh["peer2"].session.peer_id
    muted(mesh, "peer2", "_answer_proposal")
    mesh.restart("peer3", every=1.0)
    host = inside_of(mesh["peer0"].session).sponsor
    mesh.run_until(lambda: host._unpromised[silent] == 1, limit=10.0, what="a newcomer is given up")
    assert texts_about(mesh, "peer0", silent) == []
    mesh.run_until(lambda: bool(texts_about(mesh, "peer0", silent)), limit=10.0, what="the player is expelled")
    assert texts_about(mesh, "peer0", silent) == ["does not promise a frame for a newcomer"]


def test_promises_for_nobody_excuse_silence_only_a_few_times() -> None:
    mesh = Mesh(lambda: Tally(2))
    mesh.start()
    session = mesh["peer0"].session
    until = []
    for now in range(2 * MOST_UNANSWERED):
        inside_of(session).now = 100.0 + now
        inside_of(session).joins.promise(inside_of(session).match, session.frame + 10)
        until.append(inside_of(session).joins.blameless_until)
    assert until[MOST_UNANSWERED - 1] > until[0]
    assert until[MOST_UNANSWERED - 1 :] == [until[MOST_UNANSWERED - 1]] * (MOST_UNANSWERED + 1)


def test_of_a_long_sleep_only_a_step_counts_as_late() -> None:
    """Our own process was stopped: that the others have said nothing meanwhile is not their fault."""
    mesh = playing_mesh(3)
    session: Any = inside_of(mesh["peer0"].session)
    gone = mesh["peer2"].session
    session.drop_agreement.add_lost(gone.peer_id, gone.local_players)
    drops, now = session.drops, mesh.network.now
    drops._expel_who_keeps_us_waiting(session.match, now)
    drops._expel_who_keeps_us_waiting(session.match, now + 600.0)
    late = drops._late_for[mesh["peer1"].session.peer_id]
    assert 0.0 < late <= 2 * DROPS_STEP
    assert towards(mesh, "peer0", "peer1").is_heard
