"""A world on a server: joins, leaves, what a player saw, and what is sent."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import RetickError, SchemaError, UsageError
from retick.sim import F64, I16, U8, Cache, Dice, Most, OwnerOnly, Player, Rect, Ref, ServerOnly, Thing, Vector2, World
from retick.sim.world.hosting import (
    begin,
    check_owners,
    make_read_only,
    player_joins,
    player_leaves,
    set_host,
    tick,
)
from tests.sim.world.zoo import Animal, Flea, Spot, Zoo, played
from tests.twin import Twin


class Pilot(Thing):
    player: Player
    x: F64 = 0.0


class Sky(World):
    num_players = 3
    pilots: Annotated[list[Pilot], Most(3)]
    dice: Dice
    ticks: I16
    count: Cache[int] = 0

    def start(self, seed: int) -> None:
        self.dice.seed(seed)

    def rebuild(self) -> None:
        self.count = len(self.pilots)

    def join(self, player: int) -> None:
        self.pilots.append(Pilot(player=player, x=self.dice.uniform(0, 1)))
        self.cue("hello", player)
        self.send(b"welcome", player)
        self.rebuild()

    def leave(self, player: int) -> None:
        self.pilots = [pilot for pilot in self.pilots if pilot.player != player]
        self.cue("goodbye", player)
        self.rebuild()

    def advance(self, inputs: Sequence[int]) -> None:
        self.ticks += 1
        for pilot in self.pilots:
            seen = self.seen_by(pilot.player)
            pilot.x += inputs[pilot.player] + (len(seen.pilots) if seen is not None else 0)
            self.send(b"moved", to=[pilot.player], reliable=False)
            self.cue("moved", pilot.player)


class Recorded:
    """A host that notes what it is told."""

    def __init__(self, past: World) -> None:
        self.past = past
        self.asked: list[int] = []
        self.sent: list[tuple[bytes, tuple[int, ...] | None, bool]] = []

    def seen_by(self, player: int) -> World:
        self.asked.append(player)
        return self.past

    def send(self, data: bytes, to: tuple[int, ...] | None, reliable: bool) -> None:
        self.sent.append((data, to, reliable))


def test_with_rollback_all_seats_join_in_order_after_the_start() -> None:
    sky = Sky()
    sky.reset(7)
    assert [pilot.player for pilot in sky.pilots] == [0, 1, 2]
    straight = Sky()
    begin(straight, 7)
    assert [player_joins(straight, player) for player in range(3)] == [(("hello", player),) for player in range(3)]
    assert straight.save() == sky.save() == sky.initial_state(7).saved
    assert straight.count == 3


@given(st.permutations(range(3)))
def test_on_a_server_players_join_in_any_order(order: list[int]) -> None:
    sky = Sky()
    begin(sky, 7)
    assert not sky.pilots
    for player in order:
        player_joins(sky, player)
    assert [pilot.player for pilot in sky.pilots] == order


def test_a_server_ticks_and_lets_players_leave() -> None:
    sky = Sky()
    state = sky.initial_state(7)
    after = sky.step(state, (1, 2, 3))
    sky.load(state.saved)
    assert tick(sky, (1, 2, 3)) == after.cues == (("moved", 0), ("moved", 1), ("moved", 2))
    assert sky.save() == after.saved
    assert player_leaves(sky, 1) == (("goodbye", 1),)
    assert [pilot.player for pilot in sky.pilots] == [0, 2]
    assert sky.step(state, (1, 2, 3)) == after  # handles of states still mean what they meant


def test_without_a_host_a_player_sees_the_present_and_nothing_is_sent() -> None:
    sky = Sky()
    sky.reset(1)
    assert sky.seen_by(2) is sky
    sky.send(b"nobody gets it")


def test_the_host_answers_what_a_player_saw_and_sends() -> None:
    past = Sky()
    begin(past, 1)
    make_read_only(past)
    host = Recorded(past)
    sky = Sky()
    begin(sky, 1)
    set_host(sky, host)
    player_joins(sky, 2)
    assert host.sent == [(b"welcome", (2,), True)]
    before = sky.pilots[0].x
    tick(sky, (0, 0, 5))
    assert host.asked == [2]
    assert sky.pilots[0].x == before + 5
    assert host.sent[1:] == [(b"moved", (2,), False)]
    sky.send(bytearray(b"all"))
    assert host.sent[2:] == [(b"all", None, True)]
    set_host(sky, None)
    assert sky.seen_by(0) is sky


@pytest.mark.parametrize("player", [-1, 3, "0", None])
def test_a_player_is_a_seat(player: Any) -> None:
    sky = Sky()
    calls: list[Callable[[], object]] = [
        lambda: sky.seen_by(player),
        lambda: player_joins(sky, player),
        lambda: player_leaves(sky, player),
        lambda: sky.send(b"", to=[player]),
    ]
    for call in calls:
        with pytest.raises(UsageError, match="a player is a seat from 0 to 2"):
            call()


def test_only_bytes_are_sent() -> None:
    with pytest.raises(UsageError, match="send takes bytes, not str"):
        Sky().send("text")  # type: ignore[arg-type]  # wrong on purpose


def changes(zoo: Zoo) -> list[Callable[[], object]]:
    """Every way to change a world."""
    animal, moods = zoo.animals[0], zoo.moods
    return [
        lambda: setattr(animal, "name", 1),
        lambda: setattr(animal, "heading", 1.0),
        lambda: setattr(animal, "mood", next(iter(type(animal.mood)))),
        lambda: setattr(animal, "tame", True),
        lambda: setattr(animal, "fed", None),
        lambda: setattr(animal, "friend", None),
        lambda: setattr(animal, "spot", Spot()),
        lambda: setattr(animal, "burrow", None),
        lambda: setattr(animal, "tricks", [1]),
        lambda: setattr(animal.spot, "x", 1.0),
        lambda: animal.fleas.append(Flea()),
        lambda: animal.tricks.append(3),
        lambda: animal.bite.use(1),
        lambda: zoo.dice.flip(),
        lambda: setattr(zoo, "visitors", 1),
        lambda: setattr(zoo, "best", 1.0),
        lambda: setattr(zoo, "open", True),
        lambda: setattr(zoo, "animals", []),
        lambda: zoo.animals.append(Animal(name=1)),
        lambda: zoo.animals.pop(),
        lambda: zoo.animals.remove(animal),
        lambda: zoo.animals.clear(),
        lambda: zoo.animals.reverse(),
        lambda: zoo.animals.sort(key=lambda one: one.name),
        lambda: zoo.animals.extend([]),
        lambda: zoo.animals.insert(0, Animal(name=1)),
        lambda: zoo.animals.__delitem__(0),
        lambda: zoo.animals.__delitem__(slice(1)),
        lambda: zoo.animals.__setitem__(0, Animal(name=1)),
        lambda: zoo.animals.__setitem__(0, zoo.animals[-1]),
        lambda: zoo.animals.__iadd__([]),
        lambda: zoo.animals.__imul__(0),
        lambda: moods.pop(),
        lambda: moods.remove(moods[0]),
        lambda: moods.__delitem__(0),
        lambda: moods.__delitem__(slice(0)),
        lambda: moods.__setitem__(0, moods[0]),
        lambda: moods.__setitem__(slice(0), []),
        lambda: moods.sort(key=lambda mood: mood.name),
        lambda: moods.reverse(),
        lambda: moods.clear(),
    ]


INPUTS = [(0x20, 0x10), (0x14, 0x07), (0x05, 0x0D), (0x19, 0x12)]


def told(change: Callable[[], object]) -> str:
    try:
        return repr(change())
    except (RetickError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


def story() -> list[str]:
    """What every change of a read-only world is answered with."""
    _zoo, states = played(INPUTS)
    past = Zoo()
    make_read_only(past)
    past.load(states[-1].saved)
    return [told(change) for change in changes(past)]


def test_a_read_only_world_refuses_every_change_and_names_the_field(twin: Twin) -> None:
    zoo, states = played(INPUTS)
    for past in (Zoo(), Zoo()):
        past.load(states[-1].saved)
        make_read_only(past)
        for change in changes(past):
            with pytest.raises(UsageError, match=r"^\w+\.\w+ cannot be written: this world is read-only$"):
                change()
            assert past.save() == states[-1].saved
    assert story()[0] == "UsageError: Animal.name cannot be written: this world is read-only"
    assert all("this world is read-only" in line for line in story())
    twin.agrees(story)
    zoo.animals[0].name = 99  # another instance is as open as ever


def test_a_read_only_world_is_loaded_again_with_new_items_and_caches() -> None:
    _, states = played(INPUTS)
    past = Zoo()
    make_read_only(past)
    for state in [*states, *reversed(states)]:
        past.load(state.saved)
        assert past.save() == state.saved
        assert past.by_name == {animal.name: index for index, animal in enumerate(past.animals)}
        for change in changes(past)[:3]:
            with pytest.raises(UsageError, match="this world is read-only"):
                change()


def test_vectors_and_texts_of_a_read_only_world_cannot_be_changed_in_place() -> None:
    zoo, _ = played(INPUTS)
    zoo.animals[0].trail = [(1, 2), (3, 4)]
    zoo.animals[0].cage = Rect(1, 2, 3, 4)
    saved = zoo.save()
    make_read_only(zoo)
    one = zoo.animals[0]
    one.at.x = 99.0
    one.at.update(7, 7)
    assert one.cage is not None
    one.cage.w = 50
    one.shade.move_ip(1, 1)
    for point in one.trail:
        point.x += 5.0
    one.trail[1].scale_to_length(9)

    def moved() -> None:
        one.at += Vector2(1, 1)

    changes = [
        moved,
        lambda: setattr(one, "at", one.at),
        lambda: setattr(one, "sign", "a"),
        lambda: setattr(one, "cage", None),
        lambda: setattr(one, "trail", []),
        lambda: one.trail.append(Vector2()),
        lambda: one.trail.__setitem__(0, Vector2()),
        lambda: one.trail.clear(),
    ]
    for change in changes:
        with pytest.raises(UsageError, match=r"^Animal\.\w+ cannot be written: this world is read-only$"):
            change()
    assert zoo.save() == saved
    assert (one.trail, one.at, one.cage) == (list(one.trail), Vector2(one.at), Rect(1, 2, 3, 4))


def test_a_thing_of_a_read_only_world_is_no_reference_of_the_present() -> None:
    past, present = Zoo(), Zoo()
    past.reset(1)
    present.reset(1)
    make_read_only(past)
    with pytest.raises(UsageError, match="is in another world"):
        present.animals[0].friend = past.animals[0]


class Purse(Thing):
    coins: Annotated[U8, OwnerOnly] = 0


class Owned(Thing):
    player: Player
    purse: Purse
    cards: Annotated[list[U8], Most(3), OwnerOnly]


class Lost(Thing):
    purse: Purse


def world_of(**hints: Any) -> Any:
    return type(World)("Town", (World,), {"num_players": 2, "__annotations__": hints})


def test_what_only_the_owner_sees_needs_an_owner() -> None:
    check_owners(world_of(people=Annotated[list[Owned], Most(2)]))
    check_owners(world_of(king=Player, purse=Purse))
    check_owners(world_of(lost=Annotated[list[Pilot], Most(2)], key=Annotated[U8, ServerOnly]))
    lost = world_of(things=Annotated[list[Lost], Most(2)])
    with pytest.raises(SchemaError, match=r"Purse\.coins is OwnerOnly, and Lost does not say whose it is"):
        check_owners(lost)
    with pytest.raises(SchemaError, match=r"Town\.key is OwnerOnly, and Town does not say whose it is"):
        begin(world_of(key=Annotated[U8, OwnerOnly])(), 1)
    lost().reset(1)  # rollback does not ask


def test_references_and_caches_are_passed_over_when_owners_are_looked_for() -> None:
    check_owners(world_of(people=Annotated[list[Owned], Most(2)], leader=Ref[Owned], table=Cache[dict[int, int]]))
