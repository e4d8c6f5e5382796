"""Answers find the dialler that asked: by its nonce, and from the address that was dialled."""

import pytest

from retick.link.handshake.packets import encode_cookie, encode_refuse
from retick.link.layout import State
from tests.link.pair import make_endpoint


@pytest.mark.parametrize("sealed", [False, True])
def test_an_answer_with_another_nonce_version_or_from_another_address_is_dropped(sealed: bool) -> None:
    guest = make_endpoint(1, sealed=sealed)
    connection = guest.dial("host")
    version, nonce = 1 + sealed, connection._nonce
    for number, (data, address, fault) in enumerate(
        (
            (encode_cookie(bytes(8), bytes(16), bytes(16), version), "host", "unexpected"),
            (encode_cookie(nonce, bytes(16), bytes(16), version), "elsewhere", "unexpected"),
            (encode_cookie(nonce, bytes(16), bytes(16), 3 - version), "host", "malformed"),
            (encode_refuse(bytes(8), 9, "", version), "host", "unexpected"),
            (encode_refuse(nonce, 9, "", version), "elsewhere", "unexpected"),
        )
    ):
        before = guest.dropped[fault]
        guest.receive_datagram(data, address, now=1.0)
        assert guest.dropped[fault] == before + 1, number
    assert connection.state is State.REQUESTING
    guest.receive_datagram(encode_cookie(nonce, bytes(16), bytes(16), version), "host", now=1.0)
    assert connection.state is State.PROPOSING
    guest.receive_datagram(encode_cookie(nonce, bytes(16), bytes(16), version), "host", now=1.0)
    assert guest.dropped["unexpected"] == 5
