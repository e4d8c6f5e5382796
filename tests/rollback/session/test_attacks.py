"""Attacks on what peers decide together, each played as it was found: what one player says to one other costs no third.

``tests.checkers.cheats`` searches for more of them. These are the ones that worked before there was one agreement.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.rollback.desync.equivocation import check_signature, sign_range
from retick.rollback.events import (
    DesyncDetected,
    EquivocationProved,
    MatchEnded,
    MatchStarted,
    PeerDisconnected,
    PlayersDropped,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import (
    OfferedState,
    Statement,
    Wishes,
    decode_item,
    decode_statement,
    encode_statement,
)
from retick.rollback.session.messages.join import decode_welcome, encode_welcome
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer, Phase, Role
from retick.rollback.session.session import RollbackSession
from retick.sim.contract import input_size_of
from retick.testing.mesh import Mesh, MeshPeer
from retick.transport.conditions import Conditions
from tests.checkers.cheats.cheat import Cheat, CheatingSession
from tests.checkers.cheats.forging import INPUTS, kind_of
from tests.effort import first_of
from tests.rollback.session.liars import signed
from tests.toys import Tally

pytestmark = pytest.mark.long

LINK = Conditions(latency=0.03, jitter=0.004, loss=0.02)
QUICK = MatchConfig(disconnect_after=2.5, input_timeout=10.0)
DECISIONS = ("STATEMENT", "CONSENT", "DECIDED", "OUTCOME")


def made(
    players: int,
    cheat: type[Cheat],
    *,
    culprit: str = "",
    seed: int = 1,
    config: MatchConfig = QUICK,
    conditions: Conditions = LINK,
) -> Mesh:
    """A match that has begun, in which the last peer, or another one, cheats."""
    names = [f"peer{number}" for number in range(players)]
    sessions: dict[str, Any] = dict.fromkeys(names, RollbackSession)
    sessions[culprit or names[-1]] = partial(CheatingSession, cheat=cheat, dice=Random(seed))
    dice = Random(seed)
    mesh = Mesh(
        lambda: Tally(players),
        seed=seed,
        conditions=conditions,
        config=config,
        make_session=sessions,
        press=lambda *_: dice.choice((0, 5)),
    )
    mesh.start()
    mesh.run(2.0)
    return mesh


def honest_in(mesh: Mesh) -> list[MeshPeer]:
    return [peer for peer in mesh.alive if not isinstance(peer.session, CheatingSession) and peer.session.running]


def assert_nobody_is_out(mesh: Mesh, names: Iterable[str], *, frames: int = 100) -> None:
    """These play, each with all the others, and go on as one, for more than so many frames in three seconds."""
    peers = [mesh[name] for name in names]
    ids = {peer.session.peer_id for peer in peers}
    for peer in peers:
        assert not peer.events_of(MatchEnded), mesh.describe()
        assert ids - {peer.session.peer_id} <= set(inside_of(peer.session).peers)
    before = [peer.final_frame for peer in peers]
    mesh.run(3.0)
    assert all(peer.final_frame > frame + frames for peer, frame in zip(peers, before, strict=True)), mesh.describe()
    end = min(peer.final_frame for peer in peers)
    assert len({tuple(peer.rows[at] for at in range(end - 50, end)) for peer in peers}) == 1


class Patient(Cheat):
    """Blames nobody for missing inputs: the honest ones do what it wants done."""

    victim: int | None = None

    def settings(self, config: MatchConfig) -> MatchConfig:
        return replace(config, input_timeout=1e6)

    def first_victim(self, gone: int = -1) -> int:
        if self.victim is None:
            self.victim = min(peer.peer_id for peer in self.others if peer.peer_id != gone)
        return self.victim


# At the beginning.


class StartsOneLate(Patient):
    """A host that lets all but one begin, and that one later; meanwhile it may open slots without end."""

    in_lobby = True
    is_restless = False
    SECONDS = 12.0
    until: float | None = None

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self.kept: list[tuple[Peer, bytes]] = []
        """START, and what follows it."""

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if peer.peer_id != 1 or not (self.kept or kind_of(data) == "START"):
            return (data,)
        self.until = self.session.time + self.SECONDS if self.until is None else self.until
        self.kept.append((peer, data))
        return ()

    def turn(self, now: float) -> None:
        if self.is_restless and self.inside.running:
            self.inside.membership.want_slot()
        if self.until is not None and now >= self.until:
            kept, self.kept = self.kept, []
            for peer, data in kept:
                self.say(peer, data)


class StartsOneLateAndOpensSlots(StartsOneLate):
    is_restless = True


@pytest.mark.parametrize("cheat", [StartsOneLate, StartsOneLateAndOpensSlots])
@pytest.mark.parametrize("players", [3, 5])
def test_one_from_which_the_start_is_kept_is_not_blamed_by_the_others(players: int, cheat: type[Cheat]) -> None:
    mesh = made(players, cheat, culprit="peer0", config=replace(QUICK, input_timeout=4.5))
    mesh.run(10.0)
    names = [f"peer{number}" for number in range(1, players)]
    assert_nobody_is_out(mesh, names)
    assert [event for name in names for event in mesh[name].events_of(PeerDisconnected)] == []


class HidesItsBeginning(StartsOneLateAndOpensSlots):
    """Sends one of the others no inputs, and opens slots with the rest."""

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return (data,)

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return () if peer.peer_id == 1 else (data,)


@pytest.mark.parametrize("players", [3, 4])
def test_one_that_hides_from_another_one_that_it_has_begun_costs_that_one_nothing(players: int) -> None:
    """With a long window it would notice late that inputs are missing, and take part in the first slot too late."""
    config = replace(QUICK, prediction_window=240, history=512)
    mesh = made(players, HidesItsBeginning, culprit="peer0", config=config)
    mesh.run(20.0)
    assert_nobody_is_out(mesh, [f"peer{number}" for number in range(1, players)])


# While everybody plays.


class ShowsItsInputsLate(Patient):
    """Some get its packets seconds late: each shows that it is alive, and not yet as far as others say."""

    SECONDS = 6.4

    def __init__(self, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self.kept: list[tuple[float, Peer, bytes]] = []

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data, is_payload=True) != INPUTS or peer.peer_id % 2:
            return (data,)
        self.kept.append((self.session.time + self.SECONDS, peer, data))
        return ()

    def turn(self, now: float) -> None:
        while self.kept and self.kept[0][0] <= now:
            _, peer, data = self.kept.pop(0)
            self.throw(peer, data)


@pytest.mark.parametrize("players", [4, 7])
def test_one_that_shows_its_inputs_late_has_nobody_blamed_who_waits_for_it(players: int) -> None:
    conditions = Conditions(latency=0.1, jitter=0.01, loss=0.02)
    config = MatchConfig(prediction_window=6, input_delay=0, disconnect_after=2.5, input_timeout=3.0)
    mesh = made(players, ShowsItsInputsLate, culprit="peer1", config=config, conditions=conditions)
    mesh.run(25.0)
    names = [f"peer{number}" for number in range(players) if number != 1]
    assert_nobody_is_out(mesh, names, frames=40)
    honest = {mesh[name].session.peer_id for name in names}
    assert [event for name in names for event in mesh[name].events_of(PeerDisconnected) if event.peer in honest] == []


class OffersAStateUnasked(Patient):
    """States that it would go on from its own state, which nobody has named, and makes no more inputs."""

    def turn(self, now: float) -> None:
        resyncing = self.inside.resyncing
        if resyncing.offered is None:
            resyncing.offered = OfferedState(self.inside.peer_id, 32, 7)

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        is_stated = self.inside.membership.wishes.get(self.inside.peer_id, Wishes()).resync is not None
        return () if is_stated and kind_of(data, is_payload=True) == INPUTS else (data,)


@pytest.mark.parametrize("players", [3, 4])
def test_a_state_that_nobody_asked_for_makes_nobody_wait_longer(players: int) -> None:
    """One word of it had raised the longest wait for inputs from ten seconds to sixty."""
    mesh = made(players, OffersAStateUnasked, config=replace(QUICK, input_timeout=4.5))
    mesh.run(12.0)
    names = [f"peer{number}" for number in range(players - 1)]
    assert [len(mesh[name].events_of(PlayersDropped)) for name in names] == [1] * len(names)
    assert_nobody_is_out(mesh, names)


# When somebody leaves, and around the next match.


class KeepsDecisionsFromOne(Patient):
    """Tells one peer nothing of what all others decide."""

    kinds: tuple[str, ...] = DECISIONS

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return () if kind_of(data) in self.kinds and peer.peer_id == self.first_victim() else (data,)


class KeepsConsentsFromOne(KeepsDecisionsFromOne):
    kinds = ("CONSENT", "DECIDED")


@pytest.mark.parametrize("cheat", [KeepsDecisionsFromOne, KeepsConsentsFromOne])
@pytest.mark.parametrize("how", ["goodbye", "crash", "shown out"])
@pytest.mark.parametrize("players", first_of([4, 5], 1))
def test_nobody_is_thrown_out_when_another_one_leaves(players: int, how: str, cheat: type[Cheat]) -> None:
    mesh = made(players, cheat)
    leaver = f"peer{players - 2}"
    staying = [f"peer{number}" for number in range(players - 2)]
    if how == "goodbye":
        mesh[leaver].session.close()
    elif how == "crash":
        mesh.crash(leaver)
    else:
        for peer in mesh.alive:
            if peer.name != leaver:
                peer.session.drop(mesh[leaver].session.peer_id)
    mesh.run(25.0)
    assert_nobody_is_out(mesh, staying)
    for name in staying:
        assert len(mesh[name].events_of(PlayersDropped)) <= 2


@pytest.mark.parametrize("cheat", [KeepsDecisionsFromOne, KeepsConsentsFromOne])
@pytest.mark.parametrize("wish", ["rematch", "resync"])
@pytest.mark.parametrize("players", first_of([3, 4, 5], 2))
def test_nobody_is_thrown_out_around_the_next_match(players: int, wish: str, cheat: type[Cheat]) -> None:
    mesh = made(players, cheat)
    for peer in mesh.alive:
        peer.session.rematch() if wish == "rematch" else peer.session.resync(0)
    mesh.run(20.0)
    honest = [peer.name for peer in honest_in(mesh)]
    assert len(honest) == players - 1
    assert_nobody_is_out(mesh, honest)


class IsAheadOfAll(Patient):
    """Tells one peer that it takes part in the slot after the next already, and wants another match there."""

    said = 0

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data) != "STATEMENT" or peer.peer_id != self.first_victim():
            return (data,)
        item, size = decode_item(data), input_size_of(self.session.sim)
        said = decode_statement(item.body, size)
        if said.author != self.session.peer_id:
            return (data,)
        self.said += 1
        ahead = [
            said._replace(slot=said.slot + steps, wishes=Wishes(rematch=()), history=bytes([steps]) * 32)
            for steps in (1, 2)
        ]
        return [signed(self.inside, MessageKind.STATEMENT, encode_statement(each, size)) for each in ahead]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_what_one_says_of_the_slot_to_come_proves_nothing_of_this_one(players: int) -> None:
    mesh = made(players, IsAheadOfAll)
    for peer in honest_in(mesh):
        peer.session.rematch()
    mesh.run(20.0)
    assert mesh[f"peer{players - 1}"].session.cheat.said
    assert_nobody_is_out(mesh, [f"peer{number}" for number in range(players - 1)])


# What one says twice.


class ConsentsTwice(Patient):
    """Consents to what was stated towards the first half, and to nothing that anybody stated towards the others."""

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data) != "CONSENT" or peer.peer_id % 2:
            return (data,)
        item = decode_item(data)
        if item.signatures[0].peer_id != self.session.peer_id:
            return (data,)
        return (signed(self.inside, MessageKind.CONSENT, item.body[:-32] + bytes(32)),)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_one_that_consents_to_two_things_parts_nobody(players: int) -> None:
    mesh = made(players, ConsentsTwice)
    mesh["peer0"].session.pause()
    mesh.run(20.0)
    honest = [peer.name for peer in honest_in(mesh)]
    assert len({inside_of(mesh[name].session).membership.agreement.history for name in honest}) == 1
    mesh["peer0"].session.resume()
    mesh.run(20.0)
    assert_nobody_is_out(mesh, honest)


class StatesTwice(Patient):
    """Makes another statement to one peer."""

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data) != "STATEMENT" or peer.peer_id != self.first_victim():
            return (data,)
        item, size = decode_item(data), input_size_of(self.session.sim)
        said = decode_statement(item.body, size)
        if said.author != self.session.peer_id:
            return (data,)
        other = encode_statement(said._replace(stop=said.stop + 1), size)
        return (signed(self.inside, MessageKind.STATEMENT, other),)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_one_that_was_told_something_else_is_not_blamed_for_its_consent(players: int) -> None:
    """With the usual settings a slot takes longer than one member may be late."""
    mesh = made(players, StatesTwice, config=MatchConfig())
    mesh["peer0"].session.pause()
    mesh.run(25.0)
    mesh["peer0"].session.resume()
    mesh.run(2.0)
    assert_nobody_is_out(mesh, [f"peer{number}" for number in range(players - 1)])


@pytest.mark.parametrize("seed", range(3))
def test_one_that_says_that_it_leaves_and_plays_on_parts_nobody(seed: int) -> None:
    """What it sends after that could be in nobody's statement, and some would have run it as final."""
    mesh = made(5, Patient, seed=seed, config=replace(QUICK, checksum_interval=1))
    membership: Any = inside_of(mesh["peer4"].session).membership
    mesh.cut("peer4", "peer0", 5.0)
    mesh.run(6.0)
    true_statement = membership._statement
    membership._statement = lambda *given: true_statement(*given)._replace(leaves="bye")
    for name in ("peer0", "peer1", "peer2", "peer3"):
        # They decide late, and it plays on meanwhile.
        mesh.link(name, "peer4", Conditions(latency=0.005), Conditions(latency=0.005))
    mesh.link("peer2", "peer3", Conditions(latency=0.15), Conditions(latency=0.15))
    membership.want_slot()
    mesh.run(3.0)
    names = ["peer0", "peer1", "peer2", "peer3"]
    assert all(len(mesh[name].events_of(PlayersDropped)) == 1 for name in names)
    assert not any(mesh[name].events_of(DesyncDetected) for name in names)
    assert_nobody_is_out(mesh, names)


