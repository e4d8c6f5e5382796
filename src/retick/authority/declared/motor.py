"""The motor of a declared game: the game's own, with every state brought to what packets can carry."""

from collections.abc import Mapping

from retick.authority.declared.fields import Kind, clamp
from retick.authority.profile import Command, Motor, State
from retick.errors import UsageError

__all__ = ["RoundedMotor"]


class RoundedMotor:
    """Wraps a game's motor. A state restored from a snapshot then equals the one that was sent, to the bit."""

    def __init__(self, motor: Motor, kinds: Mapping[str, Kind]) -> None:
        self._motor = motor
        self._named = kinds
        self._kinds = list(kinds.values())

    def _rounded(self, state: State) -> State:
        try:
            return state._make(map(clamp, self._kinds, state))
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise self._unfit(state) from error

    def _unfit(self, state: State) -> UsageError:
        """An error that names the field whose value is no number."""
        for name, kind in self._named.items():
            value = getattr(state, name, 0)
            try:
                clamp(kind, value)
            except (TypeError, ValueError, OverflowError):
                return UsageError(f"the motor gave a state whose field {name!r} is {value!r}: it must be a number")
        return UsageError(f"the motor gave {state!r}, which is not a state with the fields {', '.join(self._named)}")

    def spawn(self, peer_id: int) -> State:
        return self._rounded(self._motor.spawn(peer_id))

    def step(self, state: State, command: Command) -> State:
        return self._rounded(self._motor.step(state, command))
