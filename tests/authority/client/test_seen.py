"""What one's own player saw, in a prediction: the picture for oneself, the running world for all others."""

from collections.abc import Sequence
from typing import Annotated

import pytest

from retick.authority.client.past import Pictured
from retick.authority.client.prediction import Prediction, SeenTime
from retick.authority.frames import SnapshotFrame
from retick.authority.holding import HeldSnapshot
from retick.errors import UsageError
from retick.sim import F64, Most, Player, Thing, World


class Boat(Thing):
    predicted = False
    player: Player
    x: F64 = 0.0


class Buoy(Thing):
    x: F64 = 0.0


class Sea(World):
    """Notes what each player sees."""

    num_players = 2
    boats: Annotated[list[Boat], Most(2)]
    buoy: Buoy
    notes: Annotated[list[F64], Most(8)]

    def advance(self, inputs: Sequence[int]) -> None:
        views = [self.seen_by(player) for player in range(2)]
        self.notes = [value for seen in views for value in (*(boat.x for boat in seen.boats), seen.buoy.x)]
        for thing in (*self.boats, self.buoy):
            thing.x += 1.0
        self.send(b"nobody gets this")


def sea(*boats: float) -> Sea:
    made = Sea()
    made.boats = [Boat(player=player, x=x) for player, x in enumerate(boats)]
    return made


def start(seat: int | None = 0) -> Prediction:
    prediction = Prediction(Sea(), seat)
    prediction.restart(
        HeldSnapshot(SnapshotFrame(10, 0, 0, 0, 0, 0, (), b""), sea(100.0, 200.0).save(), {}, ()), lambda _: 0
    )
    return prediction


PICTURE = Pictured(sea(10.0, 20.0).save(), sea(14.0, 24.0).save(), 0.25)


def test_ones_own_player_sees_the_picture_and_others_the_world_that_runs() -> None:
    prediction = start()
    prediction.seen.note(12, PICTURE)
    prediction.run_through(11, lambda _: 0)
    assert list(prediction.world.notes) == [100.0, 200.0, 0.0, 100.0, 200.0, 0.0]
    prediction.run_through(12, lambda _: 0)
    assert list(prediction.world.notes) == [101.0, 21.0, 1.0, 101.0, 201.0, 1.0]
    prediction.run_through(13, lambda _: 0)
    assert list(prediction.world.notes) == [102.0, 202.0, 2.0, 102.0, 202.0, 2.0]


def test_a_tick_that_is_run_again_sees_the_same_picture_until_the_server_has_run_it() -> None:
    prediction = start()
    for tick in (11, 12):
        prediction.seen.note(tick, PICTURE)
    for _ in range(2):
        prediction.tick = 12
        prediction.restart(
            HeldSnapshot(SnapshotFrame(11, 0, 0, 0, 0, 0, (), b""), sea(9.0, 8.0).save(), {}, ()), lambda _: 0
        )
        assert list(prediction.world.notes) == [9.0, 21.0, 0.0, 9.0, 8.0, 0.0]
    prediction.seen.drop_through(11)
    assert len(prediction.seen) == 1
    prediction.seen.drop_through(12)
    assert len(prediction.seen) == 0


def test_between_two_ticks_and_without_a_seat_it_is_the_world_itself() -> None:
    prediction = start()
    prediction.seen.note(11, PICTURE)
    assert prediction.world.seen_by(0) is prediction.world
    prediction.run_through(11, lambda _: 0)
    assert prediction.world.seen_by(0) is prediction.world
    spectator = Prediction(Sea(), None)
    spectator.seen.note(11, PICTURE)
    assert spectator.world.seen_by(0) is spectator.world


def test_what_was_seen_is_read_only() -> None:
    world, seen = sea(1.0, 2.0), SeenTime(Sea, 0)
    seen.note(1, PICTURE)
    seen.begin(1, world.save())
    shown = seen.by(0, world)
    assert seen.by(0, world) is shown
    with pytest.raises(UsageError, match="read-only"):
        shown.boats[0].x = 3.0
    seen.end()
    assert seen.by(0, world) is world


def test_where_nothing_is_drawn_in_the_past_no_picture_is_kept() -> None:
    class Pond(World):
        num_players = 1
        buoy: Buoy

    seen = SeenTime(Pond, 0)
    seen.note(1, Pictured(Pond().save(), None, 0.0))
    assert len(seen) == 0


def test_a_picture_with_one_id_twice_is_not_used() -> None:
    class Lake(Sea):
        buoys: Annotated[list[Buoy], Most(2)]

    lake, other = Lake(), Lake()
    lake.buoys = [Buoy()]
    other.boats = [Boat(player=1)]
    seen = SeenTime(Lake, 0)
    seen.note(1, Pictured(other.save(), None, 0.0))
    seen.begin(1, lake.save())
    assert seen.by(0, lake) is lake
