"""examples/arena/game.py: the rules, as players meet them."""

from math import pi
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.sim.world.hosting import make_read_only, player_joins, player_leaves, set_host

NOTHING = [0] * 8


def put(fighter: Any, column: float, row: float) -> Any:
    fighter.x, fighter.y = 32 * column + 16, 32 * row + 16
    return fighter


def run(world: Any, ticks: int, inputs: Any = NOTHING) -> list[Any]:
    return [cue for _ in range(ticks) for cue in world._advance(inputs)]


def only(player: int, wish: Any) -> list[Any]:
    return [wish if seat == player else 0 for seat in range(8)]


def test_a_shot_hurts_an_enemy_and_not_the_own_team(arena: Any, world: Any) -> None:
    shooter, friend, enemy = put(world.fighters[0], 10, 8), put(world.fighters[2], 12, 8), put(world.fighters[1], 14, 8)
    cues = run(world, 1, only(0, arena.game.Wish(fire=True))) + run(world, 30)
    assert [cue for cue in cues if cue[0] in ("shot", "hit")] == [("shot", 0), ("hit", 1)]
    assert (friend.health, enemy.health, shooter.ammo) == (100, 75, 19)
    assert not len(world.shots)


def test_the_gun_fires_two_at_once_and_then_five_a_second(arena: Any, world: Any) -> None:
    put(world.fighters[0], 10, 8)
    cues = run(world, 121, only(0, arena.game.Wish(aim=-pi / 2, fire=True)))
    assert cues.count(("shot", 0)) == 2 + 120 // 12
    world.fighters[0].ammo = 0
    assert ("shot", 0) not in run(world, 60, only(0, arena.game.Wish(fire=True)))


def test_walls_and_shut_doors_stop_fighters_and_shots(arena: Any, world: Any) -> None:
    fighter = put(world.fighters[0], 20, 2)
    run(world, 60, only(0, arena.game.Wish(right=1, fire=True)))
    assert arena.level.tile_of(fighter) == (20, 2)  # a door that has to be used
    assert all(shot.x < 21 * 32 for shot in world.shots)
    run(world, 60, only(0, arena.game.Wish(right=1, use=True)))
    assert arena.level.tile_of(fighter)[0] > 21


def test_a_door_opens_for_who_stands_near_and_shuts_behind_them(arena: Any, world: Any) -> None:
    door = next(door for door in world.doors if arena.level.tile_of(door) == (8, 2))
    assert not door.is_open
    put(world.fighters[0], 7, 2)
    assert run(world, 1) == [("door", door.id)]
    assert door.is_open
    assert run(world, 200) == []
    put(world.fighters[0], 3, 2)
    assert run(world, 200) == [("door", door.id)]
    assert not door.is_open


def test_nobody_is_shut_in_by_a_door_that_has_to_be_used(arena: Any, world: Any) -> None:
    door = next(door for door in world.doors if door.needs_use)
    put(world.fighters[0], *arena.level.tile_of(door))
    run(world, 300)
    assert door.is_open


def test_pads_heal_give_rounds_and_fill_again(world: Any) -> None:
    for heals in (True, False):
        pad = next(pad for pad in world.pads if pad.heals is heals)
        fighter = world.fighters[0]
        fighter.x, fighter.y, fighter.health, fighter.ammo = pad.x, pad.y, 20, 3
        assert ("pickup", pad.id) in run(world, 5)
        assert (fighter.health, fighter.ammo) == ((70, 3) if heals else (20, 13))
        put(fighter, 10, 8)
        run(world, 480 - 6)
        assert not pad.is_full
        run(world, 480)
        assert pad.is_full


def test_who_has_no_health_left_lies_and_comes_back_at_a_start_with_a_jump(arena: Any, world: Any) -> None:
    put(world.fighters[0], 10, 8)
    enemy = put(world.fighters[1], 14, 8)
    enemy.health, enemy.wounds, jumps = 25, 75, enemy.jumps
    run(world, 20, only(0, arena.game.Wish(fire=True)))
    assert (enemy.alive, list(world.points), world.fighters[0].kills) == (False, [1, 0], 1)
    before = (enemy.x, enemy.y)
    run(world, 90, only(1, arena.game.Wish(right=1, fire=True)))
    assert (enemy.x, enemy.y, enemy.alive, enemy.jumps) == (*before, False, jumps)
    run(world, 30)
    assert (enemy.alive, enemy.health, enemy.jumps) == (True, 100, jumps + 1)
    assert (enemy.x, enemy.y) in arena.level.STARTS[1]


