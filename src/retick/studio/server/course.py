"""A server and clients that run the runner's course on a simulated network, as the server room shows them.

Every endpoint works at its own tick, as a program does: poll, tick, flush. All randomness comes from one seed. It knows
no page and no clock.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atan2, hypot, inf
from random import Random
from typing import Any, Final, NamedTuple

from retick.authority import Joined
from retick.errors import UsageError
from retick.games.runner import CourseBot, Intent, RunnerState
from retick.netrunner import Client, ClientConfig, NetRunner, Server, ServerConfig
from retick.netrunner.events import Reconciled
from retick.netrunner.server.room import Room
from retick.transport import Conditions, SimulatedNetwork
from retick.wire.values import Plain

# retick: floats -- measurements


TICK: Final = 1 / 60
"""Seconds between two turns of a loop."""


class CourseClient:
    """One client in its loop. Subclasses measure by overriding ``on_event``, ``intent`` and ``after_tick``."""

    def __init__(self, network: SimulatedNetwork, name: str, client: Client, bot: Any) -> None:
        self.network = network
        self.name = name
        self.client = client
        self.bot = bot

    def turn(self) -> None:
        """Read events, run a tick if the client has joined, and send."""
        now = self.network.now
        for event in self.network.poll(self.name):
            self.on_event(event, now)
        client = self.client
        if client.player is not None and client.prediction is not None:
            client.tick(self.intent(client.player, now), now=now)
            self.after_tick(client.player, len(client.prediction.pending), now)
        self.network.flush(self.name)

    def on_event(self, event: Any, now: float) -> None:
        """Called with each event of the client."""

    def intent(self, player: Any, now: float) -> Any:
        """The player's intent for this tick; by default the bot's decision."""
        return self.bot.decide(player)

    def after_tick(self, player: Any, pending: int, now: float) -> None:
        """Called after each tick; ``pending`` commands are not acknowledged yet."""


def attach_server(network: SimulatedNetwork, profile: Any, seed: int) -> Server:
    """Attach a server at the address "server", which works at every tick."""
    server = Server(profile, entropy=Random(seed).randbytes, config=ServerConfig())
    network.attach("server", server, polled=True)

    def turn() -> None:
        network.poll("server")
        network.flush("server")

    network.every(TICK, turn, owner="server")
    return server


def make_client(profile: Any, seed: int, number: int, config: ClientConfig) -> Client:
    """Make client ``number`` of a run."""
    return Client(profile, "server", entropy=Random(bot_seed(seed, number) + 1).randbytes, config=config)


def attach_client(network: SimulatedNetwork, one: CourseClient, *, phase: float) -> None:
    """Let a client run its loop; its ticks come ``phase`` seconds after the server's."""
    network.attach(one.name, one.client, polled=True)
    network.every(TICK, one.turn, phase=phase, owner=one.name)


def bot_seed(seed: int, number: int) -> int:
    """The seed of the bot that plays for client ``number``."""
    return (seed << 8) + number


# One client of the room, controlled by a bot or the user, and its corrections.

# retick: floats -- measurements, and headings that are inputs


WARM_UP: Final = 3.0
"""Seconds after joining, or after a switch, during which corrections do not count: the client still adjusts."""
VISIBLE: Final = 0.25
"""Metres from which a player sees a correction."""
LEAST: Final = 0.0005
"""Metres below which a correction is only rounding."""


class ShownCorrection(NamedTuple):
    """A snapshot has moved a client's player."""

    number: int
    """Running number of the correction in its room."""
    time: float
    """Virtual time in seconds."""
    peer_id: int
    """The runner's peer id."""
    metres: float
    before: tuple[float, float, float]
    after: tuple[float, float, float]


@dataclass(slots=True)
class Tally(Plain):
    """Counts the corrections of all clients."""

    reconciles: int = 0
    corrections: int = 0
    visible: int = 0
    largest: float = 0.0

    def add(self, metres: float) -> None:
        """Count one reconcile."""
        self.reconciles += 1
        self.corrections += metres > LEAST
        self.visible += metres > VISIBLE
        self.largest = max(self.largest, metres)


class Hands:
    """The user's controls: a direction on the course, and the jump key."""

    def __init__(self) -> None:
        self.x = self.z = 0.0
        self.jump = False

    def decide(self, state: RunnerState) -> Intent:
        """Let the runner look where it runs, and stand if no direction is held."""
        length = hypot(self.x, self.z)
        if length < 0.05:
            return Intent(yaw=state.yaw, jump=self.jump)
        # retick: allow inexact-math -- a heading is an input, and inputs are recorded
        return Intent(move_y=min(1.0, length), yaw=atan2(-self.x, -self.z), jump=self.jump)


