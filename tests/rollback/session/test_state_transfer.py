"""Sending and receiving a state: chunks in order, bounds, the checksum, and who is at fault when it is bad."""

from random import Random
from typing import Any

import pytest

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.link import Reason
from retick.rollback.events import (
    MatchEnded,
    PeerDisconnected,
    PlayersDropped,
    RosterChanged,
    SourceChanged,
)
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import OfferedState
from retick.rollback.session.messages.join import LARGEST_STATE, Chunk, StateHeader, encode_chunk
from retick.rollback.session.messages.kinds import MessageKind, encode_byte
from retick.rollback.session.peer import Peer, Phase, Role
from retick.rollback.session.session import RollbackSession
from retick.rollback.session.state_transfer import CHUNK, PackedState, StateReceiver, StateSender
from retick.rollback.spectate.spectator import SpectatorSession
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    STAY,
    assert_all_play,
    playing_mesh,
    towards,
    with_a_free_seat,
)
from tests.toys import Tally


class Bulky(Tally):
    """A state that takes a link a while."""

    def pack_state(self, state: Any) -> bytes:
        return super().pack_state(state) + bytes(1 << 20)

    def unpack_state(self, data: bytes) -> Any:
        return super().unpack_state(data[: -(1 << 20)])


@pytest.mark.long
def test_word_of_the_lost_gets_through_while_a_large_state_fills_the_links() -> None:
    mesh = playing_mesh(4, game=lambda: Bulky(4), conditions=Conditions(latency=0.05, loss=0.3))
    source = inside_of(mesh["peer0"].session)
    for peer in mesh.alive:
        peer.session.resync(0)

    def is_full() -> bool:
        return all(peer.connection.queued_bytes > CHUNK for peer in source.players_peers())

    mesh.run_until(is_full, limit=6.0, what="the links are full")
    mesh["peer3"].session.close()
    mesh.run(0.3)
    mesh.crash("peer3")
    assert is_full()
    mesh.run_until(lambda: bool(mesh["peer1"].events_of(PlayersDropped)), limit=20.0, what="it is dropped")
    mesh.run_until(lambda: source.match.number == 1, limit=120.0, what="the state is there")
    mesh.run(2.0)
    assert_all_play(mesh, 1)


class Slow:
    """A connection that holds what it is given, up to a limit."""

    def __init__(self, limit: int = 1 << 30) -> None:
        self.limit = limit
        self.sent: list[bytes] = []
        self.queued_bytes = 0
        self.window_bytes = limit
        self.is_connected = True
        self.close_reason: int | None = None

    def send_reliable(self, message: bytes) -> bool:
        if self.queued_bytes + len(message) > self.limit:
            return False
        self.sent.append(message)
        self.queued_bytes += len(message)
        return True

    def deliver(self) -> None:
        self.queued_bytes = 0


def peer_with(connection: Any) -> Peer:
    peer = Peer(1, (1,))
    peer.connection = connection
    return peer


class Sized(Tally):
    """A packed state of any size."""

    size = 100

    def pack_state(self, state: Any) -> bytes:
        return super().pack_state(state).ljust(self.size, b"\0") if self.size else b""

    def unpack_state(self, data: bytes) -> Any:
        return super().unpack_state(data[:24]) if data else self.initial_state(5)


def sized(size: int) -> Sized:
    game = Sized(2)
    game.size = size
    return game


