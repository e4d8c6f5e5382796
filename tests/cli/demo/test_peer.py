"""What goes through the pipes of the demo."""

import json

from retick.cli.demo.network import Ending
from retick.cli.demo.peer import PeerPlan
from retick.playing.controllers import StyleName
from tests.cli.demo.test_proof import ending

PLAN = PeerPlan(style=StyleName.RUSHER, latency=0, jitter=0, loss=0, delay=0, rate=300, longest=1200, frames=60)


def test_plans_and_endings_survive_the_way_through_a_pipe() -> None:
    assert PeerPlan.loads(PLAN.dumps()) == PLAN
    good = ending()
    text = json.dumps({"ours": good.ours, "theirs": good.theirs, "replay": good.replay.hex(), "unwritten": ""})
    assert Ending.loads(text) == good
