"""Marks of fields."""

import pytest

from retick.errors import SchemaError
from retick.sim import NOBODY, U8, Jumps, Most, Player, Range, Thing, World
from retick.sim.kinds import LONGEST
from retick.sim.world import members_of


@pytest.mark.parametrize("count", [0, -1, LONGEST + 1, 2.5, "4"])
def test_a_list_holds_a_sensible_number(count: int) -> None:
    with pytest.raises(SchemaError, match="a list holds at most 1 to 65535 items"):
        Most(count)


@pytest.mark.parametrize(
    ("low", "high", "step"), [(1, 1, None), (2, 1, None), (0, float("inf"), None), (0, 1, 0), (0, 1, 2), (0, 1, -1)]
)
def test_a_range_goes_up_in_steps_that_fit(low: float, high: float, step: float | None) -> None:
    with pytest.raises(SchemaError, match="Range"):
        Range(low, high, step=step)


def test_a_range_compares_by_value() -> None:
    assert Range(0, 640, step=0.5) == Range(0, 640, step=0.5) != Range(0, 640)


class Tank(Thing):
    player: Player
    jumps: Jumps
    reload: U8 = 0


def test_a_thing_says_whose_it_is_and_how_often_it_jumped() -> None:
    player, jumps, reload = members_of(Tank)
    assert player.is_player
    assert jumps.is_jumps
    assert not reload.is_player
    assert not reload.is_jumps
    tank = Tank(player=3)
    assert (tank.player, tank.jumps) == (3, 0)


def test_what_nobody_was_named_for_is_nobodys() -> None:
    class Hill(World):
        num_players = 2
        king: Player

    assert Hill().king == NOBODY == 255


@pytest.mark.parametrize(("kind", "name"), [(Player, "Player"), (Jumps, "Jumps")])
def test_a_class_has_one_player_and_one_count_of_jumps(kind: type, name: str) -> None:
    with pytest.raises(SchemaError, match=rf"Pair\.second: a class has one {name}, and Pair\.first has it already"):
        type(Thing)("Pair", (Thing,), {"__annotations__": {"first": kind, "second": kind}})
    with pytest.raises(SchemaError, match=r"Odd\.one cannot be None"):
        type(Thing)("Odd", (Thing,), {"__annotations__": {"one": kind | None}})


def test_the_new_marks_are_no_part_of_the_saved_form() -> None:
    class Plain(World):
        num_players = 2
        king: U8

    class Marked(World):
        num_players = 2
        king: Player = 0

    assert Plain().save() == Marked().save()
