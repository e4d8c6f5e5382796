"""The settings of a match and of the session around it."""

from dataclasses import dataclass

from retick.errors import UsageError

LEAST_REMEMBERED = 128
"""The frames of inputs, besides two histories, that are always kept: peers show each other a lost one's newest 96."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchConfig:
    """Settings of a match and of the session around it.

    Each peer has its own; only ``tick_rate`` and ``checksum_interval`` must be equal on all.
    """

    # Frames: their rate, their inputs, and what is kept of them.

    tick_rate: int = 60
    """Frames a second."""
    prediction_window: int = 12
    """Frames that may run ahead of every other player's newest known input; 0 is lockstep, which needs a delay."""
    input_delay: int = 2
    """Frames between a press and its effect: the others roll back by that many frames less."""
    history: int = 128
    """Frames that can be resimulated; at least the prediction window."""
    inputs_remembered: int = 4096
    """The least number of frames whose inputs are kept for resending; at least two histories above the backlog."""
    max_backlog: int = 1024
    """The most frames of our inputs unacknowledged by a peer, at least two histories. A peer beyond it is expelled."""

    # The exchange with other peers: checksums, packets, pace.

    checksum_interval: int = 16
    """Frames between compared checksums of final states; 0 turns the comparison off."""
    resend_interval: float = 0.033
    """Seconds between packets while the match waits for inputs."""
    longest_catch_up: float = 0.25
    """The most seconds of lost time that are made up by running frames faster."""
    most_slowing: float = 0.05
    """The largest share by which a side that is ahead stretches its frames."""

    # The session: lost and silent peers, pauses, spectators.

    disconnect_after: float = 8.0
    """Seconds of silence after which a peer is lost."""
    input_timeout: float = 10.0
    """Seconds to wait for the inputs of a peer that is heard, before it is expelled."""
    longest_pause: float = 300.0
    """Seconds per match for which one peer may keep it paused; then it continues."""
    longest_reconnect: float = 60.0
    """Seconds for which a session with ``reconnect=True`` tries to come back."""
    end_when_alone: bool = True
    """Whether the match ends when every other peer is lost; if not, it waits for a newcomer."""
    max_spectators: int = 32
    """The most spectators that may watch through this peer."""

    def __post_init__(self) -> None:
        if not isinstance(self.tick_rate, int) or not 1 <= self.tick_rate <= 1000:
            raise UsageError(f"tick_rate must be from 1 to 1000 whole frames a second, not {self.tick_rate}")
        if not isinstance(self.checksum_interval, int) or self.checksum_interval < 0:
            raise UsageError(f"checksum_interval must be 0 or more frames, not {self.checksum_interval}")
        for name in ("resend_interval", "longest_catch_up"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} must be 0 or more seconds, not {getattr(self, name)}")
        for name in ("disconnect_after", "input_timeout", "longest_pause", "longest_reconnect"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} must be above 0 seconds, not {getattr(self, name)}")
        if not 0 <= self.prediction_window <= self.history:
            raise UsageError(
                f"prediction_window must be from 0 to history ({self.history}), not {self.prediction_window}"
            )
        if self.prediction_window == 0 and self.input_delay == 0:
            raise UsageError("prediction_window 0 needs an input_delay of 1 or more: else each waits for the other")
        if not 0 <= self.input_delay <= self.history // 2:
            raise UsageError(f"input_delay must be from 0 to {self.history // 2} frames, not {self.input_delay}")
        self._check_memory()
        if not 0 <= self.most_slowing <= 0.5:
            raise UsageError(f"most_slowing must be from 0 to 0.5, not {self.most_slowing}")

    def _check_memory(self) -> None:
        """Check that inputs that a peer may ask for again are kept."""
        if not isinstance(self.max_backlog, int) or self.max_backlog < 2 * self.history:
            # An honest peer may leave its own window and delay and ours unacknowledged; histories cover both.
            raise UsageError(
                f"max_backlog must be at least two histories ({2 * self.history} frames), not {self.max_backlog}"
            )
        least = 2 * self.history + max(self.max_backlog, LEAST_REMEMBERED)
        if not isinstance(self.inputs_remembered, int) or self.inputs_remembered < least:
            raise UsageError(
                f"inputs_remembered must be at least {least} frames with history {self.history} and max_backlog "
                f"{self.max_backlog}, not {self.inputs_remembered}"
            )
