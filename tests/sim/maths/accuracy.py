"""The largest error of each function over very many arguments: python -m tests.sim.maths.accuracy 10000000.

The reference is the C library in 80-bit floats (numpy.longdouble), which is fast and good to a thousandth of a unit
in the last place; so this needs a machine that has them. The tests use the slower one, in decimal.
"""

import sys
import time
from itertools import islice

import numpy as np

from retick.sim import maths
from tests.sim.maths.samples import NAMES, samples

CHUNK = 100_000
_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}


def worst(name: str, count: int, seed: int) -> tuple[float, tuple[float, ...]]:
    """The largest error in units in the last place, and where it is."""
    function, reference = getattr(maths, name), getattr(np, _NUMPY.get(name, name))
    drawn = samples(name, count, seed)
    found: tuple[float, tuple[float, ...]] = (0.0, ())
    while chunk := list(islice(drawn, CHUNK)):
        results = np.array([function(*arguments) for arguments in chunk])
        columns = np.array(chunk).T.astype(np.longdouble)
        true = reference(*columns)
        errors = np.abs(results.astype(np.longdouble) - true) / np.spacing(np.abs(true.astype(np.float64)))
        at = int(np.argmax(errors))
        found = max(found, (float(errors[at]), chunk[at]))
    return found


def main() -> None:
    if np.finfo(np.longdouble).nmant < 63:
        sys.exit("numpy.longdouble is not wider than a double on this machine")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CHUNK
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for name in NAMES:
        started = time.perf_counter()
        error, arguments = worst(name, count, seed)
        print(f"{name:6} {error:.3f} ulp at {arguments}, {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
