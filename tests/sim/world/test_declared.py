"""A declared world is a Simulation to everything that takes one."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Annotated, Any, ClassVar
from zlib import crc32

import pytest

from retick.errors import SchemaError, UsageError
from retick.replay import Replay, verify
from retick.rollback import CueConfirmed, CueStarted, CueTracker, DesyncReported, RollbackEngine
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.link_config import link_config_for
from retick.sim import F64, U8, Cache, Dice, Jumps, Most, NamesItself, PacksState, Ref, Thing, Vector2, World, jump
from retick.testing.mesh import Mesh, MeshHung, two_peers
from tests.sim.world.zoo import Animal, Zoo, played


class Ball(Thing):
    x: F64 = 0.0


class Pong(World):
    num_players = 2
    balls: Annotated[list[Ball], Most(8)]
    hits: U8

    def start(self, seed: int) -> None:
        self.balls.append(Ball(x=seed / 8))

    def advance(self, inputs: Sequence[int]) -> None:
        self.balls[0].x += inputs[0] - inputs[1]
        if inputs[1]:
            self.hits = (self.hits + 1) & 255
            self.cue("hit", self.hits)


class Named(Pong):
    game_id, game_version = "me.pong", 3
    input_size = 4


class Shot(Thing):
    pos: Vector2
    vel: Vector2
    owner: Ref[Ball] = None
    bounces: int = 1


class Tank(Thing):
    name: str
    pos: Vector2
    hp: int

    def __init__(self, name: str, pos: Any) -> None:
        self.name = name.upper()
        self.pos = pos
        self.respawn()

    def respawn(self) -> None:
        self.hp = 3


class Range(World):
    num_players = 1
    tanks: list[Tank]


def test_values_without_a_name_are_in_the_order_of_declaration() -> None:
    shot = Shot((1, 2), Vector2(3, 4), bounces=2)
    assert repr(shot) == "Shot(pos=Vector2(1.0, 2.0), vel=Vector2(3.0, 4.0), owner=None, bounces=2)"
    with pytest.raises(UsageError, match="Shot takes at most 4 values, not 5"):
        Shot(1, 2, 3, 4, 5)
    with pytest.raises(UsageError, match="Shot: pos is given twice"):
        Shot((1, 2), pos=(1, 2))
    with pytest.raises(UsageError, match=r"^Shot: missing fields \['vel'\]$"):
        Shot((1, 2))


def test_a_thing_may_have_an_init_of_its_own_which_a_load_does_not_call() -> None:
    world, other = Range(), Range()
    world.tanks.append(Tank("ann", (1, 2)))
    world.tanks[0].hp = 1
    other.load(world.save())
    assert repr(other.tanks) == "[Tank(id 1, name='ANN', pos=Vector2(1.0, 2.0), hp=1)]"
    with pytest.raises(AttributeError, match=r"Tank\.speed is not declared"):
        other.tanks[0].speed = 3


def test_a_world_has_no_init() -> None:
    with pytest.raises(SchemaError, match=r"^Bad has no __init__ of its own: write start\(self, seed\)"):

        class Bad(World):
            num_players = 1

            def __init__(self) -> None:
                pass


def test_a_thing_that_is_put_in_two_places_is_told_about_references() -> None:
    class Holder(World):
        num_players = 1
        balls: list[Ball]
        best: Ball | None

    holder = Holder()
    holder.balls.append(Ball())
    with pytest.raises(
        UsageError, match=r"Holder\.best: this Ball is in another place already.* declare .*Ref\[Ball\]"
    ):
        holder.best = holder.balls[0]


def test_it_has_the_whole_contract() -> None:
    game = Pong()
    assert isinstance(game, NamesItself)
    assert isinstance(game, PacksState)
    assert (game.game_id, game.game_version, game.num_players, game.input_size) == ("Pong", 0, 2, 2)
    named = Named()
    assert (named.game_id, named.game_version, named.input_size) == ("me.pong", 3, 4)
    state = game.step(game.initial_state(8), (5, 1))
    fields = dict(game.fields(state))
    assert fields.pop("declaration") == crc32(b"{balls:[8]Ball{x:f64},hits:u8}")
    assert fields == {"balls": (1,), "balls[id 1].x": 5.0, "hits": 1, "next id": 2}
    assert game.unpack_state(game.pack_state(state)) == state
    assert game.checksum(state) == game.checksum()


def test_two_different_worlds_do_not_connect() -> None:
    config = MatchConfig()
    ids = [link_config_for(game, config).game_id for game in (Pong(), Zoo(), Named())]
    assert ids == ["Pong", "Zoo", "me.pong"]
    with pytest.raises(MeshHung):
        Mesh({"one": Pong, "other": Zoo}).start(limit=5)


def test_a_match_over_a_bad_link_ends_where_it_ends_when_run_straight() -> None:
    mesh = two_peers(Zoo, press=lambda player, state: (len(state.saved) * 37 + player) & 0xFFF)
    mesh.play(120)
    assert mesh.verify() >= 120


def test_a_world_must_say_how_many_play_and_how_it_moves() -> None:
    class Nobody(World):
        hits: U8

    with pytest.raises(SchemaError, match="Nobody must say how many play: num_players = 2"):
        Nobody()

    class Still(World):
        num_players = 2
        hits: U8

    still = Still()
    with pytest.raises(UsageError, match=r"Still has no advance\(self, inputs\)"):
        still.step(still.initial_state(1), (0, 0))
    for base in (World, Thing):
        with pytest.raises(UsageError, match="declare a"):
            base()


@pytest.mark.parametrize(
    "name", ["load", "save", "reset", "cue", "send", "step", "checksum", "fields", "has", "diff", "id", "_seat"]
)
def test_a_game_does_not_replace_what_the_library_calls(name: str) -> None:
    refused = rf"^Own\.{name} cannot be written by a game: '{name}' is a name of the library's own$"
    for made in ({name: lambda self: None}, {name: 5}, {name: property(lambda self: None)}):
        with pytest.raises(SchemaError, match=refused):
            type("Own", (Pong,), made)
        with pytest.raises(SchemaError, match=refused):
            type("Own", (type("Mixed", (), {"__slots__": (), **made}), Pong), {})
    for own in ("id", "world", "cue"):
        with pytest.raises(SchemaError, match=rf"^Own\.{own} cannot be written by a game"):
            type("Own", (Thing,), {own: 5})


class Barrel(Thing):
    at: U8

    def explode(self) -> None:
        self.world.barrels.remove(self)
        self.world.bangs += 1
        self.cue("bang", self.at)


class Bangs(World):
    num_players = 2
    barrels: Annotated[list[Barrel], Most(4)]
    bangs: U8

    def start(self, seed: int) -> None:
        self.barrels = [Barrel(at=number) for number in range(4)]

    def advance(self, inputs: Sequence[int]) -> None:
        if inputs[0] and self.barrels:
            self.barrels[0].explode()


def test_a_thing_gives_cues_and_changes_its_world() -> None:
    game = Bangs()
    before = game.initial_state(1)
    after = game.step(before, (1, 0))
    assert list(game.cues(before, after)) == [("bang", 0)]
    assert game.bangs == 1
    assert [thing.at for thing in game.barrels] == [1, 2, 3]
    with pytest.raises(UsageError, match=r"^cue\('bang'\) was called outside of advance"):
        game.barrels[0].cue("bang")


def test_a_game_writes_what_is_meant_for_it() -> None:
    names = ("start", "join", "leave", "advance", "rebuild", "visible", "hears", "viewpoint")
    made = {name: lambda self, *given: None for name in names}
    own: Any = type("Own", (Pong,), {**made, "game_id": "own", "game_version": 2, "serve": lambda self: None})
    assert (own().game_id, own().game_version) == ("own", 2)


def test_a_desync_of_two_worlds_names_the_thing() -> None:
    class Cheat(Zoo):
        game_id = "Zoo"

        def advance(self, inputs: Sequence[int]) -> None:
            super().advance(inputs)
            if len(self.animals) > 1:
                self.animals[1].hunger = 200

    mesh = Mesh({"one": Zoo, "other": Cheat}, press=lambda player, state: 0x30)
    mesh.start()
    mesh.run(5)
    report = next(event.report for event in mesh["one"].events if isinstance(event, DesyncReported))
    assert {field.name for field in report.fields} == {"animals[id 2].hunger"}


class Loud(Enum):
    HIGH = "high"


class Noisy(World):
    num_players = 1
    balls: Annotated[list[Ball], Most(8)]
    place: Vector2
    made: ClassVar[Callable[[Any], Any]]

    def start(self, seed: int) -> None:
        self.balls.append(Ball(x=1.0))

    def advance(self, inputs: Sequence[int]) -> None:
        self.cue("hit", type(self).made(self))


@pytest.mark.parametrize(
    ("made", "advice"),
    [
        (lambda world: world.place, "write its numbers, such as pos.x, pos.y"),
        (lambda world: (1, (world.place,)), "write its numbers, such as pos.x, pos.y"),
        (lambda world: world.balls[0], "write its id, or the fields that are needed"),
        (lambda world: [1, 2], "a cue holds texts, numbers, bools, enums, bytes, and tuples of these"),
        (lambda world: bytearray(2), "a cue holds texts, numbers, bools, enums, bytes, and tuples of these"),
    ],
)
def test_a_cue_refuses_what_a_later_frame_can_change(made: Callable[[Any], Any], advice: str) -> None:
    world: Any = type("Noisy", (Noisy,), {"made": made})()
    with pytest.raises(UsageError, match=rf"^cue\('hit', \.\.\.\) has .*: {advice}$"):
        world.step(world.initial_state(1), (0,))


@pytest.mark.parametrize("value", [None, True, 3, 0.5, "loud", b"raw", Loud.HIGH, (1, ("two", 3.0))])
def test_a_cue_holds_plain_values(value: Any) -> None:
    world: Any = type("Noisy", (Noisy,), {"made": lambda world: value})()
    assert world.step(world.initial_state(1), (0,)).cues == (("hit", value),)


def test_a_cue_starts_once_and_is_confirmed_once() -> None:
    game = Pong()
    engine = RollbackEngine(game, game.initial_state(1), local_player=0)
    tracker = CueTracker(engine)
    events: list[Any] = []
    for frame in range(6):
        engine.advance(1)
        events += tracker.update()
        if frame == 3:
            engine.add_remote_inputs(1, 0, [0, 1, 0])
    engine.add_remote_inputs(1, 3, [0, 0, 0])
    events += tracker.update()
    assert events == [CueStarted(frame=1, cue=("hit", 1)), CueConfirmed(frame=1, cue=("hit", 1))]


def test_a_cue_outside_of_advance_is_misuse() -> None:
    game = Pong()
    with pytest.raises(UsageError, match=r"cue\('hit', 1\) was called outside of advance"):
        game.cue("hit", 1)


def test_an_error_in_advance_leaves_states_that_can_be_stepped_again() -> None:
    class Breaks(Pong):
        def advance(self, inputs: Sequence[int]) -> None:
            self.hits = 9
            if inputs[0]:
                raise KeyError("boom")

    game = Breaks()
    start = game.initial_state(1)
    with pytest.raises(KeyError):
        game.step(start, (1, 0))
    assert game.checksum(game.step(start, (0, 0))) == Breaks().checksum(Breaks().step(start, (0, 0)))


def test_caches_are_put_back_and_rebuilt_after_a_load() -> None:
    class Cached(Pong):
        total: Cache[float | None] = None
        seen: Cache[int] = 0

        def rebuild(self) -> None:
            self.total = sum(ball.x for ball in self.balls)

    game = Cached()
    state = game.initial_state(8)
    assert game.total == 1.0
    game.seen = 5
    assert [name for name, _ in game.fields()] == ["balls", "balls[id 1].x", "hits", "next id", "declaration"]
    game.load(state.saved)
    assert (game.total, game.seen) == (1.0, 0)


def test_another_instance_shows_a_state_and_keeps_its_objects() -> None:
    game, states = played([(0, 2), (2, 0x12), (1, 0)])
    shown = Zoo()
    game.load_into(shown, states[1])
    kept = {animal.id: animal for animal in shown.animals}
    assert shown.fields() == game.fields(states[1])
    game.load_into(shown, states[2])
    assert shown.fields() == game.fields(states[2])
    assert all(kept[animal.id] is animal for animal in shown.animals if animal.id in kept)
    with pytest.raises(UsageError, match="must be another one"):
        game.load_into(game, states[0])


def test_a_state_that_was_not_saved_can_be_shown() -> None:
    game, shown = Zoo(), Zoo()
    state = game.step_unkept(game.initial_state(1), (0, 0))
    game.load_into(shown, state)
    assert shown.fields() == game.fields()


def test_it_is_recorded_and_verified() -> None:
    game = Named()
    state = game.initial_state(3)
    frames = [(frame, frame & 1) for frame in range(50)]
    for pressed in frames:
        state = game.step(state, pressed)
    match = Replay(seed=3, frames=frames, input_size=4, game_id="me.pong", game_version=3)
    assert verify(match, Named(), expected_checksum=game.checksum(state)).ok


def test_a_thing_and_a_world_are_shown_by_their_fields() -> None:
    game = Pong()
    game.reset(8)
    assert repr(game) == "Pong(balls=[Ball(id 1, x=1.0)], hits=0)"
    zoo = Zoo()
    zoo.animals.append(Animal(name=1))
    zoo.animals[0].friend = zoo.animals[0]
    assert "friend=<id 1>" in repr(zoo)


class Kite(Thing):
    predicted = False
    x: F64 = 0.0
    jumps: Jumps


def test_a_thing_that_is_put_elsewhere_counts_its_jumps_and_wraps() -> None:
    kite = Kite(jumps=254)
    jump(kite)
    jump(kite)
    assert kite.jumps == 0
    with pytest.raises(UsageError, match="Dice counts no jumps: declare jumps: Jumps"):
        jump(Dice())


def test_things_are_predicted_unless_their_class_says_otherwise() -> None:
    assert Dice.predicted is True
    assert Kite.predicted is False
    with pytest.raises(SchemaError, match=r"Odd\.predicted is True or False, not 1"):
        type(Thing)("Odd", (Thing,), {"predicted": 1})


def test_a_world_hides_nothing_unless_it_says_so() -> None:
    class Open(World):
        num_players = 2
        kites: Annotated[list[Kite], Most(2)]

    game = Open()
    game.reset(1)
    game.leave(0)
    assert game.visible(0, Kite())
    assert game.hears(1, ("shot", 1.0))


class Mover(Thing):
    x: float; y: float; vx: float; vy: float  # noqa: E702 - the short way is what is tested  # fmt: skip

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        self.stop()

    def stop(self) -> None:
        self.vx = self.vy = 0.0


class Racer(Mover):
    fuel: int; boost: bool  # noqa: E702 - the short way is what is tested  # fmt: skip

    def __init__(self, x: float) -> None:
        super().__init__(x, 5)
        self.fuel = 9


class Race(World):
    num_players = 1
    racers: list[Racer]; movers: list[Mover]  # noqa: E702 - the short way is what is tested  # fmt: skip

    def start(self, seed: int) -> None:
        self.racers = [Racer(3), Racer(4)]
        self.movers = [Mover(1, 2)]


def test_fields_on_one_line_are_fields_and_those_of_a_base_come_first() -> None:
    race = Race()
    race.initial_state(1)
    assert repr(race.racers[1]) == "Racer(id 2, x=4.0, y=5.0, vx=0.0, vy=0.0, fuel=9, boost=False)"
    saved = race.save()
    race.racers[0].fuel, race.racers[0].vx = 3, 0.5
    other = Race()
    other.load(race.save())
    assert (other.racers[0].fuel, other.racers[0].vx, type(other.movers[0])) == (3, 0.5, Mover)
    race.load(saved)
    assert race.racers[0].fuel == 9


def test_a_world_without_state_is_refused() -> None:
    class Empty(World):
        num_players = 2
        grid: Cache[Any] = None

    with pytest.raises(SchemaError, match="declares no state, so nothing would be saved or compared"):
        Empty()
