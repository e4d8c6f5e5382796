"""When a client runs its ticks, and for which tick of the server each is meant.

Theory of operation. An input must arrive just before the server runs its tick. Each snapshot says how early the newest
input was. With the time at which that input was sent, this gives the tick that the server runs next when a packet
arrives that is sent now; no delay of the answer is in it. The client stamps its inputs that tick, and a *lead*: as many
ticks as there are between two packets, once more for each packet that may be lost in a row. It gets to its place by
ticks that are a little shorter or longer; only from far away it jumps, or waits.
"""

# retick: floats -- seconds of the network; which tick an input is for is decided here, and told to the server

from collections import deque
from math import ceil
from typing import Final

from retick.authority.world.frames import MOST_INPUTS

__all__ = ["InputClock", "Offset"]

WINDOW: Final = 2.0
"""Seconds of samples that count."""
MOST_SAMPLES: Final = 128
LEFT_OUT: Final = 1
"""Of the samples, the latest arrivals that do not count: one packet may come late."""
FAR: Final = 0.25
"""Seconds: whoever is farther from the right tick jumps, and a server that is so much later has stood still."""
STRAYS: Final = 3
"""Samples in a row that are far behind before all others are forgotten."""
STEER: Final = 0.02
"""The share by which ticks become shorter for each tick that the client is late."""
MOST_STEER: Final = 0.1
SPARE: Final = 1
"""Ticks of the lead that are always there: loops do not run exactly in time."""
MOST_SENT: Final = 256
"""Packets whose times are remembered."""
FIRST_LOSS: Final = 0.05
"""The share of lost packets that is assumed before it is measured."""
LOSSES: Final = ((0.08, 3), (0.01, 2), (0.002, 1))
"""From this share of lost packets on, so many in a row do no harm."""


class Offset:
    """The tick of another clock less our own time in ticks, from samples that come late by a changing delay."""

    __slots__ = ("_samples", "_strays")

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=MOST_SAMPLES)
        self._strays = 0

    def add(self, value: float, now: float, far: float) -> None:
        """One more sample; ``far`` is how many ticks behind it means that the other clock has stood still."""
        while self._samples and self._samples[0][0] < now - WINDOW:
            self._samples.popleft()
        self._strays = self._strays + 1 if self._samples and value < self.greatest() - far else 0
        if self._strays == STRAYS:
            self._samples.clear()
            self._strays = 0
        self._samples.append((now, value))

    @property
    def is_known(self) -> bool:
        return bool(self._samples)

    def greatest(self, left_out: int = 0) -> float:
        """The greatest sample after some that are left out, if there are enough."""
        values = sorted((value for _, value in self._samples), reverse=True)
        return values[min(left_out, len(values) // 4)]

    def spread(self) -> float:
        """How far the samples are apart, without the strays at the lower end."""
        values = sorted(value for _, value in self._samples)
        return values[-1] - values[len(values) // 10]


class InputClock:
    """The ticks of one stay in a room."""

    def __init__(self, rate: int, packet_ticks: int) -> None:
        self._rate = rate
        self._packet_ticks = packet_ticks
        self._interval = 1.0 / rate
        self._snapshots = Offset()
        self._arrivals = Offset()
        self._sent: dict[int, float] = {}
        self._at: float | None = None
        self._losses = 0
        self.loss_measured(FIRST_LOSS)

    # What is measured.

    def snapshot_came(self, tick: int, now: float) -> None:
        self._snapshots.add(tick - self._rate * now, now, FAR * self._rate)

    def input_sent(self, tick: int, now: float) -> None:
        if len(self._sent) == MOST_SENT:
            del self._sent[next(iter(self._sent))]
        self._sent[tick] = now

    def input_came(self, tick: int, margin: int, now: float) -> None:
        """The server says how many ticks early an input was."""
        sent = self._sent.pop(tick, None)
        if sent is not None:
            self._arrivals.add(tick - margin - self._rate * sent, now, FAR * self._rate)

    def loss_measured(self, loss: float) -> None:
        survived = next((count for share, count in LOSSES if loss >= share), 0)
        self._losses = min(survived, MOST_INPUTS // self._packet_ticks - 1)

    # What follows from it.

    @property
    def lead(self) -> int:
        """Ticks by which the newest input of a packet is to be early."""
        return self._packet_ticks - 1 + self._packet_ticks * self._losses + SPARE

    def server_tick(self, now: float) -> float:
        """The tick of the newest snapshot, if they came all the time and without jitter."""
        return self._snapshots.greatest() + self._rate * now

    @property
    def jitter(self) -> float:
        """Ticks by which snapshots come late."""
        return self._snapshots.spread()

    def right_tick(self, now: float, rtt: float) -> float:
        """The tick for which an input that is sent now should be meant."""
        if self._arrivals.is_known:
            return self._arrivals.greatest(LEFT_OUT) + self._rate * now + self.lead
        return self.server_tick(now) + self._rate * rtt + 1 + self.lead

    @property
    def has_place(self) -> bool:
        """Whether the server has said how early an input was."""
        return self._arrivals.is_known

    # The pace.

    @property
    def next_at(self) -> float | None:
        """When the next tick is due; None before the first."""
        return self._at

    def is_due(self, now: float) -> bool:
        return self._at is None or now >= self._at

    def phase(self, now: float) -> float:
        """Which part of the present tick has passed, from 0 to 1."""
        if self._at is None:
            return 1.0
        return min(max(1.0 - (self._at - now) / self._interval, 0.0), 1.0)

    def placed(self, tick: int, now: float, rtt: float, far: float = FAR) -> int:
        """The tick to run now instead of ``tick``: a later one from more than ``far`` seconds behind."""
        right = self.right_tick(now, rtt)
        return max(tick, ceil(right)) if right - tick > far * self._rate else tick

    def ran(self, tick: int, now: float, rtt: float) -> None:
        """A tick was run: plan the next."""
        late = self.right_tick(now, rtt) - tick
        if self._at is None or now - self._at > FAR:
            self._at = now
        if late < -FAR * self._rate:
            self._at = now - late * self._interval
            return
        steer = min(max(late * STEER, -MOST_STEER), MOST_STEER)
        self._at += self._interval * (1.0 - steer)
