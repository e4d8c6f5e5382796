"""Record a match while it is played, verify it, jump to some frames, and save it in the other format."""

import sys
import tempfile
from pathlib import Path

from retick import replay
from retick.games.fighter import Button, Fighter


def record(path: Path) -> None:
    """As a game loop does it: the file grows while the match goes on, and gets its name when it is complete."""
    game = Fighter()
    state = game.initial_state(1)
    with replay.RecordingFile(path, replay.Recorder.for_game(game, seed=1)) as file:
        for frame in range(3600):
            inputs = (Button.RIGHT if frame % 90 < 45 else Button.ATTACK, Button.LEFT)
            state = game.step(state, inputs)
            file.recorder.add_frame(inputs)
            if (frame + 1) % 600 == 0:
                file.recorder.add_checksum(frame + 1, game.checksum(state))
            file.write()
        file.finish(game.checksum(state))


def main(folder: Path) -> None:
    game = Fighter()
    record(folder / "match.rtk")
    match = replay.load(folder / "match.rtk")
    print("verified:", replay.verify(match, game))

    player = replay.ReplayPlayer(match, game)
    for frame in (3000, 60, 1800):
        state = player.seek(frame)
        print(f"frame {frame}: player 1 at {state.p1.x}, player 2 with {state.p2.hp} hp")

    replay.save(folder / "match.rplk", match)
    sizes = [(folder / name).stat().st_size for name in ("match.rtk", "match.rplk")]
    print(f"{sizes[0]} bytes with checksums, {sizes[1]} bytes of inputs alone")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
