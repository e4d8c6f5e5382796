"""What to draw: the present state, or for screens that are faster than the match what is between two frames.

Theory of operation. A world is a mutable object. The instance that a session plays with is in any frame at all after a
resimulation, so it must not be drawn. ``Drawn`` has an instance of its own, which is loaded from a state.
"""

from typing import Any

from retick.errors import UsageError
from retick.rollback.match.match import Match
from retick.sim.presentation import Between
from retick.sim.world import SimulatedWorld

__all__ = ["Between", "Drawn", "Picture"]


class Drawn:
    """An instance of a world that nobody steps: it is only loaded, and then drawn."""

    def __init__(self, sim: Any) -> None:
        if not isinstance(sim, SimulatedWorld):
            raise UsageError(f"{type(sim).__name__} is no world: draw session.state")
        self._sim = sim
        try:
            self._instance = type(sim.world)()
        except TypeError as error:
            raise UsageError(
                f"no second {type(sim.world).__name__} to draw can be made without arguments ({error}): "
                f"make one, and call load_into(it, session.state) before each picture"
            ) from None
        self._state: Any = None

    def at(self, state: Any) -> Any:
        """The instance, in this state."""
        if state is not self._state:
            self._sim.load_into(self._instance, state)
            self._state = state
        return self._instance


class Picture:
    """What a game draws of its matches."""

    def __init__(self, sim: Any) -> None:
        self._sim = sim
        self._before: Drawn | None = None
        self._after: Drawn | None = None

    def world(self, state: Any) -> Any:
        """An instance of the game's world in this state."""
        if self._after is None:
            self._after = Drawn(self._sim)
        return self._after.at(state)

    def between(self, match: Match, now: float) -> Between:
        engine = match.engine
        before, after = engine.state_at(max(engine.frame - 1, engine.start_frame)), engine.state
        fraction = match.pace.phase(now)
        if not isinstance(self._sim, SimulatedWorld):
            return Between(before, after, fraction)
        if self._before is None:
            self._before = Drawn(self._sim)
        return Between(self._before.at(before), self.world(after), fraction)
