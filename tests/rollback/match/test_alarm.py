"""The states of an alarm: how one is raised, investigated and resolved, and how often it may be false."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.rollback.events import DesyncDetected
from retick.rollback.match.alarm import MOST_FALSE_ALARMS, Alarm, AlarmState


def difference(peer: Any = 1, frame: int = 32) -> DesyncDetected:
    return DesyncDetected(peer=peer, frame=frame, ours=1, theirs=2, last_agreed=frame - 16)


def test_nothing_is_open_at_the_beginning() -> None:
    alarm = Alarm()
    assert (alarm.state, alarm.is_open, alarm.detected) == (AlarmState.NONE, False, None)


def test_a_true_alarm_is_raised_investigated_and_reported() -> None:
    alarm = Alarm()
    assert alarm.detect(difference(frame=32))
    assert (alarm.state, alarm.is_open) == (AlarmState.RAISED, True)
    assert alarm.open_detected() == difference(frame=32)
    assert (alarm.state, alarm.is_open) == (AlarmState.INVESTIGATING, True)
    alarm.resolve(found=True, frame=32)
    assert (alarm.state, alarm.is_open) == (AlarmState.REPORTED, False)


def test_the_application_gets_one_event_for_each_peer() -> None:
    alarm = Alarm()
    assert [alarm.detect(difference(peer)) for peer in (1, 1, 2, 1, 2)] == [True, False, True, False, False]
    assert alarm.open_detected().peer == 1


def test_a_reported_desync_opens_no_other_investigation() -> None:
    alarm = Alarm()
    alarm.detect(difference(1))
    alarm.open_detected()
    alarm.resolve(found=True, frame=32)
    assert alarm.detect(difference(2, 64))
    assert alarm.state is AlarmState.REPORTED
    assert not alarm.may_open(96)


def test_a_false_alarm_does_not_hide_a_later_one_of_the_same_peer() -> None:
    alarm = Alarm()
    alarm.detect(difference(1, 32))
    alarm.open_detected()
    alarm.resolve(found=False, frame=32)
    assert (alarm.state, alarm.is_open) == (AlarmState.FALSE, False)
    assert alarm.detect(difference(1, 64))
    assert alarm.state is AlarmState.RAISED
    assert alarm.open_detected().frame == 64


def test_a_difference_seen_during_an_investigation_that_finds_nothing_is_investigated_next() -> None:
    alarm = Alarm()
    alarm.open()
    assert alarm.detect(difference(2, 48))
    assert alarm.state is AlarmState.INVESTIGATING
    alarm.resolve(found=False, frame=16)
    assert alarm.state is AlarmState.RAISED
    assert not alarm.detect(difference(2, 64)), "the application knows of it already"
    assert alarm.open_detected().frame == 48


@pytest.mark.parametrize("frame", [None, 0, 48])
def test_evidence_that_comes_first_opens_an_investigation(frame: int | None) -> None:
    alarm = Alarm()
    assert alarm.may_open(frame)
    alarm.detect(difference())
    assert alarm.may_open(frame)
    alarm.open()
    assert not alarm.may_open(frame)


def test_after_a_false_alarm_only_evidence_of_a_later_one_opens_another() -> None:
    alarm = Alarm()
    alarm.open()
    alarm.resolve(found=False, frame=48)
    assert [alarm.may_open(frame) for frame in (None, 32, 48, 64)] == [False, False, False, True]


def test_one_peers_false_checksums_raise_few_alarms_and_another_peers_true_one_still_does() -> None:
    alarm = Alarm()
    raised = 0
    for frame in range(16, 16 * 20, 16):
        if alarm.detect(difference("liar", frame)):
            raised += 1
            alarm.open_detected()
            alarm.resolve(found=False, frame=frame)
    assert raised == MOST_FALSE_ALARMS
    assert alarm.detect(difference("honest", 400))
    assert alarm.state is AlarmState.RAISED


def test_false_evidence_opens_few_investigations_and_a_difference_seen_here_still_does() -> None:
    alarm = Alarm()
    opened = 0
    for frame in range(16, 16 * 20, 16):
        if alarm.may_open(frame):
            opened += 1
            alarm.open()
            alarm.resolve(found=False, frame=frame)
    assert opened == MOST_FALSE_ALARMS
    assert alarm.detect(difference(1, 400))
    assert alarm.state is AlarmState.RAISED


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("detect"), st.integers(1, 3), st.integers(0, 400)),
        st.tuples(st.just("evidence"), st.none() | st.integers(0, 400)),
        st.tuples(st.just("work"), st.booleans()),
    )
)


@given(STEPS)
def test_whatever_happens_work_is_bounded_and_is_open_says_when_there_is_some(steps: list[tuple[Any, ...]]) -> None:
    alarm = Alarm()
    investigations = 0
    for name, *arguments in steps:
        if name == "detect":
            alarm.detect(difference(*arguments))
        elif name == "evidence":
            if alarm.may_open(*arguments):
                alarm.open()
                investigations += 1
        elif alarm.state is AlarmState.RAISED:
            alarm.open_detected()
            investigations += 1
        elif alarm.state is AlarmState.INVESTIGATING:
            alarm.resolve(found=arguments[0], frame=0)
        assert alarm.is_open == (alarm.state in (AlarmState.RAISED, AlarmState.INVESTIGATING))
        assert (alarm.detected is not None) or alarm.state is not AlarmState.RAISED
    assert investigations <= 4 * MOST_FALSE_ALARMS + 1
