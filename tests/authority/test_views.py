"""Full, then deltas with loss: each client's world is the server's, as far as the player may know it, rounded."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority import delta_sender, views
from retick.authority.layout import layout_of
from retick.authority.views import Receiver, Stage, encode_cue
from retick.errors import UsageError
from retick.sim import F64, U8, Command, Distance, Most, Player, Range, Thing, Vector2, World
from retick.wire.values import decode_value
from tests.authority.oracle import known_to, told
from tests.authority.worlds import Client, Court, Server
from tests.twin import Twin

PRESSED = st.tuples(*[st.integers(0, 0xFFF)] * 3)
TICKS = st.lists(st.tuples(PRESSED, st.integers(0, 15), st.integers(0, 15)), max_size=25)


@given(TICKS, st.booleans())
def test_a_client_knows_the_world_as_far_as_its_player_may_and_rounded(ticks: Any, compact: bool) -> None:
    server = Server(Court(), compact=compact)
    for pressed, lost, unheard in ticks:
        server.advance(pressed)
        for bit, client in enumerate(server.clients):
            is_lost = bool(lost >> bit & 1)
            client.exchange(lost=is_lost, ack_lost=bool(unheard >> bit & 1))
            if not is_lost:
                assert told(client.world) == known_to(server.world, client.seat)


@given(TICKS, st.booleans())
@settings(max_examples=60)
def test_a_small_budget_delays_changes_and_loses_none(ticks: Any, compact: bool) -> None:
    server = Server(Court(), budget=560, compact=compact)
    pressed: Any = (0, 0, 0)
    for pressed, lost, unheard in ticks:
        server.advance(pressed)
        for bit, client in enumerate(server.clients):
            client.exchange(lost=bool(lost >> bit & 1), ack_lost=bool(unheard >> bit & 1))
            assert len(client.bytes[-1]) <= 560
    for client in server.clients:
        for _ in range(60):
            server.tick += 1
            server.look(pressed)
            client.exchange()
            if not client.receiver.waiting:
                break
        assert told(client.world) == known_to(server.world, client.seat)


def story(ticks: Sequence[Sequence[int]], compact: bool) -> list[str]:
    return Server(Court(), compact=compact).bytes_sent(ticks)


@given(st.lists(PRESSED, max_size=20), st.booleans())
@settings(max_examples=30, deadline=None)
@pytest.mark.compiled_only
def test_compiled_and_uncompiled_give_the_same_bytes(twin: Twin, ticks: list[tuple[int, ...]], compact: bool) -> None:
    assert twin.tells(story, ticks, compact) == story(ticks, compact)


def test_a_thing_that_becomes_invisible_is_destroyed_at_the_client_and_comes_back_with_its_id() -> None:
    server = Server(Court())
    server.advance((0 | 1 << 4, 15, 15))
    pawn = server.world.pawns[0]
    one, other = server.clients[:2]
    for client in server.clients:
        client.exchange()
    shown = one.world.pawns[0]
    assert [each.id for each in one.world.pawns] == [pawn.id]
    pawn.lost = True
    server.advance((15, 15, 15))
    for client in server.clients:
        client.exchange()
    assert (len(one.world.pawns), len(other.world.pawns)) == (0, 1)
    pawn.lost = False
    server.advance((15, 15, 15))
    one.exchange()
    assert one.world.pawns[0].id == pawn.id
    assert one.world.pawns[0] is not shown


def test_a_field_of_the_owner_is_gone_after_a_change_of_owner() -> None:
    server = Server(Court())
    server.advance((0, 15, 15))
    pawn = server.world.pawns[0]
    one, other = server.clients[:2]
    for owner, known in ((0, (1234, 3)), (1, (3, 1234)), (255, (3, 3))):
        pawn.player, pawn.ammo = owner, 1234
        server.advance((15, 15, 15))
        for client in server.clients:
            client.exchange()
        assert (one.world.pawns[0].ammo, other.world.pawns[0].ammo) == known


def test_cues_arrive_once_with_their_tick_and_only_at_those_who_hear_them() -> None:
    server = Server(Court())
    for number in range(40):
        server.advance((0 | number << 4, 2 | number << 4, 15))
        for client in server.clients:
            client.exchange(lost=number % 4 != 3, ack_lost=number % 8 == 3)
    for client in server.clients:
        assert len(client.heard) == len(set(client.heard)) > 10
        assert [cue.tick for cue in client.heard] == sorted(cue.tick for cue in client.heard)
        whispers = {cue.cue[1] for cue in client.heard if cue.cue[0] == "whisper"}
        assert whispers <= {client.seat}
    assert {cue.tick for cue in server.clients[0].heard if cue.cue[0] == "born"} == {
        cue.tick for cue in server.clients[1].heard if cue.cue[0] == "born"
    }


def test_too_many_cues_are_sent_bit_by_bit_and_the_oldest_are_dropped_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views, "MOST_WAITING_CUES", 20)
    server = Server(Court())
    server.advance((15, 15, 15))
    client = server.clients[0]
    for number in range(30):
        client.receiver.hear(1, encode_cue(("long", "x" * 60, number)))
    assert client.receiver.cues_dropped == 10
    for _ in range(12):
        client.exchange()
        assert len(client.bytes[-1]) <= 1100
        server.tick += 1
        server.look((0, 0, 0))
    assert [cue.cue[2] for cue in client.heard] == list(range(10, 30))


def test_floats_of_cues_are_rounded_and_what_cannot_be_sent_is_named() -> None:
    assert decode_value(encode_cue(("shot", 0.1, (1e300,)))) == ("shot", 0.10000000149011612, (1e300,))
    with pytest.raises(UsageError, match=r"cue\('shot', \[1\]\) cannot be sent: \[1\] cannot be sent"):
        encode_cue(("shot", [1]))


def test_inputs_travel_only_for_players_of_whom_a_thing_is_seen() -> None:
    server = Server(Court())
    server.advance((0 | 2 << 4, 15, 15))
    server.look((11, 12, 13))
    for client, known in zip(server.clients, ({0: 11, 2: 13}, {1: 12, 2: 13}, {2: 13}), strict=True):
        held = client.exchange()
        assert held is not None
        assert {seat: each.input for seat, each in held.seats.items()} == known


def test_an_empty_seat_is_told_as_not_connected() -> None:
    server = Server(Court())
    server.stage.survey(1, [None, 5, None])
    server.tick = 1
    held = server.clients[0].exchange()
    assert held is not None
    assert held.seats == {0: (False, 0)}


class Ball(Thing):
    player: Player = 255
    x: Annotated[F64, Range(0, 1000, step=1 / 16)] = 0.0
    y: Annotated[F64, Range(0, 1000, step=1 / 16)] = 0.0


class Field(World):
    num_players = 2
    interest: ClassVar[Any] = Distance(full=100.0, none=200.0)
    balls: Annotated[list[Ball], Most(600)]

    def advance(self, inputs: Sequence[int]) -> None:
        for ball in self.balls:
            ball.x += 0.5


Spread: Any = type(Thing)("Spread", (Thing,), {"__annotations__": {f"n{index}": F64 for index in range(90)}})


def field(count: int, budget: int = 1100) -> Server:
    server = Server(Field(), seats=(0, None), budget=budget)
    world = server.world
    world.balls = [Ball(player=0, x=50.0)] + [Ball(x=float(number)) for number in range(1, count)]
    server.advance((0, 0))
    return server


def test_what_is_far_away_is_not_sent_and_a_spectator_without_a_viewpoint_gets_all() -> None:
    server = field(500)
    one, spectator = server.clients
    for _ in range(20):
        one.exchange()
        spectator.exchange()
        server.tick += 1
        server.look((0, 0))
    assert len(spectator.world.balls) == 500
    assert {ball.x for ball in one.world.balls} == {ball.x for ball in server.world.balls if abs(ball.x - 50.5) < 200}


def test_the_near_come_first_and_no_packet_is_longer_than_the_budget() -> None:
    server = field(400, budget=500)
    one = server.clients[0]
    one.exchange()
    near = [ball for ball in one.world.balls if abs(ball.x - 50.5) <= 100]
    assert len(one.bytes[0]) <= 500
    assert one.receiver.waiting > 0
    assert len(near) == len(one.world.balls) > 30
    for _ in range(40):
        server.advance((0, 0))
        one.exchange()
        assert len(one.bytes[-1]) <= 500
    assert len(one.world.balls) > 200


def test_many_things_that_leave_the_view_at_once_are_destroyed_first() -> None:
    server = field(500, budget=500)
    spectator = server.clients[1]
    for _ in range(30):
        spectator.exchange()
        server.tick += 1
        server.look((0, 0))
    assert len(spectator.world.balls) == 500
    server.world.balls = [ball for ball in server.world.balls if ball.id % 2]
    for _ in range(3):
        server.advance((0, 0))
        spectator.exchange()
        assert len(spectator.bytes[-1]) <= 500
    assert len(spectator.world.balls) == 250


def test_more_entities_than_a_client_may_hold_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_sender, "MOST_ENTITIES", 10)
    server = field(30)
    spectator = server.clients[1]
    for _ in range(4):
        spectator.exchange()
        server.tick += 1
        server.look((0, 0))
    assert len(spectator.world.balls) == 9


def test_a_viewpoint_of_the_game_is_used_and_checked() -> None:
    class Seen(Field):
        def viewpoint(self, player: int) -> tuple[float, ...] | None:
            return (400.0, 0.0) if player == 0 else (1.0,)

    server = Server(Seen(), seats=(0, 1))
    server.world.balls = [Ball(x=float(number)) for number in range(0, 600, 10)]
    server.advance((0, 0))
    server.clients[0].exchange()
    assert min(ball.x for ball in server.clients[0].world.balls) == pytest.approx(200.5)
    with pytest.raises(UsageError, match=r"viewpoint\(1\) gives x, y, not \(1.0,\)"):
        server.clients[1].exchange()


def test_things_are_where_parts_and_whole_numbers_say() -> None:
    class Where(Thing):
        at: U8 = 0

    class Kite(Thing):
        where: Where

    class Sky(World):
        num_players = 1
        interest = Distance(full=5, none=10, fields=("where.at",))
        kites: Annotated[list[Kite], Most(40)]

        def viewpoint(self, player: int) -> tuple[float, ...]:
            return (20.0,)

    server = Server(Sky(), seats=(0,))
    for at in range(40):
        server.world.kites.append(Kite())
        server.world.kites[-1].where.at = at
    server.tick = 1
    server.look((0,))
    server.clients[0].exchange()
    assert [kite.where.at for kite in server.clients[0].world.kites] == list(range(11, 30))


def test_a_declared_command_travels_in_its_own_bits() -> None:
    class Wish(Command):
        turn: Annotated[F64, Range(-1, 1, step=1 / 16)] = 0.0
        fire: bool = False

    class Game(World):
        num_players = 1
        command = Wish
        time: U8

    server = Server(Game(), seats=(0,))
    assert server.layout.input_bits == Wish.bits == 7
    assert f"command {Wish.layout}\n" in server.layout.text
    server.tick = 1
    server.look((Wish(turn=0.5, fire=True).packed,))
    held = server.clients[0].exchange()
    assert held is not None
    assert Wish.unpack(held.seats[0].input) == Wish(turn=0.5, fire=True)


@pytest.mark.parametrize(
    ("hint", "advice"),
    [
        (list[int], r"of spots, which takes up to 8908: f takes most of it, 8832 bytes: .* Most\(16\)"),
        (list[Vector2], r"f takes most of it, 17664 bytes"),
        (Annotated[str, Most(2000)], r"f takes most of it, 2156 bytes"),
        (Spread, r"give fields a Range with a step, and lists"),
    ],
)
def test_an_entity_that_cannot_fit_a_snapshot_is_refused_by_name(hint: Any, advice: str) -> None:
    hints = {"f": hint, "some": Annotated[list[U8], Most(32)], "on": bool}
    spot: Any = type(Thing)("Spot", (Thing,), {"__annotations__": hints})
    wide: Any = type(World)("Wide", (World,), {"num_players": 1, "__annotations__": {"spots": list[spot]}})
    with pytest.raises(UsageError, match=advice):
        Receiver(Stage(layout_of(wide), wide()), 0)


def test_a_base_that_is_too_old_is_not_used() -> None:
    server = field(3)
    one = server.clients[0]
    one.exchange()
    server.tick += 256
    server.look((0, 0))
    held = one.exchange()
    assert held is not None
    assert held.frame.back == 0


def test_a_survey_comes_first_and_has_all_seats() -> None:
    stage = Stage(layout_of(Court), Court())
    with pytest.raises(UsageError, match="look at the world first"):
        Client(stage, 0).receiver.snapshot()
    with pytest.raises(UsageError, match="there are 3 seats, not 1"):
        stage.survey(1, [1])


def test_marks_of_a_world_without_hooks_show_everything() -> None:
    class Plain(World):
        num_players = 1
        rocks: Annotated[list[Ball], Most(2)]
        count: U8

    server = Server(Plain(), seats=(0,))
    server.world.rocks.append(Ball())
    server.tick = 1
    server.look((0,))
    server.clients[0].receiver.listen(1, [(("all",), encode_cue(("all",)))])
    server.clients[0].exchange()
    assert len(server.clients[0].world.rocks) == 1
    assert server.clients[0].heard[0].cue == ("all",)
