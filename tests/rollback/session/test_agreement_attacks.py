"""Attacks on the one agreement that an attacker with the source found after it was built, each as it was played."""

from typing import Any

import pytest

from retick.rollback.events import MatchEnded, PeerDisconnected, PlayersDropped, PlayersReturned
from retick.rollback.session.agreement import MOST_WAITING
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining.lobby import MOST_EARLY
from retick.rollback.session.membership import MOST_LATE
from retick.rollback.session.messages.agreement import (
    LARGEST_BODY,
    Signature,
    SignedItem,
    Statement,
    Tail,
    ToldOutcome,
    Wishes,
    decode_item,
    encode_item,
    encode_outcome,
    encode_statement,
)
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer, Phase
from retick.sim.contract import input_size_of
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.liars import consent_of, mute, statement_of
from tests.rollback.session.matches import LINK, STAY, leave, playing_mesh, presses, towards, with_a_free_seat
from tests.toys import Tally

pytestmark = pytest.mark.long

ITEMS = (MessageKind.STATEMENT, MessageKind.CONSENT)


def id_of(mesh: Mesh, name: str) -> int:
    found: int = mesh[name].session.peer_id
    return found


def lost_by(mesh: Mesh, names: list[str]) -> list[Any]:
    """Everything that cost these, or somebody that they knew, a seat."""
    kinds = (MatchEnded, PlayersDropped)
    return [event for name in names for event in mesh[name].events if isinstance(event, kinds)]


def hear(mesh: Mesh, name: str, listen: Any) -> None:
    """Call ``listen`` with each item of the agreement that this peer receives, after it was received."""
    inside = inside_of(mesh[name].session)
    receive = inside.membership.receive

    def spy(peer: Peer, data: bytes) -> None:
        receive(peer, data)
        if data[0] in ITEMS:
            listen(data)

    rows = inside.routes._rows
    for row in [row for row in rows if row[0] in ITEMS]:
        rows[row] = spy


def test_signatures_that_nobody_checked_keep_no_copy_from_anybody() -> None:
    """Two lose their link in the same moment; a third one would pass on what they state, and is told that they have it.

    All four were alone afterwards.
    """
    mesh = playing_mesh(4)
    own = id_of(mesh, "peer3")
    across = {id_of(mesh, "peer1"): id_of(mesh, "peer2"), id_of(mesh, "peer2"): id_of(mesh, "peer1")}
    inside_of(mesh["peer3"].session).membership.agreement._pass_copy_on = lambda *details, **options: None

    def forge(data: bytes) -> None:
        item = decode_item(data)
        other = across.get(item.signatures[0].peer_id)
        if other is not None and len(item.signatures) == 1:
            false = (Signature(other, bytes(64)), Signature(own, bytes(64)))
            towards(mesh, "peer3", "peer0").send(encode_item(SignedItem(item.kind, item.signatures + false, item.body)))

    hear(mesh, "peer3", forge)
    mesh.cut("peer1", "peer2", 6000.0)
    mesh["peer0"].session.pause()
    mesh.run(20.0)
    assert lost_by(mesh, ["peer0", "peer1", "peer2"]) == []
    assert len({inside_of(peer.session).membership.agreement.history for peer in mesh.alive}) == 1
    assert [event.peer for event in mesh["peer0"].events_of(PeerDisconnected)] == []


@pytest.mark.parametrize("how", ["another vector", "two statements"])
def test_one_of_two_that_answers_wrongly_holds_the_other_no_longer_than_one_that_answers_late(how: str) -> None:
    """The slot of two members has no end by itself: what was signed for something else held it for ever."""
    mesh = playing_mesh(2)
    mute(mesh, "peer1")
    victim = towards(mesh, "peer1", "peer0")
    if how == "another vector":
        victim.send(statement_of(mesh, "peer1"))
        victim.send(consent_of(mesh, "peer1", bytes(32)))
    else:
        membership = inside_of(mesh["peer0"].session).membership
        membership._may_state = lambda slots, *_: slots.slot > 0 or len(list(slots.statements())) > 1
        for pause in (False, True):
            victim.send(statement_of(mesh, "peer1", wishes=Wishes(pause=pause)))
    frame = mesh["peer0"].session.frame
    mesh.run(MOST_LATE + 4.0)
    assert [event.players for event in mesh["peer0"].events_of(PlayersDropped)] == [(1,)]
    assert mesh["peer0"].session.frame > frame + 60


