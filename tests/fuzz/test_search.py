"""The flood and the search find bugs that are planted."""

import time

import pytest

from fuzz import search as searching
from fuzz.search import Found, flood, search
from fuzz.target import Target, of
from fuzz.targets import TARGETS
from fuzz.tracing import SOURCE

DEEP = """
def read(data):
    if data[:1] == b'\\xff':
        if data[1:2] == b'\\x80':
            if data[2:3] == b'\\x7f':
                raise RuntimeError('planted')
"""


def planted(text: str) -> Target:
    """A reader that looks as if it were a part of Retick, so that its lines guide the search."""
    names: dict[str, object] = {}
    exec(compile(text, SOURCE + "/planted.py", "exec"), names)
    return of("planted/reader", names["read"], b"xyz")  # type: ignore[arg-type]  # it is a function


def test_the_search_finds_what_is_behind_three_branches() -> None:
    """Chance alone would need millions of cases."""
    with pytest.raises(Found, match="planted") as found:
        search(planted(DEEP), seed=3, go_on=lambda packets: packets < 60_000)
    assert found.value.data[:3] == b"\xff\x80\x7f"


def test_the_flood_finds_any_other_exception_and_says_for_which_bytes() -> None:
    with pytest.raises(Found, match="IndexError") as found:
        flood(planted("def read(data): return data[0]"), seed=1, go_on=lambda packets: packets < 5_000)
    assert found.value.data == b""


def test_an_input_that_takes_long_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "SLOWEST", 0.02)

    def slow(data: bytes) -> None:
        end = time.process_time() + (0.05 if len(data) == 2 else 0)
        while time.process_time() < end:
            pass

    with pytest.raises(Found, match="s of CPU for 2 bytes"):
        flood(of("planted/slow", slow, b"xyz"), seed=1, go_on=lambda packets: packets < 5_000)


def test_packets_are_counted_in_scripts_and_in_readers() -> None:
    script = flood(TARGETS["endpoint/lan"], seed=1, go_on=lambda packets: packets < 300)
    assert script.packets >= 300
    assert script.inputs < script.packets
    reader = flood(TARGETS["link/hello"], seed=1, go_on=lambda packets: packets < 300)
    assert reader.inputs == reader.packets >= 300


@pytest.mark.parametrize("name", ["link/explain", "session/statement", "endpoint/session", "endpoint/link"])
def test_a_short_search_finds_no_bug_and_new_steps(name: str) -> None:
    target = TARGETS[name]
    result = search(target, seed=1, go_on=lambda packets: packets < (60 if target.is_script else 400))
    assert result.packets >= 60
    assert result.steps > 20
