"""Names are followed through imports, aliases and scopes to where they come from."""

import ast

import pytest

from retick.audit.static.parsed_file import ParsedFile
from retick.audit.static.scopes import absolute_module


def resolved(text: str) -> tuple[str, ...]:
    """What the expression in the last line of the source stands for."""
    source = ParsedFile(text, package="game.rules")
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "show"]
    return source.resolve(calls[-1].args[0])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("show(open)", ("builtins.open",)),
        ("import time\nshow(time.time)", ("time.time",)),
        ("import os.path\nshow(os.path.exists)", ("os.path.exists",)),
        ("import os.path as p\nshow(p.exists)", ("os.path.exists",)),
        ("from time import perf_counter as pc\nshow(pc)", ("time.perf_counter",)),
        ("import time\nnow = time.time\nshow(now)", ("time.time",)),
        ("from .clock import now\nshow(now)", ("game.rules.clock.now",)),
        ("from ..clock import now\nshow(now)", ("game.clock.now",)),
        ("from time import *\nshow(sleep)", ("time.sleep",)),
        ("import random\ndef f(rng: random.Random):\n    show(rng.random)", ("random.Random().random",)),
        ("import time\ndef f(time):\n    show(time.time)", ()),
        ("import time\nclass C:\n    time = 3\n    def f(self):\n        show(time.time)", ("time.time",)),
        ("if a:\n    from m import x\nelse:\n    from n import x\nshow(x)", ("m.x", "n.x")),
        ("show(__import__('time').time)", ("time.time",)),
        ("mine = 3\nshow(mine)", ()),
    ],
)
def test_a_name_resolves_to_where_it_comes_from(text: str, names: tuple[str, ...]) -> None:
    assert resolved(text) == names


def test_aliases_in_a_circle_come_to_an_end() -> None:
    assert resolved("a = b\nb = a\nshow(a)") == ()


def test_a_relative_import_counts_its_dots_from_the_package() -> None:
    (node,) = ast.parse("from ...x import y").body
    assert isinstance(node, ast.ImportFrom)
    assert absolute_module(node, "a.b.c") == "a.x"