# Honest peers that are made to blame each other.


@pytest.mark.parametrize("players", [3, 4])
def test_nobody_is_blamed_for_inputs_that_another_one_does_not_make(players: int) -> None:
    """One breaks its links with all but one, makes no inputs, and excuses itself with slots that are always open.

    That one waited for it longer than the others waited for what it might pass on: with four it lost its seat.
    """
    mesh = playing_mesh(players)
    liar = f"peer{players - 1}"
    inside = inside_of(mesh[liar].session)
    for number in range(1, players - 1):
        towards(mesh, liar, f"peer{number}").send(b"\x77 breaks the rules")
    mesh.run(1.0)
    inside.membership._has_news = lambda: True
    inside.membership._next_stop = lambda match: match.engine.frame

    def due(*, now: float) -> bool:
        inside.match.due(now)
        inside.ask_parts(inside.match, now)
        return False

    mesh[liar].session.due = due
    mesh.run(60.0)
    honest = [mesh[f"peer{number}"] for number in range(players - 1)]
    assert all(peer.session.gone == mesh[liar].session.local_players for peer in honest), mesh.describe()
    frames = [peer.final_frame for peer in honest]
    mesh.run(2.0)
    assert all(peer.final_frame > frame + 60 for peer, frame in zip(honest, frames, strict=True))


def test_what_one_sends_too_early_costs_another_one_nothing() -> None:
    """One fills what waits for START; the host is far away, and a third one has begun and decides something."""
    mesh = Mesh(lambda: Tally(4), config=STAY, conditions=Conditions(latency=0.01))
    mesh.link("peer0", "peer2", Conditions(latency=0.2))
    victim, flooder = inside_of(mesh["peer2"].session), inside_of(mesh["peer3"].session)

    def is_linked() -> bool:
        return victim.phase is Phase.LINKING and all(peer.is_connected for peer in victim.peers.values())

    mesh.run_until(is_linked, limit=5.0, what="all links of the victim are up")
    for _ in range(MOST_EARLY):
        flooder.peers[victim.peer_id].send(b"\x0a junk")
    mesh.run_until(lambda: mesh["peer1"].session.running, limit=5.0, what="the match begins")
    assert victim.phase is Phase.LINKING
    mesh["peer1"].session.pause()
    mesh.run(3.0)
    assert victim.running
    assert [event.peer for event in mesh["peer2"].events_of(PeerDisconnected)] == [flooder.peer_id]


def test_one_that_is_far_away_is_not_late_in_slots_that_open_without_end() -> None:
    """With a round trip of a second it was expelled by all after 50 s, though its statements came at once."""
    mesh = Mesh(lambda: Tally(3), conditions=Conditions(latency=0.03), press=presses(1))
    for name in ("peer0", "peer2"):
        mesh.link("peer1", name, Conditions(latency=0.5, jitter=0.01))
    mesh.start()
    mesh.run(3.0)
    inside_of(mesh["peer2"].session).membership._has_news = lambda: True
    mesh.run(90.0)
    assert all(peer.events_of(PeerDisconnected) == [] for peer in mesh.alive)
    assert inside_of(mesh["peer0"].session).membership._late._used == {}


# Frames that liars name.


def stops_at(mesh: Mesh, name: str, ahead: int) -> None:
    """This member states a stop so many frames from its own; no stop is below 0."""
    inside = inside_of(mesh[name].session)
    state = inside.membership._statement

    def lie(agreement: Any, match: Any) -> Statement:
        said: Statement = state(agreement, match)
        return said._replace(stop=min(max(said.stop + ahead, 0), 0xFFFFFFFF))

    inside.membership._statement = lie


def from_another_past(mesh: Mesh, names: list[str]) -> None:
    for name in names:
        stops_at(mesh, name, -(1 << 31))
        inside_of(mesh[name].session).membership._let_play = lambda *details: None  # it would raise itself


