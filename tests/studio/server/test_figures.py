"""What is measured follows what is set; all of it is JSON."""

import json
from typing import Any

import pytest

from retick.netrunner.delta import CompactDeltaSender, DeltaCodec
from retick.studio.server.course import Course
from retick.studio.server.room import EVERY, KEPT, Figures
from retick.transport import Conditions


def measured(course: Course, figures: Figures, seconds: float) -> dict[str, Any]:
    for _ in range(round(seconds / EVERY)):
        course.run(EVERY)
        found = figures.sample()
    return dict(json.loads(json.dumps(found, allow_nan=False)))


def test_latency_loss_and_bots_change_what_the_client_measures() -> None:
    course = Course(bots=2, conditions=Conditions(latency=0.02))
    figures = Figures(course)
    near = measured(course, figures, 4.0)
    course.set_conditions(Conditions(latency=0.15, loss=0.1))
    far = measured(course, figures, 12.0)
    assert near["link"]["rtt"] < 0.1 < 0.25 < far["link"]["rtt"]
    assert near["link"]["loss_in"] == 0.0
    assert far["link"]["loss_in"] > 0.03
    assert far["pending"] > near["pending"] + 5
    course.set_conditions(Conditions(latency=0.02))
    course.set_bots(12)
    crowd = measured(course, figures, 4.0)
    assert crowd["down"] > 1.2 * near["down"]
    assert len(crowd["runners"]) == len(crowd["server"]["players"][""]) == 12


def test_bursts_lose_datagrams() -> None:
    course = Course(bots=1, conditions=Conditions(latency=0.02, burst_enter=0.05))
    found = measured(course, Figures(course), 5.0)
    assert found["link"]["loss_in"] > 0.02


def test_a_sample_before_anyone_has_joined_has_no_rates() -> None:
    course = Course(bots=1)
    found = Figures(course).sample()
    assert (found["down"], found["up"], found["delta"], found["pending"]) == (0.0, 0.0, None, 0)
    assert found["runners"] == [[1, None, 0, 0.0]]


def test_delta_is_the_mean_of_what_was_sent_and_fixed_is_the_same_moment_in_the_other_form() -> None:
    course = Course(bots=8, conditions=Conditions(latency=0.05))
    figures = Figures(course)
    sizes: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        compact = CompactDeltaSender.encode

        def noted(sender: CompactDeltaSender, shared: Any, peer_id: int) -> bytes:
            data = compact(sender, shared, peer_id)
            sizes.append(len(data))
            return data

        measured(course, figures, 3.0)
        patch.setattr(CompactDeltaSender, "encode", noted)
        found = measured(course, figures, (KEPT - 1) * EVERY)
    assert found["delta"] == pytest.approx(sum(sizes) / len(sizes))
    assert found["fixed"] == 1398 > 3 * found["delta"]
    assert found["delta"] < DeltaCodec(course.profile.layout).largest(8)


def test_rates_begin_again_when_another_runner_is_watched() -> None:
    course = Course(bots=2, conditions=Conditions(latency=0.02))
    figures = Figures(course)
    course.run(1.0)
    measured(course, figures, 2.0)
    course.set_bots(3)
    course.watch(3)
    assert figures.sample()["down"] == 0.0
    assert measured(course, figures, 2.0)["down"] > 500


def test_the_largest_correction_of_each_sample_is_counted_once() -> None:
    course = Course(bots=6, conditions=Conditions(latency=0.06))
    figures = Figures(course)
    course.set_reset(True)
    worst = 0.0
    for _ in range(150):
        course.run(EVERY)
        found = figures.sample()
        assert found["worst"] >= found["correction"]
        worst = max(worst, found["worst"])
    assert worst > 0.25
    assert figures.sample()["worst"] == 0.0
