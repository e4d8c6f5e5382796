"""A bot that plays on a server as a real client: it predicts, reconciles and interpolates, over a link made worse."""

# retick: floats -- measurements

import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from rich.table import Table

from retick.authority import Client, ClientConfig, ConnectionLost, Joined, JoinFailed, Reconciled
from retick.authority.link_config import ClientSealing
from retick.cli.play.capture_file import CaptureFile, captured
from retick.games.runner import CourseBot, NetRunner
from retick.transport import Conditions, Impaired
from retick.transport.poll import Poll
from retick.transport.udp import open_udp

__all__ = ["BotClient", "BotLine", "table_of"]

SPIKE: Final = 0.25
"""Metres: a larger correction is seen by a player."""
WARM_UP: Final = 3.0
"""Seconds after joining in which corrections do not count: the clock is still adjusting."""
HEALING: Final = 2.0
"""The same after this machine was too busy for a fifth of a second, which is not the network's fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLine:
    """The figures of one bot in the last second."""

    bot: int
    state: str
    """"dialling", "in", "lost" or why it failed."""
    rtt_ms: float
    """Round-trip time in milliseconds."""
    pending: int
    """Commands that the server has not acknowledged."""
    acks: float
    """Commands acknowledged a second."""
    corrections: float
    """Corrections a second."""
    largest: float
    """Metres, the largest correction after the warm-up."""
    spikes: int
    """Corrections over 0.25 m after the warm-up."""
    down: float
    """Bytes received a second, without IP and UDP headers."""
    up: float
    """Bytes sent a second, counted in the same way."""
    stalls: int
    """How often this machine was too busy to run the bot for a fifth of a second or more."""


class BotClient:
    """A client on its own socket, played by a bot."""

    def __init__(
        self,
        number: int,
        seed: int,
        server: tuple[str, int],
        room: str,
        link: Conditions,
        config: ClientConfig,
        token: bytes = b"",
        sealing: ClientSealing | None = None,
        capture: CaptureFile | None = None,
    ) -> None:
        self.number = number
        host, port = server
        self.socket = open_udp("::" if ":" in host else "0.0.0.0", 0)
        with ExitStack() as undo:
            undo.callback(self.socket.close)
            address = self.socket.resolve(host, port)
            self.client = Client(
                NetRunner(), address, entropy=os.urandom, room=room, config=config, token=token, **(sealing or {})
            )
            undo.pop_all()
        self.wire = Poll(captured(Impaired(self.client, outgoing=link, incoming=link, seed=seed), capture), self.socket)
        self.bot = CourseBot(seed)
        self.state = "dialling"
        self.failed = False
        """It is not in, and does not try again."""
        self.reason = 0
        """The code with which it was refused, see ``retick.link.Reason``; 0 before."""
        self.largest = 0.0
        self.spikes = 0
        self._marks = (self.wire.clock(), 0, 0, 0, 0)
        self._judged_from = float("inf")
        self._stalls = 0
        self._ack = 0

    def tick(self) -> None:
        """Receive, run one tick, send."""
        now = self.wire.clock()
        for event in self.wire.poll(now):
            if isinstance(event, Reconciled):
                self._ack = event.ack
                if now > self._judged_from:
                    self.largest = max(self.largest, event.correction)
                    self.spikes += event.correction > SPIKE
            elif isinstance(event, Joined):
                self.state, self._judged_from = "in", now + WARM_UP
            elif isinstance(event, JoinFailed):
                self.state, self.failed, self.reason = event.text, True, event.reason
            elif isinstance(event, ConnectionLost):
                self.state, self.failed = "lost" if event.will_rejoin else event.text, not event.will_rejoin
        if self.client.player is not None:
            self.client.tick(self.bot.decide(self.client.player), now=now)
            self.client.others(now=now)
            if self.client.stats.epochs > self._stalls:
                self._stalls = self.client.stats.epochs
                self._judged_from = max(self._judged_from, now + HEALING)
        self.wire.flush(now)

    def line(self) -> BotLine:
        """The figures now; rates are since the last call."""
        client, now = self.client, self.wire.clock()
        stats, link = client.stats, client.connection.stats
        marks = (now, self._ack, stats.corrections, link.bytes_received, link.bytes_sent)
        passed = max(1e-9, now - self._marks[0])
        acks, corrections, down, up = ((a - b) / passed for a, b in zip(marks[1:], self._marks[1:], strict=True))
        self._marks = marks
        prediction = client.prediction
        return BotLine(
            bot=self.number,
            state=self.state,
            rtt_ms=link.rtt * 1000,
            pending=0 if prediction is None else len(prediction.pending),
            acks=max(0.0, acks),
            corrections=corrections,
            largest=self.largest,
            spikes=self.spikes,
            down=max(0.0, down),
            up=max(0.0, up),
            stalls=self._stalls,
        )

    def close(self) -> None:
        """Send goodbye; it takes a few more polls to leave a slow link."""
        self.client.close("the bot stops")
        self.wire.poll()

    @property
    def did_well(self) -> bool:
        """Whether it is in, was acknowledged, and was never corrected by more than 0.25 m."""
        return self.state == "in" and self._ack > 0 and self.spikes == 0


def table_of(lines: list[BotLine], title: str) -> Table:
    """A table of bots: one row each, with the fields of BotLine under short names."""
    table = Table(title=title, title_justify="left")
    for name in ("bot", "state", "RTT", "pend", "ack/s", "fix/s", "worst", "down", "up", "stall"):
        table.add_column(name, justify="left" if name == "state" else "right")
    for line in lines:
        table.add_row(
            str(line.bot),
            line.state,
            f"{line.rtt_ms:.0f}",
            str(line.pending),
            f"{line.acks:.1f}",
            f"{line.corrections:.2f}",
            f"{line.largest:.3f}",
            f"{line.down:,.0f}",
            f"{line.up:,.0f}",
            str(line.stalls),
        )
    return table
