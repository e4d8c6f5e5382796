"""Hashes, addresses and the order of sets."""

from collections.abc import Callable

import pytest

Check = Callable[[str], None]


@pytest.mark.parametrize(
    "text",
    [
        "x = hash('name')",
        "def f(name):\n    return hash(name) % 4",
        "x = hash((1, 2))",
        "h = hash\nx = h('a')",
        "x = sorted([], key=id)",
        "x = sorted([], key=hash)",
        "x = id(object())",
        "import builtins\nx = builtins.hash('a')",
        "x = 'a'.__hash__()",
    ],
)
def test_hashes_and_ids_are_caught(text: str, finds_marked: Check) -> None:
    if text.startswith("h = hash"):
        text = text.replace("h = hash\n", "h = hash  # <- identity\n")
    finds_marked(f"{text}  # <- identity")


def test_hashes_of_integers_are_fine(finds_nothing: Check) -> None:
    finds_nothing("""
        class Cell:
            def __init__(self, x: int) -> None:
                self.x = x

            def __hash__(self) -> int:
                return hash(self.x)

        def f(n: int) -> int:
            count = 0
            count += 1
            count = count * 3 + len("abc")
            return hash(3) + hash(True) + hash(n) + hash(-n // 2) + hash(count) + hash(int("4"))
    """)


@pytest.mark.parametrize(
    "use",
    [
        "for x in names: pass",
        "y = [x for x in names]",
        "y = {x: 1 for x in names}",
        "y = sum([1 for x in a for x in names], 0) if 0 else list(names)",
        "y = list(names)",
        "y = tuple(names)",
        "y = next(iter(names))",
        "y = dict.fromkeys(names)",
        "y = ','.join(names)",
        "y = list(enumerate(names))",
        "y = min(names, key=len)",
        "y = max(names, key=len)",
        "y = sorted(names, key=len)",
        "y = names.pop()",
        "y = [*names]",
        "y = str(names)",
        "y = f'{names}'",
        "first, second = names",
        "y = [1]; y.extend(names)",
        "y = list(map(len, names))",
        "y = list(names | {'c'})",
        "y = list(names.union(['c']))",
        "import itertools; y = itertools.chain(names, [1])",
        "print_all = lambda: [x for x in names]",
    ],
)
def test_each_use_of_a_sets_order_is_caught(use: str, finds_marked: Check) -> None:
    finds_marked(f"a = []\nnames = {{'a', 'b'}}\n{use}  # <- set-order")


@pytest.mark.parametrize(
    "made",
    [
        "set(a)",
        "frozenset(a)",
        "{x for x in a}",
        "{'a'} if a else set()",
        "d.keys() & e.keys()",
        "a or {'x'}",
        "b.copy()",
        "made()",
    ],
)
def test_each_way_to_make_a_set_is_known(made: str, finds_marked: Check) -> None:
    finds_marked(f"""
        a, d, e, b = [], {{}}, {{}}, set()
        def made() -> set[str]: ...
        s = {made}
        for x in s: pass  # <- set-order
    """)


def test_sets_are_known_by_annotation_and_attribute(finds_marked: Check) -> None:
    finds_marked("""
        from dataclasses import dataclass, field
        from typing import AbstractSet

        @dataclass
        class State:
            alive: set[str]
            dead: "frozenset[str]" = frozenset()
            names: list[str] = field(default_factory=list)

        class Game:
            def __init__(self):
                self.tags = set()
                self.order = []

            def step(self, state: State, inputs: AbstractSet[int]):
                for name in state.alive: pass  # <- set-order
                for name in state.dead: pass  # <- set-order
                for name in state.names: pass
                for tag in self.tags: pass  # <- set-order
                for tag in self.order: pass
                for one in inputs: pass  # <- set-order
                return state
    """)


def test_sets_without_order_are_fine(finds_nothing: Check) -> None:
    finds_nothing("""
        names = {"a", "b"}
        table = {"a": 1, "b": 2}

        def f(x: str) -> int:
            for name in sorted(names): pass
            for key in table: pass
            for key, value in table.items(): pass
            total = sum(table[name] for name in names) + len(names)
            best = min(names) + max(names)
            ok = any(name == x for name in names) and x in names and names <= {"a"} and names == {"b"}
            smaller = {name for name in names} - {"c"}
            ordered = sorted(name.upper() for name in names)
            rest = [name for name in sorted(smaller)] + [1].pop()
            return total + ok + len(ordered) + len(rest) + len(best)
    """)


def test_a_set_of_weak_references_has_no_order_either(finds_marked: Check) -> None:
    finds_marked("""
        import weakref
        LIVE = weakref.WeakSet()
        def f() -> int:
            for one in LIVE:  # <- set-order
                return one
    """)
