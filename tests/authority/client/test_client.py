"""Clients of a scripted server on a simulated network: predicted without corrections, drawn without smears."""

import itertools
from collections.abc import Callable
from random import Random
from typing import Annotated, Any

import pytest

from retick.authority.client import WorldClient, WorldClientConfig
from retick.authority.client.events import RoomJoined
from retick.errors import NotSynchronized, UsageError
from retick.host.events import JoinFailed
from retick.link import Reason
from retick.sim import U8, Command, Most, World
from retick.sim.contract import CueCancelled, CueConfirmed, CueStarted
from tests.authority.client.scripted import Site, seeded
from tests.authority.client.yard import BODY, FIRE, LEFT, RIGHT, STEP, TELEPORT, Drone, Walker, Yard
from tests.effort import first_of
from tests.twin import Twin

pytestmark = pytest.mark.long

WALKS = (0, 1, 2, 4, 8, 5, 10)


def wanderer(seed: int, change: float = 0.1, buttons: int = 0) -> Callable[[int], int]:
    """Changes its direction now and then."""
    dice, held = Random(seed), 0

    def press(_tick: int) -> int:
        nonlocal held
        if dice.random() < change:
            held = dice.choice(WALKS) | (buttons if dice.random() < 0.3 else 0)
        return held

    return press


class Watch:
    """Notes the correction of every snapshot."""

    def __init__(self) -> None:
        self.corrections: list[float] = []
        self._seen = 0

    def __call__(self, client: WorldClient) -> None:
        assert client.world is client.world
        if client.stats.snapshots != self._seen:
            self._seen = client.stats.snapshots
            self.corrections.append(client.stats.last_correction)


@pytest.mark.parametrize(("latency", "jitter"), [(0.0, 0.0), (0.06, 0.0), (0.06, 0.008)])
def test_where_nobody_touches_the_player_and_nothing_is_lost_no_correction_is_above_half_a_step(
    latency: float, jitter: float
) -> None:
    site = Site(seed=7, latency=latency, jitter=jitter)
    watch = Watch()
    client = site.add(wanderer(1, buttons=FIRE), look=watch)
    site.add(wanderer(2))
    site.run(20.0)
    assert len(watch.corrections) > 350
    assert max(watch.corrections) <= STEP / 2 + 1e-9
    assert client.stats.corrections == 0
    assert client.stats.jumps == client.stats.stalls == client.stats.failures == 0


@pytest.mark.parametrize("seed", first_of(range(1, 5), 1))
def test_at_120_ms_and_5_percent_loss_corrections_are_small_and_few_bytes_go_up(seed: int) -> None:
    site = Site(seed=seed, latency=0.06, loss=0.05)
    watch = Watch()
    client = site.add(wanderer(seed, buttons=FIRE), look=watch)
    site.run(1.0)
    before, since = client.connection.stats.bytes_sent, site.network.now
    site.run(30.0)
    assert len(watch.corrections) > 500
    assert max(watch.corrections) < 0.1 * BODY
    assert (client.connection.stats.bytes_sent - before) / (site.network.now - since) < 3000


class Aim(Command):
    a: U8 = 0
    b: U8 = 0
    c: U8 = 0
    d: U8 = 0


class Aimers(World):
    num_players = 2
    game_id = "test.aimers"
    command = Aim
    sums: Annotated[list[U8], Most(2)]

    def start(self, seed: int) -> None:
        self.sums = [0, 0]

    def advance(self, inputs: Any) -> None:
        self.sums = [(total + wish.a) & 255 for total, wish in zip(self.sums, inputs, strict=True)]


def test_inputs_of_32_bits_that_change_every_tick_stay_below_3_kilobytes_a_second() -> None:
    site = Site(seed=2, world=Aimers(), latency=0.06, loss=0.05)
    dice = Random(4)
    client = site.add(lambda _tick: Aim(a=dice.randrange(256), b=dice.randrange(256), d=dice.randrange(256)))
    site.run(10.0)
    assert client.stats.packets > 270
    assert client.connection.stats.bytes_sent / 10.0 < 3000
    assert all(len(frame.inputs) <= 8 for guest in site.server.guests.values() for frame in guest.frames)


