"""Matches of the play room: against a bot on a simulated network in real time, or over UDP with another program."""

import asyncio
import os
from collections.abc import Callable
from typing import Any, Protocol

from retick.errors import UsageError
from retick.link import Invite
from retick.playing.link_form import PLAIN, LinkForm
from retick.playing.way_in import WayIn, address_text
from retick.studio.play.shown_game import ShownGame
from retick.studio.play.side import MatchSettings, MatchSide, SeatController
from retick.transport import Impaired, Poll, SimulatedNetwork, open_towards, open_udp
from retick.transport.discovery import own_address

SHORTEST_SLEEP, LONGEST_SLEEP = 0.001, 0.004
"""Shortest and longest sleep in seconds; a match that waits for inputs wakes after the longest."""
GOODBYE = 1.0
"""Seconds for a goodbye to arrive."""
YOU, OTHER = "you", "other"


class RoomMatch(Protocol):
    """A match, as the room needs it."""

    you: MatchSide
    other: MatchSide | None
    """The other peer's side, if it is in this process."""
    names: list[str]
    """Names of the players, by seat."""
    waiting: str
    """The line to show before the match begins."""

    def turn(self) -> bool:
        """Do what is due; True if the user's side ran a frame."""

    def apply(self, settings: MatchSettings) -> None:
        """Use the new positions of the sliders."""

    def sleep(self) -> float:
        """Seconds until something may be due."""

    async def leave(self) -> None:
        """Say goodbye; ``close`` follows."""

    def close(self) -> None:
        """Close sockets and files, also without a goodbye."""


class _SimulatedWire:
    """A driver's wire over a simulated network, with the network's clock."""

    socket = None

    def __init__(self, network: SimulatedNetwork, address: str, endpoint: Any) -> None:
        self.endpoint = endpoint
        self._network = network
        self._address = address
        self._events: list[Any] = []
        network.attach(address, endpoint, on_events=self._events.extend)

    def clock(self) -> float:
        return self._network.now

    def poll(self, now: float) -> list[Any]:
        """Return new events; the network itself has received, woken and sent already."""
        events, self._events[:] = list(self._events), []
        self._network.flush(self._address)
        return events

    def flush(self, now: float) -> None:
        self._network.flush(self._address)

    def close(self) -> None:
        self._network.detach(self._address)


class BotMatch:
    """The user hosts at seat 0; another peer, with a bot at each other seat, joins over a simulated network."""

    waiting = "the peers connect over the simulated network"

    def __init__(
        self, game: ShownGame, style: str, keys: SeatController, settings: MatchSettings, clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self._network = SimulatedNetwork(seed=int(clock() * 1000), conditions=settings.conditions(), start=clock())
        self.you = MatchSide(game, form=PLAIN, controller=keys)  # plain, since all is in this process
        others = self.you.sim.num_players - 1
        self.you.connect(_SimulatedWire(self._network, YOU, self.you.session))
        self.other: MatchSide | None = None
        if others:
            self.other = MatchSide(
                game,
                form=PLAIN,
                seats=others,
                host_address=YOU,
                controller=lambda sim, seed, player: game.bot(sim, seed, player, style),
            )
            self.other.connect(_SimulatedWire(self._network, OTHER, self.other.session))
        called = f"Bot ({style})" if style else "Bot"
        self.names = ["You", *([called] if others == 1 else [f"Bot {number + 1}" for number in range(others)])]
        self._sides = [side for side in (self.you, self.other) if side is not None]
        self.apply(settings)

    def turn(self) -> bool:
        self._network.run(until=self._clock())
        ran = [side.turn() for side in self._sides]
        return ran[0]

    def apply(self, settings: MatchSettings) -> None:
        self._network.link(YOU, OTHER, settings.conditions())
        for side in self._sides:
            side.set(settings)

    def sleep(self) -> float:
        return _sleep(self._sides, self._clock())

    async def leave(self) -> None:
        """Nothing to do: nobody else is there."""

    def close(self) -> None:
        for side in self._sides:
            side.driver.wire.close()


class OnlineMatch:
    """The user's side of a match with another program. The sliders make the real network worse."""

    other: MatchSide | None = None

    def __init__(
        self, game: ShownGame, keys: SeatController, settings: MatchSettings, clock: Callable[[], float],
        *, form: Callable[[Invite | None], LinkForm], port: int | None = None, host: WayIn | None = None,
    ) -> None:  # fmt: skip
        """Host on ``port`` with a new invite, or join ``host``: an IP address with a port, and perhaps an invite."""
        self._clock = clock
        if host is None:
            socket, target = open_udp("0.0.0.0", port or 0), None
            here = address_text(own_address() or "127.0.0.1", socket.address[1])
            invite: Invite | None = Invite.new(here, entropy=os.urandom)
            assert invite is not None
            self.waiting = f"give this invite to the other player, who joins with it: {invite.text()}"
        else:
            (socket, target), invite = open_towards(host.target, 0), host.invite
            self.waiting = f"joining {host.target[0]} port {host.target[1]}"
        try:
            self.you = MatchSide(game, form=form(invite), host_address=target, controller=keys)
            if self.you.sim.num_players < 2:
                raise UsageError("this game is for one player: it cannot be played with others")
        except BaseException:
            socket.close()
            raise
        self._impaired = Impaired(self.you.session)
        self.you.connect(Poll(self._impaired, socket, clock=clock))
        self.names = [f"Player {number + 1}" for number in range(self.you.sim.num_players)]
        self.apply(settings)

    def turn(self) -> bool:
        ran = self.you.turn()
        if self.you.started and self.names[seat := self.you.driver.players[0]] != "You":
            self.names[seat] = "You"
        return ran

    def apply(self, settings: MatchSettings) -> None:
        self._impaired.outgoing.conditions = self._impaired.incoming.conditions = settings.conditions()
        self.you.set(settings)

    def sleep(self) -> float:
        return _sleep([self.you], self._clock())

    async def leave(self) -> None:
        self.you.session.close(linger=GOODBYE / 2)
        end = self._clock() + GOODBYE
        while self._impaired.next_timeout() is not None and self._clock() < end:
            self.you.driver.wire.poll(self._clock())
            await asyncio.sleep(LONGEST_SLEEP)

    def close(self) -> None:
        self.you.driver.wire.close()
        self.you.close_keylog()


def _sleep(sides: list[MatchSide], now: float) -> float:
    """Seconds until the next frame; a late frame waits for inputs, which may come at any time."""
    due = [side.session.next_frame_at for side in sides]
    left = min((time - now for time in due if time is not None and time > now), default=LONGEST_SLEEP)
    late = any(time is None or time <= now for time in due)
    return max(SHORTEST_SLEEP, min(left, LONGEST_SLEEP) if late else left)
