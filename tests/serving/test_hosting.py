"""A server that runs: rooms that have failed are opened again, with patience."""

from pathlib import Path

import pytest

from retick.serving.hosting import Patience
from tests.serving.serving import Serving

GAME = """
from retick.authority import RoomHooks
from retick.sim import U16, World


class Shaky(World):
    num_players = 2
    ticks: U16 = 0

    def advance(self, inputs):
        self.ticks += 1
        if self.ticks == 3:
            raise ValueError("on purpose")


class Short(World):
    num_players = 2
    ticks: U16 = 0

    def advance(self, inputs):
        self.ticks += 1


class hooks(RoomHooks):
    def opened(self, room):
        room.add_bot(lambda player, world: 0, "robot")

    def ticked(self, room):
        if room.world.ticks == 5:
            room.end(f"{len(room.players)} played")
"""


def test_a_room_that_fails_again_and_again_is_opened_less_and_less_often() -> None:
    patience, now, pauses = Patience(), 0.0, []
    for _ in range(9):
        pauses.append(patience.pause("", now))
        now += pauses[-1] + 0.5
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert patience.pause("other", now) == 1
    assert patience.pause("", now + 100) == 1


@pytest.mark.parametrize(("game", "events"), [("Shaky", ["room_failed", "room_opened", "room_failed"]), ("Short", [])])
def test_a_room_that_has_ended_is_opened_again_and_the_exit_code_is_0(
    tmp_path: Path, game: str, events: list[str]
) -> None:
    (tmp_path / "games.py").write_text(GAME)
    serving = Serving(tmp_path, f"games.py:{game}")
    lines = [serving.first, *serving.lines_until("room_opened")]
    if game == "Shaky":
        lines += serving.lines_until("room_failed")
        assert [line["event"] for line in lines if line["event"].startswith("room")] == events
    else:
        assert "1 played" in [line.get("text") for line in lines]
    serving.process.terminate()
    left = serving.finish()
    assert left[-1]["event"] == "stopped"
    assert serving.process.returncode == 0
