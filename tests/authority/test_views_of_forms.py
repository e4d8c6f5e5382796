"""Vectors, rectangles and texts: what a client has of them, after deltas with loss, and what they cost."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.sim import Distance, Most, Player, Rect, Thing, Vector2, World
from tests.authority.gallery import Frame, Gallery, known_to, told
from tests.authority.worlds import Court, Server
from tests.twin import Twin

PRESSED = st.tuples(*[st.integers(0, 0x7FF)] * 3)
TICKS = st.lists(st.tuples(PRESSED, st.integers(0, 15), st.integers(0, 15)), max_size=25)


@given(TICKS, st.booleans())
@settings(max_examples=80)
def test_a_client_knows_them_as_far_as_its_player_may_and_rounded(ticks: Any, compact: bool) -> None:
    server = Server(Gallery(), budget=1400, compact=compact)
    for pressed, lost, unheard in ticks:
        server.advance(pressed)
        for bit, client in enumerate(server.clients):
            is_lost = bool(lost >> bit & 1)
            client.exchange(lost=is_lost, ack_lost=bool(unheard >> bit & 1))
            if not is_lost and not client.receiver.waiting:
                assert told(client.world) == known_to(server.world, client.seat)


def story(ticks: Sequence[Sequence[int]], compact: bool) -> list[str]:
    return Server(Gallery(), compact=compact).bytes_sent(ticks)


@given(st.lists(PRESSED, max_size=20), st.booleans())
@settings(max_examples=30, deadline=None)
@pytest.mark.compiled_only
def test_compiled_and_uncompiled_give_the_same_bytes(twin: Twin, ticks: list[tuple[int, ...]], compact: bool) -> None:
    assert twin.tells(story, ticks, compact) == story(ticks, compact)


def test_worlds_without_them_have_the_bytes_that_they_always_had() -> None:
    rng = Random(5)
    ticks = [tuple(rng.randrange(0x1000) for _ in range(3)) for _ in range(60)]
    found = sha256("".join(Server(Court()).bytes_sent(ticks)).encode()).hexdigest()
    assert found == "61495ae4d40cd8edea2acc91f7c4c49e71d3f5e51b4362356788dcaeb33d3340"


def size_of_a_step(names: bool) -> int:
    """Bytes of a snapshot in which six things have moved, after the first ones."""

    class Mover(Thing):
        player: Player = 255
        pos: Vector2

    class Named(Thing):
        player: Player = 255
        name: str = ""
        pos: Vector2

    class Game(World):
        num_players = 1
        movers: Annotated[list[Named if names else Mover], Most(6)]  # type: ignore[valid-type]  # chosen by the caller

    server = Server(Game(), seats=(0,))
    for number in range(6):
        server.world.movers.append(Named(name="x" * 50, pos=(0, 0)) if names else Mover(pos=(0, 0)))
        server.world.movers[number].pos.x = number
    for tick in range(1, 12):
        server.tick = tick
        for mover in server.world.movers:
            mover.pos.x += 0.1
        server.look((0,))
        server.clients[0].exchange()
    assert server.clients[0].world.movers[5].pos.x == server.world.movers[5].pos.x
    return len(server.clients[0].bytes[-1])


def test_a_text_that_does_not_change_costs_nothing() -> None:
    assert size_of_a_step(names=True) == size_of_a_step(names=False)


class Kite(Thing):
    player: Player = 255
    pos: Vector2


class Sheet(Thing):
    pos: Rect


class Sky(World):
    num_players = 2
    interest = Distance(full=5, none=10, fields=("pos",))
    kites: Annotated[list[Kite], Most(40)]
    sheets: Annotated[list[Sheet], Most(40)]


def test_things_are_where_their_vectors_are_and_in_the_middle_of_their_rectangles() -> None:
    server = Server(Sky(), seats=(0, 1, None))
    world = server.world
    world.kites = [Kite(player=0 if at == 20 else 255, pos=(at, 7)) for at in range(40)]
    # Their middles are from 2.5 on.
    world.sheets = [Sheet(pos=Rect(at, 6, 5, 3)) for at in range(40)]
    server.tick = 1
    server.look((0, 0))
    one, nowhere, spectator = server.clients
    for client in server.clients:
        client.exchange()
    assert [kite.pos.x for kite in one.world.kites] == list(range(11, 30))
    assert [sheet.pos.x for sheet in one.world.sheets] == [at for at in range(40) if abs(at + 2.5 - 20) < 9.9]
    assert len(nowhere.world.kites) == len(spectator.world.sheets) == 40
    assert world.viewpoint(0) == (20.0, 7.0)
    for kind in ("kites", "sheets"):
        found = list(server.stage.current.places)
        items = getattr(world, kind)
        index = list(server.stage.current.ids).index(items[3].id)
        assert tuple(found[2 * index : 2 * index + 2]) == world.interest.position(items[3])


def test_a_game_may_look_from_a_vector() -> None:
    class Seen(Sky):
        def viewpoint(self, player: int) -> Vector2:
            return Vector2(33, 7) if player == 0 else Rect(1, 2, 3, 4)  # type: ignore[return-value]  # what is refused

    server = Server(Seen(), seats=(0, 1))
    server.world.kites = [Kite(pos=(at, 7)) for at in range(40)]
    server.tick = 1
    server.look((0, 0))
    server.clients[0].exchange()
    assert [kite.pos.x for kite in server.clients[0].world.kites] == list(range(24, 40))
    with pytest.raises(Exception, match=r"viewpoint\(1\) gives pos, not"):
        server.clients[1].exchange()


def test_a_new_thing_that_is_as_declared_is_sent_without_a_field() -> None:
    server = Server(Gallery(), seats=(None,))
    server.world.frames.append(Frame(pos=(0, 0)))
    server.tick = 1
    server.look((0, 0, 0))
    held = server.clients[0].exchange()
    assert held is not None
    # The world with its next id, and the frame: counts, gaps, ids and components.
    assert len(held.frame.body) <= 6
    assert told(server.clients[0].world) == known_to(server.world, None)
