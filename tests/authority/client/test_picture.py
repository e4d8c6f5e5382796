"""What is drawn: the present with the past in it, in one object; a spectator's picture is all past."""

from retick.authority.client.measures import places_of
from retick.authority.client.past import Pictured
from retick.authority.client.picture import PictureScreen, Smoothing, WorldPicture
from retick.sim import F64, Cache, Thing, World
from tests.authority.client.yard import Drone, Walker, Yard


def yard(x: float, *drones: float) -> Yard:
    made = Yard()
    made.drones = [Drone(x=each, y=0.0, target=None) for each in drones]
    made.walkers = [Walker(player=0, x=x, y=0.0)]
    return made


def test_the_present_is_drawn_with_what_is_not_predicted_in_the_past() -> None:
    canvas = WorldPicture(Yard, PictureScreen(Yard))
    world = canvas.world
    pictured = Pictured(yard(10.0, 100.0, 200.0).save(), yard(20.0, 104.0, 204.0).save(), 0.5)
    present = yard(50.0, 110.0, 210.0)
    present.drones.pop()
    canvas.draw_present(present.save(), pictured, 0, Smoothing(0.1, None), 1.0)
    assert canvas.world is world
    assert world.walkers[0].x == 50.0
    assert [each.x for each in world.drones] == [102.0, 202.0]


def test_all_is_in_the_past_for_one_who_does_not_play() -> None:
    canvas = WorldPicture(Yard, PictureScreen(Yard))
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
    screen = PictureScreen(Pitch)
    assert not screen.shows_past
    pitch, old = Pitch(), Pitch()
    pitch.ball.x = 3.0
    canvas = WorldPicture(Pitch, screen)
    canvas.draw_present(pitch.save(), Pictured(old.save(), None, 0.0), 0, Smoothing(0.1, None), 1.0)
    assert canvas.world.ball.x == 3.0


class Mapped(Yard):
    """Its caches say where everything is."""

    where: Cache[dict[int, float]] = None
    made: Cache[int] = 0

    def rebuild(self) -> None:
        self.where = {thing.id: thing.x for thing in self.things()}
        self.made += 1


def mapped(source: Yard) -> Mapped:
    made = Mapped()
    made.drones = [Drone(x=each.x, y=0.0, target=None) for each in source.drones]
    made.walkers = [Walker(player=0, x=each.x, y=0.0) for each in source.walkers]
    return made


def test_caches_are_made_once_of_what_is_drawn() -> None:
    canvas = WorldPicture(Mapped, PictureScreen(Mapped))
    early, late = mapped(yard(10.0, 100.0)), mapped(yard(20.0, 104.0))
    pictured = Pictured(early.save(), late.save(), 0.5)
    smoothing = Smoothing(0.1, None)
    smoothing.correct(places_of(early, 0), places_of(late, 0), {2}, 1.0)
    canvas.draw_present(late.save(), pictured, 0, smoothing, 1.0)
    world = canvas.world
    assert (world.drones[0].x, world.walkers[0].x) == (102.0, 10.0)
    assert world.where == {1: 102.0, 2: 10.0}
    canvas.draw_past(pictured)
    assert world.where == {1: 102.0, 2: 15.0}
    assert world.made == 1  # a load puts it back to 0


def test_caches_that_cannot_be_made_do_not_end_the_program() -> None:
    class Broken(Yard):
        def rebuild(self) -> None:
            raise LookupError

    canvas = WorldPicture(Broken, PictureScreen(Broken))
    canvas.draw_past(Pictured(Broken().save(), None, 0.0))
    assert list(canvas.world.walkers) == []


def test_ids_that_are_there_twice_are_drawn_in_the_present() -> None:
    canvas = WorldPicture(Yard, PictureScreen(Yard))
    present, past = yard(50.0, 110.0), Yard()
    past.walkers = [Walker(player=0, x=1.0, y=0.0)]
    past.drones = [Drone(x=7.0, y=0.0, target=None)]
    canvas.draw_present(present.save(), Pictured(past.save(), None, 0.0), 0, Smoothing(0.1, None), 1.0)
    assert [each.x for each in canvas.world.drones] == [110.0]
