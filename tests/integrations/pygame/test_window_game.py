"""What is drawn is never the world that the session plays with."""

from retick.integrations.pygame.window_game import Drawable, WindowGame
from retick.sim import WorldSimulation
from tests.integrations.pygame import runners


def game_of(make: object) -> WindowGame:
    return WindowGame(game=make, draw=runners.draw, press=runners.press)  # type: ignore[arg-type] # any game


def test_a_world_is_drawn_from_a_second_one() -> None:
    game = game_of(runners.Runners)
    sim = game.make()
    first = sim.initial_state(1)
    after = sim.step(first, (1, 0))
    drawable = Drawable(game, sim)
    shown = drawable(first)
    assert shown is not sim
    assert shown.runners[0].steps == 0
    assert drawable(after).runners[0].steps == 1


class Counter:
    """A world that saves itself."""

    num_players = 2

    def reset(self, seed: int) -> None:
        self.count = seed

    def advance(self, inputs: object) -> None:
        self.count += 1

    def save(self) -> bytes:
        return self.count.to_bytes(4, "little")

    def load(self, saved: bytes) -> None:
        self.count = int.from_bytes(saved, "little")

    def fields(self) -> list[tuple[str, int]]:
        return [("count", self.count)]


def test_a_world_that_saves_itself_gets_its_adapter() -> None:
    game = game_of(Counter)
    sim = game.make()
    assert isinstance(sim, WorldSimulation)
    assert Drawable(game, sim)(sim.step(sim.initial_state(4), (0, 0))).count == 5
