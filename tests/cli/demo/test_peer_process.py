"""A process of the demo that cannot start."""

from dataclasses import replace

import pytest

from retick.cli.demo.network import PeerProcess
from retick.cli.demo.peer import PeerPlan
from retick.errors import RetickError
from retick.playing.controllers import StyleName

PLAN = PeerPlan(style=StyleName.RUSHER, latency=0, jitter=0, loss=0, delay=0, rate=300, longest=1200, frames=60)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (replace(PLAN, rate=0), "gave up: tick_rate must be from 1"),
        (replace(PLAN, seed=-1, latency="?"), "TypeError"),
    ],
    ids=["refused", "crashed"],
)
def test_a_process_that_cannot_start_says_why(plan: PeerPlan, words: str) -> None:
    peer = PeerProcess("host", plan)
    with pytest.raises(RetickError, match="the host's process") as caught:
        peer.wait_until_it_listens()
    assert words in str(caught.value)
    peer.stop()
    assert not peer.running
