"""A world as a server runs it, tick by tick, with the states that players have seen. Replays run it the same way.

One stream decides everything: the seed, and for each tick who joined and left before it, the inputs, and how far behind
each player saw the others. The same stream gives the same states wherever it is run.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from retick.errors import UsageError
from retick.sim.world.declared import World
from retick.sim.world.hosting.calls import (
    begin,
    check_owners,
    make_read_only,
    player_joins,
    player_leaves,
    set_host,
    tick,
)
from retick.sim.world.hosting.splice import Apart, Splicer

__all__ = ["HostedWorld"]

Send = Callable[[bytes, tuple[int, ...] | None, bool], None]


def _send_nothing(data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
    """For a run without clients."""


class HostedWorld:
    """One world, its tick, and its last states."""

    def __init__(self, world: World, *, most_past: int, send: Send = _send_nothing) -> None:
        """``most_past``: states that are kept, the newest included; ``send`` is what ``world.send`` does."""
        if most_past < 1:
            raise UsageError(f"at least 1 state is kept, not {most_past}")
        check_owners(type(world))
        self.world = world
        self.tick = 0
        """Ticks that were run."""
        self.send = send
        self._past: deque[bytes] = deque(maxlen=most_past)
        self._behind: Sequence[int] = ()
        self._splicer = Splicer(type(world))
        self._apart: dict[int, Apart] = {}
        """Tick to its state, of those that were looked at."""
        self._shown: dict[tuple[int, int | None], Any] = {}
        """The tick of what is in the past, and for whom, to the read-only instance that shows it."""
        self._spare: list[Any] = []
        """Instances that nobody looks at."""
        set_host(world, self)

    @property
    def past(self) -> tuple[bytes, ...]:
        """The last states, the newest last: each as it was right after its tick, before others joined and left."""
        return tuple(self._past)

    @property
    def saved(self) -> bytes:
        """The newest of them."""
        return self._past[-1]

    def begin(self, seed: int) -> None:
        """Put the world at its start, before anybody has joined."""
        self._restart(0)
        begin(self.world, seed)
        self._past.append(self.world.save())

    def resume(self, saved: bytes, tick: int, past: Iterable[bytes] = ()) -> None:
        """Go on from a saved state; ``past`` are those before it. A DecodeError if these are no saved bytes."""
        self.world.load(saved)
        self._restart(tick)
        self._past.extend(past)
        self._past.append(saved)

    def join(self, player: int) -> tuple[Hashable, ...]:
        """A player is there from the next tick on; returns the cues."""
        self._behind = ()
        return player_joins(self.world, player)

    def leave(self, player: int) -> tuple[Hashable, ...]:
        """A player is no longer there; returns the cues."""
        self._behind = ()
        return player_leaves(self.world, player)

    def advance(self, inputs: Sequence[int], behind: Sequence[int]) -> tuple[Hashable, ...]:
        """Run a tick: one input a seat, and how many ticks behind this one each player saw the others, 1 or more."""
        self._behind = behind
        cues = tick(self.world, inputs)
        self.tick += 1
        self._past.append(self.world.save())
        self._apart.pop(self.tick - len(self._past), None)
        self._forget_shown()
        return cues

    def seen_by(self, player: int, /) -> Any:
        """What ``world.seen_by`` returns: the state with which the tick began.

        In it, things with ``predicted = False`` that belong to others are as they were so many ticks ago, or in the
        oldest state that is kept.
        """
        behind = self._behind[player] if player < len(self._behind) else 1
        behind = max(1, min(behind, len(self._past))) if self._splicer.is_needed else 1
        then = self.tick + 1 - behind
        key = (then, None if behind == 1 else player)
        if key not in self._shown:
            shown = self._spare.pop() if self._spare else self._made()
            shown.load(self.saved if behind == 1 else self._spliced(then, player))
            self._shown[key] = shown
        return self._shown[key]

    def _spliced(self, then: int, player: int) -> bytes:
        return self._splicer.joined(self._taken_apart(self.tick), self._taken_apart(then), player)

    def _taken_apart(self, tick: int) -> Apart:
        if tick not in self._apart:
            self._apart[tick] = self._splicer.taken_apart(self._past[tick - self.tick - 1])
        return self._apart[tick]

    def _made(self) -> Any:
        made = type(self.world)()
        make_read_only(made)
        return made

    def _forget_shown(self) -> None:
        self._spare += self._shown.values()
        self._shown.clear()

    def _restart(self, tick: int) -> None:
        self.tick = tick
        self._past.clear()
        self._apart.clear()
        self._forget_shown()
        self._behind = ()