@pytest.mark.parametrize("players", [4, 5])
def test_one_that_never_says_what_it_knows_of_a_lost_player_holds_nobody(players: int) -> None:
    """It takes part in each slot, so it is never lost; and the cut was never decided."""
    mesh = made(players, Patient)
    silent: Any = inside_of(mesh[f"peer{players - 1}"].session).membership
    silent._tails = lambda *given: ()
    mesh.crash("peer1")
    mesh.run(8.0)
    names = ["peer0", *(f"peer{number}" for number in range(2, players - 1))]
    assert all(len(mesh[name].events_of(PlayersDropped)) == 1 for name in names)
    assert_nobody_is_out(mesh, names)


def test_one_that_cannot_play_on_before_a_decision_is_not_blamed_for_its_inputs() -> None:
    """It misses the last inputs of one that left, and a slot with a silent cheat takes longer than inputs may."""

    class SaysNothing(Patient):
        def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
            return () if kind_of(data) in DECISIONS else (data,)

    mesh = made(4, SaysNothing, config=replace(QUICK, input_timeout=3.0))
    mesh.cut("peer2", "peer1", 5.0)
    mesh.run(0.3)
    mesh["peer2"].session.close()
    mesh.run(25.0)
    assert_nobody_is_out(mesh, ["peer0", "peer1"])


