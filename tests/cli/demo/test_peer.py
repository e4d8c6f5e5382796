"""What goes through the pipes of the demo."""

import json
from dataclasses import replace

from retick import replay
from retick.cli.demo.network import Ending
from retick.cli.demo.peer import PeerPlan
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.playing.controllers import StyleName
from retick.playing.match_driver import Result

PLAN = PeerPlan(style=StyleName.RUSHER, latency=0, jitter=0, loss=0, delay=0, rate=300, longest=1200, frames=60)


def ending(**changes: object) -> Ending:
    frames = bout(1, 100)
    game = Fighter()
    result = Result(100, game.checksum(game.run(game.initial_state(1), frames)))
    good = Ending(ours=result, theirs=result, replay=replay.dumps(replay.Replay(seed=1, frames=frames)))
    return replace(good, **changes)  # type: ignore[arg-type]  # fields by name


def test_plans_and_endings_survive_the_way_through_a_pipe() -> None:
    assert PeerPlan.loads(PLAN.dumps()) == PLAN
    good = ending()
    text = json.dumps({"ours": good.ours, "theirs": good.theirs, "replay": good.replay.hex(), "unwritten": ""})
    assert Ending.loads(text) == good
