"""One scenario twice: over sealed links and over plain ones. The same seed and inputs must give the same states.

The seed of a match comes from its handshakes, and what a bot presses from the state that it sees, which depends on when
datagrams arrive. Here both are fixed beforehand, so that whatever is left of the form of the links shows.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh, MeshHung, Press
from retick.testing.scenarios import Scenario
from tests.checkers.arenas import Arena
from tests.checkers.chaos import ChaosFailure, Outcome, start

__all__ = ["final_checksum", "play_both_forms"]

KEEPS_PLAYERS = frozenset({"cut", "pause", "hold"})
"""Troubles after which everybody still plays: at which frame a lost player is dropped is a matter of time."""


class FixedSeed:
    """Wraps a game: it begins in the same state, whatever seed the match has."""

    def __init__(self, game: Any, seed: int) -> None:
        self._game = game
        self._seed = seed

    def initial_state(self, seed: int) -> Any:
        return self._game.initial_state(self._seed)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the game's."""
        if name == "run":
            raise AttributeError("a game with a fixed seed has no run(): it is stepped frame by frame")
        return getattr(self._game, name)


def play_both_forms(scenario: Scenario, arena: Arena) -> Outcome:
    """Play a scenario over sealed and over plain links; ChaosFailure unless both end in the same state."""
    sealed, plain = (final_checksum(scenario, arena, sealed=form) for form in (True, False))
    if sealed != plain:
        raise ChaosFailure(f"the last checksum is 0x{sealed:08X} over sealed links and 0x{plain:08X} over plain ones")
    return Outcome(both_forms=1)


def final_checksum(scenario: Scenario, arena: Arena, *, sealed: bool) -> int:
    """The checksum after the last frame of a match whose seed and inputs are the scenario's; all peers have it."""
    scenario = replace(scenario, troubles=tuple(each for each in scenario.troubles if each.kind in KEEPS_PLAYERS))
    seed = scenario.seed % 0xFFFFFFFF + 1
    mesh = Mesh(
        lambda: FixedSeed(arena.game(), seed),
        seats=dict.fromkeys(scenario.peers, 1),
        seed=scenario.seed,
        config=scenario.config,
        press=_fixed_inputs(arena, seed, scenario.frames),
        make_session=partial(RollbackSession, sealed=sealed),
    )
    try:
        start(mesh, scenario)
        mesh.play(scenario.frames, limit=scenario.limit)
        return mesh.verify(scenario.frames)
    except (MeshHung, AssertionError) as error:
        raise ChaosFailure(f"{'sealed' if sealed else 'plain'}: {error}") from error


def _fixed_inputs(arena: Arena, seed: int, frames: int) -> Press:
    """What bots press in a run of the game without a network, by seat and turn; then nothing."""
    game = arena.game()
    state = game.initial_state(seed)
    bots: list[Callable[[Any], int]] = [arena.bot(seed, player) for player in range(game.num_players)]
    rows = []
    for _ in range(frames):
        rows.append(tuple(bot(state) for bot in bots))
        state = game.step(state, rows[-1])
    turns: Counter[int] = Counter()

    def press(player: int, state: Any) -> int:
        turns[player] += 1
        return rows[turns[player] - 1][player] if turns[player] <= frames else 0

    return press