def test_two_crashes_in_one_slot_cost_nobody_else_a_seat() -> None:
    """No cheat at all: the second crash makes the slot last until its end, and nobody could say who was lost."""
    mesh = made(5, Cheat, config=replace(QUICK, input_timeout=3.0))
    mesh.crash("peer2")
    mesh.run(0.4)
    mesh["peer0"].session.pause()
    mesh.run(1.0)
    mesh.crash("peer3")
    mesh.run(20.0)
    mesh["peer0"].session.resume()
    mesh.run(2.0)
    assert_nobody_is_out(mesh, ["peer0", "peer1"])


# A false proof against one that comes back.


class TwoFaced:
    """At the host's address: its real session, and another one for those that are told of a second match."""

    def __init__(self, sim: Any, **details: Any) -> None:
        self.real = RollbackSession(sim, **details)
        self.second: Any = None
        self.to_second: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    @property
    def _both(self) -> list[Any]:
        return [each for each in (self.real, self.second) if each is not None]

    def receive_datagram(self, data: Any, address: Any, *, now: float) -> None:
        chosen = self.second if self.second is not None and address in self.to_second else self.real
        chosen.receive_datagram(data, address, now=now)

    def datagrams_to_send(self, *, now: float) -> Any:
        out = [each for each in self.real.datagrams_to_send(now=now) if each[1] not in self.to_second]
        return out + (self.second.datagrams_to_send(now=now) if self.second is not None else [])

    def next_timeout(self) -> float | None:
        times = [each.next_timeout() for each in self._both]
        return min((time for time in times if time is not None), default=None)

    def handle_timeout(self, *, now: float) -> None:
        for each in self._both:
            each.handle_timeout(now=now)

    def events(self) -> Any:
        return self.real.events()


