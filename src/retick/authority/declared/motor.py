"""The motor of a declared game: the game's own, with every state brought to what packets can carry."""

from collections.abc import Sequence

from retick.authority.declared.fields import Kind, clamp
from retick.authority.profile import Command, Motor, State

__all__ = ["RoundedMotor"]


class RoundedMotor:
    """Wraps a game's motor. A state restored from a snapshot then equals the one that was sent, to the bit."""

    def __init__(self, motor: Motor, kinds: Sequence[Kind]) -> None:
        self._motor = motor
        self._kinds = kinds

    def _rounded(self, state: State) -> State:
        return state._make(map(clamp, self._kinds, state))

    def spawn(self, peer_id: int) -> State:
        return self._rounded(self._motor.spawn(peer_id))

    def step(self, state: State, command: Command) -> State:
        return self._rounded(self._motor.step(state, command))
