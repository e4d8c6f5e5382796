"""Flat simulations: a game over slots works the same whoever compiled what."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import retick
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.rollback import RollbackEngine, SyncTest
from retick.sim.flat import FlatSimulation
from retick.sim.kinds import I32, U32, U64
from retick.sim.record import Record


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


USERS_KERNEL = """
import cython
from cython.cimports.retick.sim.flat import MAX_PLAYERS, FlatRecord, FlatSimulation

@cython.cclass
class Counter(FlatSimulation):
    def advance_slots(self, slots: cython.p_longlong, inputs: cython.p_ulonglong) -> cython.void:
        slots[0] += 1

def row_of(state, players):
    record: FlatRecord = state
    return record._data, players <= MAX_PLAYERS
"""
USERS_DECLARATIONS = """
from retick.sim.flat cimport FlatRecord, FlatSimulation

cdef class Counter(FlatSimulation):
    cdef void advance_slots(self, long long* slots, unsigned long long* inputs) noexcept nogil
"""


def test_a_users_kernel_cimports_the_declarations_from_sim_flat(tmp_path: Path) -> None:
    pytest.importorskip("Cython")
    (tmp_path / "counter.py").write_text(USERS_KERNEL, encoding="utf-8")
    (tmp_path / "counter.pxd").write_text(USERS_DECLARATIONS, encoding="utf-8")
    source = Path(retick.__file__).parents[1]
    command = [sys.executable, "-m", "cython", "-3", "-I", str(source), "counter.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "counter.c").stat().st_size > 0
