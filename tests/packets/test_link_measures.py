"""Round trip and loss of a capture are those of the network on which it was made."""

import io
from random import Random

import pytest

from retick.games.fighter import Fighter
from retick.packets import timeline
from retick.packets.formats import SealedLinks, keylog_in
from retick.packets.timeline import LinkMeasures
from retick.rollback.session.session import RollbackSession
from retick.transport import Captured, CaptureWriter, Conditions, SimulatedNetwork, read_capture
from tests.link.pair import make_endpoint


def lossy_capture(*, loss: float, seconds: float = 20.0) -> bytes:
    """A match over a plain link with a round trip of 80 ms, as its host saw it."""
    file = io.BytesIO()
    network = SimulatedNetwork(seed=7, conditions=Conditions.round_trip(0.08, loss=loss))
    host = RollbackSession(Fighter(), entropy=Random(1).randbytes, sealed=False)
    joiner = RollbackSession(Fighter(), entropy=Random(2).randbytes, host_address="host", sealed=False)
    network.attach("host", Captured(host, CaptureWriter(file)))
    network.attach("joiner", joiner)

    def advancing(session: RollbackSession) -> None:
        def advance() -> None:
            if session.running and session.due(now=network.now):
                session.advance(session.frame // 9 % 4, now=network.now)

        network.every(1 / 60, advance, owner="host" if session is host else "joiner")

    advancing(host)
    advancing(joiner)
    network.run(until=seconds)
    return file.getvalue()


def sealed_capture(*, loss: float, seconds: float = 20.0) -> tuple[bytes, str]:
    """A sealed connection with a round trip of 80 ms, as the acceptor saw it, and its key log."""
    file = io.BytesIO()
    lines: list[str] = []
    network = SimulatedNetwork(seed=7, conditions=Conditions.round_trip(0.08, loss=loss))
    host = make_endpoint(1, sealed=True, keylog=lines.append)
    guest = make_endpoint(2, sealed=True)
    network.attach("host", Captured(host, CaptureWriter(file)), on_events=lambda _: None)
    network.attach("guest", guest, on_events=lambda _: None)
    guest.dial("host")

    def talk() -> None:
        for connection in (*host.connections.values(), *guest.connections.values()):
            if connection.is_connected:
                connection.send_unreliable(b"payload")
        network.flush("host")
        network.flush("guest")

    network.every(1 / 60, talk, owner="host")
    network.run(until=seconds)
    return file.getvalue(), "\n".join(lines)


def measured(capture: bytes, sealed: SealedLinks | None = None) -> tuple[float, float, float]:
    """Mean round trip, loss in, loss out."""
    links = LinkMeasures()
    found = []
    for record in read_capture(capture):
        data = record.data
        if sealed is not None:
            sealed.note(data)
            data = sealed.readable(data)
        found.append(links.add(record.time, sent=record.sent, address=record.address, data=data))
    trips = [each.round_trip for each in found if each.round_trip is not None]
    wanted_in, wanted_out = (sum(each.expected_in for each in found), sum(each.expected_out for each in found))
    came_in, came_out = (sum(each.arrived_in for each in found), sum(each.arrived_out for each in found))
    return sum(trips) / len(trips), 1 - came_in / wanted_in, 1 - came_out / wanted_out if wanted_out else 0.0


def test_a_good_network_has_its_round_trip_and_no_loss() -> None:
    trip, lost_in, lost_out = measured(lossy_capture(loss=0.0, seconds=5.0))
    assert trip == pytest.approx(0.08, abs=0.01)
    assert lost_in == lost_out == 0.0


def test_losses_both_ways_are_seen() -> None:
    trip, lost_in, lost_out = measured(lossy_capture(loss=0.2))
    assert trip == pytest.approx(0.08, abs=0.02)
    assert lost_in == pytest.approx(0.2, abs=0.08)
    assert lost_out == pytest.approx(0.2, abs=0.08)


def test_a_sealed_connection_has_the_same_round_trip_and_loss_with_its_key() -> None:
    capture, log = sealed_capture(loss=0.2)
    trip, lost_in, lost_out = measured(capture, SealedLinks(keylog_in(log.encode())))
    assert trip == pytest.approx(0.08, abs=0.02)
    assert lost_in == pytest.approx(0.2, abs=0.08)
    assert lost_out == pytest.approx(0.2, abs=0.08)


def test_without_a_key_the_reports_of_a_sealed_connection_are_passed_over() -> None:
    capture, _ = sealed_capture(loss=0.2)
    trip, lost_in, lost_out = measured(capture, SealedLinks())
    assert trip == pytest.approx(0.08, abs=0.02)
    assert lost_in == pytest.approx(0.2, abs=0.08)
    assert lost_out == 0.0


def test_peers_beyond_the_limit_and_other_bytes_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_PEERS", 1)
    links = LinkMeasures()
    datagram = b"\x80\0\0\0\0\x05\0\x04x"
    assert links.add(0.0, sent=False, address="a", data=datagram).arrived_in == 1
    assert links.add(0.0, sent=False, address="b", data=datagram).arrived_in == 0
    for data in (b"", b"\x80", b"\xc0" + bytes(7), b"\xc1" + bytes(9), b"RBN1" + bytes(20), b"\xe0" + bytes(30)):
        links.add(0.0, sent=False, address="a", data=data)
