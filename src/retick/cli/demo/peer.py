"""One of the two processes of ``retick demo``: a bot at one end of a bad link, which reports on its standard output.

Each line is a word and JSON: ``listening`` with the port, ``waiting`` now and then, ``frame`` with a report after
every frame, ``stalled`` with a report while no frame can run, and at the end either ``end`` with the result and the
replay, or ``failed`` with the reason. The process ends when its pipe is closed, and so whenever the parent ends.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Self

from retick import replay
from retick.cli.play.files import CaptureFile, captured
from retick.cli.trace_notes import Tracer, traced
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.playing.confirmed_match import ConfirmedFight, FollowedMatch
from retick.playing.controllers import BotController, StyleName
from retick.playing.key_files import KeyLogFile
from retick.playing.match_driver import MatchDriver
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.session import RollbackSession
from retick.transport import Conditions, Impaired, Poll, open_udp

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPlan:
    """The settings of one process, passed to it as JSON on its command line."""

    style: StyleName
    """Style of the bot."""
    latency: float
    """One-way delay of datagrams that this peer sends, in seconds."""
    jitter: float
    """Variation of the delay in seconds, plus or minus."""
    loss: float
    """Share of this peer's datagrams that is lost, 0 to 1."""
    delay: int
    """Input delay in frames."""
    rate: int
    """Frames per second."""
    longest: int
    """Frames after which the match ends without a knock-out."""
    frames: int | None = None
    """Exact number of frames; None to play until a moment after a knock-out."""
    seed: int | None = None
    """Makes the match's seed and the link's losses repeatable; None for random ones."""
    host_port: int | None = None
    """The host's port; None if this is the host."""
    capture: str | None = None
    """File for a capture of the socket's datagrams; None for no capture."""
    trace: str | None = None
    """File for the notes of a trace; None for no notes."""
    plain: bool = False
    """Leave the link unsealed."""
    keylog: str | None = None
    """File to which the keys of the link are appended; None for no log."""

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**{**values, "style": StyleName(values["style"])})


def make_driver(plan: PeerPlan, capture: CaptureFile | None = None, tracer: Tracer | None = None) -> MatchDriver:
    """Make the driver of a session behind a bad link, on its own socket, perhaps with a capture and notes."""
    place = 0 if plan.host_port is None else 1
    dice = None if plan.seed is None else Random(2 * plan.seed + place)
    followed = FollowedMatch(lambda seed, state, frame: ConfirmedFight(seed, frames=plan.frames, longest=plan.longest))
    session = RollbackSession(
        Fighter(),
        entropy=os.urandom if dice is None else dice.randbytes,
        config=MatchConfig(tick_rate=plan.rate, input_delay=plan.delay),
        host_address=None if plan.host_port is None else (LOOPBACK, plan.host_port),
        record=followed,
        sealed=not plan.plain,
        keylog=None if plan.keylog is None else KeyLogFile(Path(plan.keylog)),
    )
    # Notes are made inside the bad link, so that they include its delay.
    bad = Impaired(
        traced(session, tracer),
        outgoing=Conditions(latency=plan.latency, jitter=plan.jitter, loss=plan.loss),
        seed=int.from_bytes(os.urandom(4), "little") if plan.seed is None else 2 * plan.seed + place,
    )
    # The capture is made outside the bad link, since datagrams lost there never reach the socket.
    seen = captured(bad, capture)
    return MatchDriver(
        session,
        Poll(seen, open_udp(LOOPBACK)),
        controller=lambda seed, player: BotController(seed, player, plan.style),
        followed=followed,
        observer=tracer,
    )


def play(driver: MatchDriver, files: Sequence[CaptureFile | Tracer] = ()) -> None:
    """Play to the end, with a report after each frame."""
    _report("listening", json.dumps({"port": driver.wire.socket.address[1]}))
    while not driver.over:
        if driver.turn():
            _report("frame", driver.report().dumps())
        elif driver.confirmed is None:
            _report("waiting", "{}")
        elif driver.notice:
            _report("stalled", driver.report().dumps())
        driver.wait()
    theirs = next(iter(driver.received_results.values()), None)
    if driver.result is None or theirs is None or driver.confirmed is None:
        _report("failed", json.dumps({"why": driver.why}))
    else:
        recorded = replay.dumps(driver.confirmed.replay()).hex()
        unwritten = "; ".join(f"{file.path}: {file.failure}" for file in files if file.failure)
        end = {"ours": driver.result, "theirs": theirs, "replay": recorded, "unwritten": unwritten}
        _report("end", json.dumps(end))
    driver.leave()


def _report(word: str, text: str) -> None:
    sys.stdout.write(f"{word} {text}\n")
    sys.stdout.flush()


def main() -> None:
    """Run the plan given as the only argument."""
    driver = None
    try:
        plan = PeerPlan.loads(sys.argv[1])
        capture = None if plan.capture is None else CaptureFile(Path(plan.capture))
        tracer = None
        if plan.trace is not None:
            tracer = Tracer(Path(plan.trace), "host" if plan.host_port is None else "joiner", rate=plan.rate)
        driver = make_driver(plan, capture, tracer)
        play(driver, [file for file in (capture, tracer) if file is not None])
    except RetickError as error:
        _report("failed", json.dumps({"why": str(error)}))
    except OSError:
        # The pipe is closed. The rest of the buffer must not be written when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if driver is not None:
            driver.leave(linger=0.3)


if __name__ == "__main__":
    main()