@pytest.mark.parametrize("size", [0, 24, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_a_state_of_any_size_arrives_as_it_was(size: int) -> None:
    game = sized(size)
    state = game.initial_state(5)
    packed, link = PackedState(game, state), Slow()
    peer = peer_with(link)
    sender = StateSender(b"announcement", packed)
    sender.add(peer)
    assert sender.is_sending_to(peer)
    while sender.is_sending_to(peer):
        sender.pump()
        link.deliver()
    assert link.sent[0] == b"announcement"
    receiver = StateReceiver(game, packed.header)
    assert [receiver.receive(message) for message in link.sent[1:]] == [False] * (len(link.sent) - 2) + [True]
    assert (receiver.state, receiver.packed, receiver.is_complete) == (state, packed.data, True)


def test_a_slow_link_holds_up_nobody_else_and_one_that_is_gone_is_forgotten() -> None:
    game = sized(20 * CHUNK)
    slow, fast, gone = (peer_with(Slow(limit)) for limit in (CHUNK, 1 << 30, 0))
    sender = StateSender(b"x", PackedState(game, game.initial_state(5)))
    for peer in (slow, fast, gone):
        sender.add(peer)
    links: list[Any] = [fast.connection, gone.connection]
    links[1].is_connected, links[1].close_reason = False, 1
    for _ in range(30):
        sender.pump()
        links[0].deliver()
    assert sender.is_sending_to(slow)
    assert not sender.is_sending_to(fast)
    assert not sender.is_sending_to(gone)


def test_a_state_that_is_too_large_is_the_fault_of_the_side_that_has_it() -> None:
    with pytest.raises(UsageError, match=f"at most {LARGEST_STATE} are allowed"):
        PackedState(sized(LARGEST_STATE + 1), Tally(2).initial_state(5))


class Fragile(Tally):
    """Cannot unpack anything, and says so in its own way."""

    def unpack_state(self, data: bytes) -> Any:
        return {}[len(data)]


GAME = Tally(2)
STATE = GAME.initial_state(5)
GOOD = PackedState(GAME, STATE)
HALF = len(GOOD.data) // 2
BAD_CHUNKS = {
    "at another offset": [encode_chunk(Chunk(1, GOOD.data))],
    "twice": [encode_chunk(Chunk(0, GOOD.data[:HALF])), encode_chunk(Chunk(0, GOOD.data[:HALF]))],
    "more than was announced": [encode_chunk(Chunk(0, GOOD.data + b"\0"))],
    "more in two chunks": [encode_chunk(Chunk(0, GOOD.data[:HALF])), encode_chunk(Chunk(HALF, GOOD.data))],
    "empty": [encode_chunk(Chunk(0, b""))],
    "cut": [encode_chunk(Chunk(0, GOOD.data))[:4]],
    "of another state": [encode_chunk(Chunk(0, GAME.pack_state(GAME.initial_state(6))))],
    "after the end": [encode_chunk(Chunk(0, GOOD.data)), encode_chunk(Chunk(len(GOOD.data), b"\0"))],
}


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_a_chunk_that_is_wrong_is_its_senders_fault(name: str) -> None:
    receiver = StateReceiver(GAME, GOOD.header)
    *good, bad = BAD_CHUNKS[name]
    for chunk in good:
        receiver.receive(chunk)
    with pytest.raises(DecodeError):
        receiver.receive(bad)


def test_whatever_a_game_raises_for_a_peers_bytes_is_the_peers_fault() -> None:
    with pytest.raises(InvalidValue, match="cannot unpack: KeyError"):
        StateReceiver(Fragile(2), GOOD.header).receive(encode_chunk(Chunk(0, GOOD.data)))


def test_a_header_beyond_the_bound_is_refused_before_any_chunk() -> None:
    with pytest.raises(InvalidValue, match="at most"):
        StateReceiver(GAME, StateHeader(LARGEST_STATE + 1, 0))


def test_a_newcomer_whose_game_cannot_unpack_the_state_ends_and_the_others_play_on() -> None:
    mesh = with_a_free_seat(3)
    joiner = RollbackSession(type("Tally", (Fragile,), {})(3), entropy=Random(9).randbytes, host_address="peer0")
    mesh.network.attach("joiner", joiner)
    mesh.run(3.0)
    assert joiner.phase is Phase.ENDED
    assert inside_of(joiner).match is None
    assert_all_play(mesh, 0)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="the free seat can still be taken")


def test_a_spectator_whose_game_cannot_unpack_the_state_moves_on_and_ends() -> None:
    mesh = playing_mesh(2)
    fan = SpectatorSession(type("Tally", (Fragile,), {})(2), "peer0", entropy=Random(9).randbytes, config=STAY)
    mesh.network.attach("fan", fan)
    mesh.run(3.0)
    ends = [type(event) for event in fan.events() if not isinstance(event, RosterChanged)]
    assert ends == [SourceChanged, MatchEnded]
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_a_peer_that_sends_a_bad_state_to_go_on_from_is_expelled(name: str) -> None:
    mesh = playing_mesh(3)
    liar: Any = inside_of(mesh["peer2"].session)
    checksum = PackedState(Tally(3), Tally(3).initial_state(5)).header.checksum
    liar.resyncing.offered = OfferedState(liar.peer_id, len(GOOD.data), checksum)
    liar.is_quiet = False
    mesh["peer0"].session.resync(liar.peer_id)
    mesh.run(0.7)
    for chunk in BAD_CHUNKS[name]:
        towards(mesh, "peer2", "peer0").send(chunk[:1] + b"\x01" + chunk[2:])
    mesh.run(0.5)
    mesh.crash("peer2")
    mesh.run(5.0)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]
    assert_all_play(mesh, 0)


