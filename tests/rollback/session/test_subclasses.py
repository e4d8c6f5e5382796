"""Sessions, matches and exchanges as bases: what a subclass says in Python is what the kernels ask."""

from collections import Counter
from types import FunctionType
from typing import Any

import pytest

from retick.link import LinkEndpoint
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Exchange, Match
from retick.rollback.session.inside import SessionInside
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.link.pair import Pair
from tests.rollback.session.matches import lone_match, packet, tally_press
from tests.toys import Tally


def counting(base: type, calls: Counter[str]) -> Any:
    """A subclass in which every public method is overridden, counts, and calls the one that it overrides."""

    def override(name: str) -> Any:
        def method(self: Any, *arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return getattr(super(made, self), name)(*arguments, **named)

        return method

    methods = {
        name: override(name)
        for name in dir(base)
        if not name.startswith("_") and callable(getattr(base, name)) and not isinstance(getattr(base, name), type)
    }
    made: Any = type("Counting", (base,), methods)
    assert isinstance(next(iter(methods.values())), FunctionType)
    return made


USED = {
    "due",
    "advance",
    "receive_datagram",
    "datagrams_to_send",
    "handle_timeout",
    "next_timeout",
    "events",
    "send_message",
    "stats",
}
USED_INSIDE = {"tell", "start", "begin", "on_link_events", "ask_parts", "receive_message", "receive_payload"}


def test_whatever_public_method_of_a_session_is_overridden_is_the_one_that_is_called() -> None:
    calls: Counter[str] = Counter()
    calls_inside: Counter[str] = Counter()
    link = Conditions(latency=0.04, loss=0.05)
    kind = counting(RollbackSession, calls)
    kind._inside_class = counting(SessionInside, calls_inside)
    mesh = Mesh(Tally, conditions=link, press=tally_press, make_session=kind)
    mesh.start()
    for peer in mesh.alive:
        peer.session.send_message(b"hello")
    mesh.play(120)
    mesh.verify()
    mesh["peer0"].session.stats(now=mesh.network.now)
    assert USED - set(calls) == set()
    assert USED_INSIDE - set(calls_inside) == set()


def test_a_session_asks_an_overridden_match(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    monkeypatch.setattr("retick.rollback.session.inside.Match", counting(Match, calls))
    mesh = Mesh(Tally, conditions=Conditions(latency=0.04), press=tally_press)
    mesh.start()
    mesh.play(60)
    mesh.verify()
    assert {"due", "advance", "receive", "sends", "events", "next_timeout", "add_peer"} - set(calls) == set()


def test_a_match_asks_an_overridden_exchange() -> None:
    calls: Counter[str] = Counter()
    match = lone_match()
    kind = counting(Exchange, calls)
    match.exchanges[0] = kind(match.exchanges[0].peer, match.engine, MatchConfig(input_delay=0))
    match.receive(match.exchanges[0], packet(0, (0,) * 17), 0.0)
    for _ in range(17):
        match.advance(0, 0.0)
    match.packets(0.0)
    match.stats(0.0)
    assert {"receive", "packet", "write_checksum"} - set(calls) == set()


def test_an_endpoint_can_be_a_base(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    monkeypatch.setattr("tests.link.pair.LinkEndpoint", counting(LinkEndpoint, calls))
    pair = Pair()
    mine, _ = pair.connect()
    mine.send_reliable(b"hello")
    pair.flush()
    pair.run(1.0)
    assert {"receive_datagram", "datagrams_to_send", "handle_timeout", "next_timeout", "events", "dial"} - set(
        calls
    ) == set()
