"""A mesh over the internet, as users have it."""

import pytest

from retick.games.fighter import Fighter
from retick.routes import PathKind
from retick.testing.mesh import MeshHung
from retick.testing.online_mesh import OnlineMesh
from retick.transport import Conditions, Nat


def test_a_seed_is_a_whole_match() -> None:
    def played(seed: int) -> tuple[int, float]:
        mesh = OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": None}, seed=seed)
        mesh.start()
        mesh.play(120)
        return mesh.verify(), mesh.network.now

    assert played(3) == played(3)
    assert played(3) != played(4)


def test_peers_are_where_their_routers_are() -> None:
    mesh = OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": None})
    assert mesh.address_of("peer0")[0].startswith("10.")
    assert mesh.address_of("peer1")[0].startswith("203.")
    assert mesh.router_of("peer1") is None
    mesh.start()
    mesh.run(3.0)
    assert mesh.kinds("peer0") == {1: PathKind.LOCAL}, "what peer1 calls its own is its address on the internet"
    assert [change.member for change in mesh.changes("peer0")] == [1]


def test_one_that_crashed_comes_back_by_the_code() -> None:
    mesh = OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": Nat()})
    mesh.start()
    mesh.play(60)
    token = mesh["peer1"].session.seat_token
    mesh.crash("peer1")
    mesh.at(1.0, lambda: mesh.restart("peer1", seat_token=token))
    mesh.run(8.0)
    mesh.run_until(lambda: mesh["peer1"].playing, limit=20.0, what="it is back")
    mesh.play(mesh["peer0"].final_frame + 60)
    mesh.verify()


def test_without_a_way_to_the_relay_it_hangs_in_words() -> None:
    with pytest.raises(MeshHung, match="a room at the relay"):
        OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": Nat()}, conditions=Conditions(loss=1.0))
