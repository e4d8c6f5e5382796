"""The seed: both sides have a share in it, and neither can choose it."""

import struct
from hashlib import blake2s
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retick.link import (
    Disconnected,
    Reason,
)
from retick.link.handshake import packets as hs
from retick.link.handshake.packets import acceptor_share, commitment_to, mix_seed
from retick.link.layout import (
    ACCEPT,
)
from tests.link.pair import Pair, make_endpoint


def test_the_seed_depends_on_both_sides_entropy() -> None:
    seeds = set()
    for host_seed, guest_seed in ((1, 2), (1, 3), (4, 2)):
        pair = Pair()
        pair.network.detach("host")
        pair.network.detach("guest")
        host, guest = make_endpoint(host_seed), make_endpoint(guest_seed)
        pair.network.attach("host", host)
        pair.network.attach("guest", guest)
        connection = guest.dial("host")
        pair.network.flush("guest")
        pair.run(1.0)
        assert connection.terms is not None
        seeds.add(connection.terms.seed)
    assert len(seeds) == 3


def test_a_share_of_the_seed_that_was_not_committed_to_ends_the_connection() -> None:
    pair = Pair(sealed=False)
    receive = pair.guest_tap.receive_datagram

    def tamper(data: bytes, address: Any, *, now: float) -> None:
        if data[0] == ACCEPT:
            data = hs.encode_accept(hs.decode_accept(data)._replace(seed_share=1))
        receive(data, address, now=now)

    pair.guest_tap.receive_datagram = tamper
    pair.dial()
    pair.run(5.0)
    assert [(type(e), e.reason) for e in pair.guest_events] == [(Disconnected, Reason.VIOLATION)]


shares = st.integers(0, 2**64 - 1)


def test_the_hashes_are_pinned() -> None:
    """As docs/formats/link.md has them: a peer in another language computes the same."""
    share = acceptor_share(b"key", b"cookie")
    assert 0 <= share < 1 << 64
    assert commitment_to(1) == blake2s((1).to_bytes(8, "little"), person=b"seedcmit", digest_size=16).digest()
    expected = blake2s(struct.pack("<QQ", 1, 2), person=b"seedmix1", digest_size=8).digest()
    assert mix_seed(1, 2) == int.from_bytes(expected, "little")


@given(shares, shares, shares)
def test_the_seed_changes_with_either_share_and_their_order(first: int, second: int, other: int) -> None:
    seed = mix_seed(first, second)
    assert (mix_seed(other, second) == seed) == (other == first)
    assert (mix_seed(first, other) == seed) == (other == second)
    assert (mix_seed(second, first) == seed) == (first == second)
    assert (commitment_to(first) == commitment_to(other)) == (first == other)


def test_the_acceptors_share_follows_from_its_key_and_the_cookie_alone() -> None:
    assert acceptor_share(b"key", b"cookie") == acceptor_share(b"key", b"cookie")
    assert acceptor_share(b"key", b"cookie") != acceptor_share(b"key", b"another")
    assert acceptor_share(b"key", b"cookie") != acceptor_share(b"other", b"cookie")
