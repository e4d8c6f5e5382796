"""The functions of random inside of a world."""

import random as python_random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from retick.errors import UsageError
from retick.rollback import SyncTest
from retick.sim import Dice, Thing, World, random

DRAWS: list[Callable[[Any], object]] = [
    lambda dice: dice.random(),
    lambda dice: dice.uniform(-3, 8),
    lambda dice: dice.randint(1, 6),
    lambda dice: dice.randrange(9),
    lambda dice: dice.randrange(3, 90, 4),
    lambda dice: dice.choice("abcdef"),
    lambda dice: dice.choices("abc", [1, 2, 0.5], k=4),
    lambda dice: dice.choices("abc", k=2),
    lambda dice: dice.sample(range(20), 5),
    lambda dice: dice.gauss(3, 2),
    lambda dice: dice.gauss(),
    lambda dice: shuffled(dice),
]


def shuffled(dice: Any) -> list[int]:
    items = list(range(9))
    dice.shuffle(items)
    return items


class Rock(Thing):
    x: float
    y: float

    def __init__(self) -> None:
        self.drop()

    def drop(self) -> None:
        self.x, self.y = random.uniform(0, 800), random.uniform(0, 600)


class Sky(World):
    num_players = 2
    rocks: list[Rock]
    dice: Dice
    others: Dice

    def start(self, seed: int) -> None:
        self.rocks = [Rock() for _ in range(3)]

    def join(self, player: int) -> None:
        self.rocks.append(Rock())

    def advance(self, inputs: Any) -> None:
        for rock in self.rocks:
            if random.random() < 0.3:
                rock.drop()
        random.shuffle(self.rocks)


class Calm(World):
    num_players = 1
    wind: int

    def advance(self, inputs: Any) -> None:
        random.random()


class Told(World):
    """Its advance does what it is told from outside: no game, but enough to look into one."""

    num_players = 1
    dice: Dice

    def advance(self, inputs: Any) -> None:
        TO_DO[inputs[0]](self)


TO_DO: dict[int, Callable[[Told], None]] = {}


def told(seed: int, *calls: Callable[[Told], None]) -> Told:
    world = Told()
    state = world.initial_state(seed)
    for number, call in enumerate(calls):
        TO_DO[number] = call
        state = world.step(state, (number,))
    return world


@pytest.mark.parametrize("draw", DRAWS)
def test_every_function_draws_what_the_dice_of_the_world_draw(draw: Callable[[Any], object]) -> None:
    drawn: list[object] = []
    left = told(7, lambda _: drawn.append(draw(random)))
    right = told(7, lambda world: drawn.append(draw(world.dice)))
    assert drawn[0] == drawn[1]
    assert left.save() == right.save() != told(7).save()


@pytest.mark.parametrize("draw", DRAWS)
def test_every_function_takes_what_pythons_takes(draw: Callable[[Any], object]) -> None:
    assert draw(python_random) is not None


def test_a_world_that_draws_in_constructors_and_methods_of_its_things_repeats_itself() -> None:
    sky = Sky()
    test = SyncTest(sky, sky.initial_state(3), distance=4)
    for frame in range(60):
        test.advance((frame, 0))
    first, second = Sky(), Sky()
    for seed in (0, 1, 77):
        assert first.initial_state(seed) == second.initial_state(seed)
    assert first.initial_state(1) != second.initial_state(2)


def test_the_first_dice_of_a_world_are_drawn_from() -> None:
    world = Sky()
    state = world.initial_state(1)
    before = world.others.state
    world.step(state, (0, 0))
    assert world.others.state == before


def test_seed_starts_the_dice_again() -> None:
    world = told(1, lambda _: random.seed(99))
    other = Dice()
    other.seed(99)
    assert world.dice.state == other.state


def test_a_world_that_is_run_inside_of_another_leaves_that_one_as_it_was() -> None:
    inner = Sky()

    def nested(_world: Told) -> None:
        random.random()
        state = inner.initial_state(5)
        inner.step(state, (0, 0))
        with pytest.raises(UsageError, match="needs dice in Calm"):
            Calm().step(Calm().initial_state(1), (0,))
        random.random()

    alone = Sky()
    state = alone.step(alone.initial_state(5), (0, 0))
    plain = told(3, lambda world: world.dice.random() and world.dice.random() and None)
    assert told(3, nested).save() == plain.save()
    assert inner.save() == state.saved


def test_outside_of_a_world_nothing_is_drawn_also_after_an_error_and_in_other_threads() -> None:
    refused = "draws only inside of start, join, leave and advance of a world"
    seen: list[str] = []

    def in_a_thread() -> None:
        try:
            random.random()
        except UsageError as error:
            seen.append(str(error))

    def from_another_thread(_world: Told) -> None:
        thread = threading.Thread(target=in_a_thread)
        thread.start()
        thread.join()
        raise KeyError("the game's own fault")

    with pytest.raises(KeyError):
        told(1, from_another_thread)
    assert len(seen) == 1
    assert refused in seen[0]
    for draw in DRAWS:
        with pytest.raises(UsageError, match=refused):
            draw(random)


def test_a_world_without_dice_says_what_to_write() -> None:
    world = Calm()
    state = world.initial_state(1)
    with pytest.raises(UsageError, match=r"random\.random needs dice in Calm: write dice: Dice in class Calm"):
        world.step(state, (0,))


def test_rebuild_cannot_draw_because_it_runs_after_every_load() -> None:
    class Odd(World):
        num_players = 1
        dice: Dice

        def rebuild(self) -> None:
            random.random()

    with pytest.raises(UsageError, match="draws only inside of start"):
        Odd().initial_state(1)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(AttributeError, match=r"retick\.sim\.random has no betavariate: it has choice, choices"):
        _ = random.betavariate
    assert not hasattr(random, "SystemRandom")
