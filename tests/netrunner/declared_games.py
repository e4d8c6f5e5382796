"""Declared games for the tests: hovercraft, and one with as many numbers as a test asks for."""

from collections import namedtuple
from typing import Any, NamedTuple

from retick.netrunner import SessionNumbers
from tests.netrunner import hover_arena
from tests.netrunner.declared_profile import DeclaredProfile, Flag, Real

PROFILE: DeclaredProfile = hover_arena.HOVER


class Drifter:
    def decide(self, state: Any) -> Any:
        return hover_arena.Held(0.7, -0.3, 1.0, False)


class Go(NamedTuple):
    seq: int
    tick: int
    epoch: int
    go: bool = False


def wide_profile(numbers: int, *, players: int = 16, steps: int = 0) -> DeclaredProfile:
    names = [f"n{index}" for index in range(numbers)]
    state: Any = namedtuple("state", ["x", *names])  # type: ignore[misc] # as many fields as the test asks for
    state.position = property(lambda self: (self.x, 0.0, 0.0))
    state.velocity = state.position
    state.yaw = state.pitch = 0.0
    state.grounded = True

    class Motor:
        def spawn(self, peer_id: int) -> Any:
            return state._make([float(peer_id)] * (numbers + 1))

        def step(self, before: Any, command: Any) -> Any:
            return state._make(value + 0.3 for value in before)

    fields: dict[str, Any] = {"x": Real(-1e6, 1e6, steps=100)}
    fields |= {name: Real(-1e6, 1e6, steps=steps) for name in names}
    return DeclaredProfile(
        game_id="wide", version=1, motor=Motor(), state=state, state_fields=fields,
        command=Go, command_fields={"go": Flag()}, config=SessionNumbers(max_players=players),
    )  # fmt: skip


class Idle:
    def decide(self, state: Any) -> Go:
        return Go(0, 0, 0)
