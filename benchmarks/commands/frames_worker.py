"""The measuring end of ``python -m benchmarks frames``: one process for each build.

Theory of operation. Two peers play the tutorial's tanks once over a simulated network with three frames of latency, and
all calls to the first one's session are recorded, with the cues and the world that its window asks for after every
frame. In a round the calls are made again to a fresh session. The user's own ``advance`` is measured alone, with the
same inputs, as many times as the session calls it, and is taken off; so is the loop that makes the calls.
"""

import json
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import retick
from benchmarks.commands.recorded_calls import CALLS, CLOCK
from benchmarks.commands.things_worker import tutorials_tanks
from retick.rollback import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions

__all__ = ["Frames", "main"]

LATENCY = 3 / 60
FRAMES = 600
UNTIMED = 60
"""Frames at the beginning of the match, which are not timed."""
PASSES = 3


class _Nothing:
    """Has all calls of a session, and does nothing."""

    world = None

    def __getattr__(self, name: str) -> Callable[..., None]:
        return self._ignored

    def _ignored(self, *_given: Any, **_named: Any) -> None:
        return None


class Frames:
    """A recorded match."""

    def __init__(self, game: Any, bits: int) -> None:
        self._game = game
        self._calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._entropy: list[bytes] = []
        self._details: dict[str, Any] = {}
        self._marks: list[int] = []
        mesh = Mesh(
            game,
            conditions=Conditions(latency=LATENCY),
            press=partial(_pressed, bits, {}),
            make_session={"peer0": self._recorded, "peer1": partial(RollbackSession, sealed=False)},
        )
        mesh.start()
        mesh.play(UNTIMED)
        first = len(self._calls)
        mesh.play(UNTIMED + FRAMES)
        stats = mesh["peer0"].session.stats(now=mesh.network.now)
        rows = mesh["peer0"].rows
        self._inputs = [rows[frame] for frame in sorted(rows)]
        self._first = first
        self.frames = sum(name == "advance" for name, _, _ in self._calls[first:])
        self.steps = (stats.frame + stats.resimulated_frames) / stats.frame
        """How often the game advances for a frame."""
        self.end = (stats.frame, stats.resimulated_frames, mesh.verify(UNTIMED + FRAMES))

    def _recorded(self, sim: Any, **details: Any) -> RollbackSession:
        entropy = details["entropy"]

        def drawn(size: int) -> bytes:
            self._entropy.append(entropy(size))
            return self._entropy[-1]

        self._details = {**details, "sealed": False}
        session = RollbackSession(sim, **{**self._details, "entropy": drawn})
        for name in CALLS:
            setattr(session, name, self._noting(name, getattr(session, name)))
        return session

    def _noting(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            self._calls.append((name, given, named))
            done = call(*given, **named)
            if name == "advance":
                self._calls += [("cues", (), {}), ("world", (), {})]
            return done

        return noted

    def _calls_to(self, target: Any) -> list[Callable[[], Any]]:
        return [
            partial(getattr, target, name) if name == "world" else partial(getattr(target, name), *given, **named)
            for name, given, named in self._calls
        ]

    def _seconds(self, target: Any) -> float:
        calls = self._calls_to(target)
        for call in calls[: self._first]:
            call()
        timed = calls[self._first :]
        started = CLOCK()
        for call in timed:
            call()
        return CLOCK() - started

    def _fresh(self) -> RollbackSession:
        drawn = deque(self._entropy)
        return RollbackSession(self._game(), **{**self._details, "entropy": lambda _size: drawn.popleft()})

    def _own(self) -> float:
        """Seconds of one call of the user's ``advance``: all of them are made within one step."""
        taken = 0.0
        rows = self._inputs

        class Looped(self._game):  # type: ignore[misc, name-defined]  # the base is known when it runs
            def advance(self, inputs: Any) -> None:
                nonlocal taken
                advance = super().advance
                started = CLOCK()
                for row in rows:
                    advance(row)
                taken = CLOCK() - started

        game = Looped()
        game.step_unkept(game.initial_state(1), rows[0])
        return taken / len(rows)

    def measured(self) -> dict[str, float]:
        """Microseconds for each frame: the whole, and of it the user's ``advance``; the best of some passes."""
        whole = min(self._seconds(self._fresh()) for _ in range(PASSES))
        driver = min(self._seconds(_Nothing()) for _ in range(PASSES))
        own = min(self._own() for _ in range(PASSES)) * self.steps
        frame = (whole - driver) / self.frames
        return {"frame": frame * 1e6, "own": own * 1e6}

    def by_call(self) -> dict[str, float]:
        """Microseconds for each frame by call, the user's ``advance`` included; the clock costs some of it."""
        spent: dict[str, float] = {}
        for target, sign in ((self._fresh(), 1.0), (_Nothing(), -1.0)):
            calls = self._calls_to(target)
            for index, call in enumerate(calls):
                name = self._calls[index][0]
                started = CLOCK()
                call()
                if index >= self._first:
                    spent[name] = spent.get(name, 0.0) + sign * (CLOCK() - started)
        return {name: seconds / self.frames * 1e6 for name, seconds in spent.items()}


def _pressed(bits: int, held: dict[int, tuple[int, int]], player: int, _state: Any) -> int:
    """What a person presses: keys held for a quarter of a second or so."""
    dice, pressed = held.get(player, (12345 + player, 0))
    dice = (dice * 1103515245 + 12345) & 0x7FFFFFFF
    if dice >> 16 & 15 == 0:
        pressed = dice >> 8 & bits
    held[player] = (dice, pressed)
    return pressed


def main() -> None:
    """Answer until standard input ends."""
    frames: Frames | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: Any
        if request["ask"] == "form":
            answer = [retick.__file__, retick.is_compiled()]
        elif request["ask"] == "play":
            tanks = tutorials_tanks()
            frames = None if tanks is None else Frames(tanks, 15)
            answer = None if frames is None else [frames.frames, frames.steps, frames.end]
        else:
            assert frames is not None, "play first"
            answer = frames.by_call() if request["ask"] == "calls" else frames.measured()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