def test_one_that_comes_back_to_a_hostile_host_signs_there_with_another_key() -> None:
    """The host gives it the same token, match number and peer id again, and shows the others what it signs."""
    names = [f"peer{number}" for number in range(4)]
    sessions: dict[str, Any] = dict.fromkeys(names, RollbackSession)
    sessions["peer0"] = TwoFaced
    sessions["peer3"] = partial(RollbackSession, reconnect=True)
    dice = Random(5)
    mesh = Mesh(
        lambda: Tally(4),
        seed=3,
        conditions=Conditions(latency=0.02),
        config=MatchConfig(disconnect_after=2.5),
        make_session=sessions,
        press=lambda *_: dice.getrandbits(6),
    )
    mesh.start()
    mesh.run(6.0)
    host: Any = mesh["peer0"].session
    victim = inside_of(mesh["peer3"].session)
    old_key, old_token = victim.public_key, victim.token
    second = RollbackSession(Tally(4), entropy=Random(77).randbytes, config=mesh.config, seats=2)
    host.second, host.to_second = second, {"one", "two"}
    puppets = {}
    for name in ("one", "two"):
        session = RollbackSession(
            Tally(4), entropy=Random(name).randbytes, config=mesh.config, host_address="peer0", seats=1
        )
        puppets[name] = MeshPeer(name, session, mesh._press_of("peer1"))
        mesh._let_in(puppets[name], Random(name))
    face = MeshPeer("peer0", second, mesh._press_of("peer0"))

    def turn() -> None:
        second.events()
        face.turn(mesh.network.now, 60)
        mesh.network.flush("peer0")
        mesh.at(1 / 120, turn)

    mesh.at(0.0, turn)
    mesh.run(1.5)
    assert second.running
    puppets["two"].session.close()
    mesh.run(1.0)
    second._inside.token = inside_of(puppets["one"].session).token = old_token
    for other in (*names[:3], "one"):
        mesh.cut("peer3", other, 4.0)
    mesh.run(3.6)
    host.to_second.add("peer3")
    mesh.run(20.0)
    assert victim.token == old_token
    assert victim.peer_id in second._inside.peers, "it is in the second match"
    assert victim.public_key != old_key
    books = second._inside.signed_ranges._books
    shown = [each.range for book in books.values() for each in book.newest_first()]
    for name in ("peer1", "peer2"):
        assert not mesh[name].events_of(EquivocationProved)
        part = inside_of(mesh[name].session).signed_ranges
        by = part.by(victim.peer_id, victim.local_players, inside_of(mesh[name].session).match)
        for found in shown:
            with pytest.raises(InvalidValue):
                check_signature(old_key, by, found)


