"""A host that does not keep to the rules: whoever joins it says goodbye, and its game does not crash."""

from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.games.fighter import Fighter
from retick.link import Accept, Connected, Connection, LinkEndpoint, Reason, Refuse, State
from retick.link.layout import ACCEPT
from retick.rollback.events import MatchEnded, PeerDisconnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import SessionInside, inside_of
from retick.rollback.session.joining.lobby import GRACE, LINKING_SECONDS, MOST_ROSTERS
from retick.rollback.session.joining.newcomer import LONGEST_WAIT
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.agreement import Taken, encode_taken
from retick.rollback.session.messages.connect import encode_acceptance, encode_call
from retick.rollback.session.messages.join import Chunk, StateHeader, Welcome, encode_chunk, encode_welcome
from retick.rollback.session.messages.kinds import ASK_SPONSOR, MessageKind, encode_byte
from retick.rollback.session.messages.roster import (
    Reach,
    Roster,
    RosterEntry,
    encode_ready,
    encode_roster,
    encode_start,
)
from retick.rollback.session.peer import HOST_ID
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from retick.transport.simulated import MemoryHub, SimulatedNetwork
from tests.rollback.session.matches import STAY, presses
from tests.toys import Tally

KEY = b"k" * 32
"""With which nobody signs anything here."""

TOKEN = bytes(16)
REACH = Reach(12, 2)


class BadHost:
    """A real link, a real joiner, and a host that grants and says whatever a test wants."""

    def __init__(self, granted: tuple[int, ...] = (1,), *, game: Any = None) -> None:
        game = game or Fighter()
        self.joiner = RollbackSession(game, entropy=Random(1).randbytes, host_address="host")
        self._link = LinkEndpoint(
            link_config_for(game, MatchConfig()),
            entropy=Random(2).randbytes,
            admit=lambda request: Accept(seats=granted, data=encode_acceptance(REACH, KEY)),
        )
        self._hub = MemoryHub()
        self._hub.attach("host", self._link)
        self._hub.attach("joiner", self.joiner)
        self._now = 0.0
        self.run(0.5)
        self.connection: Connection = next(
            event.connection for event in self._link.events() if isinstance(event, Connected)
        )

    def attach(self, name: str, endpoint: Any) -> None:
        """Put somebody else on the network."""
        self._hub.attach(name, endpoint)

    def run(self, seconds: float) -> None:
        end = self._now + seconds
        while self._now < end:
            self._now += 1 / 60
            self._hub.exchange(now=self._now)
            if self.joiner.due(now=self._now):
                self.joiner.advance(0, now=self._now)

    def say(self, *messages: bytes | Roster) -> None:
        for message in messages:
            self.connection.send_reliable(message if isinstance(message, bytes) else self.encoded(message))
        self.run(1.0)

    def encoded(self, roster: Roster) -> bytes:
        """A roster with the keys, windows and delays that the host and the joiner have shown each other."""
        own = {HOST_ID: KEY, roster.peer_id: inside_of(self.joiner).public_key}
        entries = tuple(
            entry._replace(key=own.get(entry.peer_id, KEY), reach=REACH) if entry.peer_id in own else entry
            for entry in roster.entries
        )
        return encode_roster(roster._replace(entries=entries))


def roster(*entries: RosterEntry, peer_id: int = 1) -> Roster:
    return Roster(peer_id, bytes(8), 8.0, entries)


