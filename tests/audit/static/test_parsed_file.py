"""What rules ask of a parsed file."""

import ast

from retick.audit.static.parsed_file import ParsedFile, root_name

TEXT = """
from typing import TYPE_CHECKING
import time

if TYPE_CHECKING:
    import random
    random.random

class Game:
    @staticmethod
    def step(state: time.struct_time):
        def inner():
            return time.time()
        return inner

if __name__ == "__main__":
    time.sleep(1)
"""


def find(source: ParsedFile, text: str) -> ast.expr:
    return next(node for node in ast.walk(source.tree) if isinstance(node, ast.expr) and ast.unparse(node) == text)


def test_code_that_no_game_runs_is_not_walked() -> None:
    names = {ast.unparse(node) for node, _ in ParsedFile(TEXT).references()}
    assert "time.time" in names
    assert not names & {"random.random", "time.sleep"}


def test_a_node_knows_its_function_class_and_annotation() -> None:
    source = ParsedFile(TEXT)
    call = find(source, "time.time()")
    function = source.function_of(call)
    assert isinstance(function, ast.FunctionDef)
    assert function.name == "inner"
    owner = source.class_of(call)
    assert owner is not None
    assert owner.name == "Game"
    assert source.calls(call, "time.time")
    assert not source.in_annotation(call)
    assert source.in_annotation(find(source, "time.struct_time"))
    step = next(node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef) and node.name == "step")
    assert source.is_decorated(step, "builtins.staticmethod")


def test_the_root_of_a_chain_is_its_first_name() -> None:
    for text, root in (("a.b[c].d", "a"), ("a", "a"), ("f(a).b", None)):
        found = root_name(ast.parse(text, mode="eval").body)
        assert (None if found is None else found.id) == root
