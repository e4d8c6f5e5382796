"""Scenario B of docs/formats/netrunner-ticks.md on virtual time: a server and two bots run the course over a bad link.

60 ms each way, 10 ms of jitter, half a percent of loss in each direction. The acceptance table compares two runs of the
same seeds: one restores locomotion from snapshots, the other resets it as old clients did. Nothing else differs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from retick.games.runner import COURSE, CourseBot, CourseWorld, Intent, Mode
from retick.netrunner import Client, ClientConfig, NetRunner, RunnerConfig
from retick.netrunner.events import Reconciled
from retick.studio.server.course import TICK, CourseClient, attach_client, attach_server, bot_seed, make_client
from retick.transport import Conditions, SimulatedNetwork

__all__ = ["CONDITIONS", "Check", "Measured", "checks", "run_scenario"]

CONDITIONS: Final = Conditions(latency=0.060, jitter=0.010, loss=0.005)
WARM_UP: Final = 6.0
"""Seconds before anything is measured."""
STILL: Final = 3.0
"""Seconds without input at the end, after which client and server must agree."""
SPIKE: Final = 0.25
"""Metres from which on a correction can be seen."""
SNAP: Final = 1.5
"""Metres from which on a client jumps to the server's position."""


@dataclass(slots=True)
class Measured:
    """What was measured of one client, from 6 s after the start to 1 s before the end."""

    acks: list[tuple[float, int]] = field(default_factory=list)
    """Time in seconds and acknowledged command, at each snapshot."""
    pending: list[int] = field(default_factory=list)
    """Commands that were not acknowledged yet, at each tick."""
    corrections: list[float] = field(default_factory=list)
    """Metres of each correction."""
    snaps: int = 0
    """Corrections that were too large to be smoothed."""
    discontinuities: int = 0
    """Corrections that changed the mode, its timers or the wall's normal."""
    live_payloads: int = 0
    """Snapshots whose locomotion was not an initial one."""
    wall_run_ticks: int = 0
    """Ticks of running along a wall."""
    ticks: int = 0
    """Ticks with input."""
    longest_climb: int = 0
    """Ticks in a row of moving up outside of a wall run."""
    climb: int = 0
    """Ticks of the present one."""
    input_stats: tuple[Any, Any] | None = None
    """The server's counters for this client, at the first and the last snapshot of the window."""
    streak: int = 0
    """Most ticks in a row without a command."""
    divergence: float = -1.0
    """Metres between client and server after the still seconds."""
    resyncs: int = 0
    """Times that the client had to ask for a full snapshot."""
    snapshot_bytes: int = 0
    """Bytes of all snapshots."""

    @property
    def spikes(self) -> int:
        """Corrections that can be seen."""
        return sum(correction > SPIKE for correction in self.corrections)

    @property
    def events(self) -> int:
        """Corrections that are more than rounding."""
        return sum(correction > 0.0005 for correction in self.corrections)

    @property
    def longest_ack_gap(self) -> float:
        """Seconds between two increases of the acknowledged seq."""
        longest, (since, newest) = 0.0, self.acks[0]
        for time, ack in self.acks[1:]:
            if ack > newest:
                longest, since, newest = max(longest, time - since), time, ack
        return longest

    @property
    def ack_rate(self) -> float:
        """Acknowledged commands a second."""
        (start, first), (end, last) = self.acks[0], self.acks[-1]
        return float(last - first) / (end - start)

    @property
    def buffered_share(self) -> float:
        """Share of the server's ticks that had a command of this client."""
        if self.input_stats is None:
            return 0.0
        first, last = self.input_stats
        used = [last[index] - first[index] for index in (2, 3, 4)]
        share: float = used[0] / max(1, sum(used))
        return share

    def reconciled(self, event: Reconciled, now: float) -> None:
        """Measure one correction."""
        self.acks.append((now, event.ack))
        self.corrections.append(event.correction)
        self.snaps += event.raw_xz > SNAP
        self.discontinuities += event.before.locomotion != event.after.locomotion
        self.live_payloads += event.restored.mode not in (Mode.GROUNDED, Mode.AIR) or event.restored.mode_ticks > 0
        self.input_stats = (self.input_stats[0] if self.input_stats else event.stats, event.stats)
        self.streak = max(self.streak, event.stats.missing_streak)

    def moved(self, state: Any) -> None:
        """Measure one tick of the predicted player."""
        self.ticks += 1
        running = state.mode == Mode.WALL_RUN
        self.wall_run_ticks += running
        self.climb = self.climb + 1 if state.vy > 0 and not running else 0
        self.longest_climb = max(self.longest_climb, self.climb)


def run_scenario(
    seed: int,
    *,
    seconds: float = 180.0,
    clients: int = 2,
    config: ClientConfig | None = None,
    conditions: Conditions = CONDITIONS,
    bot: Callable[[int], Any] = CourseBot,
    world: CourseWorld = COURSE,
    runner: RunnerConfig | None = None,
) -> list[Measured]:
    """Run it once; returns the measurements of each client."""
    profile = NetRunner(runner or RunnerConfig(), world)
    network = SimulatedNetwork(seed=seed, conditions=conditions)
    server = attach_server(network, profile, seed)
    runs = []
    for number in range(clients):
        client = make_client(profile, seed, number, config or ClientConfig())
        run = _MeasuredClient(network, f"client {number}", client, bot(bot_seed(seed, number)), seconds)
        attach_client(network, run, phase=(number + 1) * TICK / (clients + 1.5))
        runs.append(run)
    network.run(until=seconds)
    players = server.rooms[""].players
    for run in runs:
        run.finish(players)
    return [run.measured for run in runs]


