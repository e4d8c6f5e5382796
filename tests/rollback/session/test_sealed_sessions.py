"""Matches over sealed links: nobody reads along, forges or repeats anything, and each pair has keys of its own."""

import contextlib
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue, UsageError
from retick.link import Invite, Reason
from retick.link.layout import HELLO, PAYLOAD, REQUEST
from retick.link.sealing.keys import KeyLog, fingerprint_of
from retick.link.sealing.primitives import signer_of
from retick.rollback.events import MatchEnded, PeerConnected, PeerDisconnected, PlayersDropped, RosterChanged
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh, MeshHung
from tests.rollback.session.matches import LINK, STAY, playing_mesh
from tests.rollback.session.sealed_matches import INVITE, NAMES, PLANTED, Carried, Extra, SealedMatch
from tests.toys import Tally

PLAIN: dict[str, Any] = {"sealed": False, "invite": None, "identity": None}


@pytest.fixture(scope="module")
def calm() -> SealedMatch:
    """The story without anybody on the path."""
    return SealedMatch().play()


def key_of(name: str) -> str:
    return fingerprint_of(signer_of(name.encode().ljust(32)))


def found_in(match: SealedMatch) -> set[str]:
    return {what for what, planted in PLANTED.items() for each in match.carried if planted in each.data}


def test_nothing_of_a_sealed_match_is_in_its_datagrams(calm: SealedMatch) -> None:
    assert found_in(calm) == set()


def test_the_same_match_over_plain_links_shows_all_of_it() -> None:
    """So the test above looks for what is there to be seen."""
    plain = SealedMatch(**PLAIN).play()
    assert found_in(plain) == set(PLANTED) - {"secret"}


def flipping() -> Extra:
    """A forger on the path adds changed copies: of the first of each kind with every bit, of others with some."""
    dice, seen = Random(1), set()

    def forged(carried: Carried) -> tuple[list[Carried], list[Carried]]:
        data, kind = carried.data, min(carried.data[0], PAYLOAD) if carried.data[0] < 0xC0 else carried.data[0]
        bits = 8 * len(data)
        is_sealed = kind < REQUEST
        chosen = range(bits) if is_sealed and kind not in seen else [dice.randrange(bits) for _ in range(3)]
        seen.add(kind)
        copies = []
        for bit in chosen:
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            copies.append(carried._replace(data=bytes(changed)))
        # Who forges a COOKIE before the real one arrives can delay a dial, as the page of the link says.
        return (copies, copies) if is_sealed else ([], copies)

    return forged


def test_a_flipped_bit_in_any_datagram_changes_nothing_but_a_counter(calm: SealedMatch) -> None:
    attacked = SealedMatch(extra=flipping()).play()
    assert attacked.outcome() == calm.outcome()
    assert attacked.dropped["bad_seal"] > 1000
    assert set(calm.dropped) < set(attacked.dropped)


def test_the_same_forger_harms_a_match_over_plain_links() -> None:
    plain = SealedMatch(**PLAIN).play(again=False)
    attacked = SealedMatch(extra=flipping(), **PLAIN)
    with contextlib.suppress(MeshHung, AssertionError):
        attacked.play(again=False)
    assert [peer.events for peer in attacked.mesh.alive] != [peer.events for peer in plain.mesh.alive]


def test_a_replayed_datagram_changes_nothing_whenever_and_from_wherever_it_comes(calm: SealedMatch) -> None:
    dice = Random(2)
    old: dict[str, list[Carried]] = {}

    def replayed(carried: Carried) -> tuple[list[Carried], list[Carried]]:
        mine = old.setdefault(carried.to, [])
        anybody = old[dice.choice(list(old))]
        again = [dice.choice(each) for each in (mine, anybody) for _ in range(2) if each]
        again += mine[-2:]
        elsewhere = [each._replace(source="stranger") for each in again]
        mine.append(carried)
        return again, [carried, *elsewhere, *(each._replace(source=carried.source) for each in again)]

    attacked = SealedMatch(extra=replayed).play()
    assert attacked.outcome() == calm.outcome()
    assert attacked.dropped["duplicate"] > 1000


def test_all_datagrams_of_a_match_again_in_order_and_backwards_change_nothing() -> None:
    match = SealedMatch().play(again=False)
    mesh, before = match.mesh, match.outcome()
    sessions = {**{peer.name: peer.session for peer in mesh.alive}, "watcher": mesh.spectators["watcher"].session}
    once = list(match.carried)
    for to, source, data in (*once, *reversed(once)):
        super(type(sessions[to]), sessions[to]).receive_datagram(data, source, now=mesh.network.now)
    assert match.outcome() == before
    mesh.run(1.0)
    mesh.verify()
    assert not any(peer.events_of(PeerDisconnected) for peer in mesh.alive)


