"""What a server sends of the arena: not what a player may not see; and a client runs on with the rest."""

from collections.abc import Iterator
from typing import Any

import pytest

from retick.authority.holding import HeldSnapshot, Holding
from retick.authority.layout import layout_of
from retick.authority.views import Receiver, Stage, encode_cue
from retick.sim import NOBODY

PLAYERS = range(8)
EVERY = 3
"""Ticks from one snapshot to the next."""


class Room:
    """A world of bots with a receiver for each player, and the client's end of it."""

    def __init__(self, arena: Any, world: Any, *, late: int = 9) -> None:
        self.arena, self.world, self.late = arena, world, late
        layout = layout_of(type(world))
        self.stage = Stage(layout, world)
        self.receivers = [Receiver(self.stage, player) for player in PLAYERS]
        self.holdings = [Holding(layout) for _ in PLAYERS]
        self.tick = 0
        self.pressed: list[list[int]] = []
        self.sizes: list[int] = []

    def advance(self, inputs: list[int] | None = None) -> list[tuple[Any, ...]]:
        if inputs is None:
            inputs = [self.arena.bots.bot(player, self.world).packed for player in PLAYERS]
        self.tick += 1
        self.pressed.append(inputs)
        cues = self.world._advance(inputs)
        for receiver in self.receivers:
            receiver.listen(self.tick, [(cue, encode_cue(cue)) for cue in cues])
            receiver.acknowledge(self.tick - self.late)
        return cues  # type: ignore[no-any-return]  # the world is of any class

    def snapshots(self) -> list[bytes]:
        self.stage.survey(self.tick, self.pressed[-1])
        made = [receiver.snapshot() for receiver in self.receivers]
        self.sizes += map(len, made)
        return made

    def held(self) -> Iterator[tuple[int, HeldSnapshot]]:
        for player, payload in enumerate(self.snapshots()):
            held = self.holdings[player].read_snapshot(payload)
            assert held is not None
            yield player, held


def things_of(world: Any) -> list[Any]:
    return [*world.fighters, *world.shots, *world.doors, *world.pads]


@pytest.fixture
def room(arena: Any, world: Any) -> Room:
    return Room(arena, world)


def test_a_client_has_what_its_player_sees_and_nothing_else(arena: Any, room: Room) -> None:
    client, hidden = arena.game.Arena(), 0
    for _ in range(300):
        for _ in range(EVERY):
            room.advance()
        for player, held in room.held():
            client.load(held.saved)
            seen = {thing.id for thing in things_of(room.world) if room.world.visible(player, thing)}
            assert {thing.id for thing in things_of(client)} == seen
            hidden += 8 - len(client.fighters)
            assert set(held.seats) == {player} | {each.player for each in (*client.fighters, *client.shots)}
    assert hidden > 1000


def test_health_rounds_and_where_one_comes_back_are_known_to_the_owner_only(arena: Any, room: Room) -> None:
    client, wounded = arena.game.Arena(), 0
    for _ in range(200):
        for _ in range(EVERY):
            room.advance()
        for player, held in room.held():
            client.load(held.saved)
            for fighter in client.fighters:
                real = room.world.fighter_of(fighter.player)
                private = (fighter.health, fighter.ammo, fighter.gun.heat, fighter.lying, fighter.home)
                if fighter.player == player:
                    assert private == (real.health, real.ammo, real.gun.heat, real.lying, real.home)
                else:
                    assert private == (100, 0, 0, 0, 0)
                    wounded += real.health < 100
            assert {thing.wait for thing in (*client.doors, *client.pads)} <= {0}
            assert client.dice.state == 1
    assert wounded > 100


def test_what_is_hidden_changes_no_byte(arena: Any, world: Any) -> None:
    """Two rooms that differ in what player 0 may not see: an enemy, its wounds and rounds, timers and dice."""
    other = arena.game.Arena()
    other.load(world.save())
    rooms = Room(arena, world), Room(arena, other)
    enemy = other.fighter_of(1)
    enemy.x, enemy.y, enemy.health, enemy.ammo = enemy.x - 96, enemy.y, 40, 7
    other.dice.seed(99)
    next(pad for pad in other.pads if pad.heals).wait = 400  # far from player 0
    for pad in (*other.pads, *world.pads):
        pad.is_full = not (pad.heals and pad.x > 480)
    mine = arena.game.Wish(right=1)
    for tick in range(60):
        steps = [arena.game.Wish(aim=tick / 30, down=-1).packed, arena.game.Wish(aim=-tick / 30, right=-1).packed]
        for room, wish in zip(rooms, steps, strict=True):
            room.advance([mine, wish, 0, 0, 0, 0, 0, 0])
        if tick % EVERY == 0:
            first, second = (room.snapshots() for room in rooms)
            assert first[0] == second[0]
            assert first[1] != second[1]  # and the enemy itself knows it


