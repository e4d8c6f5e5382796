"""Who is let in by a join token, and what the others are told."""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from retick.errors import UsageError
from retick.link import Refuse
from retick.link.layout import MAX_TEXT
from retick.tokens import Applicant, Pass, Tokens, issue

KEY = b"K" * 32
SERVER = b"S" * 32
HERE, ELSEWHERE = ("192.0.2.1", 5000), ("192.0.2.2", 5000)
START = 1_700_000_000.0
DAY = 86400.0


@dataclass
class Gate:
    """A server's tokens with a clock of our own, and a backend that shares the key."""

    now: float = START
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tokens = Tokens(KEY, clock=lambda: self.now, **self.settings)

    def issue(self, key: bytes = KEY, **more: Any) -> bytes:
        given = {"player": 7, "server_key": SERVER, "addresses": [("h", 1)], "now": self.now} | more
        return issue(key, entropy=self.dice.randbytes, **given)

    def ask(self, token: bytes, address: Any = HERE, room: str = "") -> Pass | Refuse:
        return self.tokens(Applicant(room=room, address=address, token=token, server_key=SERVER))

    def words(self, token: bytes, **more: Any) -> str:
        answer = self.ask(token, **more)
        assert isinstance(answer, Refuse), answer
        assert len(answer.text.encode()) <= MAX_TEXT
        return answer.text


def test_a_good_token_says_who_comes() -> None:
    gate = Gate()
    found = gate.ask(gate.issue(room="red", data=b"level 3"), room="red")
    assert isinstance(found, Pass)
    assert (found.player, found.data, len(found.ticket)) == (7, b"level 3", 24)


def test_each_bad_token_is_refused_with_what_and_what_to_do() -> None:
    gate = Gate()
    token = gate.issue()
    assert gate.words(b"") == "a join token is needed here: ask the game's backend for one"
    assert "cut short: copy all" in gate.words(token[:-1])
    assert "not a join token" in gate.words(b"x" + token[1:])
    assert "not a join token" in gate.words(token + b"x")
    assert "another key: backend and server must share" in gate.words(gate.issue(b"L" * 32))
    assert "was changed after it was made" in gate.words(token[:-1] + bytes((token[-1] ^ 1,)))
    assert "for another server: dial the address" in gate.words(gate.issue(server_key=b"T" * 32))
    assert "for room 'red': join that one" in gate.words(gate.issue(room="red"), room="blue")
    assert isinstance(gate.ask(token), Pass), "none of these has used it"
    assert "each is good once" in gate.words(token, address=ELSEWHERE)


def test_the_longest_room_still_fits_the_refusal() -> None:
    gate = Gate()
    assert gate.words(gate.issue(room="r" * 32)).endswith("or ask for another token")


@pytest.mark.parametrize("tolerance", [0.0, 30.0])
def test_clocks_may_differ_by_the_tolerance_and_no_more(tolerance: float) -> None:
    gate = Gate(settings={"tolerance": tolerance})
    token = gate.issue(lifetime=60)
    gate.now = START - tolerance - 1
    assert "is valid only in 1 s: the clock of the backend or of the server is wrong" in gate.words(token)
    gate.now = START + 60 + tolerance + 1
    assert f"has expired {tolerance + 1:g} s ago: ask the backend" in gate.words(token)
    for now in (START - tolerance, START + 60 + tolerance):
        gate.now = now
        assert isinstance(gate.ask(token), Pass)


@pytest.mark.parametrize(("off", "words"), [(-DAY, "is valid only in 86370 s"), (DAY, "has expired 86340 s ago")])
def test_a_clock_that_is_a_day_off_is_named(off: float, words: str) -> None:
    gate = Gate()
    token = gate.issue()
    gate.now += off
    assert words in gate.words(token)


def test_the_same_host_may_show_its_token_again_with_any_port() -> None:
    gate = Gate()
    token = gate.issue()
    first, again = gate.ask(token), gate.ask(token, address=("192.0.2.1", 6000))
    assert first == again
    assert "used from another address" in gate.words(token, address=ELSEWHERE)


def test_a_network_of_ipv6_is_one_address() -> None:
    gate = Gate()
    token = gate.issue()
    assert isinstance(gate.ask(token, address=("2001:db8::1", 1, 0, 0)), Pass)
    assert isinstance(gate.ask(token, address=("2001:db8::2", 1, 0, 0)), Pass)
    assert "used" in gate.words(token, address=("2001:db8:0:1::1", 1, 0, 0))


def test_used_tokens_are_remembered_until_they_have_expired_and_no_longer() -> None:
    gate = Gate(settings={"most_used": 2})
    first, second = gate.issue(lifetime=10), gate.issue(lifetime=20)
    assert isinstance(gate.ask(second), Pass)
    assert isinstance(gate.ask(first), Pass)
    third = gate.issue(lifetime=100)
    assert gate.words(third) == "too many join tokens are in use: try again in 40 s"
    assert isinstance(gate.ask(first), Pass), "one that is known needs no new place"
    gate.now += 40
    assert "too many" in gate.words(third)
    assert "used from another" in gate.words(first, address=ELSEWHERE)
    gate.now += 1
    assert isinstance(gate.ask(third), Pass)
    assert "has expired" in gate.words(first, address=ELSEWHERE)
    assert "used from another" in gate.words(second, address=ELSEWHERE)
    assert "too many" in gate.words(gate.issue())


def test_an_old_key_is_taken_beside_the_new_one() -> None:
    gate = Gate()
    gate.tokens = Tokens(b"N" * 32, KEY, clock=lambda: gate.now)
    assert isinstance(gate.ask(gate.issue()), Pass)
    assert isinstance(gate.ask(gate.issue(b"N" * 32)), Pass)


def test_a_server_without_a_key_of_its_own_takes_no_token() -> None:
    gate = Gate()
    answer = gate.tokens(Applicant(room="", address=HERE, token=gate.issue()))
    assert isinstance(answer, Refuse)


def test_settings_that_make_no_sense_are_refused() -> None:
    for keys, more in (((), {}), ((KEY,), {"tolerance": -1.0}), ((KEY,), {"most_used": 0}), ((b"short",), {})):
        with pytest.raises(UsageError):
            Tokens(*keys, clock=lambda: START, **more)  # type: ignore[arg-type]  # the mistakes that are tested
    with pytest.raises(UsageError, match="64 bits"):
        Pass(player=-1)


def test_keys_and_tokens_are_in_no_repr() -> None:
    planted = b"planted-token-key-planted-token-"
    tokens = Tokens(planted, clock=lambda: START)
    applicant = Applicant(room="", address=HERE, token=b"planted-token")
    shown = repr(tokens) + repr(applicant) + repr(Pass(data=b"planted-data")) + str(tokens(applicant))
    assert "planted" not in shown
    assert planted.hex() not in shown
