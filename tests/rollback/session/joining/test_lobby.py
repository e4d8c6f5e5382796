"""A host that does not keep to the rules: whoever joins it says goodbye, and its game does not crash."""

from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.games.fighter import Fighter
from retick.link import Accept, Connected, Connection, LinkEndpoint
from retick.rollback.events import MatchEnded
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.connect import Reach, encode_acceptance
from retick.rollback.session.messages.join import Welcome, encode_welcome
from retick.rollback.session.messages.kinds import Kind, encode_byte_and_number
from retick.rollback.session.messages.roster import Roster, RosterEntry, encode_roster, encode_start
from retick.rollback.session.messages.state import StateHeader, encode_chunk
from retick.rollback.session.session import Phase, RollbackSession
from retick.transport.memory import MemoryHub
from tests.toys import Tally

TOKEN = bytes(8)


class BadHost:
    """A real link, a real joiner, and a host that grants and says whatever a test wants."""

    def __init__(self, granted: tuple[int, ...] = (1,), *, game: Any = None) -> None:
        game = game or Fighter()
        self.joiner = RollbackSession(game, entropy=Random(1).randbytes, host_address="host")
        self._link = LinkEndpoint(
            link_config_for(game, MatchConfig()),
            entropy=Random(2).randbytes,
            admit=lambda request: Accept(seats=granted, data=encode_acceptance(Reach(12, 2))),
        )
        self._hub = MemoryHub()
        self._hub.attach("host", self._link)
        self._hub.attach("joiner", self.joiner)
        self._now = 0.0
        self.run(0.5)
        self.connection: Connection = next(
            event.connection for event in self._link.events() if isinstance(event, Connected)
        )

    def run(self, seconds: float) -> None:
        end = self._now + seconds
        while self._now < end:
            self._now += 1 / 60
            self._hub.exchange(now=self._now)
            if self.joiner.due(now=self._now):
                self.joiner.advance(0, now=self._now)

    def say(self, *messages: bytes) -> None:
        for message in messages:
            self.connection.send_reliable(message)
        self.run(1.0)


def roster(*entries: RosterEntry, peer_id: int = 1) -> bytes:
    return encode_roster(Roster(peer_id, TOKEN, entries))


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
    assert host.joiner.match is None
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
    assert host.joiner.match is None
    assert host.joiner.phase is Phase.ENDED


WELCOMES = {
    "without its sender": {"entries": (RosterEntry(5, (0,), "x"),)},
    "with the receiver in the roster": {"entries": (HOST_ENTRY, RosterEntry(9, (1,), "x"))},
    "with a seat given twice": {"gone": (0,)},
    "with seats that the game does not have": {"gone": (7,)},
}


@pytest.mark.parametrize("name", WELCOMES)
def test_a_welcome_that_does_not_fit_the_game_ends_the_joining(name: str) -> None:
    game = Fighter()
    state = game.initial_state(7)
    data = game.pack_state(state)
    good = Welcome(0, 9, TOKEN, 7, 0, 0, StateHeader(len(data), game.checksum(state)), (), (HOST_ENTRY,))
    host = BadHost()
    host.say(encode_welcome(good._replace(**WELCOMES[name])), encode_chunk(0, data))
    assert host.joiner.match is None
    assert host.joiner.phase is Phase.ENDED


def test_a_welcome_with_a_seat_that_nobody_plays_is_refused() -> None:
    joiner: Any = RollbackSession(Tally(3), entropy=Random(1).randbytes, host_address="host")
    joiner.local_players = (1,)
    welcome = Welcome(0, 9, TOKEN, 7, 0, 0, StateHeader(32, 0), (2,), (HOST_ENTRY,))
    joiner.newcomer._check_welcome(welcome)
    with pytest.raises(InvalidValue, match="nobody plays"):
        joiner.newcomer._check_welcome(welcome._replace(gone=()))


@pytest.mark.parametrize("frame", [0, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
@pytest.mark.parametrize("number", [0, 255])
def test_a_welcome_at_any_frame_of_any_match_begins_it_or_ends_the_joining(frame: int, number: int) -> None:
    game = Fighter()
    state = game.initial_state(7)
    data = game.pack_state(state)
    header = StateHeader(len(data), game.checksum(state))
    host = BadHost()
    welcome = Welcome(0, 9, TOKEN, 7, number, frame, header, (), (HOST_ENTRY,))
    host.say(encode_welcome(welcome), encode_chunk(0, data), encode_byte_and_number(Kind.COMMIT, 9, frame))
    assert host.joiner.phase in (Phase.RUNNING, Phase.ENDED)