def test_a_round_ends_with_enough_points_and_the_next_one_begins_anew(arena: Any, world: Any) -> None:
    put(world.fighters[0], 10, 8)
    world.points[1] = arena.game.POINTS
    world.fighters[0].health = 1
    assert run(world, 1) == [("round", 0)]
    assert (list(world.wins), world.is_running) == ([0, 1], False)
    assert run(world, arena.game.PAUSE) == [("round", 1)]
    assert (list(world.points), world.is_running, world.clock) == ([0, 0], True, arena.game.ROUND_TIME)
    assert (world.fighters[0].health, world.fighters[0].x) == (100, arena.level.STARTS[0][0][0])


def test_a_round_without_a_winner_ends_by_time_and_nobody_has_won(arena: Any, world: Any) -> None:
    assert run(world, arena.game.ROUND_TIME) == [("round", 0)]
    assert list(world.wins) == [0, 0]


def test_after_three_rounds_a_team_has_won_and_the_world_stands_still(arena: Any, world: Any) -> None:
    assert world.winner() is None
    world.wins = [arena.game.WINS, 0]
    saved = world.save()
    assert run(world, 10, [arena.game.Wish(right=1, fire=True)] * 8) == []
    assert world.winner() == 0
    assert world.save() == saved


def test_who_leaves_takes_their_things_along_and_can_join_again(arena: Any, world: Any) -> None:
    put(world.fighters[3], 10, 8)
    run(world, 1, only(3, arena.game.Wish(fire=True)))
    player_leaves(world, 3)
    assert [fighter.player for fighter in world.fighters] == [0, 1, 2, 4, 5, 6, 7]
    assert not len(world.shots)
    run(world, 10, [arena.game.Wish(fire=True)] * 8)
    player_joins(world, 3)
    assert world.fighter_of(3) is not None
    run(world, 10)


class Past:
    """A server on whose clients the world is still as it was."""

    def __init__(self, arena: Any, world: Any) -> None:
        self.world = arena.game.Arena()
        self.world.load(world.save())
        make_read_only(self.world)
        set_host(world, self)

    def seen_by(self, _player: int) -> Any:
        return self.world

    def send(self, _data: bytes, _to: Any, _reliable: bool) -> None: ...


def test_on_a_server_a_shot_hits_where_the_shooter_saw_the_enemy(arena: Any, world: Any) -> None:
    put(world.fighters[0], 10, 8)
    enemy = put(world.fighters[1], 11, 8)
    Past(arena, world)
    put(enemy, 10, 16)
    assert ("hit", 1) in run(world, 1, only(0, arena.game.Wish(fire=True))) + run(world, 10)
    assert (enemy.health, arena.level.tile_of(enemy)) == (75, (10, 16))


def test_who_has_come_back_since_the_shooter_saw_them_is_not_hit(arena: Any, world: Any) -> None:
    put(world.fighters[0], 10, 8)
    enemy = put(world.fighters[1], 11, 8)
    Past(arena, world)
    world.put(enemy, arena.level.STARTS[1][0])
    run(world, 1, only(0, arena.game.Wish(fire=True)))
    run(world, 10)
    assert enemy.health == 100
    assert not len(world.shots)


def test_cues_are_heard_nearby_only(world: Any) -> None:
    put(world.fighters[0], 2, 2)
    put(world.fighters[1], 27, 17)
    put(world.fighters[2], 4, 2)
    assert not world.hears(0, ("shot", 1))
    assert world.hears(0, ("hit", 2))
    assert world.hears(0, ("round", 1))
    near, far = world.doors[0], world.doors[-1]
    assert (world.hears(0, ("door", near.id)), world.hears(0, ("door", far.id))) == (True, False)


ROWS = st.lists(st.lists(st.integers(0, 2**15 - 1), min_size=8, max_size=8), min_size=1, max_size=12)
COMING_AND_GOING = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 40)), max_size=6)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, moves=COMING_AND_GOING, hold=st.integers(1, 40))
def test_whatever_is_pressed_and_whoever_comes_and_goes(arena: Any, rows: Any, moves: Any, hold: int) -> None:
    world, other = arena.game.Arena(), arena.game.Arena()
    world.reset(7)
    world.clock = 1
    for row in rows:
        for seat, later in moves:
            if world.fighter_of(seat) is not None:
                player_leaves(world, seat)
            elif later % 2:
                player_joins(world, seat)
        run(world, hold, row)
        for fighter in world.fighters:
            assert arena.level.tile_of(fighter) not in arena.level.WALLS
            assert (8 * fighter.x).is_integer()
            assert (8 * fighter.y).is_integer()
        assert all((8 * shot.x).is_integer() for shot in world.shots)
        other.load(world.save())
        assert other.save() == world.save()
