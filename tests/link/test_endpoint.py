"""An endpoint: many connections, early timeouts, any buffer, misuse."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.link import (
    UnreliableReceived,
)
from retick.link.handshake.packets import encode_request
from retick.link.layout import ACCEPT, CLAIM, COOKIE, HELLO, PROOF, PROVE, REFUSE, REQUEST
from tests.link.pair import NONCE, Pair, fingerprint, make_endpoint, total


def test_one_endpoint_holds_many_connections_and_dials_while_it_accepts() -> None:
    pair = Pair()
    first = pair.guest.dial("host")
    second = pair.guest.dial("host")
    back = pair.host.dial("guest")
    pair.flush()
    pair.run(2.0)
    assert first.is_connected
    assert second.is_connected
    assert back.is_connected
    assert len(pair.host.connections) == len(pair.guest.connections) == 3
    second.close()
    pair.flush()
    pair.run(1.0)
    assert first.is_connected
    assert back.is_connected
    first.send_unreliable(b"1")
    back.send_unreliable(b"2")
    pair.flush()
    pair.run(0.1)
    received: list[Any] = pair.of(pair.host_events, UnreliableReceived) + pair.of(pair.guest_events, UnreliableReceived)
    assert [e.data for e in received] == [b"1", b"2"]


def test_a_time_out_that_comes_early_does_no_harm() -> None:
    pair = Pair()
    pair.connect()
    now = pair.network.now
    for endpoint in (pair.host, pair.guest):
        before = fingerprint(endpoint)
        endpoint.handle_timeout(now=now)
        assert fingerprint(endpoint) == before
        assert endpoint.datagrams_to_send(now=now) == []


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_a_driver_may_hand_over_any_buffer(kind: type) -> None:
    ends = {"host": make_endpoint(1), "guest": make_endpoint(2)}
    dialled = ends["guest"].dial("host")
    for turn in range(40):
        for name, other in (("host", "guest"), ("guest", "host")):
            ends[name].handle_timeout(now=turn / 20)
            for data, _ in ends[name].datagrams_to_send(now=turn / 20):
                ends[other].receive_datagram(kind(data), name, now=turn / 20)
    assert dialled.is_connected
    assert not total(ends["host"])


def test_the_table_of_readers_is_made_once_and_is_what_datagrams_go_through() -> None:
    endpoint = make_endpoint(1)
    readers = endpoint._readers
    assert set(readers) == {REQUEST, COOKIE, HELLO, ACCEPT, REFUSE, PROVE, PROOF, CLAIM}
    seen: list[tuple[bytes, Any, float]] = []
    readers[REQUEST] = lambda *datagram: seen.append(datagram)
    request = encode_request(NONCE)
    for now in (1.0, 2.0):
        endpoint.receive_datagram(request, "guest", now=now)
    assert seen == [(request, "guest", 1.0), (request, "guest", 2.0)]
    assert endpoint._readers is readers
    assert make_endpoint(2)._readers is not readers


def test_a_dial_that_does_not_fit_is_refused_with_the_bound() -> None:
    guest = make_endpoint(1, max_connections=1)
    with pytest.raises(UsageError, match="at most 256 bytes of data, not 257"):
        guest.dial("host", data=b"x" * 257)
    with pytest.raises(UsageError, match="seats are 0 to 255, not 256"):
        guest.dial("host", seats=256)
    with pytest.raises(UsageError, match=r"at most 700 bytes and needs LinkConfig\(server_key"):
        guest.dial("host", token=b"for nobody")
    with pytest.raises(UsageError, match="at most 700 bytes"):
        make_endpoint(1, sealed=True, server_key=bytes([9]) * 32).dial("host", token=bytes(701))
    guest.dial("host")
    with pytest.raises(UsageError, match="there are 1 connections already"):
        guest.dial("host")
