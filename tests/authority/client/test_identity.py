"""New things are found again by what they are; only old ids say which thing is which."""

from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client import measures
from retick.authority.client.measures import PredictedThings, births_in, next_id_in, paired, place_of, places_of
from retick.authority.client.prediction import keep_finer
from retick.sim import F64, Most, Player, Range, Thing, World
from tests.authority.client.yard import FIRE, STEP, Bullet, Walker, Yard


class Bolt(Thing):
    player: Player
    x: Annotated[F64, Range(0, 640, step=1 / 16)]


class Field(World):
    num_players = 4
    bolts: Annotated[list[Bolt], Most(200)]


def field(*bolts: tuple[int, float], old: int = 0) -> Field:
    """Bolts of these players; before them ``old`` ids were given out."""
    made = Field()
    made.bolts = [Bolt(player=0, x=0.0) for _ in range(old)]
    made.bolts = []
    made.bolts = [Bolt(player=player, x=x) for player, x in bolts]
    return made


def names(before: Field, after: Field, first: int) -> dict[int, int]:
    found = paired(places_of(before, 0), places_of(after, 0), first)
    return {new: old for new, old in found.items() if new}


def test_an_id_that_the_server_had_given_is_that_thing_wherever_it_is() -> None:
    assert names(field((0, 10.0), (1, 20.0)), field((0, 500.0), (1, 21.0)), first=3) == {1: 1, 2: 2}


def test_a_guessed_thing_is_found_under_the_id_that_the_server_gave_it() -> None:
    before = field((0, 10.0))
    after = field((1, 10.0), (0, 10.0))
    assert names(before, after, first=1) == {2: 1}
    assert names(after, before, first=1) == {1: 2}


def test_of_several_those_that_are_exactly_there_come_first_and_then_the_nearest() -> None:
    before = field((0, 10.0), (0, 19.0), (0, 28.0))
    after = field((2, 5.0), (0, 11.0), (0, 19.0), (0, 26.0), (0, 60.0))
    assert names(before, after, first=1) == {2: 1, 3: 2, 4: 3}


def test_what_is_too_far_away_to_be_smoothed_is_another_thing() -> None:
    assert names(field((0, 10.0)), field((0, 10.0 + 65.0)), first=1) == {}
    assert names(field((0, 10.0)), field((0, 10.0 + 63.0)), first=1) == {1: 1}


def test_what_was_made_much_later_is_another_thing() -> None:
    before, after = field((0, 10.0)), field((0, 11.0), (0, 12.0))
    places = places_of(before, 0), places_of(after, 0)
    earlier, later = PredictedThings(100, 1, {1: 104}), PredictedThings(103, 1, {1: 111, 2: 110})
    assert paired(*places, 1, earlier.apart_from(later))[2] == 1
    later = PredictedThings(103, 1, {1: 111, 2: 111})
    assert paired(*places, 1, earlier.apart_from(later)) == {0: 0}
    confirmed = PredictedThings(106, 3, {})
    assert paired(*places, 1, earlier.apart_from(confirmed))[1] == 1
    long_ago = PredictedThings(97, 1, {})
    assert paired(*places, 1, earlier.apart_from(long_ago)) == {0: 0}


def test_a_reference_tells_things_apart_and_one_to_a_guess_does_not() -> None:
    yard = Yard()
    yard.walkers = [Walker(player=number, x=0.0, y=0.0) for number in range(2)]
    yard.bullets = [Bullet(shooter=walker, x=10.0, y=10.0) for walker in yard.walkers]
    one, other = (place_of(bullet) for bullet in yard.bullets)
    assert paired({3: one}, {3: other, 4: one}, 3) == {4: 3}
    assert paired({3: one}, {3: other}, 1) == {3: 3}


def test_things_that_are_searched_are_bounded_and_those_exactly_there_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "MOST_COMPARED", 2)
    before = field(*[(0, float(number)) for number in range(6)])
    after = field(*[(0, number + 0.25) for number in range(6)])
    assert len(names(before, after, first=1)) == 2
    assert len(names(before, before, first=1)) == 6


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 600)), max_size=12), st.data())
def test_no_thing_is_two_and_owners_stay(bolts: list[tuple[int, int]], data: st.DataObject) -> None:
    before = field(*[(player, float(x)) for player, x in bolts])
    mixed = data.draw(st.permutations(bolts))
    after = field(*[(player, float(x)) for player, x in mixed])
    found = names(before, after, data.draw(st.integers(1, 14)))
    assert len(set(found.values())) == len(found)
    owners = [{bolt.id: bolt.player for bolt in world.bolts} for world in (before, after)]
    first = {number for number in found if found[number] != number}
    assert all(owners[0][found[number]] == owners[1][number] for number in first)


@given(st.permutations([(player, 7.0 * player + x) for player in range(3) for x in range(3)]))
def test_whatever_the_order_of_ids_everything_is_found(bolts: list[tuple[int, float]]) -> None:
    before = field(*sorted(bolts))
    found = names(before, field(*bolts), first=1)
    where = {bolt.id: (bolt.player, bolt.x) for bolt in before.bolts}
    assert [where[found[number + 1]] for number in range(len(bolts))] == bolts


def test_births_are_read_from_the_states() -> None:
    yard, history = Yard(), {}
    yard.walkers = [Walker(player=0, x=0.0, y=0.0), Walker(player=1, x=0.0, y=0.0)]
    for tick, pressed in enumerate([0, 0, FIRE, 0, FIRE], start=5):
        yard._advance([pressed, FIRE if tick == 7 else 0, 0, 0])
        history[tick] = yard.save()
    assert births_in(history) == {3: 7, 4: 7}
    assert next_id_in(history[9]) == yard.next_id == 5
    assert births_in({5: history[5]}) == {}


def test_a_rounded_number_of_a_new_thing_becomes_that_of_the_guess_with_another_id() -> None:
    predicted, snapshot = field((0, 10.0 + STEP / 4)), field((1, 10.0), (0, 10.0))
    keep_finer(snapshot, predicted, 1)
    assert [bolt.x for bolt in snapshot.bolts] == [10.0, 10.0 + STEP / 4]
