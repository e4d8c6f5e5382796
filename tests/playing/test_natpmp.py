"""NAT-PMP by the tables of RFC 6886."""

from ipaddress import IPv4Address

import pytest

from retick.errors import DecodeError, InvalidValue, Truncated, UnsupportedVersion
from retick.playing import home_router


def test_requests_are_as_the_rfc_draws_them() -> None:
    assert home_router.ask_address() == b"\0\0"
    assert home_router.ask_mapping(7777, 7778, 3600) == bytes.fromhex("0001 0000 1e61 1e62 00000e10")


def test_answers_are_read() -> None:
    address = home_router.decode_answer(bytes.fromhex("0080 0000 0000000a cb007109"))
    assert address == home_router.OutsideAddress(0, IPv4Address("203.0.113.9"))
    mapped = home_router.decode_answer(bytes.fromhex("0081 0000 0000000a 1e61 1e62 00000e10"))
    assert mapped == home_router.MappedPort(0, 7777, 7778, 3600)


def test_a_refusal_may_be_cut_after_its_head() -> None:
    assert home_router.decode_answer(bytes.fromhex("0081 0002 00000000")) == home_router.MappedPort(2, 0, 0, 0)


@pytest.mark.parametrize(
    ("octets", "error"),
    [
        ("", Truncated),
        ("0080 0000 000000", Truncated),
        ("0080 0000 0000000a cb0071", Truncated),
        ("0081 0000 0000000a 1e61 1e62 00000e", Truncated),
        ("0280 0000 0000000a cb007109", UnsupportedVersion),
        ("0082 0000 0000000a cb007109", InvalidValue),
        ("0000 0000 0000000a cb007109", InvalidValue),
    ],
)
def test_what_is_no_answer_is_refused(octets: str, error: type[DecodeError]) -> None:
    with pytest.raises(error):
        home_router.decode_answer(bytes.fromhex(octets))
