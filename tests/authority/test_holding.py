"""A client's end: what it uses, what it refuses, and that a refusal changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority import holding
from retick.authority.holding import Holding
from retick.authority.layout import layout_of
from retick.errors import BaselineMissing, DecodeError
from tests.authority.worlds import Client, Court, Server


def started(*, compact: bool = False) -> tuple[Server, Client]:
    server = Server(Court(), seats=(0,), compact=compact)
    for _ in range(3):
        server.advance((0 | 16, 14, 8))
        server.clients[0].exchange()
    return server, server.clients[0]


@given(st.binary(max_size=60), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 7)), max_size=3), st.booleans())
def test_whatever_comes_the_client_keeps_what_it_has(data: bytes, flips: list[tuple[int, int]], compact: bool) -> None:
    server, client = started(compact=compact)
    server.advance((3 | 32, 7, 11))
    payload = bytearray(client.receiver.snapshot())
    for at, bit in flips:
        payload[at % len(payload)] ^= 1 << bit
    for wrong in (data, b"\x22" + data, b"\x24" + data, bytes(payload)):
        before = (client.holding.newest_tick, client.world.save())
        try:
            held = client.holding.read_snapshot(wrong)
        except DecodeError:
            assert (client.holding.newest_tick, client.world.save()) == before
        else:
            if held is not None:
                client.world.load(held.saved)


def test_an_old_snapshot_and_one_without_its_base_are_not_used() -> None:
    server, client = started()
    old = client.bytes[-1]
    assert client.holding.read_snapshot(old) is None
    server.advance((0, 0, 0))
    with pytest.raises(BaselineMissing):
        Holding(layout_of(Court)).read_snapshot(client.receiver.snapshot())


def test_a_client_keeps_a_bounded_number_of_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "BASELINES", 2)
    server = Server(Court(), seats=(0,))
    client = server.clients[0]
    for _ in range(4):
        server.advance((0, 0, 0))
        client.exchange(ack_lost=True)
    client.receiver.acknowledge(1)
    server.advance((0, 0, 0))
    with pytest.raises(BaselineMissing):
        client.exchange()


def test_objects_of_the_same_id_are_used_again() -> None:
    server, client = started()
    before = list(client.world.pawns)
    server.advance((3 | 32, 3, 3))
    client.exchange()
    assert all(one is other for one, other in zip(client.world.pawns, before, strict=False))
