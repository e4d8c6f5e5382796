"""One peer's view of a match, small enough to go through a pipe many times a second."""

import json
from dataclasses import asdict, dataclass
from typing import Self

from retick.games.fighter import Fighter, FighterState

__all__ = ["NetworkReport"]

_FIGHTER = Fighter()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkReport:
    """One peer's view of the match at one frame."""

    frame: int
    confirmed: int
    """The newest frame for which all inputs are known."""
    state: str
    """The packed state, in hex."""
    depth: int
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
    """Round trip in seconds; None if not known yet."""
    loss_in: float = 0.0
    """Share of the other peer's packets that did not arrive, 0 to 1."""
    loss_out: float = 0.0
    """Share of our packets that did not arrive, 0 to 1."""
    packets: float = 0.0
    """Packets sent per second."""
    octets: float = 0.0
    """Bytes sent per second."""
    notice: str = ""
    """What the player should know, such as that the other peer is silent."""
    way: str = ""
    """In an online match, whether others are reached directly or through the relay."""

    def dumps(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**{**values, "hits": tuple(values["hits"])})

    def fighter_state(self) -> FighterState:
        state: FighterState = _FIGHTER.unpack_state(bytes.fromhex(self.state))
        return state
