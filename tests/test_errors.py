"""Errors: the tree in the docstring is the tree of the classes, and each error carries its numbers."""

import ast
import inspect
import re

import pytest

from retick import errors
from retick.errors import LimitExceeded, RetickError, Truncated, with_code
from tests.sources import SOURCE, parsed, sources


def drawn_tree() -> dict[str, str | None]:
    """Each class in the docstring with the one it is drawn under."""
    parents: dict[str, str | None] = {}
    above: list[tuple[int, str]] = []
    for line in str(errors.__doc__).splitlines():
        found = re.match(r"^( {4}[│├└─ ]*)([A-Z]\w+)", line)
        if found is None:
            continue
        depth, name = len(found[1]), found[2]
        while above and above[-1][0] >= depth:
            above.pop()
        parents[name] = above[-1][1] if above else None
        above.append((depth, name))
    return parents


def real_tree() -> dict[str, str | None]:
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, RetickError)]
    return {c.__name__: None if c is RetickError else c.__bases__[0].__name__ for c in classes}


def test_the_docstring_draws_every_error_under_its_parent() -> None:
    assert drawn_tree() == real_tree()


def test_every_error_is_public_and_says_what_it_means() -> None:
    assert set(real_tree()) | {"with_code"} == set(errors.__all__)
    for name in real_tree():
        assert inspect.getdoc(getattr(errors, name)), name


def test_errors_that_are_value_errors_are_marked_so() -> None:
    marked = {line.split()[1] for line in str(errors.__doc__).splitlines() if "also a ValueError" in line}
    roots = {n for n, c in inspect.getmembers(errors, inspect.isclass) if ValueError in c.__bases__}
    assert marked == roots


def test_an_error_outside_of_this_module_is_named_in_its_docstring() -> None:
    known = set(real_tree())
    for path, text in sources().items():
        if path.name == "errors.py" and path.parent == SOURCE:
            continue
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & known:
                assert f"{node.name}" in str(errors.__doc__), f"{path}: {node.name}"


def test_numbers_are_attributes_and_a_code_is_added_to_the_same_error() -> None:
    error = LimitExceeded("too many", what="sections", limit=8, actual=9)
    assert with_code(error, "Wire.LimitsExceeded", limit=8) is error
    assert (error.what, error.limit, error.actual, error.code) == ("sections", 8, 9, "Wire.LimitsExceeded")
    assert error.details == {"limit": 8}
    plain = Truncated("cut", needed=4, available=1)
    assert (plain.code, dict(plain.details)) == ("", {})
    with pytest.raises(ValueError, match="cut"):
        raise plain
