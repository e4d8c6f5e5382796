"""A world as a server runs it: the states that players saw."""

from collections.abc import Sequence
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, UsageError
from retick.sim import I32, Dice, Most, Player, Thing, World
from retick.sim.world.hosting import HostedWorld


class Walker(Thing):
    player: Player
    steps: I32 = 0
    seen: I32 = -1


class Clock(Thing):
    """Clients draw it in the past."""

    predicted = False
    ticks: I32 = 0


class Path(World):
    """Each walker notes what it saw of the tick."""

    num_players = 3
    walkers: Annotated[list[Walker], Most(3)]
    dice: Dice
    clock: Clock

    def start(self, seed: int) -> None:
        self.dice.seed(seed)

    def join(self, player: int) -> None:
        self.walkers.append(Walker(player=player, steps=self.dice.below(100)))

    def leave(self, player: int) -> None:
        self.walkers = [walker for walker in self.walkers if walker.player != player]

    def advance(self, inputs: Sequence[int]) -> None:
        self.clock.ticks += 1
        for walker in self.walkers:
            walker.steps += inputs[walker.player]
            walker.seen = self.seen_by(walker.player).clock.ticks


def hosted(most_past: int = 8) -> Any:
    made = HostedWorld(Path(), most_past=most_past)
    made.begin(1)
    return made


def test_nobody_is_there_before_they_join() -> None:
    run = hosted()
    assert list(run.world.walkers) == []
    run.join(2)
    run.advance([0, 0, 5], [1, 1, 1])
    assert [walker.player for walker in run.world.walkers] == [2]
    run.leave(2)
    assert list(run.world.walkers) == []


def test_each_player_sees_the_state_of_their_own_tick() -> None:
    run = hosted()
    for player in range(3):
        run.join(player)
    for _ in range(7):
        run.advance([1, 1, 1], [1, 2, 5])
    # Tick 7 began with the state of tick 6.
    assert [walker.seen for walker in run.world.walkers] == [6, 5, 2]


def test_who_looks_too_far_back_sees_the_oldest_state_that_is_kept() -> None:
    run = hosted(most_past=3)
    run.join(0)
    for _ in range(6):
        run.advance([1, 1, 1], [99, 1, 1])
    assert run.world.walkers[0].seen == 3
    assert len(run.past) == 3
    run.advance([1, 1, 1], [0, 1, 1])
    assert run.world.walkers[0].seen == 6  # nobody sees the future


def test_the_present_is_loaded_once_for_all_and_a_past_once_for_each_who_sees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads: list[bytes] = []
    load = Path.load

    class Twice(Path):
        def advance(self, inputs: Sequence[int]) -> None:
            super().advance(inputs)
            super().advance(inputs)

    def counted(world: Path, saved: bytes, /) -> None:
        loads.append(saved)
        load(world, saved)

    monkeypatch.setattr(Twice, "load", counted)
    run = HostedWorld(Twice(), most_past=8)
    run.begin(1)
    for player in range(3):
        run.join(player)
    for _ in range(5):
        run.advance([1, 1, 1], [1, 1, 1])
    assert len(loads) == 5
    run.advance([1, 1, 1], [2, 2, 2])
    assert len(loads) == 8


class Bird(Thing):
    predicted = False
    player: Player
    x: I32 = 0


class Rock(Thing):
    x: I32 = 0


class Sky(World):
    """Everything moves by one; a player who presses notes where everything is on its screen."""

    num_players = 2
    birds: Annotated[list[Bird], Most(4)]
    rocks: Annotated[list[Rock], Most(2)]
    ticks: I32
    notes: Annotated[list[I32], Most(16)]

    def join(self, player: int) -> None:
        self.birds.append(Bird(player=player))
        self.rocks.append(Rock())

    def advance(self, inputs: Sequence[int]) -> None:
        for player, pressed in enumerate(inputs):
            if pressed:
                seen = self.seen_by(player)
                self.notes = [*(bird.x for bird in seen.birds), *(rock.x for rock in seen.rocks), seen.ticks]
        for thing in (*self.birds, *self.rocks):
            thing.x += 1
        self.ticks += 1
        if inputs[0] == 2:
            self.birds = [*(bird for bird in self.birds if not bird.player), *(Bird(player=0, x=90) for _ in range(3))]


def sky() -> Any:
    run = HostedWorld(Sky(), most_past=8)
    run.begin(1)
    for player in range(2):
        run.join(player)
    for _ in range(6):
        run.advance([0, 0], [1, 1])
    return run


def test_only_what_clients_draw_in_the_past_is_as_it_was_and_own_things_never() -> None:
    run = sky()
    run.advance([1, 0], [4, 1])
    assert list(run.world.notes) == [6, 3, 6, 6, 6]
    run.advance([0, 1], [4, 3])
    assert list(run.world.notes) == [5, 7, 7, 7, 7]
    run.advance([0, 1], [4, 1])
    assert list(run.world.notes) == [8, 8, 8, 8, 8]


def test_where_nothing_is_drawn_in_the_past_everybody_sees_the_present_whatever_they_claim() -> None:
    class Ground(World):
        num_players = 1
        rocks: Annotated[list[Rock], Most(2)]
        note: I32

        def start(self, seed: int) -> None:
            self.rocks.append(Rock())

        def advance(self, inputs: Sequence[int]) -> None:
            self.note = self.seen_by(0).rocks[0].x
            self.rocks[0].x += 1

    run = HostedWorld(Ground(), most_past=8)
    run.begin(1)
    for tick in range(6):
        run.advance([0], [5])
        assert run.world.note == tick


def test_a_list_with_the_things_of_two_times_has_no_more_than_it_holds() -> None:
    run = sky()
    run.advance([2, 0], [1, 1])
    assert [bird.player for bird in run.world.birds] == [0, 0, 0, 0]
    run.advance([1, 0], [4, 1])
    # The bird of player 1 was there, and there is no place for it beside the four of one's own.
    assert list(run.world.notes)[:4] == [7, 90, 90, 90]


def test_what_was_seen_is_read_only() -> None:
    run = hosted()
    with pytest.raises(UsageError, match="read-only"):
        run.world.seen_by(0).clock.ticks = 3


def test_a_run_that_goes_on_from_a_state_is_the_same_run() -> None:
    whole, first = hosted(), hosted()
    for run in (whole, first):
        run.join(1)
        for tick in range(6):
            run.advance([0, tick, 0], [1, 3, 1])
    second = hosted()
    second.resume(first.saved, first.tick, first.past[:-1])
    for run in (whole, second):
        run.advance([0, 9, 0], [1, 4, 1])
    assert second.saved == whole.saved
    assert second.tick == whole.tick
    with pytest.raises(DecodeError):
        second.resume(b"nothing", 3)
    assert second.saved == whole.saved


def test_at_least_one_state_is_kept() -> None:
    with pytest.raises(UsageError):
        HostedWorld(Path(), most_past=0)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 12), st.integers(0, 12)), max_size=30))
def test_one_stream_gives_one_state(stream: list[tuple[int, int, int]]) -> None:
    ends = []
    for _ in range(2):
        run = hosted()
        there: set[int] = set()
        for what, pressed, behind in stream:
            player = what % 3
            if what < 3 and player not in there:
                there.add(player)
                run.join(player)
            elif what < 6 and player in there:
                there.discard(player)
                run.leave(player)
            run.advance([pressed, 1, what], [behind, 1, 3])
        ends.append(run.saved)
    assert ends[0] == ends[1]
