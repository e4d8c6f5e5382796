"""Online matches in which paths come and go; ``python -m benchmarks chaos --nat`` plays many more."""

from random import Random

import pytest

from tests.checkers import nat_chaos
from tests.checkers.arenas import arena_for
from tests.checkers.chaos import ChaosFailure, Outcome
from tests.checkers.nat_chaos import draw_nat, play_online


@pytest.mark.long
@pytest.mark.parametrize(("peers", "seeds"), [(2, range(12)), (4, range(3))])
def test_matches_go_on_whatever_happens_to_their_paths(peers: int, seeds: range) -> None:
    total = Outcome()
    for seed in seeds:
        total.add(play_online(seed, arena_for(peers), peers=peers, frames=400))
    assert total.matches == len(seeds)
    assert total.moves > len(seeds)
    assert total.direct > 0


def test_a_match_that_ends_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nat_chaos, "DISCONNECT_AFTER", 0.3)
    monkeypatch.setattr(nat_chaos, "TROUBLES_A_SECOND", 3.0)
    with pytest.raises(ChaosFailure):
        play_online(1, arena_for(2), peers=2, frames=600)


def test_routers_of_all_sorts_are_drawn() -> None:
    drawn = [draw_nat(Random(seed)) for seed in range(100)]
    assert len({nat.kind for nat in drawn}) == 4
    assert {nat.lenient for nat in drawn} == {False, True}
