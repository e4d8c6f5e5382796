"""The proof of the demo holds for equal endings and finds every difference."""

from dataclasses import replace

from retick import replay
from retick.cli.demo.network import Ending, prove
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.playing.match_driver import Result


def ending(**changes: object) -> Ending:
    frames = bout(1, 100)
    game = Fighter()
    result = Result(100, game.checksum(game.run(game.initial_state(1), frames)))
    good = Ending(ours=result, theirs=result, replay=replay.dumps(replay.Replay(seed=1, frames=frames)))
    return replace(good, **changes)  # type: ignore[arg-type]  # fields by name


def test_the_proof_holds_for_equal_endings() -> None:
    proof = prove(ending(), ending())
    assert proof.ok
    assert "NOT" not in proof.checksums + proof.replays + proof.rerun


def test_the_proof_finds_every_difference() -> None:
    good = ending()
    other = Result(100, good.ours.checksum ^ 1)
    shorter = Result(99, good.ours.checksum)
    inputs = replay.dumps(replay.Replay(seed=1, frames=bout(2, 100)))
    assert "NOT EQUAL" in prove(good, ending(ours=other)).checksums
    assert "NOT EQUAL" in prove(good, ending(ours=shorter)).checksums
    assert "a peer received another" in prove(good, ending(theirs=other)).checksums
    assert "NOT EQUAL" in prove(good, ending(replay=inputs)).replays
    assert "NOT THE SAME" in prove(ending(replay=inputs), ending(replay=inputs)).rerun
    assert "NOT THE SAME" in prove(ending(ours=other, theirs=other), ending(ours=other, theirs=other)).rerun
    assert "cannot be read" in prove(ending(replay=b"RPLK"), ending(replay=b"RPLK")).rerun
    for bad in ({"ours": other}, {"ours": shorter}, {"theirs": other}, {"replay": inputs}, {"replay": b"RPLK"}):
        assert not prove(good, ending(**bad)).ok
        assert not prove(ending(**bad), good).ok
