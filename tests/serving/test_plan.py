"""Plans travel as JSON."""

import json
from dataclasses import asdict

from retick.netrunner import RunnerConfig
from retick.serving.plan import ServePlan


def test_a_plan_is_the_same_after_its_way_through_json() -> None:
    plan = ServePlan(rooms=("", "room 2"), runner=asdict(RunnerConfig()), game={"root": "x"}, core=1, record="r")
    assert ServePlan.of_json(json.loads(json.dumps(plan.to_json()))) == plan