def test_a_shut_door_hides_and_an_open_one_does_not(arena: Any, world: Any) -> None:
    door = next(door for door in world.doors if arena.level.tile_of(door) == (21, 2))
    me, enemy = world.fighters[0], world.fighters[1]
    me.x, me.y, enemy.x, enemy.y = door.x - 96, door.y, door.x + 96, door.y
    assert not world.visible(0, enemy)
    door.is_open = True
    world.rebuild()
    assert world.visible(0, enemy)
    assert world.visible(1, me)


def test_sight_is_mutual_between_all_tiles(arena: Any) -> None:
    floor = [tile for tile, sign in arena.level.TILES.items() if sign != "#"][::3]
    for here in floor:
        for there in floor:
            assert arena.level.doors_between(here, there) == arena.level.doors_between(there, here)


def test_the_own_team_is_always_seen_and_a_spectator_sees_all(world: Any) -> None:
    assert all(world.visible(0, world.fighter_of(player)) for player in (0, 2, 4, 6))
    assert not any(world.visible(0, world.fighter_of(player)) for player in (1, 3, 5, 7))
    assert all(world.visible(NOBODY, thing) for thing in things_of(world))
    world.leave(0)
    assert not any(world.visible(0, thing) for thing in things_of(world))


def test_cues_reach_those_who_hear_them_once_and_with_their_tick(arena: Any, room: Room) -> None:
    expected: list[list[Any]] = [[] for _ in PLAYERS]
    arrived: list[list[Any]] = [[] for _ in PLAYERS]
    for _ in range(200):
        for _ in range(EVERY):
            for cue in room.advance():
                for player in PLAYERS:
                    if room.world.hears(player, cue):
                        expected[player].append((room.tick, cue))
        for player, held in room.held():
            arrived[player] += [(cue.tick, cue.cue) for cue in held.cues]
    assert arrived == expected
    assert len({len(each) for each in arrived}) > 1


def test_a_client_that_runs_ahead_is_where_the_server_will_be(arena: Any, room: Room) -> None:
    """With its own inputs, and the last ones of those that it sees; unless it is shot dead on the way."""
    ahead = 9
    expected: dict[int, list[tuple[int, Any, Any]]] = {}
    for _ in range(ahead):
        room.advance()
    compared = shot = 0
    for _ in range(300):
        for _ in range(EVERY):
            room.advance()
            for player, held, tick in expected.pop(room.tick, []):
                client = arena.game.Arena()
                client.load(held.saved)
                last = {seat: known.input for seat, known in held.seats.items()}
                for at in range(tick, room.tick):
                    row = [last.get(seat, 0) for seat in PLAYERS]
                    row[player] = room.pressed[at][player]
                    client._advance(row)
                mine, real = client.fighter_of(player), room.world.fighter_of(player)
                if mine.alive and not real.alive:
                    shot += 1
                    continue
                assert (mine.x, mine.y, mine.alive, mine.jumps) == (real.x, real.y, real.alive, real.jumps)
                compared += 1
        for player, held in room.held():
            expected.setdefault(room.tick + ahead, []).append((player, held, room.tick))
    assert compared > 2000
    assert 0 < shot < 50


def test_snapshots_are_small(arena: Any, room: Room) -> None:
    """Eight players that run, aim and fire all the time: 2.6 kB a second at twenty snapshots."""
    shots = 0
    for _ in range(400):
        for _ in range(EVERY):
            for fighter in room.world.fighters:
                fighter.ammo = 20
            inputs = [arena.bots.bot(player, room.world) for player in PLAYERS]
            wishes = [
                arena.game.Wish(aim=each.aim, right=each.right, down=each.down, use=True, fire=True).packed
                for each in inputs
            ]
            room.advance(wishes)
        room.snapshots()
        shots += len(room.world.shots)
    used = room.sizes[8 * 20 :]
    assert shots / 400 > 8
    assert sum(used) / len(used) < 130