@pytest.mark.parametrize(("members", "liars"), [(2, 1), (3, 1), (4, 2), pytest.param(5, 2, marks=pytest.mark.soak)])
def test_no_newcomer_begins_in_frames_that_were_run(members: int, liars: int) -> None:
    """Low stops made a seat wait for inputs in the past: with two seats for one newcomer the session raised."""
    names = [f"peer{number}" for number in range(members)]
    mesh = Mesh(
        lambda: Tally(members + 2),
        seats=dict.fromkeys(names, 1) | {"last": 2},
        config=STAY,
        conditions=LINK,
        press=presses(1),
    )
    mesh.start()
    mesh.play(60)
    leave(mesh, "last")
    from_another_past(mesh, names[members - liars :])
    mesh.run(4.0)
    mesh.restart("last", through="peer0")
    frame = mesh["peer0"].final_frame
    mesh.run(30.0)
    honest = [mesh[name] for name in names[: members - liars]]
    assert all(peer.events_of(MatchEnded) == [] for peer in honest)
    assert all(peer.final_frame > frame + 120 for peer in honest), mesh.describe()
    known = {id_of(mesh, peer.name) for peer in honest}
    assert all(known <= {peer.session.peer_id, *inside_of(peer.session).peers} for peer in honest)


def test_a_seat_whose_newcomer_was_lost_before_its_first_frame_stays_free() -> None:
    """Two of four name far stops: the newcomer gives up, and the others waited for it when that frame was near."""
    mesh = with_a_free_seat(5)
    for name in ("peer2", "peer3"):
        stops_at(mesh, name, 700)
    mesh.restart("peer4", through="peer0", every=60.0)
    mesh.run(6.0)
    mesh.peers.pop("peer4")
    assert mesh["peer0"].events_of(PlayersReturned)
    frame = mesh["peer0"].final_frame
    mesh.run(20.0)
    assert mesh["peer0"].final_frame > frame + 1000, mesh.describe()


def test_checksums_are_compared_again_soon_whatever_one_claims_of_a_lost_player() -> None:
    """A tail that ended in the last frame that there is turned the comparison off for the rest of the match."""
    mesh = playing_mesh(4)
    membership = inside_of(mesh["peer2"].session).membership
    tails = membership._tails
    membership._tails = lambda *details: tuple(tail._replace(missing=0xFFFFFFFF, inputs=()) for tail in tails(*details))
    leave(mesh, "peer3")
    mesh.run(8.0)
    before = mesh["peer0"].session.stats(now=mesh.network.now).compared_frames
    mesh.run(10.0)
    assert mesh["peer0"].session.stats(now=mesh.network.now).compared_frames > before + 20


# Memory.


def test_decisions_that_one_peer_tells_again_and_again_are_not_kept() -> None:
    mesh = playing_mesh(3, conditions=Conditions(latency=0.01))
    mute(mesh, "peer2")
    agreement = inside_of(mesh["peer2"].session).membership.agreement
    size = input_size_of(inside_of(mesh["peer2"].session).sim)
    said = Statement(agreement.slot, agreement.history, 0)
    for number in range(20):
        tail = Tail(0, 1 << 30, (number,) * (LARGEST_BODY // size - 50))
        bodies = tuple(
            encode_statement(said._replace(author=author, tails=(tail,)), size) for author in agreement.members
        )
        towards(mesh, "peer2", "peer0").send(encode_outcome(ToldOutcome(said.slot, said.history, (), bodies)))
    mesh.run(1.0)
    slot = inside_of(mesh["peer0"].session).membership.agreement._slot
    assert slot.opened_at is not None
    assert len(slot.decoded) == 3 + len(slot.statements)


def test_an_item_that_is_longer_than_any_waits_for_no_slot() -> None:
    mesh = playing_mesh(3)
    agreement = inside_of(mesh["peer2"].session).membership.agreement
    long = statement_of(mesh, "peer2", slot=agreement.slot + 1) + bytes(LARGEST_BODY)
    towards(mesh, "peer2", "peer0").send(long)
    mesh.run(0.5)
    assert inside_of(mesh["peer0"].session).membership.agreement._waiting == {}
    assert [event.peer for event in mesh["peer0"].events_of(PeerDisconnected)] == [id_of(mesh, "peer2")]
    assert MOST_WAITING * LARGEST_BODY < 1 << 18
