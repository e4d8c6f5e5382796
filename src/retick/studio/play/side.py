"""One peer of the match: its session and driver, its picture, and a column of the netgraph for each of its frames."""

import os
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from retick.playing.confirmed_match import FollowedMatch
from retick.playing.controllers import Controller
from retick.playing.key_files import KeyLogFile
from retick.playing.link_form import LinkForm
from retick.playing.match_driver import MatchDriver, MatchWire
from retick.rollback import MatchConfig, RollbackSession
from retick.rollback.events import MatchEvent
from retick.rollback.match.stats import SessionStats
from retick.studio.play.shown_game import ShownGame
from retick.studio.room import PageMessage
from retick.transport import Conditions

BOUNDS: dict[str, tuple[int, int]] = {
    "latency": (0, 300),
    "jitter": (0, 100),
    "loss": (0, 50),
    "bursts": (0, 20),
    "input_delay": (0, 8),
    "prediction_window": (1, 30),
}
"""Lowest and highest value of each slider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """The sliders: the network between the peers, and the delay and window of their sessions."""

    latency: float = 40.0
    """One-way delay in milliseconds."""
    jitter: float = 5.0
    """Variation of the delay in milliseconds."""
    loss: float = 1.0
    """Percentage of datagrams lost."""
    bursts: float = 0.0
    """Chance that a burst of loss begins, for each datagram, in percent."""
    input_delay: int = 2
    """Input delay in frames."""
    prediction_window: int = 12
    """Prediction window in frames."""

    def with_network(self, message: PageMessage) -> Self:
        """Change the network as a ``network`` message says."""
        latency, jitter, loss, bursts = (
            message.number(name, *BOUNDS[name]) for name in ("latency", "jitter", "loss", "bursts")
        )
        return replace(self, latency=latency, jitter=jitter, loss=loss, bursts=bursts)

    def with_session(self, message: PageMessage) -> Self:
        """Change delay and window as a ``session`` message says."""
        named = {name: message.integer(name, *BOUNDS[name]) for name in ("input_delay", "prediction_window")}
        return replace(self, **named)

    def with_real_network(self) -> Self:
        """Add nothing to the network, as at the start of a match over UDP."""
        return replace(self, latency=0.0, jitter=0.0, loss=0.0, bursts=0.0)

    def conditions(self) -> Conditions:
        """The conditions of each direction."""
        return Conditions(
            latency=self.latency / 1000,
            jitter=self.jitter / 1000,
            loss=self.loss / 100,
            burst_enter=self.bursts / 100,
        )

    def plain(self) -> dict[str, Any]:
        """All values, for a message."""
        return asdict(self)


def config_of(tick_rate: int) -> MatchConfig:
    """The settings with which a session begins: the highest that ``adjust`` may ask for later."""
    return MatchConfig(
        tick_rate=tick_rate,
        input_delay=BOUNDS["input_delay"][1],
        prediction_window=BOUNDS["prediction_window"][1],
    )


MOST_COLUMNS = 600
"""Columns that are kept for a page that comes back or is slow: ten seconds."""
TICK_RATE = 60
MOVED = 4
"""Most frames by which a rollback may move a cue without a second sound."""


class MatchSide:
    """One peer; it has a session from the start, and a wire after ``connect``."""

    def __init__(
        self,
        game: ShownGame,
        *,
        form: LinkForm,
        seats: int = 1,
        host_address: Hashable | None = None,
        controller: "SeatController",
    ) -> None:
        self._form = form
        self.sim = game.make()
        self._game = game
        self._controller = controller
        self._followed = FollowedMatch(lambda seed, state, frame: game.confirmed(self.sim, seed, state, frame))
        self.session = RollbackSession(
            self.sim,
            entropy=os.urandom,
            config=config_of(TICK_RATE),
            seats=seats,
            host_address=host_address,
            record=self._followed,
            **form.arguments(),
        )
        self.driver: MatchDriver
        self.columns: deque[list[Any]] = deque(maxlen=MOST_COLUMNS)
        self.unsent: deque[list[Any]] = deque(maxlen=MOST_COLUMNS)
        self.frames = 0
        """Number of frames that were run."""
        self._settings: MatchSettings | None = None
        self._adjusted: MatchSettings | None = None
        self._before = (0.0, 0, 0)

    def connect(self, wire: MatchWire) -> None:
        """Let the session talk over a wire."""
        self.driver = MatchDriver(
            self.session,
            wire,
            controller=lambda seed, player: self._controller(self.sim, seed, player),
            followed=self._followed,
            observer=self,
            compares_words=self._form.is_open,
        )

    def close_keylog(self) -> None:
        """Close the key log, after the last link."""
        if isinstance(self._form.keylog, KeyLogFile):
            self._form.keylog.close()

    def set(self, settings: MatchSettings) -> None:
        """Set delay and window from the next frame on."""
        self._settings = settings

    def turn(self) -> bool:
        """Receive, run the frames that are due, send; True if a frame was run."""
        if self.session.running and self._settings is not self._adjusted and self._settings is not None:
            self.session.adjust(
                input_delay=self._settings.input_delay, prediction_window=self._settings.prediction_window
            )
            self._adjusted = self._settings
        return self.driver.turn()

    @property
    def started(self) -> bool:
        """Whether there is a state to show."""
        return self.driver.confirmed is not None

    def shown(self) -> Any:
        """The present state in a frame message."""
        return self._game.values(self.session)

    def ghost(self) -> tuple[int, Any]:
        """The newest confirmed frame, and its state in a frame message."""
        confirmed = self.driver.confirmed
        assert confirmed is not None
        return confirmed.frame, self._game.ghost(self.sim, confirmed.state)

    def cues(self) -> list[Any]:
        """Cues that started, were confirmed or were cancelled since the last call."""
        return self.session.cues(tolerance=MOVED) if hasattr(self.sim, "cues") else []

    def event(self, event: MatchEvent) -> None:
        """Ignore events: the driver's story tells them."""

    def frame_run(self, stats: SessionStats, depth: int, *, began: float) -> None:
        """Add a column for the frame."""
        peer = next(iter(stats.peers.values()), None)
        octets = 0 if peer is None else peer.bytes_in + peer.bytes_out
        waited, compared, counted = self._before
        self._before = (stats.stalled_seconds, stats.compared_frames, octets)
        column = [
            stats.frame - 1,
            min(stats.confirmed_frame, stats.frame - 1),
            depth,
            round((stats.stalled_seconds - waited) * 1000, 1),
            stats.compared_frames - compared,
            None if peer is None or peer.rtt is None else round(peer.rtt * 1000, 1),
            0 if peer is None else round(peer.loss_in * 100, 1),
            max(octets - counted, 0),
        ]
        self.columns.append(column)
        self.unsent.append(column)
        self.frames += 1


SeatController = Callable[[Any, int, int], Controller]
"""``(game, seed, player)`` returns the controller of a seat."""
