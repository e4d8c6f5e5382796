"""Every pair of kinds of routers plays; directly wherever a direct path exists, and soon."""

import pytest

from retick.games.scramble import Scramble
from retick.rollback.events import SourceChanged
from retick.routes import PathChanged, PathKind
from retick.testing.online_mesh import OnlineMesh
from retick.transport import Conditions, Nat, NatKind
from tests.routes.matches import PAIRS, between, has_direct_path, is_direct, longest_stall
from tests.routes.matrix_table import PAGE, rendered, written


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_every_pair_plays_and_directly_wherever_a_direct_path_exists(one: NatKind, other: NatKind) -> None:
    for lenient in (False, True):
        mesh = between(*(Nat(kind=kind, lenient=lenient, keeps_ports=not lenient) for kind in (one, other)))
        assert mesh.network.now - mesh.has_code_at <= 1.5, "from the code to the first frame"
        assert longest_stall(mesh, 3.0) <= 0.25, "a planned move stalls nobody"
        for name in mesh.peers:
            assert is_direct(mesh, name) == has_direct_path(one, other), (name, lenient)
        mesh.watch("watcher", "peer0")
        mesh.play(600)
        mesh.verify()
        assert mesh.kinds("watcher")[0] is not None
        assert len(mesh.spectators["watcher"].rows) > 100


@pytest.mark.parametrize("kind", list(NatKind), ids=lambda kind: kind.name.lower())
def test_spectators_get_direct_paths_too(kind: NatKind) -> None:
    mesh = between(Nat(), Nat())
    mesh.nats["watcher"] = Nat(kind=kind)
    mesh.watch("watcher", "peer0")
    mesh.run(5.0)
    assert is_direct(mesh, "watcher") == has_direct_path(NatKind.PORT_RESTRICTED, kind)
    assert len(mesh.spectators["watcher"].rows) > 100
    mesh.verify()


def test_a_spectator_whose_source_leaves_goes_on_through_another_player() -> None:
    names = ("peer0", "peer1", "peer2")
    mesh = OnlineMesh(lambda: Scramble(3), nats=dict.fromkeys((*names, "watcher"), Nat()))
    mesh.start()
    mesh.watch("watcher", "peer0")
    mesh.run(4.0)
    mesh["peer0"].session.close()
    mesh.run(4.0)
    before = len(mesh.spectators["watcher"].rows)
    mesh.run(3.0)
    assert len(mesh.spectators["watcher"].rows) > before + 100
    assert [change.address for change in mesh.spectators["watcher"].events if isinstance(change, SourceChanged)]
    mesh.crash("peer0")
    mesh.verify()


@pytest.mark.parametrize("players", [4, 8])
def test_matches_of_many_mix_direct_paths_and_the_relay(players: int) -> None:
    kinds = dict(zip((f"peer{n}" for n in range(players)), list(NatKind) * 2, strict=False))
    mesh = OnlineMesh(lambda: Scramble(players), nats={name: Nat(kind=kind) for name, kind in kinds.items()})
    mesh.start()
    mesh.run(3.0)
    numbers = {mesh[name].session.routes.number: name for name in kinds}
    for name, kind in kinds.items():
        found = mesh.kinds(name)
        assert len(found) == players - 1
        for number, way in found.items():
            assert (way is not PathKind.RELAY) == has_direct_path(kind, kinds[numbers[number]]), (name, number)
    mesh.play(400)
    mesh.verify()


def test_a_lossy_network_finds_its_way_as_well() -> None:
    rough = Conditions(latency=0.04, jitter=0.02, loss=0.05, duplicate=0.02)
    direct = 0
    for seed in range(6):
        mesh = between(Nat(), Nat(), seed=seed, conditions=rough)
        mesh.run(5.0)
        direct += is_direct(mesh, "peer0")
        mesh.play(500)
        mesh.verify()
    assert direct >= 5


def test_no_roster_has_an_address_in_it() -> None:
    mesh = OnlineMesh(lambda: Scramble(3), nats=dict.fromkeys(("peer0", "peer1", "peer2"), Nat()))
    mesh.start()
    mesh.run(3.0)
    for peer in mesh.alive:
        assert {str(address)[:7] for address in peer.session.peer_addresses} == {"member-"}
        assert peer.events_of(PathChanged)


def test_the_page_has_the_matrix_as_it_is_played() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, rendered()) == page, "python -m tests.routes.matrix_table writes it anew"
