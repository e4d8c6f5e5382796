"""A report in sentences."""

from typing import Any

from retick.rollback.desync.report import (
    DesyncReport,
    Divergence,
    FieldValues,
    InputDifference,
    InputRow,
    peers_text,
    report_lines,
)

FOUND = DesyncReport(
    peers=(0, 1, 2),
    silent=(),
    alarm=48,
    last_agreed=40,
    first_differing=41,
    exact=True,
    divergences=(Divergence(frame=41, groups=((0, 2), (1,)), checksums=(5, 6)),),
    fields=(FieldValues(name="p1.x", values=((0, 4300), (1, 4000), (2, 4300))),),
    hidden=(),
    inputs=(InputRow(frame=40, values=(4, 1)), InputRow(frame=41, values=(0, 1))),
    input_differences=(),
    left_out=(),
)


def changed(**fields: Any) -> list[str]:
    values = {name: getattr(FOUND, name) for name in DesyncReport.__slots__}
    return report_lines(DesyncReport(**{**values, **fields}))


def test_a_report_reads_from_the_frame_to_the_inputs() -> None:
    assert str(FOUND).splitlines() == [
        "the peers diverge at frame 41; last agreed at frame 40",
        "checksums at frame 41: peers 0 and 2 have 0x00000005, peer 1 has 0x00000006",
        "frame 41: p1.x: 4300 at peers 0 and 2, 4000 at peer 1",
        "inputs, one for each player:",
        "  frame 40: 0x0004 0x0001  <- its step led to the difference",
        "  frame 41: 0x0000 0x0001",
    ]


def test_what_is_not_exact_is_not_claimed() -> None:
    assert changed(exact=False)[0] == "the peers diverged at frame 41 or before; last known to agree at frame 40"
    assert changed(exact=False, last_agreed=None)[0].endswith("no earlier frame is known to agree")


def test_a_report_without_a_difference_says_that_the_alarm_was_false() -> None:
    first, second = changed(first_differing=None, divergences=())
    assert first == (
        "nothing that the peers show of their states differs, although an alarm was raised for frame 48: "
        "a checksum that was sent was not true"
    )
    assert second == "all that answered agree up to frame 40"


def test_silence_cuts_and_different_inputs_are_named() -> None:
    lines = changed(
        silent=(1, 2),
        left_out=((2, 12),),
        fields=(FieldValues(name="y", values=((0, None), (1, 2))),),
        hidden=(FieldValues(name="z", values=((0, 1), (1, 2))),),
        input_differences=(InputDifference(frame=40, player=1, values=((0, 1), (1, 3), (2, 1))),),
    )
    assert "frame 41: y: absent at peer 0, 2 at peer 1" in lines
    assert "12 fields of peer 2 were too many to show" in lines
    assert "frame 40, where checksums are equal: z: 1 at peer 0, 2 at peer 1: the checksum does not cover it" in lines
    assert "frame 40: player 1 did not press the same on all peers: 0x0001 at peers 0 and 2, 0x0003 at peer 1" in lines
    assert lines[-1] == "peers 1 and 2 did not show everything in time"


def test_peers_are_named_as_in_a_sentence() -> None:
    assert [peers_text(peers) for peers in ((3,), (0, 1), (0, 1, 2))] == ["peer 3", "peers 0 and 1", "peers 0, 1 and 2"]
