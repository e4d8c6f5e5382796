"""Recorded calls do the same work again."""

from itertools import count
from typing import Any

import pytest
from benchmarks.commands.recorded_calls import RecordedCalls, interleaved

from retick.games.fighter import Fighter
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions


def test_recorded_calls_do_the_same_work_again_and_others_are_found_out() -> None:
    scripts: list[RecordedCalls] = []
    turns = count()

    def scripted(sim: Any, **details: Any) -> Any:
        scripts.append(RecordedCalls(sim, turns=turns, **details))
        return scripts[-1].session

    mesh = Mesh(Fighter, conditions=Conditions.round_trip(0.1, loss=0.1), make_session=scripted)
    mesh.start()
    mesh.play(30)
    for frames in (60, 90):
        for script in scripts:
            script.mark()
        mesh.play(frames)
    for script in scripts:
        script.mark()
        assert script.frames >= 90
        assert len(script.rerun()) == len(script.cost_of_calling()) == 2
        assert script.by_call()["advance"] > 0
    assert len(interleaved(scripts)) == len(interleaved(scripts, nothing=True)) == 2
    scripts[0].frames += 1
    with pytest.raises(AssertionError, match="same work"):
        scripts[0].rerun()
