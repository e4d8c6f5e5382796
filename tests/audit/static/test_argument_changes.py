"""Changes of arguments are found through calls of functions of the same file."""

import ast
from collections.abc import Callable

import pytest

from retick.audit.static.argument_changes import FunctionChanges
from retick.audit.static.parsed_file import ParsedFile

Check = Callable[[str], None]


def test_a_helper_that_changes_its_argument_is_caught_where_it_is_called(finds_marked: Check) -> None:
    finds_marked("""
        import copy

        class Player:
            def hurt(self, amount):
                self.hp -= amount

        def move(player, buttons):
            player.x += buttons

        def move_all(state, inputs):
            for player in state.players:
                move(player, inputs[0])

        class Game:
            def _land(self, state):
                state.y = 0

            def _count(self):
                self.total = 1

            def step(self, state, inputs):
                move(state.p1, 1)  # <- state-mutation
                move(player=state.p1, buttons=1)  # <- state-mutation
                move_all(state, inputs)  # <- state-mutation
                state.p1.hurt(25)  # <- state-mutation
                self._land(state)  # <- state-mutation
                self._count()  # <- hidden-state
                fresh = copy.deepcopy(state)
                move(fresh.p1, 1)
                move_all(fresh, inputs)
                fresh.p1.hurt(25)
                self._land(fresh)
                return fresh
    """)


def test_recursive_helpers_come_to_an_end(finds_marked: Check) -> None:
    finds_marked("""
        def walk(node, depth):
            node.seen = True
            if depth:
                walk(node.next, depth - 1)

        def step(state, inputs):
            walk(state.root, 3)  # <- state-mutation
            return state
    """)


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("a.x = 1", ["a"]),
        ("b = a.items\n    b.append(1)", ["a"]),
        ("for one in a:\n        one.x = 1", ["a"]),
        ("b = list(a)\n    b.append(1)", []),
        ("b = list(a)\n    b[0].x = 1", ["a"]),
        ("b = a if a else c\n    b.x = 1", ["a", "c"]),
        ("a = 3\n    a.x = 1", []),
        ("return a\n    a.x = 1", []),
        ("[one.pop() for one in a]", ["a"]),
    ],
)
def test_each_parameter_that_a_function_changes_is_named(body: str, changed: list[str]) -> None:
    source = ParsedFile(f"def f(a, c):\n    {body}\n")
    (function,) = source.tree.body
    assert isinstance(function, ast.FunctionDef)
    assert sorted({change.parameter for change in FunctionChanges(source).changes(function)}) == changed