def test_a_state_that_nobody_asked_for_is_neither_kept_nor_unpacked() -> None:
    unpacked: list[bytes] = []
    mesh = playing_mesh(3)
    victim: Any = mesh["peer0"].session
    victim.sim.unpack_state = unpacked.append
    liar = inside_of(mesh["peer2"].session)
    liar.resyncing.offered = OfferedState(liar.peer_id, LARGEST_STATE, 0)
    liar.is_quiet = False
    mesh.run(0.5)
    assert liar.peer_id in inside_of(victim).peers, "an announcement alone is allowed"
    assert inside_of(victim).membership.wishes[liar.peer_id].resync == liar.resyncing.offered
    towards(mesh, "peer2", "peer0").send(encode_chunk(Chunk(0, bytes(CHUNK), 1)))
    mesh.run(2.0)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_all_play(mesh, 0)
    assert unpacked == []


@pytest.mark.parametrize("raises", [RecursionError, MemoryError, OverflowError, UnicodeDecodeError])
def test_whatever_a_game_raises_for_a_state_that_was_asked_for_expels_its_sender(raises: Any) -> None:
    mesh = playing_mesh(3)
    victim: Any = mesh["peer0"].session

    def unpack(data: bytes) -> Any:
        raise raises("utf-8", b"", 0, 1, "bad") if raises is UnicodeDecodeError else raises

    victim.sim.unpack_state = unpack
    source = mesh["peer2"].session.peer_id
    for peer in mesh.alive:
        peer.session.resync(source)
    mesh.run(1.0)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_all_play(mesh, 0)


def test_a_second_question_for_a_state_is_a_violation() -> None:
    mesh = playing_mesh(3)
    mesh["peer0"].session.resync(0)
    mesh.run(0.2)
    for _ in range(2):
        towards(mesh, "peer2", "peer0").send(encode_byte(MessageKind.ASK, 1))
    mesh.run(0.5)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]


@pytest.mark.long
def test_what_is_on_its_way_of_a_state_is_ignored_when_another_match_begins_meanwhile() -> None:
    mesh = playing_mesh(3, game=lambda: Bulky(3), conditions=Conditions(latency=0.05, loss=0.02))
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run(0.5)
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(4.0)
    assert not any(peer.events_of(PeerDisconnected) for peer in mesh.alive)
    assert_all_play(mesh, 1)
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run(30.0)
    assert_all_play(mesh, 2)


def test_a_state_from_another_peer_than_the_sponsor_is_not_received() -> None:
    mesh = with_a_free_seat(3)
    sim: Any = mesh["peer0"].session.sim
    sim.pack_state = lambda state: bytes(1 << 22)
    mesh.restart("peer2", every=600.0)
    newcomer: Any = mesh["peer2"].session
    mesh.run_until(lambda: bool(inside_of(newcomer).token), limit=4.0, what="it has a WELCOME")

    def known() -> list[Any]:
        return [peer for peer in inside_of(mesh["peer1"].session).peers.values() if peer.role is Role.NEWCOMER]

    mesh.run_until(lambda: bool(known()), limit=2.0, what="the other player knows of it")
    [there] = known()
    mesh.run_until(lambda: there.is_connected, limit=2.0, what="it is linked")
    assert inside_of(newcomer).match is None
    there.send(encode_chunk(Chunk(0, b"lies")))
    mesh.run(1.0)
    assert newcomer.phase is Phase.ENDED
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 0)
