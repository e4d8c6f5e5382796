"""What a person types to come in: one grammar, and no secret in an error."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.link import Invite
from retick.playing.way_in import OnlineWay, WayIn, address_text, way_in

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
        assert way_in(address_text(host, 9), default_port=1) == WayIn((host, 9), None)


@pytest.mark.parametrize("text", ["4XK7-M2QP", "4xk7-m2qp", "4XK7 M2QP", " '4XK7-M2QP'\n"])
def test_a_code_is_read_as_people_type_it(text: str) -> None:
    assert way_in(text, default_port=7777) == OnlineWay("4XK7-M2QP", None, None)


def test_letters_that_look_like_digits_are_read_as_these() -> None:
    assert way_in("oOiI-lL00", default_port=7777) == OnlineWay("0011-1100", None, None)


def test_eight_letters_without_a_hyphen_are_a_host_unless_the_match_is_online() -> None:
    assert way_in("4XK7M2QP", default_port=7777) == WayIn(("4XK7M2QP", 7777), None)
    assert way_in("4XK7M2QP", default_port=7777, is_online=True) == OnlineWay("4XK7-M2QP", None, None)
    assert way_in("game-host:7777", default_port=1) == WayIn(("game-host", 7777), None)


def test_a_code_may_name_its_relay() -> None:
    assert way_in("4xk7m2qp@relay.example.org", default_port=7777) == OnlineWay(
        "4XK7-M2QP", ("relay.example.org", 7788), None
    )
    assert way_in("4XK7-M2QP@[2001:db8::7]:99", default_port=7777) == OnlineWay("4XK7-M2QP", ("2001:db8::7", 99), None)


def test_an_invite_of_a_room_has_code_relay_and_secret() -> None:
    invite = Invite("4XK7M2QP@203.0.113.9:99", bytes(16))
    way = way_in(invite.text(), default_port=7777)
    assert way == OnlineWay("4XK7-M2QP", ("203.0.113.9", 99), invite)
    assert way_in(invite.text(), default_port=7777, is_online=True) == way


@pytest.mark.parametrize(
    ("text", "is_online", "said"),
    [
        ("4XK7-M2QU", False, "'U' is in no code.*without I, L, O and U.*add its port: 4XK7-M2QU:7777"),
        ("4XK7-M2QU", True, "'U' is in no code.*without I, L, O and U$"),
        ("4XK7-M2Q", True, "8 characters, such as 4XK7-M2QP, not 7"),
        ("4XK7@relay.example.org", False, "8 characters, such as 4XK7-M2QP, not 4"),
        ("4XK7-M2QP@", False, "names no host"),
        ("4XK7-M2QP@host:0", False, "no valid port"),
        (Invite("192.168.1.20:7777", bytes(16)).text(), True, "leave out --online"),
    ],
)
def test_a_mistyped_code_says_what_is_wrong(text: str, is_online: bool, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        way_in(text, default_port=7777, is_online=is_online)
