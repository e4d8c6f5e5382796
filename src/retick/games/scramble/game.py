"""Scramble as a Simulation: the kernel's step with its states, seed, cues and name."""

from collections.abc import Iterator

from retick.errors import UsageError
from retick.games.scramble.kernel import ScrambleKernel
from retick.games.scramble.rules import LEAST_PLAYERS, MOST_PLAYERS
from retick.games.scramble.state import ScrambleState, initial_state, state_type

__all__ = ["Scramble"]


class Scramble(ScrambleKernel):
    """Two to eight players, 16 buttons each, integers only; four by default."""

    game_id = "retick.scramble"
    game_version = 1

    def __init__(self, players: int = 4) -> None:
        if not isinstance(players, int) or not LEAST_PLAYERS <= players <= MOST_PLAYERS:
            raise UsageError(f"scramble is for {LEAST_PLAYERS} to {MOST_PLAYERS} players, not {players!r}")
        super().__init__(state_type(players), num_players=players, input_size=2)

    def initial_state(self, seed: int) -> ScrambleState:
        """The state at frame 0; ``seed`` is any 32-bit integer but 0."""
        return initial_state(seed, self.num_players)

    def cues(self, before: ScrambleState, after: ScrambleState) -> Iterator[tuple[str, int, int]]:
        """Sounds and effects between two successive states: a kind and two numbers."""
        if (before.coin_x, before.coin_y) != (after.coin_x, after.coin_y):
            yield "coin", before.coin_x, before.coin_y
        for seat, (old, new) in enumerate(zip(before.bodies, after.bodies, strict=True)):
            if new.stun > old.stun:
                yield "shoved", seat, after.frame
            if new.cooldown > old.cooldown:
                yield "dash", seat, after.frame
