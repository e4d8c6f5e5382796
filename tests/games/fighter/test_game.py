"""The fighter as a simulation: purity, names of fields, flags, misuse."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Button, Fighter
from retick.sim.kinds import U32
from retick.sim.record import Record

LEFT, RIGHT, JUMP, ATTACK = (int(button) for button in Button)


@pytest.fixture
def sim() -> Fighter:
    return Fighter()


def test_step_leaves_the_state_it_was_given_alone(sim: Fighter) -> None:
    state = sim.initial_state(9)
    before = state.to_bytes()
    sim.step(state, (RIGHT | ATTACK, LEFT | JUMP))
    sim.run(state, bytes(400))
    assert state.to_bytes() == before


def test_fields_name_every_value_in_hash_order(sim: Fighter) -> None:
    fields = dict(sim.fields(sim.initial_state(5)))
    assert list(fields)[:4] == ["frame", "p1.x", "p1.y", "p1.vx"]
    assert len(fields) == 24
    assert (fields["p1.x"], fields["p2.facing"], fields["rng"]) == (4_000, -1, 5)


class Other(Record):
    frame: U32


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda sim, s: sim.initial_state(0), "seed must be an integer from 1 to 4294967295 (0 never changes), not 0"),
        (lambda sim, s: sim.initial_state(2**32), "not 4294967296"),
        (lambda sim, s: sim.initial_state("1"), "not '1'"),
        (lambda sim, s: sim.step(s, (1,)), "step takes 2 inputs, not 1"),
        (lambda sim, s: sim.step(s, (1, 2, 3)), "step takes 2 inputs, not 3"),
        (lambda sim, s: sim.step(s, 1), "inputs must be a tuple or a list, not int"),
        (
            lambda sim, s: sim.step(s, (1, 65536)),
            "input of player 1 must be an integer of 16 bits (0 to 65535), not 65536",
        ),
        (lambda sim, s: sim.step(s, (-1, 0)), "input of player 0 must be an integer of 16 bits (0 to 65535), not -1"),
        (lambda sim, s: sim.step(s, (2**80, 0)), f"(0 to 65535), not {2**80}"),
        (lambda sim, s: sim.step(s, (1.0, 0)), "(0 to 65535), not 1.0"),
        (lambda sim, s: sim.step(Other(frame=1), (0, 0)), "Fighter steps a FighterState, not a Other"),
        (lambda sim, s: sim.step(None, (0, 0)), "Fighter steps a FighterState, not a NoneType"),
        (lambda sim, s: sim.checksum(Other(frame=1)), "Fighter steps a FighterState, not a Other"),
        (lambda sim, s: sim.fields(3), "Fighter steps a FighterState, not a int"),
        (lambda sim, s: sim.run(s, b"123"), "frames must be a multiple of 4 bytes (2 players of 2), not 3"),
        (lambda sim, s: sim.run(s, "text"), "frames must be contiguous bytes, not str"),
        (lambda sim, s: sim.run(None, b""), "Fighter steps a FighterState, not a NoneType"),
    ],
)
def test_misuse_names_the_value_and_the_rule(sim: Fighter, call: Any, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        call(sim, sim.initial_state(1))
    assert words in str(caught.value)


def test_buttons_may_be_given_as_flags(sim: Fighter) -> None:
    state = sim.initial_state(1)
    assert sim.step(state, [Button.RIGHT | Button.JUMP, Button.LEFT]) == sim.step(state, (RIGHT | JUMP, LEFT))
