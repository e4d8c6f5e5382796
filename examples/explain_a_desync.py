"""Two builds of the fighter play a match and diverge; they find out where, and one writes a bundle and explains it."""

import sys
import tempfile
from pathlib import Path

from retick.audit.desync.bundle import bundle_of, load_bundle, save_bundle
from retick.audit.desync.explain import explain
from retick.games.fighter import Button, Fighter
from retick.rollback import RollbackEngine
from retick.rollback.desync.investigation import Investigation


class HeavyFighter(Fighter):
    """A build in which a jump starts slower. It must not play against the old build."""

    def step(self, state, inputs):
        after = super().step(state, inputs)
        if after.p1.vy > 0 and state.p1.vy == 0:
            after = after.replace(p1=after.p1.replace(vy=after.p1.vy - 5, y=after.p1.y - 5))
        return after


def inputs_at(frame: int) -> tuple[int, int]:
    return int(Button.JUMP if frame == 40 else Button.RIGHT), int(Button.LEFT)


def play(frames: int) -> list[RollbackEngine]:
    """Both peers run the match. There is no network here, because it does not cause this desync."""
    engines = []
    for seat, game in enumerate((Fighter(), HeavyFighter())):
        engine = RollbackEngine(game, game.initial_state(1), local_player=seat)
        for frame in range(frames):
            row = inputs_at(frame)
            engine.add_remote_inputs(1 - seat, frame, [row[1 - seat]])
            engine.advance(row[seat])
        engines.append(engine)
    return engines


def main(folder: Path) -> None:
    engines = play(60)
    # Peers compare checksums every 16 frames: frame 32 was equal, frame 48 is not.
    found = [Investigation(engine, engine.sim, peer_id, (0, 1), 48, 32, 0.0) for peer_id, engine in enumerate(engines)]
    while not all(investigation.finished for investigation in found):
        for sender, receiver in ((0, 1), (1, 0)):
            for message in found[sender].messages():
                found[receiver].receive(sender, message, 0.1)
    assert found[0].report == found[1].report
    print(found[0].report)

    path = folder / "match.desync"
    save_bundle(path, bundle_of(found[1], engines[1].sim, seed=1))
    explanation = explain(load_bundle(path), ("retick.games.fighter:Fighter",))
    for side in explanation.sides:
        print(f"{side.label} gives the state of peer {side.reproduces[0]}")
        for written in side.written:
            print(f"  {written.field} became {written.value} in {written.line.function}: {written.line.text}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(Path(name))
