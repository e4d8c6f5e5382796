"""Whole sessions, compiled and as Python source: every byte, event and number is the same, whatever happens to them.

What happens is drawn by hypothesis: play, messages, stops, cuts that end in time-outs, rematches, goodbyes, and bytes
that nobody meant: random ones, and genuine ones with a few changed.
"""

import hashlib
from collections.abc import Callable, Hashable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Exchange
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import fighting, tally_press
from tests.toys import Tally
from tests.twin import Twin, outcome

NAMES = ("host", "guest")
GAMES: tuple[tuple[Callable[[], Any], int], ...] = ((Fighter, 1), (Tally, 1), (lambda: Tally(3), 2))
"""Games, and how many play at the joiner."""
LINKS = (
    Conditions(latency=0.02),
    Conditions(latency=0.05, jitter=0.03, loss=0.1, duplicate=0.05, reorder=0.05),
    Conditions(latency=0.09, loss=0.4),
)
CONFIGS = (
    MatchConfig(disconnect_after=2.0),
    MatchConfig(input_delay=0, prediction_window=4, checksum_interval=5, disconnect_after=1.0, end_when_alone=False),
)


class Noted(RollbackSession):
    """Keeps what it sends, and a digest of all that passes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.passed = hashlib.sha256()
        self.sent: list[bytes] = []
        super().__init__(*arguments, **named)

    def receive_datagram(self, data: Any, address: Hashable, *, now: float) -> None:
        self.passed.update(b"in" + bytes(data))
        super().receive_datagram(data, address, now=now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        out = super().datagrams_to_send(now=now)
        for data, _ in out:
            self.passed.update(b"out" + data)
        self.sent = (self.sent + [data for data, _ in out])[-64:]
        return out


class Telling:
    """A mesh of two, the steps that it is put through, and what can be seen after each."""

    def __init__(self, seed: int, game: int, link: int, config: int) -> None:
        make, there = GAMES[game]
        self.mesh = Mesh(
            make,
            seats={"host": 1, "guest": there},
            seed=seed,
            conditions=LINKS[link],
            config=CONFIGS[config],
            press=fighting(seed % 97 + 1) if make is Fighter else tally_press,
            make_session=Noted,
        )
        self.lines: list[str] = []

    def take(self, step: tuple[Any, ...]) -> None:
        name, *arguments = step
        self.lines.append(f"{step} {outcome(getattr(self, name), *arguments)}")
        for who in NAMES:
            self.lines += self.seen(self.mesh[who].session, who)

    def seen(self, session: Any, who: str) -> list[str]:
        now = self.mesh.network.now
        events, self.mesh[who].events = self.mesh[who].events, []
        lines = [f"{who} {session.phase} {session.passed.hexdigest()} {session.next_timeout()!r} {session.dropped}"]
        lines += [repr(event) for event in events]
        lines.append(outcome(session.stats, now=now))
        lines += [f"{connection!r} {connection.stats}" for connection in inside_of(session).link.connections.values()]
        if inside_of(session).match is not None:
            match = inside_of(session).match
            lines.append(f"{match.number} {match.joins_at} {match.barrier} {match.alarm} {match.pace.next_frame_at!r}")
            lines.append(f"{match.engine.stats} {session.sim.checksum(match.engine.state)}")
            lines += [exchange_line(exchange) for exchange in match.exchanges]
        return lines

    def play(self, frames: int) -> None:
        self.mesh.run(frames / 60)

    def message(self, who: str, size: int) -> Any:
        return self.mesh[who].session.send_message(bytes(size))

    def stop(self, who: str, seconds: float) -> None:
        self.mesh.pause(who, seconds)
        self.mesh.run(seconds)

    def cut(self, seconds: float) -> None:
        self.mesh.cut(*NAMES, seconds)
        self.mesh.run(seconds)

    def rematch(self) -> None:
        for who in NAMES:
            self.mesh[who].session.rematch()
        self.mesh.run(1.0)

    def close(self, who: str, linger: float) -> None:
        self.mesh[who].session.close("enough", linger=linger)
        self.mesh.run(0.5)

    def noise(self, who: str, data: bytes, address: str) -> None:
        self.mesh[who].session.receive_datagram(data, address, now=self.mesh.network.now)

    def changed(self, who: str, seed: int) -> None:
        """Datagrams of the other side with a few bytes changed, most of them with a number that is new."""
        dice = Random(seed)
        other = NAMES[1 - NAMES.index(who)]
        sent = self.mesh[other].session.sent
        for data in dice.sample(sent, k=min(12, len(sent))):
            mutant = bytearray(data)
            if dice.randrange(4):
                number = int.from_bytes(sent[-1][5:7], "little") + dice.randrange(1, 4)
                mutant[5:7] = (number & 0xFFFF).to_bytes(2, "little")
            for _ in range(dice.randrange(3)):
                mutant[dice.randrange(8 if dice.randrange(4) else 0, len(mutant))] = dice.randrange(256)
            self.noise(who, bytes(mutant), other)


def exchange_line(exchange: Exchange) -> str:
    names = ("players", "packets_out", "bytes_out", "packets_in", "bytes_in", "acknowledged", "known_below")
    shown = [getattr(exchange, name) for name in (*names, "their_frame", "next_expected", "dropped")]
    return f"{exchange.peer.peer_id} {shown} {exchange.lead.ours!r} {exchange.lead.theirs!r} {exchange.lead.ahead!r}"


def story(seed: int, game: int, link: int, config: int, steps: list[tuple[Any, ...]]) -> list[str]:
    telling = Telling(seed, game, link, config)
    telling.take(("play", 60))
    for step in steps:
        telling.take(step)
    telling.take(("play", 90))
    return telling.lines


who = st.sampled_from(NAMES)
seconds = st.sampled_from([0.05, 0.3, 1.2, 2.5])
steps = st.one_of(
    st.tuples(st.just("play"), st.integers(1, 90)),
    st.tuples(st.just("message"), who, st.sampled_from([0, 1, 1500, 65535, 65536])),
    st.tuples(st.just("stop"), who, seconds),
    st.tuples(st.just("cut"), seconds),
    st.tuples(st.just("rematch")),
    st.tuples(st.just("close"), who, st.sampled_from([0.0, 1.0])),
    st.tuples(st.just("noise"), who, st.binary(max_size=60), st.sampled_from([*NAMES, "stranger"])),
    st.tuples(st.just("changed"), who, st.integers(0, 1 << 32)),
)
stories = st.tuples(
    st.integers(1, 1 << 32), st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.lists(steps, max_size=8)
)

EVERYTHING: list[tuple[Any, ...]] = [
    ("play", 90),
    ("message", "guest", 1500),
    ("changed", "host", 3),
    ("stop", "guest", 0.3),
    ("rematch",),
    ("play", 90),
    ("noise", "host", b"\x80" * 30, "guest"),
    ("cut", 0.3),
    ("changed", "guest", 4),
    ("message", "host", 1),
    ("close", "guest", 1.0),
]


@pytest.mark.compiled_only
def test_sessions_do_the_same_in_both_forms_whatever_happens_to_them(twin: Twin) -> None:
    for game in range(len(GAMES)):
        twin.agrees(story, 11, game, 1, game % 2, EVERYTHING)

    @settings(max_examples=25)
    @given(stories)
    def compare(drawn: tuple[Any, ...]) -> None:
        twin.agrees(story, *drawn)

    compare()


@pytest.mark.parametrize("game", range(len(GAMES)))
def test_the_story_has_all_that_it_is_about(game: int) -> None:
    text = "\n".join(story(11, game, 1, 0, EVERYTHING))
    events = ("MatchStarted", "MessageReceived", "Stalled", "Resumed", "RematchProposed", "PeerDisconnected")
    drops = ("'duplicate'", "'unknown_connection'", "'AnotherMatch'")
    assert [word for word in (*events, *drops) if word not in text] == []
    assert "nothing heard for too long" in "\n".join(story(11, game, 1, 0, [("cut", 2.5), ("play", 30)]))
