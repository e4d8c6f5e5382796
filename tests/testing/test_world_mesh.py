"""A server and its clients on bad links: what ``verify`` finds."""

from typing import Any

import pytest
from examples.raiders import Raiders, Wish

from retick.authority import PlayerJoined, PlayerLost, WorldServerConfig
from retick.authority.client import RoomJoined
from retick.errors import UsageError
from retick.sim.world import World
from retick.testing.world_mesh import WorldMesh


def walk(player: int, world: Any) -> Wish:
    return Wish(right=1.0 if player else -0.5, down=0.25, fire=player == 0)


def test_clients_play_on_a_bad_link_and_the_recording_verifies() -> None:
    mesh = WorldMesh(Raiders, press=walk)
    mesh.join("eye", watch=True)
    mesh.run(5.0)
    assert [event.name for event in mesh.events_of("server", PlayerJoined)].count("ann") == 1
    assert {player.name for player in mesh.room.players.values()} == {"ann", "bob", "eye"}
    assert mesh.events_of("eye", RoomJoined)[0].seat is None
    assert mesh.verify() != 0
    mesh.run(1.0)
    tick = mesh.room.tick
    assert mesh.verify() == mesh.room.world.checksum()
    assert tick > 300


def test_the_same_seed_is_the_same_match() -> None:
    ends = []
    for _ in range(2):
        mesh = WorldMesh(Raiders, press=walk, seed=7)
        mesh.run(3.0)
        ends.append(mesh.verify())
    assert ends[0] == ends[1]


def test_a_client_that_was_cut_off_comes_back() -> None:
    mesh = WorldMesh(Raiders, press=walk, config=WorldServerConfig(timeout=1.0))
    mesh.run(1.0)
    mesh.cut("bob", 8.0)
    mesh.run(15.0)
    assert mesh.events_of("server", PlayerLost)
    assert mesh.clients["bob"].running
    mesh.verify()


@pytest.mark.parametrize(
    "call", [lambda mesh: mesh.events_of("carol", RoomJoined), lambda mesh: mesh.cut("carol", 1.0)]
)
def test_a_name_that_no_client_has_is_refused_by_that_name(call: Any) -> None:
    with pytest.raises(UsageError, match=r"^there is no client 'carol', only ann, bob and 'server'$"):
        call(WorldMesh(Raiders))


def test_what_fails_in_the_room_or_at_a_client_or_in_the_recording_is_found() -> None:
    class Broken(Raiders):
        def advance(self, inputs: Any) -> None:
            super().advance(inputs)
            if self.raiders and self.raiders[0].x < 0.5:
                raise LookupError("at the edge")

    mesh = WorldMesh(Broken, press=lambda player, world: Wish(right=-1.0))
    mesh.run(10.0)
    with pytest.raises(AssertionError, match="at the edge"):
        mesh.verify()

    class Blind(Raiders):
        def advance(self, inputs: Any) -> None:
            super().advance(inputs)
            self.coins[7].x += 0.0  # a client does not see so many

    mesh = WorldMesh(Blind)
    mesh.run(2.0)
    with pytest.raises(AssertionError, match="failed at the client 'ann'"):
        mesh.verify()

    mesh = WorldMesh(Raiders)
    mesh.run(2.0)
    world: World = mesh.room.world
    world.raiders[0].x = 17.0  # type: ignore[attr-defined]  # of the example
    mesh.run(2.0)
    with pytest.raises(AssertionError, match="does not verify"):
        mesh.verify()


def test_no_name_is_there_twice() -> None:
    mesh = WorldMesh(Raiders)
    for name in ("ann", "server"):
        with pytest.raises(UsageError, match="already"):
            mesh.join(name)
