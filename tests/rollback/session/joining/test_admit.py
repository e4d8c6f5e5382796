"""Requests to connect: the version is compared on both sides, the tag decides who answers, early calls wait."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from retick.link import Accept, Connected, Connection, LinkEndpoint, Reason, Refused
from retick.rollback.events import MatchEnded, PeerDisconnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining.admit import EARLY_SECONDS, MOST_EARLY_CALLS
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.connect import (
    VERSION,
    encode_acceptance,
    encode_call,
    encode_play,
    encode_watch,
)
from retick.rollback.session.messages.kinds import OTHER_VERSION, REACHES_TOO_FAR
from retick.rollback.session.messages.roster import Reach
from retick.rollback.session.session import Phase, RollbackSession
from retick.rollback.spectate.spectator import SpectatorSession
from retick.transport.simulated import MemoryHub
from tests.toys import Tally

KEY = b"k" * 32
"""With which nobody signs anything here."""

REACH = Reach(12, 2)
WORDS = "session protocol 6 here, {} there: update Retick on the side with the lower number"


STRANGER = ("127.0.0.1", 9)
"""Loopback: a link accepts fewer connections of any other single address than these tests open."""


class Lane:
    """One session and a bare link endpoint that asks it for connections."""

    def __init__(self, session: Any, *, admit: Any = None) -> None:
        self.session = session
        config = link_config_for(Tally(2), MatchConfig())
        self.stranger = LinkEndpoint(config, entropy=Random(2).randbytes, admit=admit)
        self._hub = MemoryHub()
        self._hub.attach("session", session)
        self._hub.attach(STRANGER, self.stranger)
        self._others: dict[str, LinkEndpoint] = {}
        self._now = 0.0

    def run(self, seconds: float = 0.5) -> None:
        end = self._now + seconds
        while self._now < end:
            self._now += 1 / 60
            self._hub.exchange(now=self._now)

    def ask(self, data: bytes, *, seats: int = 1, seconds: float = 0.5) -> Any:
        """The answer to a request."""
        connection = self.stranger.dial("session", seats=seats, data=data)
        self.run(seconds)
        events = [event for event in self.stranger.events() if event.connection is connection]
        [answer] = [event for event in events if isinstance(event, Connected | Refused)]
        return answer

    def call_from(self, address: str, peer_id: int) -> Connection:
        """An early call from elsewhere, by somebody with a pair token of its own."""
        link = self._others.get(address)
        if link is None:
            link = self._others[address] = LinkEndpoint(self.stranger.config, entropy=Random(address).randbytes)
            self._hub.attach(address, link)
        data = encode_call(bytes(16), peer_id, REACH, address.encode().ljust(8), KEY)
        connection = link.dial("session", seats=0, data=data)
        self.run(0.1)
        return connection


def host() -> RollbackSession:
    return RollbackSession(Tally(2), entropy=Random(1).randbytes)


def playing() -> RollbackSession:
    return RollbackSession(Tally(2), entropy=Random(1).randbytes, seats=2)


def joiner() -> RollbackSession:
    return RollbackSession(Tally(2), entropy=Random(1).randbytes, host_address=STRANGER)


OLD = {"play": b"", "watch": b"WATCH\xff\xff\xff\xff\0", "call": bytes(range(1, 10))}


@pytest.mark.parametrize("request_", OLD)
@pytest.mark.parametrize("session", [host, playing])
def test_a_request_of_the_first_version_is_refused_with_both_versions_and_what_to_do(
    request_: str, session: Callable[[], RollbackSession]
) -> None:
    refused = Lane(session()).ask(OLD[request_], seats=1 if request_ == "play" else 0)
    assert (refused.reason, refused.text) == (OTHER_VERSION, WORDS.format(1))


def test_a_request_of_a_later_version_is_refused_with_both_versions() -> None:
    refused = Lane(host()).ask(b"\x09\x01and more")
    assert (refused.reason, refused.text) == (OTHER_VERSION, WORDS.format(9))


def test_a_joiner_of_a_host_of_the_first_version_ends_with_both_versions() -> None:
    """Such a host looks at no version, and accepts: the joiner finds out by the acceptance."""
    lane = Lane(joiner(), admit=lambda request: Accept(seats=(1,)))
    lane.run()
    assert lane.session.phase is Phase.ENDED
    events = lane.session.events()
    [gone] = [event for event in events if isinstance(event, PeerDisconnected)]
    assert (gone.reason, gone.text) == (OTHER_VERSION, WORDS.format(1))
    assert [event.reason for event in events if isinstance(event, MatchEnded)] == [WORDS.format(1)]


def test_a_spectator_of_a_peer_of_another_version_ends_with_both_versions() -> None:
    session = SpectatorSession(Tally(2), STRANGER, entropy=Random(1).randbytes)
    Lane(session, admit=lambda request: Accept(data=b"\x09")).run()
    assert session.events() == [MatchEnded(reason=WORDS.format(9))]


def test_an_acceptance_carries_the_version_and_how_far_the_peer_may_be_ahead() -> None:
    config = MatchConfig(prediction_window=9, input_delay=4)
    session = RollbackSession(Tally(2), entropy=Random(1).randbytes, config=config)
    assert Lane(session).ask(encode_play(REACH, key=KEY)).connection.terms.peer_data == bytes(
        (VERSION, *session._inside.public_key, 9, 4)
    )


def test_one_whose_window_and_delay_our_history_cannot_hold_is_refused_in_words() -> None:
    words = "window 120 and delay 8 there need history 130 here, which is 128"
    for data, seats in ((encode_play(Reach(120, 8), key=KEY), 1), (encode_call(bytes(16), 1, Reach(120, 8)), 0)):
        refused = Lane(host()).ask(data, seats=seats)
        assert (refused.reason, refused.text) == (REACHES_TOO_FAR, words)
    assert isinstance(Lane(host()).ask(encode_play(Reach(120, 6), key=KEY)), Connected)


@pytest.mark.parametrize(
    ("data", "reason", "words"),
    [
        (
            encode_acceptance(Reach(255, 255), KEY),
            REACHES_TOO_FAR,
            "window 255 and delay 255 there need history 512 here",
        ),
        (bytes((VERSION,)), Reason.VIOLATION, "an acceptance has 35 bytes, not 1"),
    ],
)
def test_a_joiner_closes_the_link_with_a_host_that_it_cannot_play_with(data: bytes, reason: int, words: str) -> None:
    lane = Lane(joiner(), admit=lambda request: Accept(seats=(1,), data=data))
    lane.run()
    [gone] = [event for event in lane.session.events() if isinstance(event, PeerDisconnected)]
    assert gone.reason == reason
    assert gone.text.startswith(words)
    assert lane.session.phase is Phase.ENDED


@pytest.mark.parametrize(
    "data", [bytes((VERSION,)), bytes((VERSION, 0)), bytes((VERSION, 77)), encode_play(REACH, key=KEY) + b"\0"]
)
def test_a_request_that_wants_nothing_known_is_refused(data: bytes) -> None:
    refused = Lane(host()).ask(data)
    assert (refused.reason, refused.text) == (Reason.DENIED, "a request that is not in the session protocol")


def test_one_who_wants_to_play_and_one_who_wants_to_watch_are_refused_with_a_reason() -> None:
    assert Lane(host()).ask(encode_watch(0)).text == "the match has not begun: try again in a moment"
    assert Lane(playing()).ask(encode_play(REACH, key=KEY)).text == "1 seat asked for, 0 free"
    over = playing()
    over.close()
    lane = Lane(over)
    for data in (encode_play(REACH, key=KEY), encode_watch(0), encode_call(bytes(16), 1, REACH)):
        assert lane.ask(data).text == "the match is over here"


def test_a_call_with_another_token_or_of_no_peer_is_refused() -> None:
    session = host()
    lane = Lane(session)
    for token, peer_id in ((bytes(16), 1), (inside_of(session).token, 1), (inside_of(session).token, 0)):
        refused = lane.ask(encode_call(token, peer_id, REACH), seats=0)
        assert (refused.reason, refused.text) == (Reason.DENIED, "not a peer of this match")


def test_early_calls_wait_up_to_a_bound() -> None:
    lane = Lane(joiner(), admit=lambda request: Accept(seats=(1,), data=encode_acceptance(REACH, KEY)))
    for peer_id in range(MOST_EARLY_CALLS):
        assert isinstance(lane.ask(encode_call(bytes(16), peer_id, REACH), seats=0, seconds=0.1), Connected)
    for peer_id in (99, 0):
        assert lane.ask(encode_call(bytes(16), peer_id, REACH), seats=0).text == "too many wait here already"


def test_one_address_cannot_take_the_places_of_early_calls_from_others() -> None:
    """Each other address gets a place of the one that has most, until they have as many."""
    lane = Lane(joiner(), admit=lambda request: Accept(seats=(1,), data=encode_acceptance(REACH, KEY)))
    theirs = [
        lane.ask(encode_call(bytes(16), peer_id, REACH), seats=0, seconds=0.1).connection
        for peer_id in range(MOST_EARLY_CALLS)
    ]
    answers = [lane.call_from("another", peer_id) for peer_id in range(MOST_EARLY_CALLS)]
    half = MOST_EARLY_CALLS // 2
    assert [answer.is_connected for answer in answers] == [True] * half + [False] * half
    assert [call.close_reason for call in theirs] == [None] * half + [Reason.DENIED] * half
    assert lane.call_from("a third", 1).is_connected


@pytest.mark.parametrize("session", [joiner, playing])
def test_an_early_call_that_nobody_claims_is_closed(session: Callable[[], RollbackSession]) -> None:
    lane = Lane(session(), admit=lambda request: Accept(seats=(1,), data=encode_acceptance(REACH, KEY)))
    lane.run()
    token = inside_of(lane.session).token or bytes(16)
    for peer_id in range(7, 7 + 2 * MOST_EARLY_CALLS):
        called = lane.ask(encode_call(token, peer_id, REACH), seats=0, seconds=1.0).connection
        assert called.is_connected
    lane.run(EARLY_SECONDS + 1.0)
    assert called.close_reason == Reason.DENIED
