"""One of the two processes of ``retick demo``: a bot at one end of a bad link, reporting on its standard output.

Each line is a word and JSON: ``listening`` with the port, ``waiting`` now and then, ``frame`` with a report after every
frame, ``stalled`` with a report while none can run, and one of ``end`` with the result and the replay, or ``failed``
with the reason. A reader who closes the pipe ends the process: that is how Ctrl-C in the parent, or its death,
reaches both.
"""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Self

from retick import replay
from retick.cli.draw.netview import report_of
from retick.cli.play.brains import BotBrain, StyleName
from retick.cli.play.capturing import CaptureFile, captured
from retick.cli.play.referee import FighterReferee
from retick.cli.play.side import Side
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.session import RollbackSession
from retick.transport import Conditions, Impaired, Poll, open_udp

__all__ = ["PeerPlan", "main"]

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPlan:
    """What one process of the demo is to do; goes to it as JSON on its command line."""

    style: StyleName
    latency: float
    """Seconds, one way, on what this side sends."""
    jitter: float
    """Seconds."""
    loss: float
    """Share of this side's datagrams, 0 to 1."""
    delay: int
    """Frames of input delay."""
    rate: int
    """Frames a second."""
    longest: int
    """Frames after which the match ends without a knock-out."""
    frames: int | None = None
    """Frames to play whatever happens; None: until a moment after a knock-out."""
    seed: int | None = None
    """Makes the match's seed and the dice of the link repeatable; None: from the system."""
    host_port: int | None = None
    """Where the host listens; None: this is the host."""
    capture: str | None = None
    """The file for what passes the socket; None: it is not kept."""

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**{**values, "style": StyleName(values["style"])})


def make_side(plan: PeerPlan) -> Side:
    """The session of a plan, behind its bad link, on a socket of its own."""
    place = 0 if plan.host_port is None else 1
    dice = None if plan.seed is None else Random(2 * plan.seed + place)
    session = RollbackSession(
        Fighter(),
        entropy=os.urandom if dice is None else dice.randbytes,
        config=MatchConfig(tick_rate=plan.rate, input_delay=plan.delay),
        host_address=None if plan.host_port is None else (LOOPBACK, plan.host_port),
    )
    bad = Impaired(
        session,
        outgoing=Conditions(latency=plan.latency, jitter=plan.jitter, loss=plan.loss),
        seed=int.from_bytes(os.urandom(4), "little") if plan.seed is None else 2 * plan.seed + place,
    )
    # Outside the bad link: what that loses has not passed the socket.
    seen = captured(bad, None if plan.capture is None else CaptureFile(Path(plan.capture)))
    return Side(
        session,
        Poll(seen, open_udp(LOOPBACK)),
        brain=lambda seed, player: BotBrain(seed, player, plan.style),
        referee=lambda seed, state, frame: FighterReferee(seed, frames=plan.frames, longest=plan.longest),
    )


def play(side: Side) -> None:
    """To the end, with a report after each frame."""
    _tell("listening", json.dumps({"port": side.wire.socket.address[1]}))
    while not side.over:
        if side.turn():
            _tell("frame", report_of(side, side.wire.clock()).dumps())
        elif side.referee is None:
            _tell("waiting", "{}")
        elif side.notice:
            _tell("stalled", report_of(side, side.wire.clock()).dumps())
        side.wait()
    theirs = next(iter(side.heard.values()), None)
    if side.result is None or theirs is None or side.referee is None:
        _tell("failed", json.dumps({"why": side.why}))
    else:
        recorded = replay.dumps(side.referee.replay()).hex()
        _tell("end", json.dumps({"ours": side.result, "theirs": theirs, "replay": recorded}))
    side.leave()


def _tell(word: str, text: str) -> None:
    sys.stdout.write(f"{word} {text}\n")
    sys.stdout.flush()


def main() -> None:
    """Run the plan given as the only argument."""
    side = None
    try:
        side = make_side(PeerPlan.loads(sys.argv[1]))
        play(side)
    except RetickError as error:
        _tell("failed", json.dumps({"why": str(error)}))
    except OSError:
        # Nobody reads any more. What is left in the buffer must not be tried again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if side is not None:
            side.leave(linger=0.3)


if __name__ == "__main__":
    main()
