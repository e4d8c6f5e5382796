"""The table of limits: complete, true, the same in the docs; and tests for limits that nothing else passes."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.link.addresses import MAX_ADDRESS
from retick.rollback.events import MatchEnded, MessageReceived, PeerDisconnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import spectator_feed
from retick.rollback.session.agreement import DELTA
from retick.rollback.session.forwarding import ANSWER_SECONDS
from retick.rollback.session.input_bounds import LONGEST_STEP, InputBounds
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining import lobby
from retick.rollback.session.link_config import LONGEST_DISCONNECT, check_disconnect_after, link_config_for
from retick.rollback.session.membership import LONGEST_STOP, MOST_LATE
from retick.rollback.session.messages.forward import PassedInputs, encode_pass
from retick.rollback.session.messages.kinds import MessageReader
from retick.rollback.session.messages.roster import MAX_PEERS, MAX_SEATS, RosterEntry, encode_entries, read_entries
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.checkers.cheats import CHEATS
from tests.checkers.limits import LIMITS, rendered
from tests.checkers.limits.limit import declared
from tests.checkers.other_numbers import OTHER_NUMBERS
from tests.link.handshake.test_strangers import ask
from tests.link.pair import make_endpoint
from tests.rollback.session.liars import mute
from tests.rollback.session.matches import assert_all_play, playing_mesh, towards
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
    assert len(read_entries(MessageReader(encode_entries(tuple(entries[:MAX_PEERS]))))) == MAX_PEERS
    with pytest.raises(DecodeError):
        read_entries(MessageReader(encode_entries(tuple(entries))))
    with pytest.raises(DecodeError):
        read_entries(MessageReader(encode_entries((RosterEntry(0, (0,), "a" * (MAX_ADDRESS + 1)),))))
    with pytest.raises(UsageError, match=f"at most {MAX_SEATS} players"):
        link_config_for(Tally(MAX_SEATS + 1), MatchConfig())


def test_strangers_together_get_no_more_answers_than_the_rate() -> None:
    host = make_endpoint(1, handshake_rate=5.0, max_connections=1000, sealed=False)
    answers = [ask(host, (f"203.0.113.{number}", 9), number + 1, now=1.0) for number in range(20)]
    assert [bool(answer) for answer in answers] == [True] * 5 + [False] * 15
    assert host.dropped["rate_limited"] == 15
    assert ask(host, ("203.0.113.99", 9), 99, now=2.0)


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


def test_of_a_long_sleep_in_a_slot_only_a_second_counts() -> None:
    """Our own process was stopped: that the others have said nothing meanwhile is not their fault."""
    mesh = playing_mesh(3)
    mute(mesh, "peer2")
    mesh["peer0"].session.pause()
    mesh.run(0.5)
    agreement = inside_of(mesh["peer0"].session).membership.agreement
    assert agreement is not None
    opened_at = agreement.opened_at
    agreement.poll(mesh.network.now + 600.0)
    assert opened_at is not None
    assert agreement.opened_at is not None
    assert 600.0 - 2 * DELTA < agreement.opened_at - opened_at < 600.0
    assert sum(agreement.drain_late().values()) <= 0.5 + DELTA
    assert agreement.decision() is None


def test_on_the_slowest_link_a_stop_lies_a_second_ahead() -> None:
    mesh = playing_mesh(3, conditions=Conditions(latency=0.9))
    inside: Any = inside_of(mesh["peer0"].session)
    assert inside.longest_rtt > 1.0
    ahead = inside.membership._next_stop(inside.match) - inside.match.engine.frame
    assert ahead == min(round(LONGEST_STOP * inside.config.tick_rate), inside.config.history // 2)


def test_one_that_is_late_in_slot_after_slot_is_no_longer_heard() -> None:
    """Each time it is earlier than any deadline of the slot."""
    mesh = playing_mesh(4)
    late: Any = inside_of(mesh["peer3"].session).membership
    may_state = late._may_state
    late._may_state = lambda agreement, match, now: now > agreement.opened_at + 2.0 and may_state(agreement, match, now)
    text = "keeps the others waiting for its statements"

    def is_out() -> bool:
        session = mesh["peer0"].session
        if not inside_of(session).membership.is_deciding:
            session.resume() if inside_of(session).pausing.is_wanted else session.pause()
        return any(event.text == text for event in mesh["peer0"].events_of(PeerDisconnected))

    mesh.run_until(is_out, limit=MOST_LATE * 4, what="it is shown out")
    mesh["peer0"].session.resume()
    mesh.crash("peer3")
    mesh.run(12.0)
    assert_all_play(mesh, 0)


def test_a_host_that_would_wait_for_minutes_is_left() -> None:
    mesh = Mesh(lambda: Tally(2), config=MatchConfig(disconnect_after=LONGEST_DISCONNECT))
    mesh.start()
    config = MatchConfig(disconnect_after=LONGEST_DISCONNECT + 1.0)
    with pytest.raises(InvalidValue, match="disconnect_after"):
        check_disconnect_after(config.disconnect_after, MatchConfig())
    check_disconnect_after(config.disconnect_after, config)