def test_what_is_signed_in_one_match_is_worth_nothing_256_matches_later() -> None:
    mesh = made(3, Cheat)
    inside = inside_of(mesh["peer0"].session)
    by = inside.signed_ranges.by(inside.peer_id, inside.local_players, inside.match)
    found = sign_range(inside.sign, by, 0, bytes(by.width))
    for peer in mesh.alive:
        inside_of(peer.session).match_count += 255
        peer.session.rematch()
    mesh.run(1.0)
    later = inside.signed_ranges.by(inside.peer_id, inside.local_players, inside.match)
    assert later.number == by.number + 256
    check_signature(inside.public_key, by, found)
    with pytest.raises(InvalidValue):
        check_signature(inside.public_key, later, found)


# Newcomers.


class SponsorsFalsely(Patient):
    """Tells its newcomer a match with another number, of which packets show the same."""

    said = 0

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data) != "WELCOME":
            return (data,)
        self.said += 1
        welcome = decode_welcome(data)
        return (encode_welcome(welcome._replace(match=welcome.match + 256)),)


class SponsorsForEachOtherwise(Patient):
    """Tells its newcomer and each player another frame, another slot, and another history."""

    said = 0

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        if kind_of(data) not in ("MEET", "TAKEN"):
            return (data,)
        self.said += 1
        changed = bytearray(data)
        changed[5] ^= 1 + peer.peer_id
        return (bytes(changed),)


