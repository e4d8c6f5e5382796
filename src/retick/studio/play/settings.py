"""What the sliders of the page set: the network between the peers, and the delay and window of their sessions."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from retick.rollback import MatchConfig
from retick.studio.messages import Message
from retick.transport import Conditions

__all__ = ["BOUNDS", "MatchSettings", "config_of"]

BOUNDS: dict[str, tuple[int, int]] = {
    "latency": (0, 300),
    "jitter": (0, 100),
    "loss": (0, 50),
    "bursts": (0, 20),
    "input_delay": (0, 8),
    "prediction_window": (1, 30),
}
"""The least and the most of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """All sliders. A match over UDP begins with a network that nothing is added to."""

    latency: float = 40.0
    """Milliseconds, one way."""
    jitter: float = 5.0
    """Milliseconds."""
    loss: float = 1.0
    """Percent of datagrams."""
    bursts: float = 0.0
    """Percent: the chance, at each datagram, that a burst of loss begins."""
    input_delay: int = 2
    """Frames."""
    prediction_window: int = 12
    """Frames."""

    def with_network(self, message: Message) -> Self:
        """With what a ``network`` message says."""
        latency, jitter, loss, bursts = (
            message.number(name, *BOUNDS[name]) for name in ("latency", "jitter", "loss", "bursts")
        )
        return replace(self, latency=latency, jitter=jitter, loss=loss, bursts=bursts)

    def with_session(self, message: Message) -> Self:
        """With what a ``session`` message says."""
        named = {name: message.integer(name, *BOUNDS[name]) for name in ("input_delay", "prediction_window")}
        return replace(self, **named)

    def with_real_network(self) -> Self:
        """With nothing added to the network."""
        return replace(self, latency=0.0, jitter=0.0, loss=0.0, bursts=0.0)

    def conditions(self) -> Conditions:
        """Of each direction."""
        return Conditions(
            latency=self.latency / 1000,
            jitter=self.jitter / 1000,
            loss=self.loss / 100,
            burst_enter=self.bursts / 100,
        )

    def plain(self) -> dict[str, Any]:
        """For a message."""
        return asdict(self)


def config_of(tick_rate: int) -> MatchConfig:
    """The settings with which a session begins: the most that ``adjust`` may ask for later."""
    return MatchConfig(
        tick_rate=tick_rate,
        input_delay=BOUNDS["input_delay"][1],
        prediction_window=BOUNDS["prediction_window"][1],
    )