def test_every_pair_has_keys_of_its_own_and_the_host_cannot_read_those_of_two_others(calm: SealedMatch) -> None:
    logs = {name: set(lines) for name, lines in calm.keylogs.items() if name in NAMES}
    pairs = {pair: logs[pair[0]] & logs[pair[1]] for pair in combinations(NAMES, 2)}
    assert all(pairs.values())
    keys = [key for lines in pairs.values() for line in lines for key in line.split()[3:]]
    assert len(keys) == len(set(keys)), "one key for each direction of each connection"
    others = [each for each in calm.carried if {each.to, each.source} == {"peer1", "peer2"} and each.data[0] < 0xC0]
    hosts, theirs = (KeyLog.parse("\n".join(calm.keylogs[name])) for name in ("peer0", "peer1"))
    assert len(others) > 100
    assert not any(hosts.has(each.data) for each in others)
    assert all(theirs.open(each.data) is not None for each in others)


def test_a_newcomer_a_sponsor_and_a_spectator_come_in_with_the_invite(calm: SealedMatch) -> None:
    mesh = calm.mesh
    assert mesh["peer2"].playing
    assert mesh.spectators["watcher"].checksums
    hellos = [each.data for each in calm.carried if each.data[0] == HELLO]
    assert {data[33] for data in hellos} == {1}, "NNpsk0 everywhere"


def test_a_session_that_was_alone_comes_back_with_the_invite() -> None:
    make = partial(RollbackSession, invite=INVITE, reconnect=True)
    mesh = Mesh(lambda: Tally(2), config=STAY, conditions=LINK, make_session=make)
    mesh.start()
    mesh.play(60)
    mesh.cut("peer0", "peer1", 4.0)
    mesh.run(5.0)
    mesh.run_until(lambda: not any(p.session.reconnecting for p in mesh.alive), limit=20.0, what="both are back")
    mesh.play(max(peer.final_frame for peer in mesh.alive) + 60)
    mesh.verify()


@pytest.mark.parametrize(
    ("host", "joiner", "reason", "words"),
    [
        ({"invite": INVITE}, {}, Reason.SECRET, "an invite is needed here"),
        ({"invite": INVITE}, {"invite": Invite("", bytes(16))}, Reason.SECRET, "the invite is for another match"),
        ({}, {"invite": INVITE}, Reason.SECRET, "this side has no invite and no key: dial it without"),
        ({}, {"sealed": False}, Reason.VERSION, "the other side takes sealed links only: set sealed=True here"),
        ({"sealed": False}, {}, Reason.VERSION, "the other side takes plain links only: set sealed=False here"),
    ],
)
def test_who_has_another_invite_or_none_is_refused_in_words(
    host: dict[str, Any], joiner: dict[str, Any], reason: int, words: str
) -> None:
    make = {"host": partial(RollbackSession, **host), "joiner": partial(RollbackSession, **joiner)}
    mesh = Mesh(Tally, seats={"host": 1, "joiner": 1}, make_session=make)
    mesh.run(2.0)
    [gone] = mesh["joiner"].events_of(PeerDisconnected)
    assert (gone.reason, words in gone.text) == (reason, True)
    assert words in mesh["joiner"].events_of(MatchEnded)[0].reason
    assert not mesh["host"].events


def test_a_spectator_without_the_invite_is_refused_in_words() -> None:
    mesh = Mesh(Tally, config=STAY, make_session=partial(RollbackSession, invite=INVITE))
    mesh.start()
    mesh.watch("watcher", "peer0")
    mesh.run(2.0)
    [ended] = [event for event in mesh.spectators["watcher"].events if isinstance(event, MatchEnded)]
    assert "an invite is needed here" in ended.reason


def test_an_invite_is_given_as_text_or_as_it_is_and_a_broken_one_is_refused_at_once() -> None:
    text = INVITE.text()
    for invite in (text, INVITE):
        session = RollbackSession(Tally(2), entropy=Random(1).randbytes, invite=invite)
        assert inside_of(session).link.config.secret == INVITE.secret
    with pytest.raises(InvalidValue, match="paste the whole line"):
        RollbackSession(Tally(2), entropy=Random(1).randbytes, invite=text[:-3])
    with pytest.raises(UsageError, match="needs sealed links"):
        RollbackSession(Tally(2), entropy=Random(1).randbytes, invite=text, sealed=False)


