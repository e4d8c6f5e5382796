"""Changes bytes, in bulk: one call makes hundreds of mutants of one input by one strategy.

The strategies know what formats are made of: lengths and counts in one to four bytes, varints, flags, and parts that
can be cut, repeated, or taken from another input. Nothing here depends on what the target does with a mutant, so the
same seed gives the same mutants in the compiled and the uncompiled form.
"""

import random
from collections.abc import Callable, Sequence

__all__ = ["Mutator"]

EDGES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, (1 << 63) - 1, 1 << 63)
FIELDS = sorted(
    {(value & (1 << 8 * size) - 1).to_bytes(size, order) for value in (*EDGES, -1, -2) for size in (1, 2, 4, 8)
     for order in ("little", "big")}
    # Varints: too long, too large, just within 32 bits, cut.
    | {b"\x80\x00", b"\x80\x80\x00", b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x1f", b"\x80" * 10, b"\xff" * 5}
    # Floats that are not finite, text that is not UTF-8 or not printable.
    | {b"\x00\x00\x80\x7f", b"\x00\x00\xc0\x7f", b"\x00" * 6 + b"\xf0\x7f", b"\xc3\x28", b"\xed\xa0\x80", b"\x1b[2J"}
)  # fmt: skip
BYTES = [bytes((value,)) for value in range(256)]


class Mutator:
    """A stream of mutants of some inputs."""

    def __init__(self, inputs: Sequence[bytes], seed: int, *, size: int = 512, longest: int = 4096,
                 mend: Callable[[bytes], bytes] | None = None) -> None:  # fmt: skip
        """A batch has ``size`` mutants of at most ``longest`` bytes."""
        self.inputs = list(inputs) or [b""]
        self._random = random.Random(seed)
        self._size = size
        self._longest = longest
        self._mend = mend
        self._last: list[bytes] = []

    def batch(self) -> list[bytes]:
        """Make mutants of one input; in a third of the batches, of a mutant of the last batch."""
        rng = self._random
        stacked = self._last and rng.random() < 0.35
        base = rng.choice(self._last if stacked else self.inputs)
        strategy = rng.choice(STRATEGIES)
        mutants = strategy(self, base) if len(base) > 1 else _fresh(self, base)
        if self._mend is not None and rng.random() < 0.5:
            mutants = [self._mend(data) for data in mutants]
        if len(base) > self._longest // 2:
            mutants = [data[: self._longest] for data in mutants]
        self._last = mutants
        return mutants

    def places(self, base: bytes) -> list[int]:
        """Random offsets in ``base``, half of them among the first bytes, where headers are."""
        rng = self._random
        half = self._size // 2
        near = min(len(base), 40)
        return rng.choices(range(len(base)), k=half) + rng.choices(range(near), k=self._size - half)

    def numbers(self, below: int) -> list[int]:
        return self._random.choices(range(below), k=self._size)

    def other(self) -> bytes:
        return self._random.choice(self.inputs)


def _cut(mutator: Mutator, base: bytes) -> list[bytes]:
    """Cut the input at every byte."""
    if len(base) <= mutator._size:
        return [base[:end] for end in range(len(base))]
    return [base[:end] for end in mutator.places(base)]


def _flip(mutator: Mutator, base: bytes) -> list[bytes]:
    """Flip one bit; every one of them if they are few."""
    size = len(base)
    whole = int.from_bytes(base, "big")
    bits: Sequence[int] = range(8 * size) if 8 * size <= mutator._size else mutator.numbers(8 * size)
    return [(whole ^ 1 << bit).to_bytes(size, "big") for bit in bits]


def _noise(mutator: Mutator, base: bytes) -> list[bytes]:
    """Flip a few bits anywhere: one in sixteen to one in 256 of those near the beginning."""
    size = min(len(base), 64)
    head, rest = int.from_bytes(base[:size], "big"), base[size:]
    bits = mutator._random.getrandbits
    count = 8 * size
    return [
        (head ^ (bits(count) & bits(count) & bits(count) & bits(count) & bits(count))).to_bytes(size, "big") + rest
        for _ in range(mutator._size)
    ]


def _byte(mutator: Mutator, base: bytes) -> list[bytes]:
    """Change one byte to another value."""
    values = mutator._random.randbytes(mutator._size)
    return [base[:at] + BYTES[value] + base[at + 1 :] for at, value in zip(mutator.places(base), values, strict=True)]


def _every_value(mutator: Mutator, base: bytes) -> list[bytes]:
    """Try every value of one byte."""
    at = mutator._random.choice(mutator.places(base))
    head, rest = base[:at], base[at + 1 :]
    return [head + value + rest for value in BYTES]


def _field(mutator: Mutator, base: bytes) -> list[bytes]:
    """Overwrite bytes with a number, text or float at the edge of its range."""
    fields = mutator._random.choices(FIELDS, k=mutator._size)
    return [base[:at] + field + base[at + len(field) :] for at, field in zip(mutator.places(base), fields, strict=True)]


def _put(mutator: Mutator, base: bytes) -> list[bytes]:
    """Insert a number, text or float at the edge of its range."""
    fields = mutator._random.choices(FIELDS, k=mutator._size)
    return [base[:at] + field + base[at:] for at, field in zip(mutator.places(base), fields, strict=True)]


def _resize(mutator: Mutator, base: bytes) -> list[bytes]:
    """Change a length or count together with what follows."""
    made = []
    for at, gap, by in zip(mutator.places(base), mutator.numbers(12), mutator.numbers(17), strict=True):
        more = by - 8
        start = at + 1 + gap
        body = base[start:] if more <= 0 else base[start : start + more] + base[start:]
        made.append(base[:at] + BYTES[(base[at] + more) & 255] + base[at + 1 : start] + body[max(-more, 0) :])
    return made


def _count(mutator: Mutator, base: bytes) -> list[bytes]:
    """Increase or decrease a one-byte number a little."""
    steps = mutator.numbers(9)
    return [
        base[:at] + BYTES[(base[at] + step - 4) & 255] + base[at + 1 :]
        for at, step in zip(mutator.places(base), steps, strict=True)
    ]


def _splice(mutator: Mutator, base: bytes) -> list[bytes]:
    """Join the beginning of one input and the end of another."""
    other = mutator.other()
    ends = mutator.numbers(len(other) + 1)
    return [base[:at] + other[end:] for at, end in zip(mutator.places(base), ends, strict=True)]


def _graft(mutator: Mutator, base: bytes) -> list[bytes]:
    """Overwrite a part of one input with a part of another."""
    other = mutator.other()
    starts, sizes = mutator.numbers(len(other) + 1), mutator.numbers(24)
    return [
        base[:at] + (part := other[start : start + size]) + base[at + len(part) :]
        for at, start, size in zip(mutator.places(base), starts, sizes, strict=True)
    ]


def _repeat(mutator: Mutator, base: bytes) -> list[bytes]:
    """Repeat a part."""
    sizes, times = mutator.numbers(32), mutator.numbers(6)
    return [
        base[:at] + base[at : at + size] * (1 + more) + base[at:]
        for at, size, more in zip(mutator.places(base), sizes, times, strict=True)
    ]


def _drop(mutator: Mutator, base: bytes) -> list[bytes]:
    """Remove a part."""
    sizes = mutator.numbers(12)
    return [base[:at] + base[at + 1 + size :] for at, size in zip(mutator.places(base), sizes, strict=True)]


def _fresh(mutator: Mutator, base: bytes) -> list[bytes]:
    """Replace everything after the first few bytes with random bytes."""
    rng = mutator._random
    pool = rng.randbytes(4096)
    keeps, starts, sizes = mutator.numbers(min(len(base), 32) + 1), mutator.numbers(4000), mutator.numbers(80)
    return [base[:keep] + pool[start : start + size] for keep, start, size in zip(keeps, starts, sizes, strict=True)]


STRATEGIES = (
    _cut, _flip, _noise, _noise, _byte, _every_value, _field, _field, _put, _resize, _resize, _count, _splice, _graft,
    _repeat, _drop, _fresh,
)  # fmt: skip
