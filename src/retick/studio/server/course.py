"""A server, its bots and the user on a simulated network: what the room shows. Knows no page and no clock."""

# retick: floats -- measurements

from collections import deque
from typing import Any, Final

from retick.authority import ClientConfig
from retick.authority.server.room import Room
from retick.errors import UsageError
from retick.games.runner import CourseBot, NetRunner, RunnerState
from retick.studio.server.runner import Correction, Hands, Runner, Tally
from retick.testing.course_clients import TICK, attach_client, attach_server, bot_seed, make_client
from retick.transport import Conditions, SimulatedNetwork

__all__ = ["MOST_BOTS", "SHOWN_FOR", "YOU", "Course"]

MOST_BOTS: Final = 15
YOU: Final = 0
"""The number of the user's runner; bots count from 1."""
SHOWN_FOR: Final = 0.3
"""Seconds for which a correction is in every frame, so that a page that misses some frames sees it."""
MOST_SHOWN: Final = 64
"""Corrections in a frame."""


class Course:
    """All endpoints of one room. Time passes only in ``run``."""

    def __init__(self, *, seed: int = 1, bots: int = 6, conditions: Conditions | None = None) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=conditions)
        self.profile = NetRunner()
        self.server = attach_server(self.network, self.profile, seed)
        self.hands = Hands()
        self.runners: dict[int, Runner] = {}
        """By number: 0 for the user."""
        self.reset = False
        self.tallies = {False: Tally(), True: Tally()}
        """By whether locomotion was reset."""
        self.watched = 1
        self._seed = seed
        self._joins = 0
        self._corrections: deque[Correction] = deque(maxlen=MOST_SHOWN)
        self._counted = 0
        self.set_bots(bots)

    @property
    def room(self) -> Room:
        """The server's room, which all are in."""
        return self.server.rooms[""]

    # What the user changes.

    def set_bots(self, number: int) -> None:
        """Let bots join or leave until there are so many."""
        for gone in [one for one in self.runners if one > number]:
            self._leave(gone)
        for new in range(1, number + 1):
            if new not in self.runners:
                self._join(new, CourseBot(bot_seed(self._seed, new)))

    def set_playing(self, on: bool) -> None:
        """Let the user have a runner, or take it away."""
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
        """From now on, for each direction of every link."""
        self.network.conditions = conditions
        for runner in self.runners.values():
            self.network.link(runner.name, "server", conditions)

    def set_reset(self, on: bool) -> None:
        """Let all clients reset locomotion at each snapshot, or restore it."""
        self.reset = on
        for runner in self.runners.values():
            runner.set_reset(on)

    def _join(self, number: int, controls: Any) -> None:
        # Each has an address and random bytes of its own: the link of one who left must not be taken for a new one's.
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
            Correction(self._counted, self.network.now, peer_id, metres, before.position, after.position)
        )

    # Time, and what is seen.

    def run(self, seconds: float) -> None:
        """Let time pass."""
        self.network.run(until=self.network.now + seconds)

    def corrections(self) -> list[Correction]:
        """Those of the last moments."""
        since = self.network.now - SHOWN_FOR
        return [one for one in self._corrections if one.time >= since]

    def fixed_bytes(self) -> int:
        """The size of a snapshot of this moment in the fixed form, which is not sent."""
        room = self.room
        return len(room.profile.encode_snapshot(room.tick, [player.view() for player in room.players.values()]))
