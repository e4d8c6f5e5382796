"""What is certainly an integer, and what may be a set."""

import ast

import pytest

from retick.audit.static.parsed_file import ParsedFile
from retick.audit.static.value_types import ValueTypes


def last(text: str) -> tuple[ValueTypes, ast.expr]:
    source = ParsedFile(text)
    statement = source.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    return ValueTypes(source), statement.value


@pytest.mark.parametrize(
    "text",
    ["3", "True", "len(x)", "n = 1\nn = n + 1\nn", "a: int = f()\na", "-7 // 2", "min(1, 2)", "1 if a else 2", "a < b"],
)
def test_certain_integers(text: str) -> None:
    types, node = last(text)
    assert types.is_int(node)


@pytest.mark.parametrize("text", ["0.5", "1 / 2", "2 ** n", "x", "n = 1\nn = f()\nn", "min(1, x)", "n = 1\nn /= 2\nn"])
def test_what_may_be_no_integer(text: str) -> None:
    types, node = last(text)
    assert not types.is_int(node)


@pytest.mark.parametrize(
    "text",
    [
        "{1}",
        "set()",
        "frozenset(x)",
        "{a for a in b}",
        "s = set()\nt = s\nt",
        "{1} | x",
        "a: set[int]\na",
        "x.keys() - y",
    ],
)
def test_possible_sets(text: str) -> None:
    types, node = last(text)
    assert types.is_set(node)


@pytest.mark.parametrize("text", ["{}", "[]", "sorted({1})", "x", "a | b", "s = s2\ns"])
def test_what_is_no_set_as_far_as_the_file_shows(text: str) -> None:
    types, node = last(text)
    assert not types.is_set(node)