def test_all_know_each_other_by_their_lasting_keys(calm: SealedMatch) -> None:
    mesh = calm.mesh
    for peer in mesh.alive:
        assert {each.fingerprint for each in peer.session.roster} == {key_of(name) for name in NAMES}
        told = peer.events_of(RosterChanged)[-1].roster
        assert told == peer.session.roster
    for event in mesh["peer0"].events_of(PeerConnected):
        assert event.fingerprint in {key_of("peer1"), key_of("peer2")}
    assert mesh["peer1"].events_of(PeerConnected)[0].fingerprint == key_of("peer0"), "of the one that was dialled"


def test_without_lasting_keys_nobody_has_a_fingerprint() -> None:
    mesh = playing_mesh(2)
    assert [event.fingerprint for event in mesh["peer0"].events_of(PeerConnected)] == [None]
    assert {each.fingerprint for each in mesh["peer1"].session.roster} == {None}


def keyed(keys: dict[str, str]) -> Any:
    """Makers of sessions with lasting keys, by name."""
    return {name: partial(RollbackSession, identity=key.encode().ljust(32)) for name, key in keys.items()}


def enter(mesh: Mesh, name: str, key: str, through: str) -> Any:
    """Somebody comes from an address of its own."""
    mesh.seats[name] = 1
    makers: Any = mesh._make_session
    makers[name] = partial(RollbackSession, identity=key.encode().ljust(32))
    return mesh._enter(name, {"host_address": through})


def test_who_was_shown_out_of_the_lobby_is_known_by_its_key_at_another_address() -> None:
    mesh = Mesh(
        lambda: Tally(3), seats={"host": 1, "bad": 1}, config=STAY, make_session=keyed({"host": "host", "bad": "bad"})
    )
    mesh.run(1.0)
    mesh["host"].session.drop(1, ban=True)
    mesh.run(1.0)
    again, other = enter(mesh, "elsewhere", "bad", "host"), enter(mesh, "third", "good", "host")
    mesh.run(1.0)
    assert again.events_of(MatchEnded)[0].reason == "refused: this key is banned"
    assert other.events_of(PeerConnected)


def test_who_was_shown_out_of_a_match_stays_out_through_a_rematch() -> None:
    keys = {name: name for name in NAMES}
    mesh = Mesh(lambda: Tally(3), seats=dict.fromkeys(NAMES, 1), config=STAY, make_session=keyed(keys))
    mesh.start()
    mesh.play(30)
    bad = mesh["peer2"].session.peer_id
    for name in ("peer0", "peer1"):
        mesh[name].session.drop(bad, ban=True)
    mesh.run(2.0)
    assert mesh["peer0"].events_of(PlayersDropped)
    mesh.crash("peer2")
    for name in ("peer0", "peer1"):
        mesh[name].session.rematch()
    mesh.run_until(lambda: all(inside_of(p.session).match.number == 1 for p in mesh.alive), limit=8.0, what="again")
    for number, through in enumerate(("peer0", "peer1")):
        again = enter(mesh, f"elsewhere{number}", "peer2", through)
        mesh.run(2.0)
        assert again.events_of(MatchEnded)[0].reason == "refused: this key is banned"
        mesh.crash(again.name)
    other = enter(mesh, "other", "another", "peer0")
    mesh.run_until(lambda: other.playing, limit=8.0, what="another machine takes the seat")


def test_one_that_is_banned_by_a_single_peer_finds_no_way_in_through_another() -> None:
    """A newcomer needs a link with everyone."""
    keys = {name: name for name in NAMES}
    mesh = Mesh(lambda: Tally(3), seats=dict.fromkeys(NAMES, 1), config=STAY, make_session=keyed(keys))
    mesh.start()
    mesh.play(30)
    bad = mesh["peer2"].session.peer_id
    mesh["peer1"].session.drop(bad, ban=True)
    mesh["peer0"].session.drop(bad)
    mesh.run(2.0)
    mesh.crash("peer2")
    again = enter(mesh, "elsewhere", "peer2", "peer0")
    mesh.run(4.0)
    assert again.events_of(MatchEnded)[0].reason == "refused: this key is banned"
    mesh.crash(again.name)
    mesh.play(max(peer.final_frame for peer in mesh.alive) + 60)
    mesh.verify()
