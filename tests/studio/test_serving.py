"""The socket on which the page is served."""

import socket

import pytest

from retick.errors import NetworkUnavailable
from retick.studio.serving import is_loopback, listening


def test_a_message_to_the_page_does_not_wait_for_the_one_before() -> None:
    with listening("127.0.0.1", 0) as bound, socket.create_connection(bound.getsockname()) as page:
        accepted, _ = bound.accept()
        with accepted, page:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_said_in_words() -> None:
    with listening("127.0.0.1", 0) as bound, pytest.raises(NetworkUnavailable, match="--port names another"):
        listening("127.0.0.1", bound.getsockname()[1])


def test_only_loopback_addresses_are_this_machine_alone() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "192.168.1.2", "example.org"))