def test_own_bullets_doors_and_moves_are_shown_in_the_tick_in_which_they_are_pressed() -> None:
    site = Site(seed=3, latency=0.1)
    shown: dict[int, tuple[float, int, bool]] = {}
    pressed: dict[int, int] = {}

    def press(tick: int) -> int:
        pressed[tick] = RIGHT | (FIRE if tick % 40 == 0 else 0) | (TELEPORT if tick % 100 == 50 else 0)
        return pressed[tick]

    def look(client: WorldClient) -> None:
        world = client.world
        if world.walkers and client.frame:
            shown[client.frame - 1] = (world.walkers[0].x, len(world.bullets), world.door)
            assert client.frame - 1 > site.server.tick

    site.add(press, look=look)
    site.run(6.0)
    truth = Yard()
    ticks = [tick for tick in sorted(shown)[5:] if tick in site.server.states]
    assert len(ticks) > 250
    for tick in ticks:
        truth.load(site.server.states[tick])
        x, bullets, door = shown[tick]
        assert abs(x - truth.walkers[0].x) <= STEP
        assert (bullets, door) == (len(truth.bullets), truth.door)


def test_a_teleport_is_never_drawn_on_the_way() -> None:
    site = Site(seed=5, latency=0.06, loss=0.02)
    drawn: list[list[float]] = [[], []]

    def look_at(mine: list[float]) -> Callable[[WorldClient], None]:
        def look(client: WorldClient) -> None:
            mine.extend(each.x for each in client.world.walkers if each.player == 0)

        return look

    def press(tick: int) -> int:
        return TELEPORT if tick % 90 == 0 else (RIGHT if tick // 15 % 2 else LEFT)

    site.add(press, look=look_at(drawn[0]))
    site.add(wanderer(9), look=look_at(drawn[1]))
    site.run(15.0)
    for places in drawn:
        jumps = [(a, b) for a, b in itertools.pairwise(places) if abs(a - b) > 60]
        assert len(jumps) >= 8
        # The walker is near 100 or near 500 all the time.
        assert all(x < 220 or x > 380 for x in places)


def test_things_that_are_not_predicted_are_drawn_where_they_were_at_the_drawn_tick() -> None:
    site = Site(seed=6, latency=0.04, jitter=0.004, loss=0.02)
    seen: list[tuple[float, list[tuple[int, float, int]]]] = []
    ticks: list[float] = []

    def look(client: WorldClient) -> None:
        world = client.world
        assert client.drawn_tick is not None
        ticks.append(client.drawn_tick)
        seen.append((client.drawn_tick, [(each.id, each.x, each.jumps) for each in world.drones]))

    site.add(look=look)
    site.run(12.0)
    truth = Yard()
    checked = 0
    for tick, drones in seen[30:]:
        earlier = int(tick)
        truth.load(site.server.states[earlier])
        for number, x, jumps in drones:
            there = next(each for each in truth.drones if each.id == number)
            if jumps == there.jumps and there.x < 590:
                assert abs(x - (there.x + 2.0 * (tick - earlier))) <= 1.5 * STEP
                checked += 1
    assert checked > 1500
    assert ticks[60:] == sorted(ticks[60:])
    for (_, before), (_, after) in itertools.pairwise(seen):
        for (_, a, j), (_, b, k) in zip(before, after, strict=True):
            assert -0.5 <= b - a <= 5.0 or (j != k and b < 30 and a > 580)


def test_every_cue_is_started_once_and_ends_once_and_own_ones_come_early() -> None:
    site = Site(seed=8, latency=0.06, loss=0.05)
    early: list[bool] = []
    client = site.add(wanderer(3, buttons=FIRE))
    site.add(wanderer(4, buttons=FIRE))
    real_cues = client.cues

    def cues() -> Any:
        found = real_cues()
        early.extend(
            each.frame > site.server.tick
            for each in found
            if isinstance(each, CueStarted) and each.cue[:2] == ("shot", 0)
        )
        return found

    client.cues = cues  # type: ignore[method-assign]  # the site asks for them
    site.run(20.0)
    events = site.cues[0]
    started = [(each.frame, each.cue) for each in events if isinstance(each, CueStarted)]
    confirmed = [(each.frame, each.cue) for each in events if isinstance(each, CueConfirmed)]
    cancelled = [(each.frame, each.cue) for each in events if isinstance(each, CueCancelled)]
    assert len(set(started)) == len(started)
    assert set(confirmed) | set(cancelled) <= set(started)
    assert not set(confirmed) & set(cancelled)
    seen_since = next(each.tick for each in site.events[0] if isinstance(each, RoomJoined)) + 30
    true = [cue for tick, cue in site.server.cues if seen_since < tick < site.server.tick - 40]
    told = [cue for tick, cue in confirmed if seen_since < tick < site.server.tick - 40]
    for player in (0, 1):
        assert abs(sum(c[:2] == ("shot", player) for c in true) - sum(c[:2] == ("shot", player) for c in told)) <= 1
    assert len(told) > 20
    assert sum(early) >= 0.95 * len(early) > 5
    # Those of the others are not guessed.
    assert cancelled == []


def test_pictures_between_two_ticks_follow_each_other() -> None:
    site = Site(seed=4, latency=0.03)
    places: list[float] = []

    def look(client: WorldClient) -> None:
        before, after, fraction = client.between(now=site.network.now)
        assert before is not after
        assert client.sim not in (before, after)
        assert 0.0 <= fraction <= 1.0
        if before.walkers:
            x = before.walkers[0].x
            places.append(x + (after.walkers[0].x - x) * fraction)

    site.add(lambda tick: RIGHT if tick // 60 % 2 else LEFT, look=look, frame_rate=144.0)
    site.run(5.0)
    moves = [abs(b - a) for a, b in itertools.pairwise(places)]
    assert len(moves) > 500
    assert max(moves) < 3.1 * 60 / 144 * 1.6


def test_the_drawn_instance_is_always_the_same_and_never_the_one_that_predicts() -> None:
    site = Site(seed=1)
    client = site.add()
    first = client.world
    assert first is not client.sim
    site.run(1.0)
    assert client.world is first
    walker = first.walkers[0]
    site.run(0.5)
    assert client.world.walkers[0] is walker


def test_a_stalled_client_finds_its_place_again() -> None:
    site = Site(seed=2, latency=0.05)
    watch = Watch()
    client = site.add(wanderer(5), look=watch)
    site.run(5.0)
    site.network.pause("client 0", 1.3)
    site.run(2.0)
    assert client.stats.jumps == 1
    since = len(watch.corrections)
    site.run(5.0)
    assert max(watch.corrections[since:]) <= STEP / 2 + 1e-9
    assert 0 <= client.stats.margin <= 8


def test_a_server_that_stood_still_is_waited_for() -> None:
    site = Site(seed=2, latency=0.05)
    watch = Watch()
    client = site.add(wanderer(5), look=watch)
    site.run(5.0)
    site.network.pause("server", 1.5)
    site.run(6.0)
    names = [type(each).__name__ for each in site.events[0]]
    assert names.count("SnapshotsMissing") == names.count("SnapshotsBack") == client.stats.stalls >= 1
    since = len(watch.corrections)
    site.run(5.0)
    assert max(watch.corrections[since:]) <= STEP / 2 + 1e-9
    assert 0 <= client.stats.margin <= 10


class OtherYard(Yard):
    extra: U8


def test_a_client_with_another_schema_is_refused_with_words() -> None:
    site = Site()
    client = site.add(game=OtherYard())
    site.run(1.0)
    (failed,) = site.events[0]
    assert isinstance(failed, JoinFailed)
    assert (failed.reason, failed.text) == (
        Reason.GAME_VERSION,
        "the tables of this game are others than those of the server",
    )
    assert client.is_over
    assert not client.running
    with pytest.raises(NotSynchronized, match="not in a room"):
        client.advance(0, now=2.0)


def test_a_spectator_has_no_seat_and_sees_everything_in_the_past() -> None:
    site = Site(seed=3, latency=0.03)
    site.add(lambda tick: RIGHT if tick // 50 % 2 else LEFT)
    drawn: list[tuple[float, float]] = []

    def look(client: WorldClient) -> None:
        if client.world.walkers and client.drawn_tick is not None:
            drawn.append((client.drawn_tick, client.world.walkers[0].x))

    spectator = site.add(look=look, watch=True, name="Eve")
    site.run(5.0)
    assert spectator.local_players == ()
    assert spectator.running
    assert [player.players for player in spectator.roster] == [(0,)]
    truth = Yard()
    for tick, x in drawn[30:]:
        truth.load(site.server.states[int(tick)])
        assert abs(truth.walkers[0].x - x) <= 6.3  # it turned round between two snapshots
    moves = [abs(b - a) for (_, a), (_, b) in itertools.pairwise(drawn)]
    assert max(moves) < 5.0


def test_the_moment_that_was_drawn_is_told_where_anything_is_drawn_in_the_past(monkeypatch: pytest.MonkeyPatch) -> None:
    past = Site(seed=1, latency=0.05)
    drawn: list[float | None] = []

    def look(client: WorldClient) -> None:
        assert client.world is not None
        drawn.append(client.drawn_tick)

    past.add(look=look)
    past.run(2.0)
    frames = next(iter(past.server.guests.values())).frames
    assert len(frames) > 30
    # Each packet names a picture: the one before its tick was pressed.
    pictures = [each for each in drawn if each is not None]
    for frame in frames[20:]:
        told = frame.tick - frame.viewed / 16
        assert min(abs(told - each) for each in pictures) <= 1 / 32
    assert frames[-1].viewed > 16 * 6
    monkeypatch.setattr(Drone, "predicted", True)
    present = Site(seed=1, latency=0.05)
    present.add()
    present.run(2.0)
    assert {frame.viewed for guest in present.server.guests.values() for frame in guest.frames} == {0}


def test_where_a_class_is_in_the_past_our_own_thing_is_in_the_present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walker, "predicted", False)
    site = Site(seed=4, latency=0.06, loss=0.02)
    drawn: list[tuple[int, float, float, float]] = []

    def look(client: WorldClient) -> None:
        own = [each.x for each in client.world.walkers if each.player == 0]
        other = [each.x for each in client.world.walkers if each.player == 1]
        if own and other and client.frame and client.drawn_tick is not None:
            drawn.append((client.frame - 1, own[0], client.drawn_tick, other[0]))

    watch = Watch()
    site.add(wanderer(3), look=lambda client: (look(client), watch(client))[0])
    site.add(lambda tick: RIGHT if tick // 40 % 2 else LEFT)
    site.run(8.0)
    assert max(watch.corrections) < 0.1 * BODY
    truth = Yard()
    for tick, own, past, other in drawn[60:-60]:
        truth.load(site.server.states[tick])
        assert abs(own - next(each.x for each in truth.walkers if each.player == 0)) < 0.1 * BODY
        truth.load(site.server.states[int(past)])
        assert abs(other - next(each.x for each in truth.walkers if each.player == 1)) < 10.0
    moves = [abs(b[3] - a[3]) for a, b in itertools.pairwise(drawn[60:])]
    assert max(moves) < 5.0


def test_what_is_pressed_is_checked() -> None:
    site = Site()
    client = site.add(lambda _tick: 1 << 16)
    with pytest.raises(UsageError, match="an input has 16 bits, 65536 does not fit"):
        site.run(1.0)
    with pytest.raises(UsageError, match="an integer or a command"):
        client.advance("left", now=site.network.now)  # type: ignore[arg-type]  # a mistake on purpose
    client.advance((RIGHT,), now=site.network.now)


def test_a_client_is_made_with_a_declared_world_and_a_whole_token() -> None:
    with pytest.raises(UsageError, match="a declared world, not a str"):
        WorldClient("game", "server", entropy=seeded(1))  # type: ignore[arg-type]  # a mistake on purpose
    with pytest.raises(UsageError, match="a seat token has 16 bytes, not 3"):
        WorldClient(Yard(), "server", entropy=seeded(1), token=b"abc")


class Nervous(Yard):
    """Reads what a client may not see."""

    def visible(self, player: int, thing: Any) -> bool:
        return not isinstance(thing, Walker) or thing.player == player

    def advance(self, inputs: Any) -> None:
        super().advance(inputs)
        if self.ticks > 60:
            self.ticks = self.ticks + 0 * self.walkers[1].player


def test_a_game_that_raises_on_a_client_is_told_once_and_shown_as_the_server_sent_it() -> None:
    site = Site(seed=2, world=Nervous(), latency=0.02)
    client = site.add(lambda _tick: RIGHT)
    site.add()
    site.run(4.0)
    failures = [each for each in site.events[0] if type(each).__name__ == "PredictionFailed"]
    assert len(failures) == 1
    assert "IndexError" in failures[0].error
    assert client.running
    assert client.world.ticks in range(site.server.world.ticks - 12, site.server.world.ticks + 1)


def story(seed: int, loss: float) -> list[str]:
    site = Site(seed=seed, latency=0.05, jitter=0.01, loss=loss)
    lines: list[str] = []

    def look(client: WorldClient) -> None:
        lines.append(f"{client.frame} {client.world.save().hex()} {client.drawn_tick!r}")

    site.add(wanderer(seed, buttons=FIRE | TELEPORT), look=look)
    site.add(wanderer(seed + 1, buttons=FIRE))
    site.run(4.0)
    return [*lines, *map(repr, site.cues[0]), repr(site.clients[0].stats), *map(repr, site.events[0])]


@pytest.mark.parametrize(("seed", "loss"), [(1, 0.0), (2, 0.05)])
def test_compiled_and_uncompiled_show_the_same(twin: Twin, seed: int, loss: float) -> None:
    twin.agrees(story, seed, loss)


def test_settings_that_cannot_work_are_refused() -> None:
    for wrong in ({"packets_per_second": 0}, {"smoothing": 0.0}, {"longest_smoothed": -1.0}, {"cue_tolerance": -1}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            WorldClientConfig(**wrong)  # type: ignore[arg-type]  # a mistake on purpose