class _MeasuredClient(CourseClient):
    """One client, and what is measured of it."""

    def __init__(self, network: SimulatedNetwork, name: str, client: Client, bot: Any, seconds: float) -> None:
        super().__init__(network, name, client, bot)
        self.measured = Measured()
        self._end = seconds

    def _is_measured(self, now: float) -> bool:
        return WARM_UP <= now <= self._end - 1.0

    def _is_still(self, now: float) -> bool:
        return now > self._end - STILL

    def on_event(self, event: Any, now: float) -> None:
        if self._is_measured(now) and isinstance(event, Reconciled):
            self.measured.reconciled(event, now)

    def intent(self, player: Any, now: float) -> Any:
        return Intent() if self._is_still(now) else self.bot.decide(player)

    def after_tick(self, player: Any, pending: int, now: float) -> None:
        if self._is_measured(now):
            self.measured.pending.append(pending)
            if not self._is_still(now):
                self.measured.moved(player)

    def finish(self, players: dict[int, Any]) -> None:
        prediction = self.client.prediction
        measured = self.measured
        measured.resyncs = self.client.stats.resyncs
        measured.snapshot_bytes = self.client.stats.snapshot_bytes
        if prediction is not None and prediction.peer_id in players:
            there = players[prediction.peer_id].state.position
            here = prediction.state.position
            measured.divergence = max(abs(a - b) for a, b in zip(here, there, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One row of the acceptance table."""

    name: str
    """What is checked."""
    value: str
    """What was measured, to show."""
    bound: str
    """What it should be, to show."""
    kept: bool
    """Whether it is."""


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def checks(ours: list[Measured], old: list[Measured]) -> list[Check]:
    """The acceptance of docs/formats/netrunner-ticks.md over all clients and seeds; ``old``: runs with the reset."""

    def row(name: str, value: str, bound: str, kept: bool) -> Check:
        return Check(name=name, value=value, bound=bound, kept=kept)

    thirds = [(run.pending[: len(run.pending) // 3], run.pending[-len(run.pending) // 3 :]) for run in ours]
    growth = max(sum(last) / len(last) - sum(first) / len(first) for first, last in thirds)
    falls = sum(b < a for run in ours for (_, a), (_, b) in zip(run.acks, run.acks[1:], strict=False))
    gap, rate = max(run.longest_ack_gap for run in ours), min(run.ack_rate for run in ours)
    pending = max(max(run.pending) for run in ours)
    buffered, streak = min(run.buffered_share for run in ours), max(run.streak for run in ours)
    spikes, old_spikes = sum(run.spikes for run in ours), sum(run.spikes for run in old)
    all_ours = [value for run in ours for value in run.corrections]
    all_old = [value for run in old for value in run.corrections]
    misses = sum(run.discontinuities for run in ours) / len(all_ours)
    old_misses = sum(run.discontinuities for run in old) / len(all_old)
    wall = min(run.wall_run_ticks / run.ticks for run in ours)
    resyncs, snaps = sum(run.resyncs for run in ours), sum(run.snaps for run in ours)
    apart, climb = max(run.divergence for run in ours), max(run.longest_climb for run in ours)
    live = min(run.live_payloads for run in ours)
    p99, old_p99 = _at(all_ours, 0.99), _at(all_old, 0.99)
    return [
        row("ack never falls", f"{falls} falls", "0", falls == 0),
        row("longest time between acks", f"{gap:.3f} s", "<= 0.5 s", gap <= 0.5),
        row("acks a second", f"{rate:.2f}", ">= 57", rate >= 57),
        row("pending commands, most", f"{pending}", "<= 48", pending <= 48),
        row("pending, last third over first", f"{growth:+.2f}", "<= +2", growth <= 2),
        row("resyncs", f"{resyncs}", "0", resyncs == 0),
        row("ticks run on a real command", f"{buffered:.3%}", ">= 98 %", buffered >= 0.98),
        row("longest run without one", f"{streak} ticks", "<= 6", streak <= 6),
        row("corrections over 0.0005 m", f"{sum(run.events for run in ours)} of {len(all_ours):,}", "reported", True),
        row("corrections over 0.25 m", f"{spikes}", "0", spikes == 0),
        row(
            "... with the old reset", f"{old_spikes} of {len(all_old):,}", ">= 20, or it sees nothing", old_spikes >= 20
        ),
        row("correction p99", f"{p99:.4f} m", f"<= {old_p99:.4f} m of the reset", p99 <= old_p99),
        row("largest correction", f"{max(all_ours):.4f} m", f"<= {max(all_old):.4f} m", max(all_ours) <= max(all_old)),
        row("hard snaps", f"{snaps}", "0", snaps == 0),
        row("divergence after 3 s still", f"{apart:.6f} m", "<= 0.003 m", 0 <= apart <= 0.003),
        row("longest climb off a wall", f"{climb} ticks", "<= 60", climb <= 60),
        row("locomotion changed by reconcile", f"{misses:.3%}", f"<= 2 %, reset {old_misses:.1%}", misses <= 0.02),
        row("snapshots with live locomotion", f"{live} or more", "> 0", live > 0),
        row("share of wall run", f"{wall:.1%}", ">= 10 %", wall >= 0.10),
    ]
