"""Redirection: the text that names a port, and where a client dials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.host.joining import FIRST_PORT, MOST_REDIRECTIONS, Way, redirect_to
from retick.link import Reason


@given(st.integers(FIRST_PORT, 65535))
def test_a_redirection_leads_to_its_port_of_the_same_host_and_back_to_the_first_address(port: int) -> None:
    first = ("10.0.0.1", 7)
    way = Way(first)
    answer = redirect_to(port)
    assert way.follow(answer.reason, answer.text)
    assert way.address == ("10.0.0.1", port)
    way.start_again()
    assert way.address == first


def test_the_scope_of_an_address_stays() -> None:
    way = Way(("fe80::1", 7777, 0, 3))
    assert way.follow(Reason.REDIRECT, "port 7778")
    assert way.address == ("fe80::1", 7778, 0, 3)


@pytest.mark.parametrize("port", [0, 80, 1023, 65536, -7777])
def test_no_server_sends_anybody_to_a_port_of_the_system_or_to_none(port: int) -> None:
    with pytest.raises(UsageError, match="a redirection names a port from 1024 to 65535"):
        redirect_to(port)


@given(
    st.text() | st.sampled_from(["port 99999", "port 1023", "port 07778", "port 7778 ", "7778", "port 10.0.0.2:7778"])
)
def test_any_other_text_is_not_followed(text: str) -> None:
    way = Way(("10.0.0.1", 7777))
    assert not way.follow(Reason.REDIRECT, text)
    assert way.address == ("10.0.0.1", 7777)


@pytest.mark.parametrize("reason", [reason for reason in range(256) if reason != Reason.REDIRECT])
def test_any_other_reason_is_not_followed(reason: int) -> None:
    assert not Way(("10.0.0.1", 7777)).follow(reason, "port 7778")


@pytest.mark.parametrize("address", ["server", ("server",), 7, None])
def test_an_address_without_a_port_cannot_be_redirected(address: object) -> None:
    assert not Way(address).follow(Reason.REDIRECT, "port 7778")


def test_nobody_is_sent_in_circles() -> None:
    way = Way(("10.0.0.1", 7000))
    assert not way.follow(Reason.REDIRECT, "port 7000")
    ports = [7001 + number % 2 for number in range(20)]
    assert [way.follow(Reason.REDIRECT, f"port {port}") for port in ports] == [
        number < MOST_REDIRECTIONS for number in range(20)
    ]


def test_where_nobody_answers_the_other_addresses_are_tried_once_each_in_their_order() -> None:
    way = Way(("a", 1), [("b", 2), ("c", 3)])
    assert way.try_another()
    assert way.address == ("b", 2)
    assert way.follow(Reason.REDIRECT, "port 7778")
    way.start_again()
    assert way.address == ("b", 2), "the one that answered"
    assert way.try_another()
    assert way.address == ("c", 3)
    assert not way.try_another()
