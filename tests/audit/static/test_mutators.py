"""Which calls and assignments change an object in place, and which object."""

import ast

import pytest

from retick.audit.static.argument_changes import is_fresh_mutable, stored_into, what_call_changes
from retick.audit.static.parsed_file import ParsedFile


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a.items.append(1)", "a.items"),
        ("a.update(b)", "a"),
        ("x = a.pop()", "a"),
        ("x = v.add(w)", None),
        ("setattr(a, 'x', 1)", "a"),
        ("import heapq\nheapq.heappush(h, 1)", "h"),
        ("import heapq as q\nq.heappop(h)", "h"),
        ("sorted(a)", None),
    ],
)
def test_a_call_names_what_it_changes(text: str, changed: str | None) -> None:
    source = ParsedFile(text)
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    found = what_call_changes(source, call)
    assert (None if found is None else ast.unparse(found)) == changed


@pytest.mark.parametrize(
    ("target", "changed"),
    [("a", []), ("a.x", ["a"]), ("a.b[0]", ["a.b"]), ("(a.x, b, [c[1], *d.y])", ["a", "c", "d"])],
)
def test_an_assignment_changes_the_owner_of_its_target(target: str, changed: list[str]) -> None:
    (assignment,) = ast.parse(f"{target} = v").body
    assert isinstance(assignment, ast.Assign)
    assert [ast.unparse(one) for one in stored_into(assignment.targets[0])] == changed


@pytest.mark.parametrize(("text", "fresh"), [("[]", True), ("{}", True), ("set(x)", True), ("()", False), ("x", False)])
def test_new_mutable_objects_are_known(text: str, fresh: bool) -> None:
    source = ParsedFile(text)
    (statement,) = source.tree.body
    assert isinstance(statement, ast.Expr)
    assert is_fresh_mutable(source, statement.value) is fresh
