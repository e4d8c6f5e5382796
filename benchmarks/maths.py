"""Nanoseconds per call of ``retick.sim.maths`` and ``math`` from Python, and their ratio: python benchmarks/maths.py.

Both are timed in turn, round after round, and the best of each counts.
"""

import argparse
import math
import timeit
from collections.abc import Callable

from retick._kernels import is_compiled
from retick.sim import maths

CALLS = 20_000
ARGUMENTS: dict[str, tuple[tuple[float, ...], ...]] = {
    **dict.fromkeys(("sin", "cos", "tan"), ((0.5,), (3.7,), (10000.0,), (1e22,))),
    **dict.fromkeys(("asin", "acos"), ((0.3,), (0.9,))),
    "atan": ((0.3,), (5.0,)),
    "atan2": ((1.0, 2.0), (-5.0, -3.0)),
    "exp": ((1.3,), (-300.1,)),
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), ((1.01,), (77.7,))),
    "pow": ((1.7, 3.3), (2.0, 0.5)),
    "hypot": ((3.1, 4.2),),
}


def nanoseconds(function: Callable[..., float], arguments: tuple[float, ...]) -> float:
    call = f"f({', '.join(map(repr, arguments))})"
    return timeit.timeit(call, globals={"f": function}, number=CALLS) / CALLS * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="passes of each measurement; the best counts")
    rounds: int = parser.parse_args().rounds
    print(f"retick.sim.maths, {'compiled' if is_compiled() else 'uncompiled'}, against math: ns a call")
    for name, all_arguments in ARGUMENTS.items():
        ours, theirs = getattr(maths, name), getattr(math, name)
        for arguments in all_arguments:
            passes = [(nanoseconds(ours, arguments), nanoseconds(theirs, arguments)) for _ in range(rounds)]
            mine, other = (min(column) for column in zip(*passes, strict=True))
            shown = ", ".join(map(str, arguments))
            print(f"{name + '(' + shown + ')':18} {mine:7.0f} {other:7.0f}   {mine / other:5.2f} times")


if __name__ == "__main__":
    main()
