"""Flat simulations: a game over slots works the same whoever compiled what."""

import copy
import pickle
from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter, FighterState
from retick.rollback import RollbackEngine, SyncTest
from retick.sim.flat import FlatSimulation, SlotField
from retick.sim.record import I32, U32, U64, Record


class Count(Record):
    frame: U32
    total: I32
    huge: U64


class Counter(FlatSimulation):
    """Written in Python over a class that may be compiled."""

    def __init__(self) -> None:
        super().__init__(Count, num_players=3, input_size=1)

    def initial_state(self, seed: int) -> Count:
        return Count(frame=0, total=0, huge=2**64 - seed)

    def advance_slots(self, slots: Any, inputs: Any) -> None:
        slots[0] += 1
        slots[1] += inputs[0] - inputs[1] + 2 * inputs[2]
        slots[2] += inputs[0]


def test_a_python_game_over_slots_steps_runs_and_rolls_back() -> None:
    sim = Counter()
    state = sim.initial_state(1)
    rows = [(frame % 5, frame % 3, 7) for frame in range(40)]
    for row in rows:
        state = sim.step(state, row)
    assert (state.frame, state.total) == (40, sum(a - b + 2 * c for a, b, c in rows))
    assert state.huge == sum(a for a, _, _ in rows) - 1
    assert sim.run(sim.initial_state(1), b"".join(map(bytes, rows))) == state
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0, history=16)
    for frame, row in enumerate(rows):
        engine.advance(row[0])
        if frame % 4 == 3:
            for player in (1, 2):
                engine.add_remote_inputs(player, frame - 3, [row[player] for row in rows[frame - 3 : frame + 1]])
    assert engine.state == state
    assert engine.stats.rollbacks > 5


def test_checksums_of_64_bit_fields_take_both_halves() -> None:
    sim = Counter()
    state = sim.initial_state(1)
    assert sim.checksum(state) == state.checksum()
    assert sim.checksum(state) != sim.checksum(state.replace(huge=state.huge & 0xFFFFFFFF))
    engine = RollbackEngine(sim, state, local_players=(0, 1, 2))
    assert engine.checksum_at(0) == state.checksum()
    SyncTest(sim, state).advance((1, 2, 3))


def test_a_record_that_was_never_filled_is_refused_and_harmless() -> None:
    blank = FighterState.__new__(FighterState)
    for read in (lambda: blank.frame, lambda: blank.p1, lambda: blank.to_bytes(), lambda: repr(blank)):
        with pytest.raises((AttributeError, TypeError)):
            read()
    with pytest.raises(UsageError, match="was never given its values"):
        Fighter().step(blank, (0, 0))


@pytest.mark.parametrize(("players", "size"), [(0, 2), (17, 2), (2, 0), (2, 9)])
def test_impossible_shapes_are_refused(players: int, size: int) -> None:
    with pytest.raises(UsageError, match="must be from 1 to"):
        FlatSimulation(Count, players, size)


class Slowed(Fighter):
    """Overrides the step of a game that has a bulk loop of its own."""

    def advance_slots(self, slots: Any, inputs: Any) -> None:
        slots[0] += 10 + len(inputs)


def test_a_step_written_in_python_sees_its_players_and_is_what_runs_in_bulk() -> None:
    sim = Slowed()
    state = sim.initial_state(1)
    assert sim.step(state, (0, 0)).frame == 12
    assert sim.run(state, bytes(4 * 3)).frame == 36
    assert Fighter().run(state, bytes(4 * 3)).frame == 3


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_a_copied_or_pickled_game_is_the_same_game(copied: Any) -> None:
    sim = Counter()
    sim.note = "kept"  # type: ignore[attr-defined]  # a game's own
    state = sim.initial_state(3)
    other = copied(sim)
    assert other.note == "kept"
    assert other.checksum(state) == sim.checksum(state) == state.checksum()
    assert other.run(state, bytes(range(30))) == sim.run(state, bytes(range(30)))
    assert copied(Fighter()).step(Fighter().initial_state(1), (2, 1)).p1.x == 4300


@pytest.mark.compiled_only
def test_a_descriptor_reads_nothing_outside_of_its_record() -> None:
    state = Fighter().initial_state(1)
    for index in (-1, 24, 2**28, 2**30, 2**60):
        with pytest.raises(AttributeError, match="of another class"):
            SlotField(index, False).__get__(state, None)
