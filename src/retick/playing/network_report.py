"""One peer's view of a match at one frame, small enough to go through a pipe many times a second."""

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
    """How many so far."""
    deepest: int = 0
    """Frames of the longest rollback."""
    stalls: int = 0
    """How often the match had to wait for inputs."""
    hits: tuple[int, int] = (0, 0)
    """Hits landed by each player of the fighter."""
    rtt: float | None = None
    """Seconds; None as long as it is not known."""
    loss_in: float = 0.0
    """Share of the other peer's packets that did not arrive, 0 to 1."""
    loss_out: float = 0.0
    """The same for our packets."""
    packets: float = 0.0
    """Sent a second."""
    octets: float = 0.0
    """Sent a second, in bytes."""
    notice: str = ""
    """What the player should know, such as that the other peer is silent."""
    way: str = ""
    """Of an online match: whether others are reached directly or through the relay."""

    def dumps(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**{**values, "hits": tuple(values["hits"])})

    def fighter_state(self) -> FighterState:
        state: FighterState = _FIGHTER.unpack_state(bytes.fromhex(self.state))
        return state
