"""What is drawn: the present with the past in it, in one object; a spectator's picture is all past."""

from retick.authority.world.client.past import Pictured
from retick.authority.world.client.picture import Canvas, Screen
from retick.authority.world.client.smoothing import Smoothing
from retick.sim import F64, Thing, World
from tests.authority.world.client.yard import Drone, Walker, Yard


def yard(x: float, *drones: float) -> Yard:
    made = Yard()
    made.drones = [Drone(x=each, y=0.0, target=None) for each in drones]
    made.walkers = [Walker(player=0, x=x, y=0.0)]
    return made


def test_the_present_is_drawn_with_what_is_not_predicted_in_the_past() -> None:
    canvas = Canvas(Yard, Screen(Yard))
    world = canvas.world
    pictured = Pictured(yard(10.0, 100.0, 200.0).save(), yard(20.0, 104.0, 204.0).save(), 0.5)
    present = yard(50.0, 110.0, 210.0)
    present.drones.pop()
    canvas.draw_present(present.save(), pictured, 0, Smoothing(0.1, None), 1.0)
    assert canvas.world is world
    assert world.walkers[0].x == 50.0
    assert [each.x for each in world.drones] == [102.0, 202.0]


def test_all_is_in_the_past_for_one_who_does_not_play() -> None:
    canvas = Canvas(Yard, Screen(Yard))
    canvas.draw_past(Pictured(yard(10.0, 100.0).save(), yard(20.0, 104.0).save(), 0.5))
    assert canvas.world.walkers[0].x == 15.0
    assert canvas.world.drones[0].x == 102.0


class Ball(Thing):
    x: F64 = 0.0


class Pitch(World):
    num_players = 1
    ball: Ball

    def advance(self, inputs: object) -> None: ...


def test_a_world_in_which_all_is_predicted_is_drawn_as_it_is() -> None:
    screen = Screen(Pitch)
    assert not screen.shows_past
    pitch, old = Pitch(), Pitch()
    pitch.ball.x = 3.0
    canvas = Canvas(Pitch, screen)
    canvas.draw_present(pitch.save(), Pictured(old.save(), None, 0.0), 0, Smoothing(0.1, None), 1.0)
    assert canvas.world.ball.x == 3.0


def test_ids_that_are_there_twice_are_drawn_in_the_present() -> None:
    canvas = Canvas(Yard, Screen(Yard))
    present, past = yard(50.0, 110.0), Yard()
    past.walkers = [Walker(player=0, x=1.0, y=0.0)]
    past.drones = [Drone(x=7.0, y=0.0, target=None)]
    canvas.draw_present(present.save(), Pictured(past.save(), None, 0.0), 0, Smoothing(0.1, None), 1.0)
    assert [each.x for each in canvas.world.drones] == [110.0]