class Runner(CourseClient):
    """A client in its loop; ``report`` gets each of its corrections: metres, before, after."""

    def __init__(
        self,
        network: SimulatedNetwork,
        name: str,
        client: Client,
        bot: Any,
        *,
        tally: Callable[[], Tally],
        report: Callable[["Runner", float, RunnerState, RunnerState], None],
    ) -> None:
        super().__init__(network, name, client, bot)
        self.recent: deque[tuple[float, float]] = deque(maxlen=64)
        """Time and metres of corrections."""
        self.newest = 0.0
        """The largest correction since ``take_newest``, in metres."""
        self._tally = tally
        self._report = report
        self._counts_from = inf

    def on_event(self, event: Any, now: float) -> None:
        if isinstance(event, Joined):
            self._counts_from = now + WARM_UP
        elif isinstance(event, Reconciled):
            if now >= self._counts_from:
                self._tally().add(event.correction)
            if event.correction > LEAST:
                self.recent.append((now, event.correction))
                self.newest = max(self.newest, event.correction)
                self._report(self, event.correction, event.before, event.after)

    def take_newest(self) -> float:
        """The largest correction since the last call."""
        taken, self.newest = self.newest, 0.0
        return taken

    def in_last_second(self) -> tuple[int, float]:
        """Number of corrections in the last second, and the largest in metres."""
        since = self.network.now - 1.0
        found = [metres for time, metres in self.recent if time >= since]
        return len(found), max(found, default=0.0)

    def set_reset(self, on: bool) -> None:
        """Reset locomotion, or restore it, from the next snapshot on."""
        config = replace(self.client.config, reset_on_reconcile=on)
        self.client.config = config
        if self.client.prediction is not None:
            self.client.prediction.config = config
            self._counts_from = self.network.now + WARM_UP


# retick: floats -- measurements


MOST_BOTS: Final = 15
YOU: Final = 0
"""Number of the user's runner; bots count from 1."""
SHOWN_FOR: Final = 0.3
"""Seconds for which a correction is in every frame, so that a page that misses some frames sees it."""
MOST_SHOWN: Final = 64
"""Most corrections in a frame."""


class Course:
    """All endpoints of one room. Time passes only in ``run``."""

    def __init__(self, *, seed: int = 1, bots: int = 6, conditions: Conditions | None = None) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=conditions)
        self.profile = NetRunner()
        self.server = attach_server(self.network, self.profile, seed)
        self.hands = Hands()
        self.runners: dict[int, Runner] = {}
        """All runners by number; 0 is the user's."""
        self.reset = False
        self.tallies = {False: Tally(), True: Tally()}
        """One tally for each setting of ``reset``."""
        self.watched = 1
        self._seed = seed
        self._joins = 0
        self._corrections: deque[ShownCorrection] = deque(maxlen=MOST_SHOWN)
        self._counted = 0
        self.set_bots(bots)

    @property
    def room(self) -> Room:
        """The server's only room."""
        return self.server.rooms[""]

    # What the user changes.

    def set_bots(self, number: int) -> None:
        """Let bots join or leave until there are ``number``."""
        for gone in [one for one in self.runners if one > number]:
            self._leave(gone)
        for new in range(1, number + 1):
            if new not in self.runners:
                self._join(new, CourseBot(bot_seed(self._seed, new)))

    def set_playing(self, on: bool) -> None:
        """Give the user a runner, or take it away."""
        if on and YOU not in self.runners:
            self._join(YOU, self.hands)
            self.watched = YOU
        elif not on and YOU in self.runners:
            self._leave(YOU)

    def watch(self, number: int) -> None:
        """Show what this runner's client sees."""
        if number not in self.runners:
            raise UsageError("there is no such runner" if number else "you have no runner: join first")
        self.watched = number

    def set_conditions(self, conditions: Conditions) -> None:
        """Set the conditions of each direction of every link."""
        self.network.conditions = conditions
        for runner in self.runners.values():
            self.network.link(runner.name, "server", conditions)

    def set_reset(self, on: bool) -> None:
        """Let all clients reset locomotion at each snapshot, or restore it."""
        self.reset = on
        for runner in self.runners.values():
            runner.set_reset(on)

    def _join(self, number: int, controls: Any) -> None:
        # Every client has its own address and random bytes, so that the link of one that left is not mistaken for its.
        self._joins += 1
        client = make_client(self.profile, self._seed, self._joins, ClientConfig(reset_on_reconcile=self.reset))
        name = f"runner {number}"
        self.runners[number] = runner = Runner(
            self.network, name, client, controls, tally=lambda: self.tallies[self.reset], report=self._note
        )
        self.network.link(name, "server", self.network.conditions)
        attach_client(self.network, runner, phase=(number + 1) * TICK / (MOST_BOTS + 2))

    def _leave(self, number: int) -> None:
        runner = self.runners.pop(number)
        peer_id = runner.client.peer_id
        runner.client.close("goodbye")
        self.network.flush(runner.name)
        self.network.detach(runner.name)
        if peer_id in self.room.players:
            self.server.drop(peer_id)  # the goodbye may be lost, and the seat would wait for its player
        if self.watched == number:
            self.watched = min(self.runners)

    def _note(self, runner: Runner, metres: float, before: RunnerState, after: RunnerState) -> None:
        self._counted += 1
        peer_id = runner.client.peer_id or 0
        self._corrections.append(
            ShownCorrection(self._counted, self.network.now, peer_id, metres, before.position, after.position)
        )

    # Time, and what is seen.

    def run(self, seconds: float) -> None:
        """Let time pass."""
        self.network.run(until=self.network.now + seconds)

    def corrections(self) -> list[ShownCorrection]:
        """The corrections of the last ``SHOWN_FOR`` seconds."""
        since = self.network.now - SHOWN_FOR
        return [one for one in self._corrections if one.time >= since]

    def fixed_bytes(self) -> int:
        """The size that a fixed snapshot of this moment would have."""
        room = self.room
        return len(room.profile.encode_snapshot(room.tick, [player.view() for player in room.players.values()]))
