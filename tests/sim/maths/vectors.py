"""Reads tests/vectors/maths; run as a module, it writes the file again: python -m tests.sim.maths.vectors.

A line of a function has the bits of its arguments and of its result as sixteen hexadecimal digits each, or in place
of the result the error. Integer forms have plain numbers.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

from retick.sim import fixed, maths
from tests.sim.maths.samples import EDGES, NAMES, samples
from tests.twin import outcome

__all__ = ["FILE", "bits", "number", "read", "told"]

FILE = Path(__file__).parents[2] / "vectors" / "maths" / "bits.json"
TWO_ARGUMENTS = frozenset({"atan2", "pow", "hypot"})
NAN = float("nan")
SPECIAL = (0.0, 1.0, 2.0, 3.0, 0.5, 1e200, 5e-324, maths.inf)


def bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def number(digits: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(digits))[0]
    return value


def told(name: str, arguments: tuple[float, ...]) -> str:
    """The bits of a result, or the error with its text."""
    result = outcome(getattr(maths, name), *arguments)
    return bits(float(result)) if ": " not in result else result


def read() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = json.loads(FILE.read_text(encoding="ascii"))
    return found


def _arguments(name: str) -> Iterator[tuple[float, ...]]:
    if name in TWO_ARGUMENTS:
        signed = [sign * value for value in SPECIAL for sign in (1, -1)]
        yield from ((a, b) for a in signed for b in signed)
        yield from ((NAN, 1.0), (1.0, NAN))
    else:
        yield from ((sign * value,) for value in (*EDGES, maths.inf) for sign in (1, -1))
        yield (NAN,)
    yield from samples(name, 150, seed=7)


def _made() -> dict[str, list[list[str]]]:
    found = {name: [[*map(bits, arguments), told(name, arguments)] for arguments in _arguments(name)] for name in NAMES}
    angles = range(-70_000, 140_000, 1543)
    found["fixed.sin"] = [[str(a), "65536", str(fixed.sin(a, 65536))] for a in angles]
    found["fixed.cos"] = [[str(a), "1000", str(fixed.cos(a, 1000))] for a in angles]
    points = [(y, x) for y in (-30_000, -7, -1, 0, 1, 5, 4096) for x in (-99_999, -8, -1, 0, 1, 3, 12_345)]
    found["fixed.atan2"] = [[str(y), str(x), str(fixed.atan2(y, x))] for y, x in points]
    found["fixed.length"] = [[str(x), str(y), str(fixed.length(x, y))] for x, y in points]
    return found


def main() -> None:
    lines = [
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(line) for line in rows) + "\n]"
        for name, rows in _made().items()
    ]
    FILE.write_text("{" + ",\n".join(lines) + "}\n", encoding="ascii")


if __name__ == "__main__":
    main()
