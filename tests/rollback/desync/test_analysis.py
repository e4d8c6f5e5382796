"""From evidence to report, without engines: the first divergence, the groups, the fields and the inputs."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retick.rollback.desync.evidence import Closeup, StateFields, Timeline
from retick.rollback.desync.investigation import MAX_DIFFERENCES, EvidenceComparison, first_divergence, make_report


def line(peer_id: int, *checksums: int, first: int = 10, **more: Any) -> Timeline:
    values = {"alarm": None, "last_agreed": None, **more}
    return Timeline(peer_id=peer_id, first=first, checksums=checksums, **values)


def closeup(peer_id: int, frame: int, fields: dict[str, Any], *, total: int | None = None, **more: Any) -> Closeup:
    pairs = tuple(fields.items())
    state = StateFields(frame=frame, total=len(pairs) if total is None else total, fields=pairs)
    return Closeup(peer_id=peer_id, frame=frame, states=(state,), **{"first_input": 0, "inputs": (), **more})


def by_peer(*entries: Any) -> dict[int, Any]:
    return {entry.peer_id: entry for entry in entries}


def test_timelines_are_compared_as_they_come_in_any_order() -> None:
    lines = [line(0, 1, 2, 3), line(1, 1, 2, 4), line(2, 9, 2, 3)]
    for order in itertools.permutations(lines):
        compared = EvidenceComparison()
        for each in order:
            compared.add(each)
        assert compared.first == 10


def test_the_first_divergence_is_the_first_frame_that_two_show_differently() -> None:
    assert first_divergence(by_peer(line(0, 1, 2, 3), line(1, 1, 2, 4))) == 12
    assert first_divergence(by_peer(line(0, 1, 2, 3), line(1, 1, 2, 3))) is None
    assert first_divergence(by_peer(line(0, 1, 2), line(1, 9, 9, first=50))) is None


def test_groups_are_by_size_and_then_by_the_lowest_peer_id() -> None:
    report = make_report((0, 1, 2, 3), by_peer(line(0, 1, 7), line(1, 1, 5), line(2, 1, 5), line(3, 1, 7)), {})
    assert report.groups == ((0, 3), (1, 2))
    assert report.divergences[0].checksums == (7, 5)
    assert report.suggested_source == 0
    assert (report.first_differing, report.last_agreed, report.exact) == (11, 10, True)


def test_a_peer_that_diverges_later_has_a_divergence_of_its_own() -> None:
    report = make_report((0, 1, 2), by_peer(line(0, 1, 1, 1), line(1, 1, 2, 2), line(2, 1, 1, 3)), {})
    assert [(each.frame, each.groups) for each in report.divergences] == [
        (11, ((0, 2), (1,))),
        (12, ((0,), (1,), (2,))),
    ]


def test_without_the_frame_before_the_least_claim_of_agreement_counts_and_nothing_is_exact() -> None:
    lines = by_peer(line(0, 1, last_agreed=4), line(1, 2, last_agreed=6))
    report = make_report((0, 1), lines, {})
    assert (report.first_differing, report.last_agreed, report.exact) == (10, 4, False)
    report = make_report((0, 1), by_peer(line(0, 1, last_agreed=4), line(1, 2)), {})
    assert (report.last_agreed, report.exact) == (None, False)


def test_equal_timelines_are_a_report_without_a_difference() -> None:
    report = make_report((0, 1), by_peer(line(0, 1, 2, alarm=11), line(1, 1, 2)), {})
    assert (report.first_differing, report.last_agreed, report.alarm) == (None, 11, 11)
    assert report.suggested_source is None


def test_peers_without_evidence_are_silent() -> None:
    lines = by_peer(line(0, 1), line(1, 2))
    assert make_report((0, 1, 2), lines, by_peer(closeup(0, 10, {"x": 1}))).silent == (1, 2)


def test_what_a_cut_state_does_not_show_is_no_difference_and_what_a_whole_one_lacks_is() -> None:
    lines = by_peer(line(0, 1), line(1, 2))
    whole = closeup(0, 10, {"x": 1, "y": 2})
    cut = make_report((0, 1), lines, by_peer(whole, closeup(1, 10, {"x": 5}, total=2)))
    assert [(field.name, field.values) for field in cut.fields] == [("x", ((0, 1), (1, 5)))]
    assert cut.left_out == ((1, 1),)
    lacking = make_report((0, 1), lines, by_peer(whole, closeup(1, 10, {"x": 1})))
    assert [(field.name, field.values) for field in lacking.fields] == [("y", ((0, 2), (1, None)))]


def test_a_report_names_a_bounded_number_of_fields() -> None:
    fields = {f"f{number}": number for number in range(200)}
    other = {name: value + 1 for name, value in fields.items()}
    report = make_report(
        (0, 1), by_peer(line(0, 1), line(1, 2)), by_peer(closeup(0, 10, fields), closeup(1, 10, other))
    )
    assert [field.name for field in report.fields] == list(fields)[:MAX_DIFFERENCES]


def test_inputs_are_those_of_most_peers_and_differences_are_named() -> None:
    lines = by_peer(line(0, 1), line(1, 2), line(2, 2))
    inputs = [((1, 1),), ((1, 3),), ((1, 3),)]
    closeups = by_peer(*(closeup(peer, 10, {}, first_input=9, inputs=rows) for peer, rows in enumerate(inputs)))
    report = make_report((0, 1, 2), lines, closeups)
    assert [(row.frame, row.values) for row in report.inputs] == [(9, (1, 3))]
    assert [(each.frame, each.player, each.values) for each in report.input_differences] == [
        (9, 1, ((0, 1), (1, 3), (2, 3)))
    ]


@given(st.permutations(range(4)), st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=6))
def test_the_report_does_not_depend_on_the_order_in_which_evidence_came(order: list[int], rows: list[Any]) -> None:
    lines = {peer: line(peer, *(row[peer] for row in rows)) for peer in range(4)}
    frame = first_divergence(lines)
    closeups = (
        {} if frame is None else {peer: closeup(peer, frame, {"x": lines[peer].checksum_at(frame)}) for peer in lines}
    )
    mixed = {peer: lines[peer] for peer in order}
    report = make_report(range(4), lines, closeups)
    assert make_report(order, mixed, {peer: closeups[peer] for peer in order if peer in closeups}) == report
