"""Names and profiles are known to all who play or come later, and at first hand."""

from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.link import Reason
from retick.link.sealing.keys import fingerprint_of
from retick.link.sealing.primitives import signer_of
from retick.rollback.events import PeerDisconnected, RosterChanged, RosterPeer
from retick.rollback.session.messages.profile import Profile, encode_profile
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import LINK, STAY, assert_all_play, leave, towards
from tests.toys import Tally

NAMES = {"peer0": "Ann", "peer1": "Bob", "peer2": "Çelik"}


def named_mesh(players: int = 3, conditions: Conditions = LINK) -> Mesh:
    make = {name: partial(RollbackSession, name=NAMES[name], profile=name.encode()) for name in list(NAMES)[:players]}
    return Mesh(
        lambda: Tally(players), seats=dict.fromkeys(make, 1), conditions=conditions, config=STAY, make_session=make
    )


def listed(mesh: Mesh, name: str) -> list[tuple[int, str, bytes]]:
    return [(each.peer_id, each.name, each.profile) for each in mesh[name].session.roster]


EVERYBODY = [(0, "Ann", b"peer0"), (1, "Bob", b"peer1"), (2, "Çelik", b"peer2")]


def test_every_player_knows_all_names_and_profiles() -> None:
    mesh = named_mesh(conditions=Conditions(latency=0.05, loss=0.2))
    mesh.start()
    mesh.play(60)
    for name in NAMES:
        by_name = sorted((each.name, each.profile, each.players) for each in mesh[name].session.roster)
        assert by_name == [
            (NAMES[each], each.encode(), mesh[each].session.local_players)
            for each in sorted(NAMES, key=NAMES.get)  # type: ignore[arg-type]  # every key has a name
        ]
        assert mesh[name].events_of(RosterChanged)[-1].roster == mesh[name].session.roster


def test_a_joiner_that_waits_sees_who_is_there_and_who_has_left() -> None:
    mesh = named_mesh()
    mesh.network.cut("peer0", "peer2", 3.0)
    mesh.run(2.0)
    assert mesh["peer1"].session.phase is Phase.GATHERING
    assert listed(mesh, "peer1") == listed(mesh, "peer0") == EVERYBODY[:2]
    mesh["peer1"].session.close()
    mesh.run(0.5)
    assert listed(mesh, "peer0") == EVERYBODY[:1]


def test_a_newcomer_knows_the_names_of_all_and_all_know_its_own() -> None:
    mesh = named_mesh()
    mesh.start()
    mesh.play(60)
    leave(mesh, "peer1")
    assert [name for _, name, _ in listed(mesh, "peer0")] == ["Ann", "Çelik"]
    mesh.restart("peer1")
    mesh.run_until(lambda: mesh["peer1"].playing, limit=4.0, what="it is in")
    mesh.run(0.5)
    for name in NAMES:
        assert sorted(who for _, who, _ in listed(mesh, name)) == ["Ann", "Bob", "Çelik"]
    fan = mesh.watch("fan", "peer2")
    mesh.run(1.0)
    assert fan.session.roster == mesh["peer2"].session.roster
    assert_all_play(mesh, 0)


def test_a_spectator_hears_of_those_who_come_and_go() -> None:
    mesh = named_mesh()
    mesh.start()
    mesh.play(60)
    fan = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    assert [each.name for each in fan.session.roster] == [each.name for each in mesh["peer0"].session.roster]
    leave(mesh, "peer2")
    assert [each.name for each in fan.session.roster] == ["Ann", "Bob"]


def test_a_second_profile_expels_its_sender() -> None:
    mesh = named_mesh()
    mesh.start()
    mesh.play(60)
    towards(mesh, "peer2", "peer0").send(encode_profile(Profile("Ann")))
    mesh.run(0.5)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]


def test_a_name_that_cannot_be_sent_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="a name is up to 64 bytes"):
        RollbackSession(Tally(2), entropy=Random(9).randbytes, name="x" * 65)
    with pytest.raises(UsageError, match="a profile has at most 128 bytes"):
        RollbackSession(Tally(2), entropy=Random(9).randbytes, profile=bytes(129))


def test_one_who_plays_alone_has_a_roster_of_one() -> None:
    session: Any = RollbackSession(Tally(2), entropy=Random(9).randbytes, seats=2, name="Ann")
    assert session.roster == (RosterPeer(0, (0, 1), "Ann", b""),)


def keyed(name: str) -> Any:
    return partial(RollbackSession, name=NAMES[name], identity=name.encode().ljust(32))


def test_a_joiner_that_waits_knows_the_fingerprints_that_were_proved_to_it_and_its_own() -> None:
    make = {name: keyed(name) for name in ("peer0", "peer1")}
    mesh = Mesh(lambda: Tally(3), seats=dict.fromkeys(make, 1), conditions=LINK, config=STAY, make_session=make)
    mesh.run(1.0)
    joiner = mesh["peer1"]
    assert joiner.session.phase is Phase.GATHERING
    assert [each.fingerprint for each in joiner.session.roster] == [
        fingerprint_of(signer_of(name.encode().ljust(32))) for name in make
    ]
    assert joiner.session.roster == mesh["peer0"].session.roster
    assert all(event.roster for event in joiner.events_of(RosterChanged)), "nobody is told that nobody is there"


def test_one_who_was_shown_out_of_the_lobby_keeps_the_list_with_one_entry_for_each_peer() -> None:
    make = {name: keyed(name) for name in ("peer0", "peer1")}
    mesh = Mesh(lambda: Tally(3), seats=dict.fromkeys(make, 1), conditions=LINK, config=STAY, make_session=make)
    mesh.run(1.0)
    before = mesh["peer1"].session.roster
    mesh["peer0"].session.drop(1)
    mesh.run(1.0)
    assert mesh["peer1"].session.phase is Phase.ENDED
    assert mesh["peer1"].session.roster == before
    assert [each.peer_id for each in before] == [0, 1]


def test_a_spectator_has_the_fingerprint_of_the_peer_through_which_it_watches() -> None:
    make = {name: keyed(name) for name in ("peer0", "peer1")}
    mesh = Mesh(lambda: Tally(2), seats=dict.fromkeys(make, 1), conditions=LINK, config=STAY, make_session=make)
    mesh.start()
    fan = mesh.watch("fan", "peer1")
    assert fan.session.source_fingerprint is None
    mesh.run(1.0)
    assert fan.session.source_fingerprint == fingerprint_of(signer_of(b"peer1".ljust(32)))