@pytest.mark.parametrize("cheat", [SponsorsFalsely, SponsorsForEachOtherwise])
@pytest.mark.parametrize("players", first_of([4, 5], 1))
def test_a_sponsor_has_nobody_thrown_out_that_it_brought_in(players: int, cheat: type[Cheat]) -> None:
    mesh = made(players, cheat, culprit="peer0")
    mesh.crash("peer3")
    mesh.run(5.0)
    mesh.restart("peer3", through="peer0")
    mesh.run(40.0)
    assert mesh["peer0"].session.cheat.said
    for name in ["peer1", "peer2", *(["peer4"] if players == 5 else [])]:
        assert not mesh[name].events_of(MatchEnded)
        ids = {peer.peer_id for peer in inside_of(mesh[name].session).players_peers()}
        assert not mesh["peer3"].playing or mesh["peer3"].session.peer_id in ids
    if mesh["peer3"].events_of(MatchStarted):
        assert not mesh["peer3"].events_of(MatchEnded)


@pytest.mark.parametrize("how", ["dropped", "closes its link"])
def test_one_that_is_let_in_is_not_thrown_out_because_another_one_goes_in_that_moment(how: str) -> None:
    mesh = made(5, Cheat)
    mesh.crash("peer3")
    mesh.run(5.0)
    mesh.restart("peer3", through="peer0")
    sponsor = inside_of(mesh["peer0"].session)
    mesh.run_until(lambda: sponsor.membership._ready is not None, limit=5.0, what="the sponsor states that it is ready")
    leaver = mesh["peer4"].session.peer_id
    if how == "dropped":
        mesh["peer0"].session.drop(leaver)
    else:
        inside_of(mesh["peer4"].session).peers[0].connection.real.close(1, "bye to you alone")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=10.0, what="it is let in")
    mesh.run(5.0)
    assert_nobody_is_out(mesh, ["peer0", "peer1", "peer2"])
    assert mesh["peer3"].session.running
    assert mesh["peer3"].session.peer_id in sponsor.peers


def test_one_that_is_let_in_as_a_pause_ends_does_not_stand_still() -> None:
    """It was told of the pause as it was before the slot, and nobody had news for it after that."""
    mesh = made(4, Cheat, culprit="peer2")
    mesh.crash("peer3")
    mesh.run(5.0)
    mesh["peer0"].session.pause()
    mesh.run(1.0)
    members = [inside_of(mesh[name].session) for name in ("peer0", "peer1", "peer2")]
    members[0].sponsor._asks_at = members[0].now + 1000.0
    members[0].sponsor.newcomer_joined = lambda peer: None
    mesh.restart("peer3", through="peer0")
    mesh.run_until(
        lambda: all(each.joins.ready_newcomer(each.match) is not None for each in members),
        limit=6.0,
        what="it is ready",
    )
    mesh["peer0"].session.resume()
    mesh.run(1.0)
    assert mesh["peer3"].playing
    assert_nobody_is_out(mesh, ["peer0", "peer1", "peer3"])


