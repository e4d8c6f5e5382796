"""How a session tells its parts: every part, in order, of every match, peer and frame."""

import inspect
from typing import Any

from retick.rollback.session.inside import inside_of
from retick.rollback.session.part import SessionPart
from tests.rollback.session.matches import playing_mesh, towards

HOOKS = [name for name in vars(SessionPart) if not name.startswith("_")]


def noting(session: Any) -> list[tuple[str, str]]:
    """What the first and the last of a session's parts are told, from now on."""
    told: list[tuple[str, str]] = []

    def part(name: str) -> SessionPart:
        def hook(method: str) -> Any:
            def note(self: SessionPart, *arguments: Any) -> bool:
                told.append((name, method))
                return False

            return note

        kind = type(name, (SessionPart,), {method: hook(method) for method in HOOKS})
        made: SessionPart = kind(session)
        return made

    inside_of(session).parts = (part("first"), *inside_of(session).parts, part("last"))
    return told


def hooks(told: list[tuple[str, str]]) -> list[str]:
    """The hooks in order, without those of frames; both parts must have been told of the same."""
    first = [method for name, method in told if name == "first" and method != "after_frame"]
    last = [method for name, method in told if name == "last" and method != "after_frame"]
    assert sorted(first) == sorted(last)
    return first


def test_every_hook_of_the_base_does_nothing_unless_it_is_overridden() -> None:
    mesh = playing_mesh(2)
    session: Any = mesh["peer0"].session
    part = SessionPart(session)
    for name in HOOKS:
        arguments = len(inspect.signature(getattr(part, name)).parameters)
        assert not getattr(part, name)(*[None] * arguments)


def test_hooks_of_parts_are_called_for_a_rematch_a_drop_and_a_newcomer() -> None:
    mesh = playing_mesh(3)
    told = noting(mesh["peer0"].session)
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(1.0)
    assert hooks(told) == ["match_ending", "match_begun"]
    told.clear()
    mesh.crash("peer2")
    mesh.run(5.0)
    assert hooks(told) == ["peer_gone"]
    told.clear()
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is in")
    assert hooks(told) == ["peer_id_given", "peer_connected", "newcomer_became_player"]


def test_parts_are_asked_after_a_frame_only_while_one_of_them_has_something_to_do() -> None:
    mesh = playing_mesh(2)
    session = mesh["peer0"].session
    told = noting(session)
    inside_of(session).is_quiet = False
    mesh.run(1.0)
    quiet = len(told)
    assert 1 <= quiet < 10
    # A stall that lasts is something to look at.
    mesh.pause("peer1", 1.5)
    mesh.run(1.0)
    assert len(told) > quiet + 20
    mesh.run(1.0)
    quiet = len(told)
    mesh.run(1.0)
    assert len(told) < quiet + 10
    quiet = len(told)
    mesh.watch("fan", "peer0")
    mesh.run(1.0)
    assert len(told) > quiet + 60


def test_a_peer_that_is_expelled_is_gone_for_every_part_at_once() -> None:
    mesh = playing_mesh(3)
    session = mesh["peer0"].session
    told = noting(session)
    expelled = towards(mesh, "peer0", "peer2")
    inside_of(session).expel(expelled)
    assert told.count(("last", "peer_gone")) == 1
    assert expelled not in inside_of(session).heard_peers()
    assert expelled.exchange is None
    inside_of(session).expel(expelled)
    assert told.count(("last", "peer_gone")) == 1