HOST_ENTRY = RosterEntry(0, (0,), "host")
ROSTERS = {
    "without the host": ((1,), roster(RosterEntry(1, (1,), "joiner"))),
    "with seats that the game does not have": (
        (1,),
        roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner"), RosterEntry(2, (5,), "x")),
    ),
    "with a seat that nobody plays": ((1,), roster(RosterEntry(0, (1,), "host"), RosterEntry(1, (2,), "joiner"))),
    "with other seats than were granted": ((1,), roster(RosterEntry(0, (1,), "host"), RosterEntry(1, (0,), "joiner"))),
    "for the host itself": ((1,), roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner"), peer_id=0)),
    "after no seat was granted": ((), roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner"))),
    "after more seats were granted than asked for": ((0, 1), roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner"))),
}


@pytest.mark.parametrize("name", ROSTERS)
def test_a_roster_that_does_not_fit_the_game_or_what_was_asked_for_ends_the_joining(name: str) -> None:
    granted, message = ROSTERS[name]
    host = BadHost(granted)
    host.say(message, encode_start(7))
    assert inside_of(host.joiner).match is None
    assert host.joiner.phase is Phase.ENDED
    assert any(isinstance(event, MatchEnded) for event in host.joiner.events())


def test_a_good_roster_begins_the_match() -> None:
    host = BadHost()
    host.say(roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner")), encode_start(7))
    assert host.joiner.running


def test_a_start_before_all_links_are_up_ends_the_joining() -> None:
    """The third peer never calls: a match with it would wait for its inputs for ever."""
    host = BadHost((1,), game=Tally(3))
    host.say(roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner"), RosterEntry(2, (2,), "third")), encode_start(7))
    assert inside_of(host.joiner).match is None
    assert host.joiner.phase is Phase.ENDED


WELCOMES: dict[str, Any] = {
    "without its sender": {"entries": (RosterEntry(5, (0,), "x"),)},
    "with the receiver in the roster": {"entries": (HOST_ENTRY, RosterEntry(9, (1,), "x"))},
    "with a seat given twice": {"gone": (0,)},
    "with seats that the game does not have": {"gone": (7,)},
    "with a time-out that lets everybody wait for long": {"disconnect_after": 31.0},
}


@pytest.mark.parametrize("name", WELCOMES)
def test_a_welcome_that_does_not_fit_the_game_ends_the_joining(name: str) -> None:
    game = Fighter()
    state = game.initial_state(7)
    data = game.pack_state(state)
    good = Welcome(0, 9, TOKEN, 8.0, 7, 0, 0, StateHeader(len(data), game.checksum(state)), (), (HOST_ENTRY,))
    host = BadHost()
    host.say(encode_welcome(good._replace(**WELCOMES[name])), encode_chunk(Chunk(0, data)))
    assert inside_of(host.joiner).match is None
    assert host.joiner.phase is Phase.ENDED


def test_a_welcome_with_a_seat_that_nobody_plays_is_refused() -> None:
    joiner: Any = RollbackSession(Tally(3), entropy=Random(1).randbytes, host_address="host")
    inside_of(joiner).local_players = (1,)
    welcome = Welcome(0, 9, TOKEN, 8.0, 7, 0, 0, StateHeader(32, 0), (2,), (HOST_ENTRY,))
    inside_of(joiner).newcomer._check_welcome(welcome)
    with pytest.raises(InvalidValue, match="nobody plays"):
        inside_of(joiner).newcomer._check_welcome(welcome._replace(gone=()))


@pytest.mark.parametrize("frame", [0, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
@pytest.mark.parametrize("number", [0, 255, 0xFFFFFFFF])
def test_a_welcome_at_any_frame_of_any_match_begins_it_or_ends_the_joining(frame: int, number: int) -> None:
    game = Fighter()
    state = game.initial_state(7)
    data = game.pack_state(state)
    header = StateHeader(len(data), game.checksum(state))
    host = BadHost()
    welcome = Welcome(0, 9, TOKEN, 8.0, 7, number, frame, header, (), (HOST_ENTRY,))
    host.say(encode_welcome(welcome), encode_chunk(Chunk(0, data)), encode_taken(Taken(0, bytes(32), frame, bytes(32))))
    assert host.joiner.phase in (Phase.RUNNING, Phase.ENDED)


class Victim:
    """An address where somebody has nothing to do with the match, and counts what comes."""

    def __init__(self) -> None:
        self.datagrams = 0
        self.received = 0

    def receive_datagram(self, data: bytes, address: Any, *, now: float) -> None:
        self.datagrams += 1
        self.received += len(data)

    def datagrams_to_send(self, *, now: float) -> list[Any]:
        return []

    def next_timeout(self) -> float | None:
        return None

    def handle_timeout(self, *, now: float) -> None:
        pass

    def events(self) -> list[Any]:
        return []


def test_one_roster_makes_a_joiner_send_little_to_whoever_is_named_in_it() -> None:
    host = BadHost((15,), game=Tally(16))
    victims = [Victim() for _ in range(14)]
    for number, victim in enumerate(victims):
        host.attach(f"victim{number}", victim)
    entries = [RosterEntry(number + 1, (number + 1,), f"victim{number}") for number in range(14)]
    host.say(roster(HOST_ENTRY, *entries, RosterEntry(15, (15,), "joiner"), peer_id=15))
    assert host.joiner.phase is Phase.LINKING
    host.run(40.0)
    assert {victim.datagrams for victim in victims} == {8}
    # It was 450 kB for 15 entries.
    assert sum(victim.received for victim in victims) == 14 * 8 * 128
    [ended] = [event for event in host.joiner.events() if isinstance(event, MatchEnded)]
    assert ended.reason == "peer 15 has no link with peer 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14: no answer"


def test_many_rosters_make_a_joiner_send_little_more_than_one() -> None:
    """It was 15 kB for each of 32."""
    host = BadHost((15,), game=Tally(16))
    victims = [Victim() for _ in range(14)]
    for number, victim in enumerate(victims):
        host.attach(f"victim{number}", victim)
    entries = [RosterEntry(number + 1, (number + 1,), f"victim{number}") for number in range(14)]
    message = roster(HOST_ENTRY, *entries, RosterEntry(15, (15,), "joiner"), peer_id=15)
    for _ in range(MOST_ROSTERS):
        assert host.joiner.phase is Phase.GATHERING
        host.connection.send_reliable(host.encoded(message))
        host.run(9.0)
        host.connection.send_reliable(encode_byte(MessageKind.CANCEL, 2))
        host.run(0.5)
    assert sum(victim.received for victim in victims) <= (120 + 0.5 * MOST_ROSTERS * 9.5) * 128 < 36_000


BAD_ADDRESSES: list[Any] = [("10.0.0.9", 7777), ("127.0.0.1", 7777), "", ("224.0.0.1", 7777), ("fe80::1%\u00e9", 7)]


@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_an_address_that_a_joiner_must_not_dial_ends_the_joining(address: Any) -> None:
    """The host is at a name, so all others are."""
    host = BadHost((2,), game=Tally(3))
    host.say(roster(HOST_ENTRY, RosterEntry(1, (1,), address), RosterEntry(2, (2,), "joiner"), peer_id=2))
    assert host.joiner.phase is Phase.ENDED


def test_an_address_that_a_newcomer_must_not_dial_ends_the_joining() -> None:
    host = BadHost((2,), game=Tally(3))
    entries = (HOST_ENTRY, RosterEntry(1, (1,), ("127.0.0.1", 7777)))
    host.say(encode_welcome(Welcome(0, 9, TOKEN, 8.0, 7, 0, 0, StateHeader(32, 0), (), entries)))
    assert host.joiner.phase is Phase.ENDED


@pytest.mark.parametrize("text", ["224.0.0.1 7777", "127.0.0.1 7777", "victim.example 7777", "", "a b c"])
def test_a_redirection_to_an_address_that_must_not_be_dialled_is_not_followed(text: str) -> None:
    game = Tally(2)
    hub, joiner = MemoryHub(), RollbackSession(game, entropy=Random(1).randbytes, host_address="host")
    refuse = Refuse(reason=ASK_SPONSOR, text=text)
    link = LinkEndpoint(link_config_for(game, MatchConfig()), entropy=Random(2).randbytes, admit=lambda _: refuse)
    hub.attach("host", link)
    hub.attach("joiner", joiner)
    for turn in range(60):
        hub.exchange(now=turn / 60)
    assert joiner.phase is Phase.ENDED


def test_a_redirection_is_asked_rarely_until_there_is_an_answer() -> None:
    game = Tally(2)
    hub, joiner, victim = MemoryHub(), RollbackSession(game, entropy=Random(1).randbytes, host_address="host"), Victim()
    refuse = Refuse(reason=ASK_SPONSOR, text="victim")
    link = LinkEndpoint(link_config_for(game, MatchConfig()), entropy=Random(2).randbytes, admit=lambda _: refuse)
    for name, endpoint in (("host", link), ("joiner", joiner), ("victim", victim)):
        hub.attach(name, endpoint)
    for turn in range(60 * 30):
        hub.exchange(now=turn / 60)
    assert (victim.datagrams, victim.received) == (8, 8 * 128)
    assert joiner.phase is Phase.ENDED


def test_a_host_that_does_not_start_is_left_after_a_while() -> None:
    host = BadHost()
    host.say(roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner")))
    host.run(LINKING_SECONDS + GRACE)
    assert host.joiner.phase is Phase.LINKING
    host.run(GRACE + 1.0)
    assert [event.reason for event in host.joiner.events() if isinstance(event, MatchEnded)] == [
        "the host does not start the match"
    ]


def test_a_host_that_sends_one_roster_after_the_other_is_left() -> None:
    host = BadHost((1,), game=Tally(3))
    message = roster(HOST_ENTRY, RosterEntry(1, (1,), "joiner"), RosterEntry(2, (2,), "third"))
    for number in range(MOST_ROSTERS + 1):
        assert host.joiner.phase is Phase.GATHERING, number
        host.connection.send_reliable(host.encoded(message))
        host.connection.send_reliable(encode_byte(MessageKind.CANCEL, 2))
        host.run(0.2)
    assert host.joiner.phase is Phase.ENDED


def test_a_sponsor_that_sends_no_state_is_left_after_a_while() -> None:
    host = BadHost((2,), game=Tally(3))
    welcome = Welcome(0, 9, TOKEN, 8.0, 7, 0, 0, StateHeader(32, 0), (1,), (HOST_ENTRY,))
    host.say(encode_welcome(welcome))
    host.run(LONGEST_WAIT)
    assert host.joiner.phase is Phase.ENDED
    assert inside_of(host.joiner).match is None


def gathering(players: int = 3, *, seed: int = 1, config: MatchConfig = STAY) -> Mesh:
    """Peers that are about to be linked."""
    conditions = Conditions(latency=0.05, jitter=0.005)
    mesh = Mesh(lambda: Tally(players), seed=seed, conditions=conditions, config=config, press=presses(seed))
    host = mesh["peer0"].session
    mesh.run_until(lambda: host.phase is Phase.LINKING, limit=5.0, what="the host has sent its rosters")
    return mesh


def assert_starts_again(mesh: Mesh, name: str) -> None:
    """The others have kept their places; with one who comes again the match begins."""
    stayed = [peer for peer in mesh.alive if peer.name != name]
    assert [peer.session.phase for peer in stayed] == [Phase.GATHERING] * len(stayed)
    mesh.restart(name, through="peer0")
    mesh.start(limit=10.0)
    mesh.play(120)
    mesh.verify()


@pytest.mark.parametrize("leaves", [True, False])
def test_a_joiner_that_leaves_after_the_roster_ends_the_lobby_for_nobody_else(leaves: bool) -> None:
    mesh = gathering(4)
    if leaves:
        mesh["peer2"].session.close("changed my mind")
        mesh.run(0.5)
    mesh.crash("peer2")
    mesh.run(STAY.disconnect_after + 1.0)
    assert_starts_again(mesh, "peer2")


def test_a_roster_that_reaches_one_joiner_much_later_than_another_is_no_problem() -> None:
    """It still has the earlier one when it is called."""
    mesh = gathering(4)
    host: Any = inside_of(mesh["peer0"].session)
    slow, *_, leaver = (peer.connection.address for _, peer in sorted(host.peers.items()))
    mesh[leaver].session.close("changed my mind")
    mesh.link("peer0", slow, Conditions(latency=1.2))
    mesh.run(0.3)
    mesh.crash(leaver)
    mesh.restart(leaver, through="peer0")
    mesh.start(limit=8.0)
    mesh.play(120)
    mesh.verify()
    assert len(mesh["peer0"].events_of(PeerDisconnected)) == 1


def test_a_joiner_that_is_never_ready_is_dropped_and_the_others_keep_their_places() -> None:
    mesh = gathering(4)
    silent: Any = mesh["peer2"].session
    inside_of(silent).lobby._report_when_linked = lambda: None
    inside_of(silent).lobby.while_waiting = lambda now: None
    mesh.run(LINKING_SECONDS + GRACE - 1.0)
    assert mesh["peer0"].session.phase is Phase.LINKING
    mesh.run(2.0)
    assert silent.phase is Phase.ENDED
    [gone] = mesh["peer0"].events_of(PeerDisconnected)
    assert (gone.peer, gone.text) == (silent.peer_id, f"peer {silent.peer_id} was not ready after 15 s")
    mesh.crash("peer2")
    assert_starts_again(mesh, "peer2")


def test_two_joiners_that_cannot_reach_each_other_are_named_and_the_one_that_called_leaves() -> None:
    mesh = Mesh(lambda: Tally(4), conditions=Conditions(latency=0.05), config=STAY, press=presses(1))
    mesh.cut("peer1", "peer3", LINKING_SECONDS + 3.0)
    mesh.run(LINKING_SECONDS + 2.0)
    apart = {mesh[name].session.peer_id: name for name in ("peer1", "peer3")}
    low, high = sorted(apart)
    [gone] = mesh["peer0"].events_of(PeerDisconnected)
    assert (gone.peer, gone.text) == (high, f"peer {high} has no link with peer {low}: no answer")
    mesh.crash(apart[high])
    mesh.run(3.0)
    assert_starts_again(mesh, apart[high])


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.16])
def test_a_joiner_that_leaves_around_the_start_leaves_the_others_as_one(delay: float) -> None:
    mesh = gathering(3)
    leaver: Any = mesh["peer2"].session
    report = inside_of(leaver).lobby._report_when_linked

    def report_and_leave() -> None:
        report()
        if inside_of(leaver).lobby._reported:
            mesh.at(delay, leaver.close)

    inside_of(leaver).lobby._report_when_linked = report_and_leave
    mesh.run(2.0)
    mesh.crash("peer2")
    mesh.run(6.0)
    phases = {peer.session.phase for peer in mesh.alive}
    assert len(phases) == 1
    if phases == {Phase.GATHERING}:
        assert_starts_again(mesh, "peer2")
    else:
        assert phases == {Phase.RUNNING}
        assert {peer.session.gone for peer in mesh.alive} == {leaver.local_players}
        mesh.play(mesh["peer0"].final_frame + 100)
        mesh.verify()


class CallingInside(SessionInside):
    """As soon as it has a roster it calls every other joiner as if it were a third one."""

    def call(self, entry: RosterEntry) -> None:
        super().call(entry)
        for name in range(entry.peer_id + 1, 4):
            if name != self.peer_id:
                other = self.peers.get(name)
                key = self.public_key if other is None else other.key
                data = encode_call(self.token, name, REACH, entry.pair_token, key)
                self.link.dial(entry.address, seats=0, data=data)


class CallsInTheNamesOfOthers(RollbackSession):
    """The session of such a peer."""

    _inside_class = CallingInside


@pytest.mark.parametrize("slow", ["peer1", "peer2", "peer3"])
def test_no_joiner_can_call_in_the_name_of_another(slow: str) -> None:
    """Also if the other one calls later: the place that is kept for it is not taken."""
    names = [f"peer{i}" for i in range(4)]
    mesh = Mesh(
        lambda: Tally(4),
        seats=dict.fromkeys(names, 1),
        make_session=dict.fromkeys(names, CallsInTheNamesOfOthers),
        conditions=Conditions(latency=0.02),
        press=presses(1),
    )
    for other in names[1:]:
        if other != slow:
            mesh.link(other, slow, Conditions(latency=0.06))
    mesh.start(limit=6.0)
    mesh.play(60)
    mesh.verify()


def test_each_pair_of_joiners_has_a_token_that_no_third_one_knows() -> None:
    mesh = gathering(4)
    known: dict[bytes, set[int]] = {}
    for name in ("peer1", "peer2", "peer3"):
        session: Any = mesh[name].session
        mesh.run_until(lambda session=session: session.phase is Phase.LINKING, limit=2.0, what="a roster")
        for peer in inside_of(session).peers.values():
            if peer.peer_id > session.peer_id:
                known.setdefault(peer.pair_token, set()).update((peer.peer_id, session.peer_id))
    assert sorted(map(sorted, known.values())) == [[1, 2], [1, 3], [2, 3]]


class NeverConfirms(RollbackSession):
    """Asks for a seat, and again, and does not hear that it has one."""

    def receive_datagram(self, data: Any, address: Any, *, now: float) -> None:
        if data[0] != ACCEPT:
            super().receive_datagram(data, address, now=now)


@pytest.mark.parametrize("players", [2, 4])
def test_one_that_never_confirms_its_link_takes_no_seat_from_anybody(players: int) -> None:
    """Four of them at one address ask for seats all the time: those who come meanwhile get seats as if alone."""
    network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
    host = RollbackSession(Tally(players), entropy=Random(1).randbytes)
    network.attach("host", host)
    for port in range(4):
        stranger = NeverConfirms(Tally(players), entropy=Random(100 + port).randbytes, host_address="host")
        network.attach(("198.51.100.7", port), stranger)
    network.run(until=3.0)
    assert sum(connection.state is State.ACCEPTED for connection in inside_of(host).link.connections.values()) == 4
    joiners = [
        RollbackSession(Tally(players), entropy=Random(10 + number).randbytes, host_address="host")
        for number in range(1, players)
    ]
    for number, joiner in enumerate(joiners):
        network.attach(f"joiner{number}", joiner)
    network.run(until=4.0)
    assert {session.phase for session in (host, *joiners)} == {Phase.RUNNING}
    assert sorted(joiner.local_players for joiner in joiners) == [(seat,) for seat in range(1, players)]


def test_of_two_who_were_offered_one_seat_the_first_whose_link_is_up_has_it() -> None:
    network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
    host = RollbackSession(Tally(2), entropy=Random(1).randbytes)
    network.attach("host", host)
    slow, quick = (
        RollbackSession(Tally(2), entropy=Random(number).randbytes, host_address="host") for number in (2, 3)
    )
    network.link("slow", "host", Conditions(latency=0.02), Conditions(latency=0.2))
    network.attach("slow", slow)
    network.run(until=0.25)
    assert inside_of(host).peers == {}
    network.attach("quick", quick)
    network.run(until=1.0)
    assert (quick.running, slow.phase) == (True, Phase.ENDED)
    [refused] = [event for event in slow.events() if isinstance(event, PeerDisconnected)]
    assert (refused.reason, refused.text) == (Reason.SEATS, "1 seat asked for, 0 free")


def test_ready_for_a_roster_that_does_not_hold_any_more_counts_for_nothing() -> None:
    mesh = gathering(3)
    host: Any = inside_of(mesh["peer0"].session)
    joiner = next(iter(host.peers.values()))
    host.lobby.receive_ready(joiner, encode_ready(bytes(16)))
    assert not joiner.ready
    mesh.start(limit=5.0)