class PausesFromOutside(Cheat):
    """A newcomer that is not in yet, and states a pause again and again to all that it has a link with."""

    in_lobby = True

    def __init__(self, mesh: Mesh, session: Any, dice: Random) -> None:
        super().__init__(session, dice)
        self._mesh = mesh

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        return () if kind_of(data) == "JOINED" else (data,)

    def turn(self, now: float) -> None:
        if self.dice.random() < 0.05 and not self.inside.newcomer._taken:
            agreement = inside_of(self._mesh["peer0"].session).membership.agreement
            for peer in self.others:
                self.broken += 1
                self.say(peer, self._pausing(agreement.slot, agreement.history))

    def _pausing(self, slot: int, history: bytes) -> bytes:
        said = Statement(slot, history, self.session.peer_id, wishes=Wishes(pause=True))
        return signed(self.inside, MessageKind.STATEMENT, encode_statement(said, input_size_of(self.session.sim)))


def test_a_newcomer_that_is_not_in_yet_pauses_nobody() -> None:
    mesh = made(4, Cheat, culprit="peer3")
    mesh.crash("peer3")
    mesh.run(5.0)
    cheats: list[Any] = []

    def cheating(sim: Any, **details: Any) -> CheatingSession:
        session = CheatingSession(sim, cheat=partial(PausesFromOutside, mesh), dice=Random(1), **details)
        cheats.append(session)
        return session

    mesh._make_session = {**dict.fromkeys(("peer0", "peer1", "peer2"), RollbackSession), "peer3": cheating}
    mesh.restart("peer3", through="peer0")
    before = mesh["peer0"].session.frame
    mesh.run(20.0)
    assert sum(session.cheat.broken for session in cheats) > 10
    assert mesh["peer0"].session.frame > before + 0.95 * 20 * 60
    for peer in mesh.alive:
        if peer.name != "peer3":
            assert peer.session.paused_by == ()
    assert_nobody_is_out(mesh, ["peer0", "peer1", "peer2"])


# Pauses of others.


@pytest.mark.parametrize("players", first_of([3, 4, 5], 2))
def test_a_pause_is_withdrawn_by_its_owner_alone_and_begins_soon(players: int) -> None:
    """Another one states again and again that it wants none, and that it is far ahead."""
    mesh = made(players, Patient)
    restless: Any = inside_of(mesh[f"peer{players - 1}"].session).membership
    restless._has_news = lambda: True
    restless._next_stop = lambda match: match.engine.frame + 5000
    owner = mesh["peer0"].session
    before = owner.frame
    owner.pause()
    mesh.run(3.0)
    honest = [peer.name for peer in honest_in(mesh)]
    frames = [mesh[name].session.frame for name in honest]
    assert all(frame < before + 2 * 60 for frame in frames)
    mesh.run(30.0)
    assert [mesh[name].session.frame for name in honest] == frames
    assert all(mesh[name].session.paused_by == (owner.peer_id,) for name in honest)
    owner.resume()
    mesh.run(2.0)
    owner.pause()
    mesh.run(2.0)
    owner.resume()
    mesh.run(1.0)
    assert_nobody_is_out(mesh, honest)


def test_no_role_but_that_of_a_player_takes_part_in_a_slot() -> None:
    """What a newcomer states is kept until it is a member, and forgotten with it."""
    mesh = made(3, Cheat)
    inside = inside_of(mesh["peer0"].session)
    outsider = Peer(9, (), Role.NEWCOMER)
    inside.peers[9] = outsider
    item = b"\x04 anything"
    inside.membership.receive(outsider, item)
    assert not inside.membership.agreement.is_open
    assert inside.phase is Phase.RUNNING
    del inside.peers[9]
