"""The link that all clients have: dialling, redirections, a missing welcome, coming back, and when not to."""

from random import Random
from typing import Any

import pytest

from retick.host.client_link import FINAL, ClientLink
from retick.host.config import JoiningConfig
from retick.host.events import ConnectionLost, JoinFailed
from retick.host.joining import JoinAcceptance, JoinRequest, decode_join, encode_acceptance, redirect_to
from retick.host.link_config import link_config
from retick.link import Accept, Connected, Connection, LinkEndpoint, Reason, Refuse, Request
from retick.transport import Conditions, SimulatedNetwork

LINK = link_config("test.link", 1, timeout=1.0)
HOST = "10.0.0.1"


class Caller(ClientLink[bytes]):
    """A client that takes any message as its welcome: the first byte is its place."""

    def __init__(self, **settings: Any) -> None:
        self.config = JoiningConfig(timeout=1.0, welcome_seconds=2.0, **settings)
        self.rejoins: list[bool] = []
        self.ends = 0
        super().__init__((HOST, 7000), JoinRequest("hall"), LINK, Random(1).randbytes)

    def _on_payload(self, data: bytes, now: float) -> None:
        self._events.append(data)

    def _on_message(self, data: bytes, now: float) -> None:
        self._welcome_by = None
        self.rejoins.append(self._take_place(data[0], now))

    def _on_no_welcome(self, now: float) -> None:
        self._fail(Reason.NO_ANSWER, "no welcome")

    def _on_ended(self) -> None:
        self.ends += 1


class Desk:
    """A server that accepts, welcomes to a place, and keeps what it was asked."""

    def __init__(self, answer: Accept | Refuse | None = None, *, welcomes: bool = True, token: bytes = b"") -> None:
        self.answer, self.welcomes, self.token = answer, welcomes, token
        self.asked: list[JoinRequest] = []
        self.link = LinkEndpoint(LINK, entropy=Random(len(token) + 2).randbytes, admit=self.admit)
        self.up: list[Connection] = []

    def admit(self, request: Request) -> Accept | Refuse:
        wish = decode_join(request.data)
        self.asked.append(wish)
        return self.answer or Accept(data=encode_acceptance(JoinAcceptance(self.token or wish.token or b"t" * 16)))

    def on_events(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, Connected):
                self.up.append(event.connection)
                if self.welcomes:
                    event.connection.send_reliable(b"\x05")


class Place:
    """A caller and its servers on a network."""

    def __init__(self, *desks: Desk, **settings: Any) -> None:
        self.network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
        self.caller = Caller(**settings)
        self.events: list[Any] = []
        for number, desk in enumerate(desks):
            self.network.attach((HOST, 7000 + number), desk.link, on_events=desk.on_events)
        self.network.attach("caller", self.caller, on_events=self.events.extend)

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)


def test_a_lost_connection_is_dialled_again_with_the_token_of_the_seat() -> None:
    desk = Desk()
    place = Place(desk)
    place.run(0.5)
    place.network.cut("caller", (HOST, 7000), 3.0)
    place.run(5.0)
    assert [(wish.room, wish.token) for wish in desk.asked][-1] == ("hall", b"t" * 16)
    assert desk.asked[0].token == b""
    assert place.caller.rejoins == [False, True]
    (lost,) = place.events
    assert isinstance(lost, ConnectionLost)
    assert (lost.reason, lost.will_rejoin, place.caller.ends) == (Reason.TIMEOUT, True, 1)
    assert place.caller.connection.is_connected
    assert not place.caller.is_over


def test_the_same_place_with_another_token_is_no_rejoin() -> None:
    desk = Desk()
    place = Place(desk)
    place.run(0.5)
    desk.token = b"u" * 16
    place.network.cut("caller", (HOST, 7000), 3.0)
    place.run(5.0)
    assert place.caller.rejoins == [False, False]


def test_a_redirection_is_followed_and_a_rejoin_begins_at_the_first_address_again() -> None:
    front, desk = Desk(redirect_to(7001)), Desk()
    place = Place(front, desk)
    place.run(1.0)
    place.network.cut("caller", (HOST, 7001), 2.0)
    place.run(6.0)
    assert len(front.asked) >= 2
    assert place.caller.rejoins == [False, True]


def test_a_refusal_ends_the_client_with_the_words_of_the_server() -> None:
    place = Place(Desk(Refuse(reason=Reason.FULL, text="no chair")))
    place.run(1.0)
    assert place.events == [JoinFailed(reason=Reason.FULL, text="no chair")]
    assert place.caller.is_over


def test_a_welcome_that_does_not_come_is_waited_for_no_longer_than_the_config_says() -> None:
    place = Place(Desk(welcomes=False))
    place.run(1.5)
    assert not place.events
    place.run(1.0)
    assert place.events[0] == JoinFailed(reason=Reason.NO_ANSWER, text="no welcome")
    assert place.caller.is_over


def test_a_server_that_does_not_answer_is_a_failure_to_join_and_is_not_dialled_again() -> None:
    place = Place()
    place.run(15.0)
    (failed,) = place.events
    assert isinstance(failed, JoinFailed)
    assert place.caller.is_over


@pytest.mark.parametrize("reason", [*FINAL, Reason.TIMEOUT, Reason.FULL, 200])
def test_a_client_comes_back_unless_the_server_has_ended_it_for_good(reason: int) -> None:
    desk = Desk()
    place = Place(desk)
    place.run(0.5)
    desk.up[0].close(reason, "out")
    place.run(1.0)
    (lost,) = place.events
    assert (lost.reason, lost.text, lost.will_rejoin) == (reason, "out", reason not in FINAL)
    assert place.caller.is_over == (reason in FINAL)
    assert place.caller.rejoins == ([False] if reason in FINAL else [False, True])


@pytest.mark.parametrize(
    ("settings", "told"), [({"rejoin": False}, [False]), ({"rejoin_attempts": 2}, [True] * 2 + [False])]
)
def test_a_client_dials_no_more_often_than_the_config_says(settings: dict[str, Any], told: list[bool]) -> None:
    place = Place(Desk(), **settings)
    place.run(0.5)
    place.network.detach((HOST, 7000))
    place.run(60.0)
    assert [each.will_rejoin for each in place.events] == told
    assert place.caller.is_over
