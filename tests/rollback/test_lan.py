"""The original LAN demo's other end, played by hand: what it sends, loses and repeats, and what it must get."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import NotSynchronized, UsageError
from retick.games.fighter import Fighter
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.events import MatchStarted, PeerConnected
from retick.rollback.lan import LanSession
from retick.rollback.match.config import MatchConfig
from retick.transport.conditions import Conditions
from retick.transport.simulated import SimulatedNetwork
from retick.wire import rbn1
from tests.effort import examples
from tests.rollback.session.matches import fighting
from tests.toys import Tally

TICK = 1 / 60


class OldPeer:
    """The original program as its specification has it, bugs and all.

    HELLO every 30 ticks until ACK, then START once. In play each tick sends the last 8 frames, whatever was
    acknowledged, with AckFrame = the newest frame received, 0 before any. It waits for nobody.
    """

    def __init__(self, player: int, host: Any = None, *, loses_start: bool = False) -> None:
        self.player = player
        self.peer = host
        self.hosting = host is None
        self.connected = False
        self.engine = RollbackEngine(Fighter(), Fighter().initial_state(1), local_player=player, history=120)
        self.newest = 0
        self.inputs: list[int] = []
        self.ticks = 0
        self.outbox: list[tuple[bytes, Any]] = []
        self.loses_start = loses_start
        self.press = fighting()

    def tick(self) -> None:
        if not self.connected:
            if not self.hosting and self.ticks % 30 == 0:
                self.outbox.append((b"HELLO", self.peer))
            self.ticks += 1
            return
        # The old engine has no window: it stops here only because ours is asked not to outrun its history.
        if self.engine.frame > self.engine.first_missing(1 - self.player) + 100:
            self._send()
            return
        pressed = self.press(self.player, self.engine.state)
        self.inputs.append(pressed)
        self.engine.advance(pressed)
        self._send()

    def _send(self) -> None:
        current = len(self.inputs) - 1
        first = max(0, current - 7)
        data = rbn1.encode(rbn1.InputPacket(first, self.newest, tuple(self.inputs[first:])))
        self.outbox.append((data, self.peer))

    def receive_datagram(self, data: bytes, address: Any, *, now: float) -> None:
        if self.hosting and data == b"HELLO":
            self.peer = address
            self.outbox.append((b"ACK", address))
        elif not self.hosting and data == b"ACK" and not self.connected:
            self.connected = True
            if not self.loses_start:
                self.outbox.append((b"START", address))
        elif self.hosting and data == b"START":
            self.connected = True
        elif self.connected and (packet := rbn1.try_decode(data)) is not None:
            self.engine.add_remote_inputs(1 - self.player, packet.start_frame, packet.inputs)
            self.newest = max(self.newest, packet.start_frame + len(packet.inputs) - 1)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        out, self.outbox = self.outbox, []
        return out

    def next_timeout(self) -> float | None:
        return None

    def handle_timeout(self, *, now: float) -> None:
        """Nothing is timed."""

    def events(self) -> list[Any]:
        return []


class Table:
    """The old program and ours on a simulated network."""

    def __init__(self, old: OldPeer, new: LanSession, conditions: Conditions, seed: int = 1) -> None:
        self.old, self.new = old, new
        self.network = SimulatedNetwork(seed=seed, conditions=conditions)
        self.network.attach("old", old, polled=True)
        self.network.attach("new", new, polled=True)
        self.network.every(TICK, self._old_turn, owner="old")
        self.network.every(TICK / 2, self._new_turn, owner="new", phase=0.003)
        self.events: list[Any] = []
        self.press = fighting()

    def _old_turn(self) -> None:
        self.network.poll("old")
        self.old.tick()
        self.network.flush("old")

    def _new_turn(self) -> None:
        self.events += self.network.poll("new")
        while self.new.due(now=self.network.now):
            self.new.advance(self.press(self.new.local_player, self.new.state), now=self.network.now)
        self.network.flush("new")

    def play(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def same_final_states(self) -> int:
        """Compare every frame that is final on both sides and still held; how many there were."""
        match = self.new.match
        assert match is not None
        end = min(match.engine.final_state_frame, self.old.engine.final_state_frame)
        first = max(match.engine.frame - match.engine.history, self.old.engine.frame - self.old.engine.history, 0)
        for frame in range(first, end + 1):
            assert match.engine.checksum_at(frame) == self.old.engine.checksum_at(frame), frame
        return end - first + 1


NO_LOSS = Conditions(latency=0.03, jitter=0.005)


@pytest.mark.parametrize("old_hosts", [True, False])
def test_a_match_with_the_old_program_ends_on_the_same_states(old_hosts: bool) -> None:
    old = OldPeer(0) if old_hosts else OldPeer(1, "new")
    new = LanSession(Fighter(), host_address="old" if old_hosts else None)
    table = Table(old, new, NO_LOSS)
    table.play(12.0)
    assert new.running
    assert new.stats(now=table.network.now).confirmed_frame > 600
    assert new.stats(now=table.network.now).rollbacks + old.engine.stats.rollbacks > 20
    assert table.same_final_states() > 20
    assert [type(event) for event in table.events[:2]] == [PeerConnected, MatchStarted]
    assert table.events[1].seed == 1


@pytest.mark.parametrize("old_hosts", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_loss_that_eight_frames_outlive_does_not_stop_it(old_hosts: bool, seed: int) -> None:
    """The old program repeats each input eight times and never more, so bursts must be shorter than that."""
    old = OldPeer(0) if old_hosts else OldPeer(1, "new")
    new = LanSession(Fighter(), host_address="old" if old_hosts else None)
    table = Table(old, new, Conditions(latency=0.03, jitter=0.01, loss=0.1, duplicate=0.1), seed=seed)
    if old_hosts:
        # With the old program as host a lost START leaves it deaf for ever: its own weakness, not ours.
        table.network.link("old", "new", NO_LOSS)
        table.play(1.0)
        table.network.link("old", "new", Conditions(latency=0.03, jitter=0.01, loss=0.1, duplicate=0.1))
    table.play(11.0)
    assert new.stats(now=table.network.now).confirmed_frame > 400
    assert table.same_final_states() > 10
    assert not new.stats(now=table.network.now).peers["old"].dropped


def test_a_lost_start_is_made_good_by_the_first_packet() -> None:
    old = OldPeer(1, "new", loses_start=True)
    new = LanSession(Fighter())
    table = Table(old, new, NO_LOSS)
    table.play(3.0)
    assert new.running
    assert new.stats(now=table.network.now).confirmed_frame > 100


def test_hello_is_repeated_every_30_ticks_until_an_answer() -> None:
    joiner = LanSession(Fighter(), host_address="host")
    said = []
    for tick in range(200):
        now = tick * TICK
        due = joiner.next_timeout()
        if due is not None and due <= now:
            joiner.handle_timeout(now=now)
        said += [(tick, data) for data, _ in joiner.datagrams_to_send(now=now)]
    assert said == [(tick, b"HELLO") for tick in (0, 30, 60, 90, 120, 150, 180)]
    joiner.receive_datagram(b"ACK", "host", now=4.0)
    assert joiner.datagrams_to_send(now=4.0) == [(b"START", "host")]
    assert joiner.running


def test_every_hello_is_answered_and_an_ack_again_brings_start_again() -> None:
    host = LanSession(Fighter())
    for _ in range(3):
        host.receive_datagram(b"HELLO", "joiner", now=0.0)
    assert host.datagrams_to_send(now=0.0) == [(b"ACK", "joiner")] * 3
    joiner = LanSession(Fighter(), host_address="host")
    for _ in range(2):
        joiner.receive_datagram(b"ACK", "host", now=0.0)
    assert [data for data, _ in joiner.datagrams_to_send(now=0.0)] == [b"START", b"START"]
    assert len(joiner.events()) == 2


def test_strangers_are_not_let_in_before_or_during_a_match() -> None:
    host = LanSession(Fighter())
    host.receive_datagram(b"START", "nobody", now=0.0)
    host.receive_datagram(b"HELLO", "joiner", now=0.0)
    host.receive_datagram(b"HELLO", "stranger", now=0.0)
    host.receive_datagram(b"START", "stranger", now=0.0)
    assert not host.running
    host.receive_datagram(b"START", "joiner", now=0.0)
    assert host.running
    packet = rbn1.encode(rbn1.InputPacket(0, 0, (1,)))
    host.receive_datagram(packet, "stranger", now=0.0)
    assert host.dropped["StrangeAddress"] >= 3
    assert host.match is not None
    assert host.match.engine.confirmed_frame == -1


def test_a_hello_from_one_who_never_starts_does_not_keep_the_host_for_ever() -> None:
    host = LanSession(Fighter())
    host.receive_datagram(b"HELLO", "gone", now=0.0)
    host.receive_datagram(b"HELLO", "joiner", now=1.0)
    host.receive_datagram(b"HELLO", "joiner", now=2.5)
    host.receive_datagram(b"START", "gone", now=2.6)
    assert not host.running
    host.receive_datagram(b"START", "joiner", now=2.6)
    assert host.running
    host.receive_datagram(b"HELLO", "gone", now=60.0)
    assert [address for _, address in host.datagrams_to_send(now=60.0)] == ["gone", "joiner"]


def test_the_old_programs_checksums_of_guessed_states_raise_no_alarm() -> None:
    host = LanSession(Fighter(), config=MatchConfig(input_delay=0))
    host.receive_datagram(b"HELLO", "joiner", now=0.0)
    host.receive_datagram(b"START", "joiner", now=0.0)
    host.events()
    for frame in range(40):
        host.advance(0, now=frame * TICK)
        data = rbn1.encode(rbn1.InputPacket(frame, 0, (0,), 16 * (frame // 16), 0xBAD))
        host.receive_datagram(data, "joiner", now=frame * TICK)
    assert host.events() == []


def test_misuse_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="two players"):
        LanSession(Tally(3))
    session = LanSession(Fighter())
    for call in (lambda: session.state, lambda: session.advance(0, now=0.0), lambda: session.stats(now=0.0)):
        with pytest.raises(NotSynchronized):
            call()


@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.binary(max_size=90), st.sampled_from([b"HELLO", b"ACK", b"START", b"RBN1\x01\0"])),
            st.sampled_from(["old", "stranger"]),
        ),
        max_size=40,
    ),
    st.booleans(),
)
def test_any_bytes_from_any_address_raise_nothing(datagrams: list[tuple[bytes, str]], hosting: bool) -> None:
    session = LanSession(Fighter(), host_address=None if hosting else "old")
    for data, address in datagrams:
        session.receive_datagram(data, address, now=0.0)
        session.datagrams_to_send(now=0.0)
    assert session.match is None or session.match.engine.frame == 0


@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.binary(max_size=90),
                st.sampled_from([b"HELLO", b"START"]),
                st.integers(0, 40).map(lambda frame: rbn1.encode(rbn1.InputPacket(frame, 2 * frame, (1,)))),
            ),
            st.sampled_from(["victim", "other"]),
            st.integers(0, 90),
        ),
        max_size=40,
    ),
)
def test_a_host_never_sends_more_bytes_to_an_address_than_came_from_it(
    datagrams: list[tuple[bytes, str, int]],
) -> None:
    host = LanSession(Fighter())
    came = {"victim": 0, "other": 0}
    now = 0.0
    for data, address, ticks in [(b"HELLO", "victim", 0), (b"START", "victim", 90), *datagrams]:
        host.receive_datagram(data, address, now=now)
        came[address] += 28 + len(data)
        for _ in range(ticks):
            now += TICK
            while host.due(now=now):
                host.advance(0, now=now)
            host.handle_timeout(now=now)
            for out, to in host.datagrams_to_send(now=now):
                came[str(to)] -= 28 + len(out)
        assert min(came.values()) >= 0


@pytest.mark.parametrize("conditions", [NO_LOSS, Conditions(latency=0.05, jitter=0.02, loss=0.1)])
def test_two_new_programs_play_as_before_though_the_host_sends_no_more_than_it_gets(conditions: Conditions) -> None:
    network = SimulatedNetwork(seed=3, conditions=conditions)
    sides = {"host": LanSession(Fighter()), "joiner": LanSession(Fighter(), host_address="host")}
    press = fighting()

    def turn(name: str) -> None:
        network.poll(name)
        while sides[name].due(now=network.now):
            sides[name].advance(press(sides[name].local_player, sides[name].state), now=network.now)
        network.flush(name)

    for phase, name in enumerate(sides):
        network.attach(name, sides[name], polled=True)
        network.every(TICK / 2, lambda name=name: turn(name), owner=name, phase=0.003 * phase)
    network.run(until=10.0)
    network.cut("joiner", "host", 3.0)
    network.run(until=25.0)
    frames = [side.stats(now=network.now).confirmed_frame for side in sides.values()]
    # Ten seconds, and twelve after the cut; a second is left for the start and for coming together again.
    assert min(frames) > 60 * 21
    assert sides["host"].dropped["Withheld"] < 60 * 5
