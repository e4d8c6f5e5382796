"""Two ways to fuzz: a flood of mutants at full speed, and a search guided by coverage.

Any exception that a target may not raise, more than a second of CPU for one input, and more memory than MEMORY are
bugs. A bug is a :class:`Found`, with the bytes that show it.
"""

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fuzz import corpus
from fuzz.mutation import Mutator
from fuzz.target import Target, run_one
from fuzz.tracing import Traced

__all__ = ["Found", "Result", "flood", "limit_memory", "mutator_for", "search"]

MEMORY = 1 << 30
"""Bytes of address space that a process may take, which no packet may fill."""
SLOWEST = 1.0
"""Seconds of CPU that one input may take in compiled form; a script may take twenty times as long."""

GoOn = Callable[[int], bool]


class Found(Exception):
    """A bug, with the bytes that show it."""

    def __init__(self, target: Target, data: bytes, error: str) -> None:
        super().__init__(f"{target.name}: {error}\n  bytes: {data.hex()}")
        self.target, self.data, self.error = target, data, error


@dataclass(slots=True, kw_only=True)
class Result:
    """The result of a run."""

    inputs: int = 0
    packets: int = 0
    seconds: float = 0.0
    new: list[bytes] = field(default_factory=list)
    """Inputs that took new steps."""
    steps: int = 0


def limit_memory() -> None:
    """Limit this process's memory, so that it fails with MemoryError."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def mutator_for(target: Target, inputs: list[bytes], seed: int) -> Mutator:
    return Mutator(
        inputs, seed, size=24 if target.is_script else 512, longest=400 if target.is_script else 4096, mend=target.mend
    )


def flood(target: Target, *, seed: int, go_on: GoOn) -> Result:
    """Run mutants of the corpus at full speed, while ``go_on(packets)`` is true."""
    result = Result()
    inputs = corpus.kept(target)
    mutator = mutator_for(target, inputs, seed)
    started = time.perf_counter()
    result.packets += _run_all(target, inputs)
    while go_on(result.packets):
        batch = mutator.batch()
        result.inputs += len(batch)
        result.packets += _run_all(target, batch)
    result.inputs += len(inputs)
    result.seconds = time.perf_counter() - started
    return result


def _run_all(target: Target, batch: list[bytes]) -> int:
    read, refuses, law, packets_in = target.read, target.refuses, target.law, target.packets
    packets = 0
    data = b""
    started = time.process_time()
    try:
        for data in batch:
            try:
                value = read(data)
            except refuses:
                packets += 1
                continue
            if law is not None:
                law(data, value)
            packets += packets_in(value)
    except Exception as error:
        raise Found(target, data, f"{type(error).__name__}: {error}") from error
    if time.process_time() - started > SLOWEST:
        _find_slow(target, batch)
    return packets


def _find_slow(target: Target, batch: list[bytes]) -> None:
    allowed = SLOWEST * (20 if target.is_script else 1)
    for data in batch:
        started = time.process_time()
        run_one(target, data)
        taken = time.process_time() - started
        if taken > allowed:
            raise Found(target, data, f"takes {taken:.1f} s of CPU for {len(data)} bytes")


def search(target: Target, *, seed: int, go_on: GoOn) -> Result:
    """Run mutants of the corpus; one that takes a new step through the source is mutated further."""
    result = Result()
    traced = Traced(target.guides)
    inputs = corpus.kept(target)
    started = time.perf_counter()
    rng = random.Random(seed)
    for data in inputs:
        result.packets += _traced(target, traced, data)[0]
    mutator = mutator_for(target, inputs, seed)
    mutator.inputs = list(inputs)
    while go_on(result.packets):
        batch = mutator.batch()
        # Many strategies make hundreds of similar mutants.
        for data in rng.sample(batch, min(len(batch), 48)):
            packets, is_new = _traced(target, traced, data)
            result.packets += packets
            result.inputs += 1
            if is_new:
                mutator.inputs.append(data)
                result.new.append(data)
            if not go_on(result.packets):
                break
    result.inputs += len(inputs)
    result.steps = len(traced.steps)
    result.seconds = time.perf_counter() - started
    return result


def _traced(target: Target, traced: Traced, data: bytes) -> tuple[int, bool]:
    packets = 0

    def call() -> None:
        nonlocal packets
        packets = run_one(target, data)

    try:
        new = traced.of(call)
    except Exception as error:
        raise Found(target, data, f"{type(error).__name__}: {error}") from error
    return packets, bool(new)
