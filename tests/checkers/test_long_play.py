"""Long matches of machines that come and go. An hour: ``python -m benchmarks chaos --hours 1``."""

import pytest

from retick.testing.mesh import MeshPeer
from tests.checkers.arenas import arena_for
from tests.checkers.chaos import ChaosFailure
from tests.checkers.long_play import play_long

pytestmark = pytest.mark.long


@pytest.mark.soak
def test_machines_that_come_and_go_play_one_match() -> None:
    played = play_long(100.0, seed=6)
    assert played.frames > 90 * 60
    assert played.goodbyes + played.crashes >= 1
    assert played == play_long(100.0, seed=6)


def test_a_record_that_contradicts_the_others_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    record = MeshPeer._record

    def wrong(self: MeshPeer, checkpoint: int) -> None:
        record(self, checkpoint)
        if self.name == "peer1" and 70 in self.rows:
            self.rows[70] = (9, 9, 9, 9)

    monkeypatch.setattr(MeshPeer, "_record", wrong)
    with pytest.raises(ChaosFailure, match="inputs of frame 70"):
        play_long(20.0)


def test_a_run_without_a_network_must_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = arena_for(4).tampered(30)
    initial = type(wrong._game).initial_state
    calls = []

    def other_state(self: object, seed: int) -> object:
        calls.append(seed)
        # The last call is that of the straight run.
        return initial(wrong._game, seed if len(calls) <= 4 else seed + 1)

    monkeypatch.setattr(type(wrong._game), "initial_state", other_state)
    with pytest.raises(ChaosFailure, match="differs from a run without a network"):
        play_long(10.0)
