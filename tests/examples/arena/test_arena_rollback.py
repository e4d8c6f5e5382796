"""examples/arena/game.py repeats itself, and peers play it by rollback."""

import subprocess
import sys
from random import Random
from typing import Any

import pytest

from retick.audit import audit_dynamic, audit_static
from retick.rollback import RollbackSession
from retick.rollback.session.inside import inside_of
from retick.sim.world.hosting import begin, check_owners, player_joins, tick
from retick.testing import assert_deterministic
from retick.testing.determinism import failure_in
from retick.testing.mesh import Mesh
from retick.transport import Conditions, Poll, open_udp
from tests.examples.waiting import wait

BAD = Conditions(latency=0.06, jitter=0.02, loss=0.05, duplicate=0.02)


def play(arena: Any, ticks: int, seed: int = 1) -> tuple[Any, list[tuple[int, ...]]]:
    """A match of bots: the world at its end, and all inputs."""
    world, rows = arena.game.Arena(), []
    world.reset(seed)
    for _ in range(ticks):
        rows.append(tuple(arena.bots.bot(player, world).packed for player in range(8)))
        world._advance(rows[-1])
    return world, rows


def press_of(arena: Any, kind: Any) -> Any:
    """Bots for a mesh, which has states."""
    seen = kind()

    def press(player: int, state: Any) -> Any:
        seen.load(state.saved)
        return arena.bots.bot(player, seen)

    return press


def test_a_match_of_bots_is_the_same_after_every_rollback(arena: Any) -> None:
    world, rows = play(arena, 1000)
    assert sum(fighter.kills for fighter in world.fighters) > 5
    assert failure_in(arena.game.Arena, rows, 1) is None


def test_it_is_deterministic_whatever_is_pressed(arena: Any) -> None:
    assert_deterministic(arena.game.Arena, frames=200, seeds=(1,))
    assert_deterministic(arena.game.Duel, frames=200, seeds=(2,))


def test_its_source_is_clean(arena: Any) -> None:
    assert audit_static(str(arena.folder / "game.py")).findings == ()
    assert audit_static(str(arena.folder)).findings == ()


def test_it_is_the_same_in_other_interpreters(arena: Any) -> None:
    audit_dynamic(f"{arena.folder / 'game.py'}:Arena", frames=200).raise_if_different()


def test_a_world_that_was_loaded_goes_on_as_the_one_that_was_saved(arena: Any) -> None:
    world, rows = play(arena, 900)
    straight, loaded = arena.game.Arena(), arena.game.Arena()
    straight.reset(1)
    for number, row in enumerate(rows):
        if number % 50 == 0:
            loaded = arena.game.Arena()
        if number % 10 == 0:
            loaded.load(straight.save())
            assert loaded.save() == straight.save()
            assert loaded.opened == straight.opened
        assert straight._advance(row) == loaded._advance(row)
        assert loaded.save() == straight.save()
    assert straight.save() == world.save()


def test_a_server_runs_the_same_bits_as_rollback(arena: Any) -> None:
    _, rows = play(arena, 600)
    game, server = arena.game.Arena(), arena.game.Arena()
    check_owners(type(server))
    begin(server, 1)
    for player in range(8):
        player_joins(server, player)
    state = game.initial_state(1)
    for row in rows:
        state = game.step(state, row)
        assert tick(server, row) == state.cues
    assert server.save() == state.saved


def test_a_match_of_bots_comes_to_its_end(arena: Any) -> None:
    world, _ = play(arena, 60 * 60 * 6)
    assert world.winner() is not None
    assert max(world.wins) == arena.game.WINS


@pytest.mark.parametrize("seed", [1, 2])
def test_two_machines_with_four_players_each_stay_in_sync_on_a_bad_network(arena: Any, seed: int) -> None:
    kind = arena.game.Arena
    match = Mesh(kind, seats={"one": 4, "two": 4}, seed=seed, conditions=BAD, press=press_of(arena, kind))
    match.start()
    match.play(150)
    match.cut("one", "two", seconds=1)
    match.play(400)
    match.verify(400)
    assert inside_of(match["one"].session).match.engine.frame >= 400


def test_a_duel_survives_a_pause_and_a_cut(arena: Any) -> None:
    match = Mesh(arena.game.Duel, seats={"one": 1, "two": 1}, conditions=BAD, press=press_of(arena, arena.game.Duel))
    match.start()
    match.play(200)
    match.pause("two", seconds=1)
    match.cut("one", "two", seconds=2)
    match.play(700)
    match.verify(700)


def test_a_duel_over_sockets(arena: Any) -> None:
    sides: list[tuple[RollbackSession[Any], Poll]] = []
    for number in range(2):
        host = sides[0][1].socket.address if sides else None
        session = RollbackSession(arena.game.Duel(), entropy=Random(number).randbytes, host_address=host)
        sides.append((session, Poll(session, open_udp("127.0.0.1"))))
    while not all(session.running and session.frame >= 40 for session, _ in sides):
        for session, wire in sides:
            wire.poll()
            while session.due(now=wire.clock()):
                session.advance(arena.game.Wish(right=1, fire=True), now=wire.clock())
            wire.flush()
        wait()
    engines = [inside_of(session).match.engine for session, _ in sides]
    frame = min(engine.final_state_frame for engine in engines)
    assert frame > 5
    assert len({engine.checksum_at(frame) for engine in engines}) == 1
    for _, wire in sides:
        wire.leave()


def test_the_commands_of_the_page_find_nothing(arena: Any) -> None:
    for words in (["synctest", "game.py:Arena", "--frames", "120", "--seconds", "0"], ["audit", "."]):
        run = subprocess.run(
            [sys.executable, "-m", "retick", *words], cwd=arena.folder, capture_output=True, text=True, timeout=120
        )
        assert run.returncode == 0, run.stdout + run.stderr
