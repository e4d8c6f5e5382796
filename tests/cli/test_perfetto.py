"""Clocks that differ, arrows between peers, and a trace whose slices do not overlap."""

from collections import defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retick.cli.trace import clock_corrections, flows_between, trace_events
from retick.cli.trace_notes import Note, Notes


def talk(ahead: int, ways: list[tuple[int, int]]) -> list[Notes]:
    """Two peers on one true time; the clock of the second one is ahead. A way is how long it took there and back."""
    one, two = Notes("one", 1_000_000, 60), Notes("two", 1_000_000 + ahead, 60)
    for number, (there, back) in enumerate(ways):
        at = 100_000 * number
        one.lines.append(Note("s", at, (50, f"a{number}")))
        two.lines.append(Note("r", at + there, (50, f"a{number}")))
        two.lines.append(Note("s", at + there, (60, f"b{number}")))
        one.lines.append(Note("r", at + there + back, (60, f"b{number}")))
    return [one, two]


@given(
    st.integers(-(10**9), 10**9),
    st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 40_000)), min_size=1, max_size=20),
)
def test_clocks_are_corrected_up_to_half_of_what_the_shortest_ways_differ(
    ahead: int, ways: list[tuple[int, int]]
) -> None:
    files = talk(ahead, ways)
    corrections = clock_corrections(files, flows_between(files))
    differ = min(there for there, _ in ways) - min(back for _, back in ways)
    assert corrections[0] == 0
    assert abs(corrections[1] + ahead) <= abs(differ) // 2 + 1


def test_a_peer_that_met_nobody_keeps_its_clock() -> None:
    files = [*talk(5000, [(10, 10)]), Notes("three", 7, 60, [Note("w", 1, ())])]
    assert clock_corrections(files, flows_between(files)) == [0, -5000, 0]


def test_a_third_peer_is_corrected_through_the_second_one() -> None:
    one, two = talk(5000, [(10, 10)])
    _, three = talk(700, [(20, 20)])
    renamed = [Note(line.kind, line.time, (line.values[0], f"x{line.values[1]}")) for line in three.lines]
    three.lines = renamed
    for line in renamed:  # what three received, two has sent, and the other way round, 5000 ahead of true time
        other = "s" if line.kind == "r" else "r"
        two.lines.append(Note(other, line.time + (-20 if other == "s" else 20), line.values))
    files = [one, two, three]
    assert clock_corrections(files, flows_between(files)) == [0, -5000, -700]


def test_datagrams_that_are_sent_twice_arrive_in_their_order_and_lost_ones_have_no_arrow() -> None:
    one = Notes("one", 0, 60, [Note("s", at, (9, "same")) for at in (1, 2, 3)] + [Note("s", 4, (9, "lost"))])
    two = Notes("two", 0, 60, [Note("r", at, (9, "same")) for at in (11, 12)])
    assert flows_between([one, two]) == [(0, 0, 1, 0), (0, 1, 1, 1)]


def test_every_arrow_begins_and_ends_in_a_slice_and_goes_forward_in_time() -> None:
    files = talk(250_000, [(30_000, 20_000), (25_000, 25_000), (90_000, 21_000)])
    events = list(trace_events(files))
    slices = {(event["pid"], event["tid"], event["ts"]) for event in events if event["ph"] == "X"}
    ends: dict[int, dict[str, Any]] = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            ends[event["id"]][event["ph"]] = event
            assert (event["pid"], event["tid"], event["ts"]) in slices
    assert len(ends) == 6
    for arrow in ends.values():
        assert arrow["s"]["ts"] < arrow["f"]["ts"]
        assert arrow["s"]["pid"] != arrow["f"]["pid"]


def test_frames_stalls_checksums_and_figures_are_shown() -> None:
    lines = [
        Note("f", 0, (900, 7, 4, 3)),
        Note("w", 1000, ()),
        Note("g", 5000, ()),
        Note("c", 6000, (2,)),
        Note("n", 7000, (80_500, 50, 25)),
        Note("e", 8000, ("a desync",)),
        Note("w", 9000, ()),
        Note("f", 9500, (1, 8, 8, 0)),
    ]
    events = list(trace_events([Notes("one", 5, 60, lines)]))
    shown = [(event["ph"], event.get("name"), event["ts"], event.get("dur")) for event in events if event["ph"] != "M"]
    assert shown == [
        ("X", "frame 7", 0, 900),
        ("X", "resimulated 3 frames", 0, 900),
        ("C", "frames predicted", 0, None),
        ("X", "stall", 1000, 4000),
        ("i", "checksums equal", 6000, None),
        ("C", "round trip (ms)", 7000, None),
        ("C", "lost (%)", 7000, None),
        ("i", "a desync", 8000, None),
        ("X", "frame 8", 9500, 1),
        ("C", "frames predicted", 9500, None),
        ("X", "stall", 9000, 500),
    ]
