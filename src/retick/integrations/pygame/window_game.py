"""A game with all that its window needs."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pygame import Surface

from retick.errors import UsageError
from retick.integrations.pygame.keys import Keys
from retick.rollback import MatchConfig
from retick.sim import Simulation, WorldSimulation
from retick.sim.world import SimulatedWorld

__all__ = ["Drawable", "WindowGame"]

Draw: TypeAlias = Callable[[Surface, Any, tuple[int, ...]], object]
Press: TypeAlias = Callable[[Keys], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowGame:
    """The arguments of :func:`retick.integrations.pygame.play`, checked."""

    game: Callable[[], Any]
    """Class or function that makes the game."""
    draw: Draw
    """``draw(screen, world, me)`` draws the world, or the state of a game that has no world, on the whole screen.
    ``me`` are the seats played here: one, several at one keyboard, or none for a spectator and a replay."""
    press: tuple[Press, ...]
    """``press(keys)`` returns the buttons of one person. One function for each person at this keyboard."""
    title: str = ""
    """Of the window and the menu; "" for the game's id."""
    size: tuple[int, int] = (640, 480)
    """Pixels that ``draw`` has; a larger window shows them larger."""
    result: Callable[[Any], str | None] | None = None
    """``result(world)`` says in a few words how the match ended, None before. Without it a match has no end."""
    hear: Callable[[Hashable], object] | None = None
    """``hear(cue)`` is called once when a cue of the game begins, to play its sound."""
    config: MatchConfig = field(default_factory=MatchConfig)
    """Settings of all matches."""
    port: int = 7777
    """UDP port of a host."""
    folder: Path | None = Path("matches")
    """Where recordings and desync reports are written; None for nowhere."""

    def __post_init__(self) -> None:
        if not callable(self.game):
            raise UsageError(f"game must be a class or function that makes a game, not a {type(self.game).__name__}")
        if not callable(self.draw):
            raise UsageError("draw must be a function draw(screen, world, me)")
        if not self.press or not all(callable(each) for each in self.press):
            raise UsageError("press must be a function press(keys), or several, one for each person at the keyboard")

    def make(self) -> Simulation[Any]:
        """A new game; a world that saves itself gets its adapter."""
        made = self.game()
        return made if hasattr(made, "step") else WorldSimulation(made)


class Drawable:
    """What to draw of a state: the state itself, or for games with a world a second one that is never half-way."""

    def __init__(self, game: WindowGame, sim: Any) -> None:
        self._sim = sim
        other: Any = game.make() if isinstance(sim, SimulatedWorld) else None
        self._world = None if other is None else other.world

    def __call__(self, state: Any) -> Any:
        if self._world is None:
            return state
        self._sim.load_into(self._world, state)
        return self._world
