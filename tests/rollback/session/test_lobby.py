"""A host that does not keep to the rules: whoever joins it says goodbye, and its game does not crash."""

from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.games.fighter import Fighter
from retick.link import Accept, Connected, Connection, LinkEndpoint
from retick.rollback.events import MatchEnded
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import messages as wire
from retick.rollback.session import roster as lobby
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.roster import Member, Roster
from retick.rollback.session.session import Phase, RollbackSession
from retick.transport.memory import MemoryHub
from tests.toys import Tally

TOKEN = bytes(8)


class BadHost:
    """A real link, a real joiner, and a host that grants and says whatever a test wants."""

    def __init__(self, granted: tuple[int, ...] = (1,)) -> None:
        game = Fighter()
        self.joiner = RollbackSession(game, entropy=Random(1).randbytes, host_address="host")
        self._link = LinkEndpoint(
            link_config_for(game, MatchConfig()),
            entropy=Random(2).randbytes,
            admit=lambda request: Accept(seats=granted),
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


def roster(*members: Member, number: int = 1) -> bytes:
    return lobby.encode_roster(Roster(number, TOKEN, members))


HOST_MEMBER = Member(0, (0,), "host")
ROSTERS = {
    "without the host": ((1,), roster(Member(1, (1,), "joiner"))),
    "with seats that the game does not have": (
        (1,),
        roster(HOST_MEMBER, Member(1, (1,), "joiner"), Member(2, (5,), "x")),
    ),
    "with a seat that nobody plays": ((1,), roster(Member(0, (1,), "host"), Member(1, (2,), "joiner"))),
    "with other seats than were granted": ((1,), roster(Member(0, (1,), "host"), Member(1, (0,), "joiner"))),
    "for the host itself": ((1,), roster(HOST_MEMBER, Member(1, (1,), "joiner"), number=0)),
    "after no seat was granted": ((), roster(HOST_MEMBER, Member(1, (1,), "joiner"))),
    "after more seats were granted than asked for": ((0, 1), roster(HOST_MEMBER, Member(1, (1,), "joiner"))),
}


@pytest.mark.parametrize("name", ROSTERS)
def test_a_roster_that_does_not_fit_the_game_or_what_was_asked_for_ends_the_joining(name: str) -> None:
    granted, message = ROSTERS[name]
    host = BadHost(granted)
    host.say(message, lobby.encode_start(7))
    assert host.joiner.match is None
    assert host.joiner.phase is Phase.ENDED
    assert any(isinstance(event, MatchEnded) for event in host.joiner.events())


def test_a_good_roster_begins_the_match() -> None:
    host = BadHost()
    host.say(roster(HOST_MEMBER, Member(1, (1,), "joiner")), lobby.encode_start(7))
    assert host.joiner.running


WELCOMES = {
    "without its sender": {"members": (Member(5, (0,), "x"),)},
    "with the receiver among the members": {"members": (HOST_MEMBER, Member(9, (1,), "x"))},
    "with a seat given twice": {"gone": (0,)},
    "with seats that the game does not have": {"gone": (7,)},
}


@pytest.mark.parametrize("name", WELCOMES)
def test_a_welcome_that_does_not_fit_the_game_ends_the_joining(name: str) -> None:
    game = Fighter()
    state = game.initial_state(7)
    data = game.pack_state(state)
    good = wire.Welcome(0, 9, TOKEN, 7, 0, 0, game.checksum(state), len(data), (), (HOST_MEMBER,))
    host = BadHost()
    host.say(wire.encode_welcome(good._replace(**WELCOMES[name])), wire.encode_chunk(0, data))
    assert host.joiner.match is None
    assert host.joiner.phase is Phase.ENDED


def test_a_welcome_with_a_seat_that_nobody_plays_is_refused() -> None:
    joiner: Any = RollbackSession(Tally(3), entropy=Random(1).randbytes, host_address="host")
    joiner.local_players = (1,)
    welcome = wire.Welcome(0, 9, TOKEN, 7, 0, 0, 0, 32, (2,), (HOST_MEMBER,))
    joiner._newcomer._check_welcome(welcome)
    with pytest.raises(InvalidValue, match="nobody plays"):
        joiner._newcomer._check_welcome(welcome._replace(gone=()))
