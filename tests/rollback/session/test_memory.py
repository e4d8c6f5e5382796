"""Sessions give back what they took: while they run, when they are over, and when they are dropped in mid-match."""

import gc
import sys
import weakref
from random import Random
from typing import Any

import pytest

from retick.games.fighter import Fighter
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from tests.toys import Tally

GAMES = (Fighter, Tally)


class Two:
    """A host and a guest, each with a datagram in ten lost on the way to it."""

    def __init__(self, game: Any) -> None:
        self.dice = Random(1)
        host = RollbackSession(game(), entropy=self.dice.randbytes)
        self.ends = {"host": host, "guest": RollbackSession(game(), entropy=self.dice.randbytes, host_address="host")}
        self.now = 0.0

    def play(self, frames: int) -> None:
        for number in range(frames):
            self.now += 1 / 60
            for name, session in self.ends.items():
                self.turn(name, session, number)

    def turn(self, name: str, session: RollbackSession, number: int) -> None:
        other = self.ends["guest" if name == "host" else "host"]
        session.handle_timeout(now=self.now)
        if session.due(now=self.now):
            session.advance(number // 3 % 16, now=self.now)
        for data, _ in session.datagrams_to_send(now=self.now):
            if self.dice.random() > 0.1:
                other.receive_datagram(data, name, now=self.now)
        session.events()


@pytest.mark.parametrize("game", GAMES)
def test_a_session_holds_no_more_after_many_frames_than_after_some(game: Any) -> None:
    two = Two(game)
    # By then the ring of inputs has been round once, and the books of checksums are full.
    two.play(4300)
    gc.collect()
    blocks, things = sys.getallocatedblocks(), len(gc.get_objects())
    two.play(1500)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500
    assert len(gc.get_objects()) - things < 100
    assert two.ends["host"].frame > 5700


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("frames", [0, 5, 60])
def test_a_session_that_is_dropped_goes_with_all_its_parts(game: Any, frames: int) -> None:
    two = Two(game)
    two.play(frames)
    session = two.ends["guest"]
    parts = [session, inside_of(session).link]
    if inside_of(session).match is not None:
        parts += [inside_of(session).match, *inside_of(session).match.exchanges]
    assert frames < 60 or len(parts) == 4
    held = [weakref.ref(part) for part in parts]
    del two, session, parts
    gc.collect()
    assert [ref() for ref in held if ref() is not None] == []


def test_sessions_come_and_go_and_nothing_stays() -> None:
    def some(count: int) -> int:
        for number in range(count):
            two = Two(GAMES[number % 2])
            two.play(60)
            assert two.ends["guest"].running
            if number % 3:
                two.ends["guest"].close()
                two.play(5)
        gc.collect()
        return len(gc.get_objects())

    assert abs(some(20) - some(4)) < 100
