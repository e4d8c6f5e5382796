"""The largest error of each function over very many arguments: python -m tests.sim.maths.accuracy 10000000 [NAME ...].

Results below 2.2e-308 are told apart: they have fewer digits, and some functions round them a second time. The
reference is the C library in 80-bit floats (numpy.longdouble), which is fast and good to a thousandth of a unit in
the last place; so this needs a machine that has them. The tests use the slower one, in decimal.
"""

import sys
import time
from itertools import islice

import numpy as np

from retick.sim import maths
from tests.sim.maths.samples import NAMES, samples

CHUNK = 100_000
_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}


LEAST_NORMAL = sys.float_info.min

Worst = tuple[float, tuple[float, ...]]


def worst(name: str, count: int, seed: int = 1) -> tuple[Worst, Worst]:
    """The largest error in units in the last place and where it is: of normal results, and of those below them."""
    function, reference = getattr(maths, name), getattr(np, _NUMPY.get(name, name))
    drawn = samples(name, count, seed)
    normal: Worst = (0.0, ())
    below: Worst = (0.0, ())
    while chunk := list(islice(drawn, CHUNK)):
        results = np.array([function(*arguments) for arguments in chunk])
        columns = np.array(chunk).T.astype(np.longdouble)
        true = reference(*columns)
        errors = np.abs(results.astype(np.longdouble) - true) / np.spacing(np.abs(true.astype(np.float64)))
        is_normal = np.abs(true) >= LEAST_NORMAL
        normal = max(normal, _largest(np.where(is_normal, errors, 0), chunk))
        below = max(below, _largest(np.where(is_normal, 0, errors), chunk))
    return normal, below


def _largest(errors: np.ndarray, chunk: list[tuple[float, ...]]) -> Worst:
    at = int(np.argmax(errors))
    return float(errors[at]), chunk[at]


def main() -> None:
    if np.finfo(np.longdouble).nmant < 63:
        sys.exit("numpy.longdouble is not wider than a double on this machine")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CHUNK
    for name in sys.argv[2:] or NAMES:
        started = time.perf_counter()
        (error, arguments), (below, _) = worst(name, count)
        took = time.perf_counter() - started
        print(f"{name:6} {error:.4f} ulp at {arguments}; below 2.2e-308 {below:.4f}; {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
