import json
from dataclasses import dataclass, field, fields
from enum import IntEnum
from math import inf, nan
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority import RoomStats, ServerStats, TickCost
from retick.authority.client import WorldClientStats
from retick.host.stats import ClientStats
from retick.link.events import LinkStats
from retick.rollback.match.stats import PathStats, PeerStats, SessionStats
from retick.wire.values import Plain, plain

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers() | st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


class Place(NamedTuple):
    x: float
    y: float


class Mode(IntEnum):
    RUN = 2


@dataclass(slots=True)
class Figures(Plain):
    count: int = 0
    places: dict[object, Place] = field(default_factory=dict)


@given(VALUES)
def test_anything_becomes_strict_json_and_stays_as_it_is_when_made_plain_again(value: Any) -> None:
    found = plain(value)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert plain(found) == found


def test_fields_of_dataclasses_and_named_tuples_are_kept_by_their_names() -> None:
    found = Figures(3, {("a", 1): Place(1.5, nan), 7: Place(inf, 2.0)}).as_dict()
    assert found == {"count": 3, "places": {"('a', 1)": {"x": 1.5, "y": None}, "7": {"x": None, "y": 2.0}}}
    assert type(plain(Mode.RUN)) is int


def test_later_counting_does_not_change_what_was_taken() -> None:
    stats = RoomStats()
    before = stats.as_dict()
    stats.refused["malformed"] += 1
    stats.tick_cost.counts[0] += 1
    assert before["refused"]["malformed"] == before["tick_cost"]["counts"][0] == 0


@pytest.mark.parametrize(
    "kind",
    [ClientStats, LinkStats, PathStats, PeerStats, RoomStats, ServerStats, SessionStats, TickCost, WorldClientStats],
)
def test_all_figures_of_sessions_and_servers_are_plain_data_on_demand(kind: type[Plain]) -> None:
    zero = kind(**{one.name: {} if "dict" in str(one.type) else 0 for one in fields(kind)})  # type: ignore[arg-type]  # a dataclass
    assert set(zero.as_dict()) == {one.name for one in fields(kind)}  # type: ignore[arg-type]  # a dataclass
