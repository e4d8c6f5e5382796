"""Over sealed and over plain links a match with the same seed and inputs ends in the same state."""

from typing import Any

import pytest

from retick.games.fighter import Fighter
from retick.rollback.session.session import RollbackSession
from retick.testing.scenarios import Scenario
from tests.checkers import both_forms
from tests.checkers.arenas import arena_for, fighter_arena
from tests.checkers.both_forms import FixedSeed, final_checksum, play_both_forms
from tests.checkers.chaos import ChaosFailure


@pytest.mark.parametrize(("seed", "peers"), [(3, 2), (8, 2), (21, 3)])
def test_the_same_seeds_end_in_the_same_states_sealed_and_plain(seed: int, peers: int) -> None:
    """With cuts, pauses and bad links; ``python -m benchmarks chaos`` plays many more."""
    assert play_both_forms(Scenario.drawn(seed, peers=peers, frames=240), arena_for(peers)).both_forms == 1


def test_another_seed_ends_in_another_state() -> None:
    found = {final_checksum(Scenario.drawn(seed, frames=180), fighter_arena(), sealed=True) for seed in (1, 2)}
    assert len(found) == 2


def test_links_that_change_a_match_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Presses(RollbackSession):
        """Over plain links another button is pressed at one frame."""

        def __init__(self, *given: Any, sealed: bool, **named: Any) -> None:
            super().__init__(*given, sealed=sealed, **named)
            self._wrong_at = -1 if sealed else 60

        def advance(self, pressed: Any, *, now: float) -> None:
            super().advance(pressed ^ 1 if self.frame == self._wrong_at else pressed, now=now)

    monkeypatch.setattr(both_forms, "RollbackSession", Presses)
    with pytest.raises(ChaosFailure, match="over sealed links and 0x"):
        play_both_forms(Scenario.drawn(3, frames=180), fighter_arena())


def test_a_game_with_a_fixed_seed_is_the_game_in_all_else() -> None:
    game, fixed = Fighter(), FixedSeed(Fighter(), 7)
    assert fixed.initial_state(1) == fixed.initial_state(2) == game.initial_state(7)
    assert (fixed.num_players, fixed.game_id) == (game.num_players, game.game_id)
    with pytest.raises(AttributeError, match="frame by frame"):
        _ = fixed.run
