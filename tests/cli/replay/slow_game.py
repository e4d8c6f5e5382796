"""A fighter in Python, so that a thousand matches take a while."""

from typing import Any

from retick.games.fighter import Fighter


class Slow(Fighter):
    def step(self, state: Any, inputs: Any) -> Any:
        for _ in range(200):
            self.checksum(state)
        return super().step(state, inputs)
