"""Cookies and challenges: valid for one address and a short time."""

from hypothesis import given
from hypothesis import strategies as st

from retick.link.handshake.cookies import SLOT, CookieJar
from retick.link.layout import (
    ACCEPT,
)
from tests.link.pair import Pair, captured_hello, make_endpoint


def test_a_cookie_is_good_for_its_address_and_its_time_only() -> None:
    pair = Pair()
    pair.host_tap.lose = lambda data: data[0] == ACCEPT
    pair.dial()
    pair.run(0.1)
    hello = captured_hello(pair)
    fresh = make_endpoint(2)  # the host's own seed, and so its secret, without its connections
    fresh.receive_datagram(hello, "elsewhere", now=0.1)
    fresh.receive_datagram(hello, "guest", now=30.0)
    assert fresh.dropped["bad_cookie"] == 2
    assert fresh.connections == {}
    assert fresh.datagrams_to_send(now=30.0) == []
    fresh.receive_datagram(hello, "guest", now=10.1)
    assert len(fresh.connections) == 1


addresses = st.one_of(st.text(max_size=8), st.tuples(st.sampled_from(["10.0.0.1", "::1"]), st.integers(0, 65535)))


@given(st.binary(min_size=8, max_size=8), addresses, st.floats(0.0, 1e6))
def test_a_cookie_is_valid_in_its_slot_and_the_next(nonce: bytes, address: object, now: float) -> None:
    jar = CookieJar(b"secret")
    cookie = jar.cookie(nonce, address, now)
    start = now // SLOT * SLOT
    assert jar.is_valid(cookie, nonce, address, now)
    assert jar.is_valid(cookie, nonce, address, now + SLOT)
    assert not jar.is_valid(cookie, nonce, address, start + 2.5 * SLOT)
    assert not jar.is_valid(cookie, nonce, (address, "other"), now)
    assert not jar.is_valid(cookie, nonce[::-1] + b"x", address, now)
    assert not CookieJar(b"another secret").is_valid(cookie, nonce, address, now)


def test_a_challenge_is_bound_to_a_connection_an_address_and_a_slot() -> None:
    jar = CookieJar(b"secret")
    challenge = jar.challenge(7, "a", 5.0)
    assert challenge in jar.challenges(7, "a", 5.0)
    assert challenge in jar.challenges(7, "a", 15.0)
    for other in (jar.challenges(8, "a", 5.0), jar.challenges(7, "b", 5.0), jar.challenges(7, "a", 25.0)):
        assert challenge not in other
