"""Values of fields as text that every process shares, and the one comparison of states by their fields."""

import dataclasses
import math
import os
import subprocess
import sys
from collections import OrderedDict
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.sim.fields import (
    ABSENT,
    FieldDifference,
    canonical_text,
    differing_fields,
    field_differences,
    same_value,
)

PLAIN = st.one_of(st.integers(), st.floats(), st.text(max_size=5), st.booleans(), st.none(), st.binary(max_size=5))
HASHABLE = st.recursive(PLAIN, lambda part: st.tuples(part, part) | st.frozensets(part, max_size=3), max_leaves=6)
VALUES = st.recursive(
    HASHABLE,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3),
    max_leaves=8,
)


@dataclasses.dataclass
class Pack:
    """A dataclass with a set in it."""

    cards: Any
    owner: str = "nobody"


class Seat(NamedTuple):
    """A named tuple with a set in it."""

    buttons: Any


class Bare:
    """An object without a repr of its own."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Slotted:
    """The same with slots."""

    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


NESTED = "\n".join([
    "import dataclasses",
    "from typing import Any, NamedTuple",
    "from retick.rollback.desync.field_values import encode_field, portable_fields",
    "from retick.testing.determinism import observe",
    "@dataclasses.dataclass(frozen=True)",
    "class Pack:",
    "    cards: Any",
    "class Seat(NamedTuple):",
    "    buttons: Any",
    "class Bare:",
    "    def __init__(self, held): self.held = held",
    "words = ['ace', 'king', 'queen', 'jack', 'ten', 'nine', 'joker']",
    "few = frozenset(words)",
    "class Game:",
    "    def checksum(self, state): return 0",
    "    def fields(self, state): return state",
    "state = [",
    "    ('set', few), ('tuple', (1, few)), ('list', [[few], set(words)]), ('dict', {'a': {few}, 'b': [few]}),",
    "    ('sets', {frozenset({word, word * 2}) for word in words}), ('dataclass', {'p': Pack(few)}),",
    "    ('named', [Seat({few})]), ('object', (Bare([few]),)), ('keys', {(1, few): Pack({Pack(few)})}),",
    "]",
    "print(b''.join(map(encode_field, portable_fields(state))).hex(), observe(Game(), state).digest)",
])  # fmt: skip


def test_nested_sets_are_the_same_bytes_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", NESTED],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3, 4)
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b", "a"}, "{'a', 'b'}"),
        (frozenset(), "set()"),
        ({"k": {3, 1}}, "{'k': {1, 3}}"),
        ((1, [2.5, (3,)]), "(1, [2.5, (3,)])"),
        (Pack({2, 1}), "Pack(cards={1, 2}, owner='nobody')"),
        (Seat([{2, 1}]), "Seat(buttons=[{1, 2}])"),
        (Bare(b={"y", "x"}, a=(1, [2.5])), "Bare(a=(1, [2.5]), b={'x', 'y'})"),
        (Slotted({2, 1}), "Slotted(x={1, 2})"),
        (OrderedDict(a={2, 1}), "OrderedDict({'a': {1, 2}})"),
        ({"b": 1, "a": 2}, "{'b': 1, 'a': 2}"),
    ],
)
def test_text_reads_like_repr_with_sets_in_order(value: Any, text: str) -> None:
    assert canonical_text(value) == text


@given(VALUES.filter(lambda value: "frozenset" not in repr(value)))
def test_values_without_sets_have_the_text_of_their_repr(value: Any) -> None:
    assert canonical_text(value) == repr(value)


def test_no_address_is_in_a_text() -> None:
    assert " at 0x" not in canonical_text([Bare(), test_no_address_is_in_a_text, object()])


def test_values_that_hold_themselves_have_a_text() -> None:
    around: list[Any] = [1]
    around.append(around)
    assert canonical_text(around) == "[1, ...]"
    knot = Bare(name="knot")
    knot.friends = {"self": knot}
    assert canonical_text(knot) == "Bare(friends={'self': ...}, name='knot')"


def test_objects_that_lead_to_many_others_have_a_short_text() -> None:
    crowd = [Bare() for _ in range(8)]
    for one in crowd:
        one.others = crowd
    assert len(canonical_text(crowd[0])) < 100_000
    chain = Bare()
    for _ in range(10):
        chain = Bare(next=chain)
    assert canonical_text(chain).count("Bare(") == 5


@given(VALUES)
def test_a_value_is_the_same_as_itself(value: Any) -> None:
    assert same_value(value, value)
    assert field_differences([("x", value)], [("x", value)]) == ()


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (math.nan, float("nan"), True),
        (0.0, -0.0, False),
        (1, True, True),
        (1, 1.0, False),
        ("1", 1, False),
        ({1, 2}, {2, 1}, True),
        ({1: 2, 3: 4}, {3: 4, 1: 2}, False),
        (set(), {}, False),
        (Bare(x=1), Bare(x=1), True),
        (Bare(x=1), Bare(x=2), False),
    ],
)
def test_which_values_are_the_same(first: Any, second: Any, same: bool) -> None:
    assert same_value(first, second) is same
    assert same_value(second, first) is same


def test_differences_are_in_the_order_of_the_fields_and_name_what_is_missing() -> None:
    ours = [("frame", 4), ("x", 1), ("gone", None)]
    theirs = [("frame", 4), ("new", 7), ("x", 2)]
    found = field_differences(ours, theirs)
    assert found == (("x", 1, 2), ("gone", None, ABSENT), ("new", ABSENT, 7))
    assert str(found[0]) == "x: 1 here, 2 there"
    assert isinstance(found[0], FieldDifference)


STATES = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 1)), min_size=1, max_size=4)


@given(STATES)
def test_a_field_differs_between_many_if_it_differs_between_two(states: list[dict[str, int]]) -> None:
    between_two = {
        difference.name
        for one in states
        for two in states
        for difference in field_differences(one.items(), two.items())
    }
    assert set(differing_fields(states)) == between_two


@given(STATES)
def test_what_an_incomplete_state_does_not_show_is_no_difference(states: list[dict[str, int]]) -> None:
    everything = range(len(states))
    shown = {name: {state[name] for state in states if name in state} for name in "abcd"}
    assert set(differing_fields(states, everything)) == {name for name, values in shown.items() if len(values) > 1}
