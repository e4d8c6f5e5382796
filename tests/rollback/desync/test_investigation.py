"""Investigations among engines: the exact frame, the exact field, the same report everywhere."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from retick.rollback.desync.evidence import (
    CLOSEUP,
    TIMELINE,
    Closeup,
    Timeline,
    encode_closeup,
    encode_timeline,
    split_into_messages,
)
from retick.rollback.desync.investigation import EvidenceComparison, Investigation
from retick.rollback.desync.report import DesyncReport
from retick.rollback.engine.engine import RollbackEngine
from retick.sim.world import WorldSimulation
from tests.rollback.desync.planted import FieldChanged, HiddenField, UnsavedAttribute, WrongBranch
from tests.rollback.engine.engines import exchange, investigate, play, script_of
from tests.toys import Tally, TallyState


def the_report(investigations: Sequence[Investigation]) -> DesyncReport:
    """The report, which must be the same on all peers."""
    first, *others = [investigation.report for investigation in investigations]
    assert first is not None
    assert all(report == first and str(report) == str(first) for report in others)
    return first


def first_difference(engines: Sequence[RollbackEngine], first: int) -> int:
    """By brute force over all that the engines hold."""
    for frame in range(first, engines[0].final_state_frame + 1):
        if len({engine.checksum_at(frame) for engine in engines}) > 1:
            return frame
    raise AssertionError("no frame differs")


@pytest.mark.parametrize("culprit", [0, 1])
@pytest.mark.parametrize("at", [80, 90, 95])
def test_a_changed_field_is_reported_at_its_frame_with_both_values(culprit: int, at: int) -> None:
    sims = [FieldChanged(at if number == culprit else None) for number in range(2)]
    engines = play(sims, script_of(1, 2), 120)
    investigations = investigate(engines, 96, 80)
    exchange(investigations)
    report = the_report(investigations)
    assert (report.first_differing, report.last_agreed, report.exact, report.silent) == (at + 1, at, True, ())
    (field,) = report.fields
    assert field.name == "p1.x"
    assert field.values == tuple((number, engines[number].state_at(at + 1).p1.x) for number in range(2))
    assert f"frame {at + 1}: p1.x: {field.values[0][1]} at peer 0, {field.values[1][1]} at peer 1" in str(report)
    script = script_of(1, 2)
    assert [(row.frame, row.values) for row in report.inputs] == [(f, script(f)) for f in range(at - 7, at + 5)]
    assert report.input_differences == ()


@pytest.mark.parametrize("culprit", range(4))
def test_a_wrong_branch_on_one_of_four_is_distinguished_from_the_three(culprit: int) -> None:
    script = script_of(3, 4)
    sims = [WrongBranch(4, at=90 if number == culprit else None) for number in range(4)]
    engines = play(sims, script, 140)
    mattered = next(frame for frame in range(90, 140) if script(frame)[0] == 3)
    investigations = investigate(engines, mattered // 16 * 16 + 16, mattered // 16 * 16)
    exchange(investigations)
    report = the_report(investigations)
    others = tuple(number for number in range(4) if number != culprit)
    assert report.first_differing == mattered + 1
    assert report.groups == (others, (culprit,))
    assert report.suggested_source == others[0]
    assert [field.name for field in report.fields] == ["totals[0]"]
    values = dict(report.fields[0].values)
    assert values[culprit] == values[others[0]] - 10  # type: ignore[operator]  # they are numbers


@pytest.mark.parametrize("peers", [2, 4])
def test_an_unsaved_attribute_is_reported_where_it_first_shows(peers: int) -> None:
    sims = [WorldSimulation(UnsavedAttribute(peers)) for _ in range(peers)]
    script = script_of(5, peers)
    # Peer 1 alone hears of the others late at one point: it rolls back once, and counts those frames twice.
    engines = [RollbackEngine(sim, sim.initial_state(7), local_player=seat) for seat, sim in enumerate(sims)]
    for frame in range(100):
        for seat, engine in enumerate(engines):
            for other in range(peers):
                if other != seat and not (seat == 1 and 60 <= frame < 64):
                    first = 60 if seat == 1 and frame == 64 else frame
                    engine.add_remote_inputs(other, first, [script(f)[other] for f in range(first, frame + 1)])
            engine.advance(script(frame)[seat])
    expected = first_difference(engines, 0)
    assert expected > 60
    investigations = investigate(engines, 96, 48)
    exchange(investigations)
    report = the_report(investigations)
    assert report.first_differing == expected
    assert [field.name for field in report.fields] == ["totals[0]"]
    assert report.groups[-1] == (1,)


def test_a_field_that_no_checksum_covers_is_named_as_the_cause() -> None:
    engines = play([HiddenField(2), HiddenField(2, at=60)], script_of(3, 2), 120)
    investigations = investigate(engines, 112, 96)
    exchange(investigations)
    report = the_report(investigations)
    assert report.first_differing == HiddenField.SPREADS_AT + 1
    assert [field.name for field in report.hidden] == ["totals[0]"]
    assert "the checksum does not cover it" in str(report)
    assert {field.name for field in report.fields} == {"mixed", "totals[0]"}


def test_inputs_that_peers_confirmed_differently_are_named() -> None:
    script = script_of(2, 2)
    engines = [RollbackEngine(Tally(2), Tally(2).initial_state(7), local_player=seat, history=64) for seat in range(2)]
    for frame in range(60):
        row = script(frame)
        for seat, engine in enumerate(engines):
            lie = frame == 41 and seat == 0
            engine.add_remote_inputs(1 - seat, frame, [row[1 - seat] ^ lie])
            engine.advance(row[seat])
    investigations = investigate(engines, 48, 32)
    exchange(investigations)
    report = the_report(investigations)
    assert report.first_differing == 42
    (difference,) = report.input_differences
    assert (difference.frame, difference.player) == (41, 1)
    assert difference.values == ((0, script(41)[1] ^ 1), (1, script(41)[1]))
    assert "did not press the same on all peers" in str(report)


def test_two_desyncs_among_four_are_both_reported() -> None:
    engines = play([WrongBranch(4), WrongBranch(4, at=70), WrongBranch(4), WrongBranch(4, at=90)], script_of(3, 4), 120)
    investigations = investigate(engines, 96, 64)
    exchange(investigations)
    report = the_report(investigations)
    assert len(report.divergences) == 2
    assert report.divergences[0].groups == ((0, 2, 3), (1,))
    assert report.divergences[1].groups == ((0, 2), (1,), (3,))


def test_evidence_outlives_the_history_it_was_taken_from() -> None:
    sims = [FieldChanged(None), FieldChanged(90)]
    script = script_of(1, 2)
    engines = play(sims, script, 120)
    investigations = investigate(engines, 96, 80)
    for frame in range(120, 300):
        for seat, engine in enumerate(engines):
            engine.add_remote_inputs(1 - seat, frame, [script(frame)[1 - seat]])
            engine.advance(script(frame)[seat])
    exchange(investigations)
    assert the_report(investigations).first_differing == 91


def test_what_history_no_longer_held_is_not_claimed_to_be_exact() -> None:
    engines = play([FieldChanged(None), FieldChanged(20)], script_of(1, 2), 120, history=32)
    investigations = investigate(engines, 96, 16)
    exchange(investigations)
    report = the_report(investigations)
    assert not report.exact
    assert report.last_agreed == 16
    assert report.first_differing == 88
    assert "at frame 88 or before; last known to agree at frame 16" in str(report)


def test_no_difference_is_reported_as_a_false_claim() -> None:
    investigations = investigate(play([Tally(3)] * 3, script_of(1, 3), 60), 48, 32)
    exchange(investigations)
    report = the_report(investigations)
    assert report.first_differing is None
    assert report.last_agreed == 60
    assert "was not true" in str(report)


def test_a_peer_that_only_hears_of_the_alarm_waits_until_it_has_the_frame() -> None:
    script = script_of(1, 2)
    first, second = play([FieldChanged(None), FieldChanged(44)], script, 50, lag=3)
    late = RollbackEngine(FieldChanged(44), second.sim.initial_state(7), local_player=1, history=64)
    for frame in range(40):
        late.add_remote_inputs(0, frame, [script(frame)[0]])
        late.advance(script(frame)[1])
    one = Investigation(first, first.sim, 0, (0, 1), 48, 32, 0.0)
    other = Investigation(late, late.sim, 1, (0, 1), 48, -1, 0.0)
    exchange([one, other])
    assert not one.finished
    for frame in range(40, 50):
        late.add_remote_inputs(0, frame, [script(frame)[0]])
        late.advance(script(frame)[1])
        other.observe(late)
    exchange([one, other])
    assert the_report([one, other]).first_differing == 45


class TestSilence:
    """Peers that do not answer."""

    def test_one_that_never_answers_is_named_when_its_time_is_over(self) -> None:
        sims = [WrongBranch(4, at=90 if number == 1 else None) for number in range(4)]
        investigations = investigate(play(sims, script_of(3, 4), 140), 112, 96)
        exchange(investigations, now=0.1, deaf=[3])
        honest = investigations[:3]
        for now in (4.0, 8.0):
            assert not any(investigation.finished for investigation in honest)
            for investigation in honest:
                due = investigation.next_timeout()
                assert due is not None
                assert due <= now
                investigation.handle_timeout(now)
            exchange(investigations, now=now, deaf=[3])
        report = the_report(honest)
        assert report.silent == (3,)
        assert report.groups == ((0, 2), (1,))
        assert report.first_differing is not None
        assert "peer 3 did not show everything in time" in str(report)
        assert investigations[0].next_timeout() is None

    def test_one_that_is_gone_is_not_waited_for(self) -> None:
        sims = [WrongBranch(3, at=90 if number == 1 else None) for number in range(3)]
        investigations = investigate(play(sims, script_of(3, 3), 140), 112, 96)
        for investigation in investigations[:2]:
            investigation.lose(2, 0.1)
        exchange(investigations, deaf=[2])
        assert the_report(investigations[:2]).silent == (2,)

    def test_a_late_timeline_that_moves_the_difference_is_taken_in(self) -> None:
        sims = [WrongBranch(3), WrongBranch(3, at=90), WrongBranch(3, at=66)]
        investigations = investigate(play(sims, script_of(3, 3), 120), 112, 60)
        exchange(investigations, now=4.0, deaf=[2])
        moved = investigations[0]
        assert not moved.finished
        late = investigate(play(sims, script_of(3, 3), 120), 112, 60)[2]
        investigations[2] = late
        for message in late.messages():
            for investigation in investigations[:2]:
                investigation.receive(2, message, 5.0)
        # What the deaf one missed of the first round is told to it again.
        for number, other in enumerate(investigate(play(sims, script_of(3, 3), 120), 112, 60)[:2]):
            for message in other.messages():
                late.receive(number, message, 5.0)
        exchange(investigations, now=5.0)
        report = the_report(investigations)
        assert report.silent == ()
        assert report.groups == ((0, 1), (2,))


def timeline_message(**changes: Any) -> bytes:
    line = Timeline(peer_id=2, alarm=48, last_agreed=32, first=32, checksums=(0,) * 20)
    (message,) = split_into_messages(TIMELINE, encode_timeline(replace(line, **changes)))
    return message


def closeup_message(**changes: Any) -> bytes:
    closeup = Closeup(peer_id=2, frame=33, first_input=30, inputs=(), states=())
    (message,) = split_into_messages(CLOSEUP, encode_closeup(replace(closeup, **changes)))
    return message


class Counting(Tally):
    """Counts what it is asked."""

    checksums = 0

    def checksum(self, state: TallyState) -> int:
        self.checksums += 1
        return super().checksum(state)


LIES: list[Callable[[], bytes]] = [
    lambda: b"",
    lambda: b"\xff" * 40,
    lambda: timeline_message()[:-1],
    lambda: timeline_message(peer_id=0),  # in another's name
    lambda: timeline_message(first=4_000_000),  # frames that it cannot have
    lambda: timeline_message(checksums=(1,) * 4000),
    lambda: closeup_message(),  # a close-up before any timeline
    lambda: closeup_message()[:-1] + b"\x02",
]


class TestLies:
    """A peer that does not tell the truth."""

    @pytest.mark.parametrize("lie", LIES)
    def test_what_is_no_evidence_is_refused_and_counted_and_the_others_find_out(self, lie: Callable[[], bytes]) -> None:
        sims = [WrongBranch(3), WrongBranch(3, at=40), WrongBranch(3)]
        investigations = investigate(play(sims, script_of(3, 3), 60), 48, 32)
        honest = investigations[:2]
        for investigation in honest:
            assert not investigation.receive(2, lie(), 0.1, frontier=60)
            assert investigation.refused[2] == 1
        exchange(investigations, deaf=[2])
        for now in (4.0, 8.0):
            for investigation in honest:
                investigation.handle_timeout(now)
            exchange(investigations, now=now, deaf=[2])
        report = the_report(honest)
        assert report.silent == (2,)
        assert report.groups == ((0,), (1,))

    def test_a_flood_is_refused_past_the_little_that_is_needed(self) -> None:
        investigations = investigate(
            play([WrongBranch(3, at=40 * (n == 1)) for n in range(3)], script_of(3, 3), 60), 48, 32
        )
        one = investigations[0]
        assert one.receive(2, timeline_message(), 0.1)
        for _ in range(500):
            assert not one.receive(2, timeline_message(), 0.1)
        taken = sum(one.receive(2, closeup_message(frame=frame), 0.1) for frame in range(33, 533))
        assert taken == 4
        assert one.refused == {2: 500 + 496}

    def test_a_message_that_is_refused_costs_no_comparison(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one = investigate(play([Tally(3)] * 3, script_of(3, 3), 60), 48, 32)[0]
        compared: list[int] = []
        monkeypatch.setattr(EvidenceComparison, "add", lambda self, line: compared.append(line.peer_id))
        monkeypatch.setattr(Timeline, "checksum_at", lambda self, frame: compared.append(frame))
        for lie in LIES:
            for _ in range(50):
                one.receive(2, lie(), 0.1, frontier=60)
        assert compared == []

    def test_checksums_are_computed_once_although_an_investigation_follows_another(self) -> None:
        sims = [Counting(2), Counting(2)]
        engine = play(sims, script_of(3, 2), 100)[0]
        remembered: dict[int, int] = {}
        for now in (0.0, 9.0, 18.0):
            Investigation(engine, sims[0], 0, [0, 1], None, -1, now, remembered=remembered)
            assert sims[0].checksums == len(remembered) > 50

    def test_a_peer_that_makes_its_checksums_up_stands_alone_in_the_report(self) -> None:
        investigations = investigate(play([Tally(3)] * 3, script_of(3, 3), 60), 48, 32)
        honest = investigations[:2]
        for investigation in honest:
            assert investigation.receive(2, timeline_message(), 0.1)
            assert investigation.receive(2, closeup_message(frame=32), 0.1)
        exchange(investigations, deaf=[2])
        report = the_report(honest)
        assert report.groups == ((0, 1), (2,))
        assert report.fields == ()
        assert "all equal" in str(report)

    def test_strangers_and_oneself_are_not_heard(self) -> None:
        investigations = investigate(play([Tally(3)] * 3, script_of(3, 3), 60), 48, 32)
        assert not investigations[0].receive(7, timeline_message(peer_id=7), 0.1)
        assert not investigations[2].receive(2, timeline_message(), 0.1)
