"""The netgraph's figures: one peer's view of a match, small enough to go through a pipe many times a second."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from retick.games.fighter import Fighter, FighterState
from retick.playing.printing import count
from retick.rollback import SessionStats

_FIGHTER = Fighter()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkReport:
    """One peer's view of the match at one frame."""

    frame: int
    confirmed: int
    """The newest frame for which all inputs are known."""
    state: str = ""
    """The packed state, in hex."""
    depth: int = 0
    """Frames resimulated with this one."""
    rollbacks: int = 0
    """Rollbacks so far."""
    deepest: int = 0
    """Length of the longest rollback, in frames."""
    stalls: int = 0
    """How often the match had to wait for inputs."""
    hits: tuple[int, int] = (0, 0)
    """Hits landed by each player of the fighter."""
    rtt: float | None = None
    """Round trip to the slowest peer, in seconds; None if not known yet."""
    loss_in: float = 0.0
    """Share of a peer's packets that did not arrive here, 0 to 1; the worst peer's."""
    loss_out: float = 0.0
    """Share of our packets that did not arrive at a peer, 0 to 1; the worst peer's."""
    packets: float = 0.0
    """Packets sent per second."""
    octets: float = 0.0
    """Bytes sent per second."""
    notice: str = ""
    """What the player should know, such as that the other peer is silent."""
    way: str = ""
    """In an online match, whether others are reached directly or through the relay."""

    @classmethod
    def of(cls, stats: SessionStats, **rest: Any) -> Self:
        """Make the report of a session's statistics; ``rest`` are the other fields."""
        peers = list(stats.peers.values())
        return cls(
            frame=stats.frame,
            # Inputs may be known for frames that have not run yet: those frames are not confirmed.
            confirmed=min(stats.confirmed_frame, stats.frame - 1),
            rollbacks=stats.rollbacks,
            deepest=stats.deepest_rollback,
            stalls=stats.stalls,
            rtt=max((peer.rtt for peer in peers if peer.rtt is not None), default=None),
            loss_in=max((peer.loss_in for peer in peers), default=0.0),
            loss_out=max((peer.loss_out for peer in peers), default=0.0),
            packets=sum(peer.packets_per_second_out for peer in peers),
            octets=sum(peer.bytes_per_second_out for peer in peers),
            **rest,
        )

    def figures(self) -> list[str]:
        """The figures in words, as the window and the terminal show them."""
        return [
            f"round trip {'unknown' if self.rtt is None else f'{self.rtt * 1e3:.0f} ms'}",
            f"lost {self.loss_in:.0%} in {self.loss_out:.0%} out",
            f"{count(self.rollbacks, 'rollback')} of up to {self.deepest}",
            count(self.stalls, "stall"),
        ]

    def dumps(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**{**values, "hits": tuple(values["hits"])})

    def fighter_state(self) -> FighterState:
        state: FighterState = _FIGHTER.unpack_state(bytes.fromhex(self.state))
        return state


def log_line(second: int, reports: Sequence[NetworkReport]) -> str:
    """One second of one or several peers, for logs and pipes."""

    def each(name: str, form: str) -> str:
        return " ".join(format(getattr(report, name), form) for report in reports)

    rtt = "?" if reports[0].rtt is None else f"{reports[0].rtt * 1e3:.0f}"
    return (
        f"{second:4} s  frame {each('frame', '5')}  confirmed {each('confirmed', '5')}  "
        f"rollbacks {each('rollbacks', '4')}  deepest {each('deepest', '2')}  stalls {each('stalls', '2')}  "
        f"rtt {rtt:>3} ms  lost {each('loss_in', '4.0%')}"
    )


FRAMES = 120
"""Frames whose depths are kept."""
DEEPEST = 12
"""Resimulated frames of the tallest bar."""


class NetGraph:
    """What F3 shows: how many frames were resimulated with each frame, and the figures of the worst link."""

    def __init__(self) -> None:
        self.shown = False
        self.depths: deque[int] = deque(maxlen=FRAMES)
        """Resimulated frames of each frame, the newest last."""
        self.lines: list[str] = []
        """The figures in words."""
        self._resimulated = 0

    def note(self, stats: SessionStats, way: str = "") -> None:
        """Note a frame; ``way`` says whether the others are reached directly."""
        depth = stats.resimulated_frames - self._resimulated
        self._resimulated = stats.resimulated_frames
        # The first difference after the graph was hidden, or after a new match, covers more than one frame.
        self.depths.append(depth if 0 <= depth <= 2 * DEEPEST else 0)
        report = NetworkReport.of(stats)
        sent = f"{report.octets / 1000:.1f} kB/s out"
        self.lines = [f"frame {report.frame}", *report.figures(), sent, *filter(None, [way.partition(";")[0]])]
