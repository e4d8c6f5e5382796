"""What a person types to come in: one grammar, and no secret in an error."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.link import Invite
from retick.playing.way_in import address_text, way_in

SECRETS = st.binary(min_size=16, max_size=16)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("desk", ("desk", 7777)),
        (" desk:9 \n", ("desk", 9)),
        ("192.168.1.20:7778", ("192.168.1.20", 7778)),
        ("2001:db8::7", ("2001:db8::7", 7777)),
        ("[2001:db8::7]:80", ("2001:db8::7", 80)),
        ("'desk:9'", ("desk", 9)),
    ],
)
def test_an_address_is_read_as_before(text: str, target: tuple[str, int]) -> None:
    assert way_in(text, default_port=7777) == (target, None)


@given(SECRETS, st.sampled_from(['"{}"', " {} ", "<{}>", "{}\n", "{}"]))
def test_an_invite_is_read_with_what_chats_put_around_it(secret: bytes, around: str) -> None:
    invite = Invite("[2001:db8::7]:80", secret)
    assert way_in(around.format(invite.text()), default_port=7777) == (("2001:db8::7", 80), invite)


@given(SECRETS, st.data())
def test_a_piece_of_an_invite_is_never_taken_for_a_host_and_never_shown(secret: bytes, data: st.DataObject) -> None:
    text = Invite("192.168.1.20:7777", secret).text()
    letters = text.partition("#")[2]
    start = data.draw(st.integers(0, text.index("#") + 1))
    end = data.draw(st.integers(text.index("#") + 25, len(text)))
    piece = text[start:end]
    if piece == text:
        return
    with pytest.raises(UsageError) as refused:
        way_in(piece, default_port=7777)
    assert letters[:8] not in str(refused.value)


@given(SECRETS, st.data())
def test_half_of_the_letters_of_an_invite_are_not_asked_of_a_name_server(secret: bytes, data: st.DataObject) -> None:
    letters = Invite("192.168.1.20:7777", secret).text().partition("#")[2]
    start = data.draw(st.integers(0, 15))
    piece = letters[start : start + data.draw(st.integers(15, 30))]
    assume(any(one.isdigit() and other.isalpha() for one, other in pairwise(piece)))
    with pytest.raises(UsageError) as refused:
        way_in(piece, default_port=7777)
    assert piece not in str(refused.value)


@pytest.mark.parametrize("host", ["desk", "annas-laptop", "desktop", "gameserver01", "workstation", "mymachine2026"])
def test_names_of_machines_are_hosts(host: str) -> None:
    assert way_in(host, default_port=7777).target == (host, 7777)


def test_an_address_is_written_as_it_is_read() -> None:
    assert address_text("::1", 7777) == "[::1]:7777"
    assert address_text("desk", 7777, usual_port=7777) == "desk"
    for host in ("desk", "10.0.0.1", "fe80::1"):
        assert way_in(address_text(host, 9), default_port=1).target == (host, 9)
