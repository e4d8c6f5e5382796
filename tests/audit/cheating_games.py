"""Small games, each with one way of breaking the contract, that the dynamic audit must catch; and an honest one."""

import datetime as dt
import os
import random
import sys
import time
from time import time as clock
from typing import Any, NamedTuple

from retick.errors import UsageError
from retick.sim.world import WorldSimulation

NAMES = frozenset({"sword", "shield", "potion", "torch", "rope", "lamp", "map", "key"})
STEPS = 0


class State(NamedTuple):
    frame: int
    score: int
    last: int


class Honest:
    """The sum of all inputs."""

    num_players = 2

    def initial_state(self, seed: int) -> Any:
        return State(0, seed, 0)

    def bonus(self, state: Any) -> int:
        """What a cheat adds to the score."""
        return 0

    def step(self, state: Any, inputs: Any) -> Any:
        score = (state.score + sum(inputs) + self.bonus(state)) & 0xFFFFFFFF
        return State(state.frame + 1, score, inputs[0])

    def checksum(self, state: Any) -> int:
        return (state.frame * 31 + state.score) & 0xFFFFFFFF

    def fields(self, state: Any) -> Any:
        return zip(("frame", "score", "last"), state, strict=True)


class SetOrder(Honest):
    """From frame 10 on, scores by the first of a set of names."""

    def bonus(self, state: Any) -> int:
        return len(",".join(NAMES).split("o")[0]) if state.frame >= 10 else 0


class TextHash(Honest):
    def bonus(self, state: Any) -> int:
        return hash("sword") % 1000


class Address(Honest):
    def bonus(self, state: Any) -> int:
        return (id(object()) >> 4) % 100_003


class UnsavedAttribute(Honest):
    """Counts combos on the game object."""

    combo = 0

    def bonus(self, state: Any) -> int:
        self.combo += 1
        return self.combo


class RemembersTheStart(Honest):
    """Keeps something of the match on the game object, which a new one never saw."""

    start = 0

    def initial_state(self, seed: int) -> Any:
        self.start = 7
        return super().initial_state(seed)

    def bonus(self, state: Any) -> int:
        return self.start


class GlobalCounter(Honest):
    def bonus(self, state: Any) -> int:
        global STEPS
        STEPS += 1
        return STEPS


class LossySave(Honest):
    """Its bytes leave out the last input."""

    def pack_state(self, state: Any) -> bytes:
        return bytes(f"{state.frame} {state.score}", "ascii")

    def unpack_state(self, data: bytes) -> Any:
        frame, score = data.split()
        return State(int(frame), int(score), 0)


class BrokenSave(Honest):
    def pack_state(self, state: Any) -> bytes:
        return b""

    def unpack_state(self, data: bytes) -> Any:
        raise ValueError("not yet written")


class ChangesItsState(Honest):
    """Moves the state that it was given."""

    def initial_state(self, seed: int) -> Any:
        return [0, seed, 0]

    def step(self, state: Any, inputs: Any) -> Any:
        state[0] += 1
        return list(state)

    def checksum(self, state: Any) -> int:
        return state[0]


class AsksTheDate(Honest):
    def bonus(self, state: Any) -> int:
        return dt.date.today().day


class AsksTheClock(Honest):
    """Reads a clock that it has imported by its name, and whose answer is mostly the same in all interpreters."""

    def bonus(self, state: Any) -> int:
        return int(clock() // 10)


class AsksTheUser(Honest):
    def bonus(self, state: Any) -> int:
        return len(os.environ.get("USER", ""))


class BlindChecksum(TextHash):
    """Its checksum overlooks the field that differs."""

    def checksum(self, state: Any) -> int:
        return state.frame


class SometimesRaises(Honest):
    def bonus(self, state: Any) -> int:
        if state.frame == 3 and hash("sword") % 2:
            raise KeyError("sword")
        return 0


class Chatty(Honest):
    """Prints and reads, which must not confuse the audit's own streams."""

    def bonus(self, state: Any) -> int:
        print("F 0 0 0")
        sys.stdout.flush()
        return len(sys.stdin.read())


class AlwaysRaises(Honest):
    def bonus(self, state: Any) -> int:
        raise ValueError("frame three")


class RandomThenRaises(Honest):
    def bonus(self, state: Any) -> int:
        if state.frame == 5:
            raise UsageError("the score is too high")
        return random.getrandbits(32)


class Endless(Honest):
    def bonus(self, state: Any) -> int:
        while True:
            time.sleep(3600)


class Narrow(Honest):
    """Accepts four buttons."""

    def step(self, state: Any, inputs: Any) -> Any:
        if max(inputs) > 15:
            raise ValueError("buttons are four bits")
        return super().step(state, inputs)


class NoGame:
    num_players = 2


class NeedsArguments(Honest):
    def __init__(self, level: str) -> None:
        self.level = level


ready_made = Honest()


class Diary:
    """An honest world whose save is no bytes."""

    num_players = 2

    def reset(self, seed: int) -> None:
        self.pages = [seed]

    def advance(self, inputs: Any) -> None:
        self.pages = [*self.pages[-3:], sum(inputs)]

    def save(self) -> Any:
        return tuple(self.pages)

    def load(self, saved: Any) -> None:
        self.pages = list(saved)

    def fields(self) -> Any:
        return [("pages", tuple(self.pages))]


class Forgetful(Diary):
    """Its save leaves the last page out."""

    def save(self) -> Any:
        return tuple(self.pages[:-1])


def diary() -> Any:
    return WorldSimulation(Diary())


def forgetful() -> Any:
    return WorldSimulation(Forgetful())
