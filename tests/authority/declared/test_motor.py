from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority import Real
from retick.authority.declared.motor import RoundedMotor
from retick.errors import UsageError
from retick.wire.binary32 import round32


class Dot(NamedTuple):
    x: float


class Drift:
    """A motor whose results do not fit a packet: too fine, and out of bounds."""

    def spawn(self, peer_id: int) -> Dot:
        return Dot(peer_id / 3)

    def step(self, state: Dot, command: float) -> Dot:
        return Dot(state.x + command / 7)


MOTOR = RoundedMotor(Drift(), {"x": Real(-2, 2)})


@given(st.integers(0, 9), st.lists(st.floats(-50, 50), max_size=10))
def test_every_state_is_one_that_packets_can_carry(peer_id: int, commands: list[float]) -> None:
    state = MOTOR.spawn(peer_id)
    for command in [0.0, *commands]:
        assert -2 <= state.x <= 2
        assert state.x == round32(state.x)
        state = MOTOR.step(state, command)


class Careless(Drift):
    """Returns whatever it was given as a command."""

    def step(self, state: Dot, command: Any) -> Any:
        return command


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Dot(None), "field 'x' is None"),  # type: ignore[arg-type]  # that is the mistake
        (Dot("a"), "field 'x' is 'a'"),  # type: ignore[arg-type]  # that is the mistake
        ((1.0, 2.0), "gave \\(1.0, 2.0\\), which is not a state with the fields x"),
    ],
)
def test_a_state_that_no_packet_can_carry_is_refused_by_the_name_of_its_field(result: Any, words: str) -> None:
    motor = RoundedMotor(Careless(), {"x": Real(-2, 2)})
    with pytest.raises(UsageError, match=words):
        motor.step(Dot(0.0), result)
