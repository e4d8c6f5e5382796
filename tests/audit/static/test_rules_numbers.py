"""Floats, division and inexact functions: small games that break the rules, and the right alternatives."""

from collections.abc import Callable

import pytest

Check = Callable[[str], None]


def test_a_game_of_floats_is_caught(finds_marked: Check) -> None:
    finds_marked("""
        from dataclasses import dataclass, replace

        @dataclass(frozen=True)
        class Ball:
            x: float  # <- float
            speed: "float | None" = None  # <- float

        class Game:
            num_players = 1

            def initial_state(self, seed: int) -> Ball:
                return Ball(x=float(seed), speed=0.25)  # <- float

            def step(self, state: Ball, inputs: tuple[int, ...]) -> Ball:
                return replace(state, x=state.x + 1e-3 * inputs[0])  # <- float
    """)


def test_a_game_of_fixed_point_is_clean(finds_nothing: Check) -> None:
    finds_nothing("""
        import math
        from retick.sim import fixed
        from retick.sim import I32, Record

        class Ball(Record):
            x: I32
            speed: I32

        class Game:
            num_players = 1

            def step(self, state: Ball, inputs: tuple[int, ...]) -> Ball:
                distance = math.isqrt(state.x ** 2 + state.speed ** 2)
                if isinstance(inputs[0], float):
                    raise TypeError("integers only")
                return state.replace(x=fixed.div(state.x, 3, 1000) + distance // 2 % 7)
    """)


@pytest.mark.parametrize(
    "line",
    [
        "x = 3j",
        "x = complex(1, 2)",
        "x = float('1')",
        "x = float.fromhex('0x1p-2')",
        "x = list(map(float, [1]))",
        "def f(x: 'float') -> None: ...",
        "def f(x: list[float]) -> None: ...",
        "def f() -> float: ...",
        "import math\nx = math.sqrt(4)",
        "import math\nx = math.pi",
        "from math import inf as far\nx = far",
        "from decimal import Decimal\nx = Decimal(3)",
        "import statistics\nx = statistics.mean([1, 2])",
        "import struct\nx = struct.unpack('<f', b'0000')",
        "from array import array\nx = array('d')",
        "import numpy as np\nx = np.float32(1)",
        "import numpy as np\nx = np.zeros(4)",
        "import numpy as np\nx = np.zeros(4, dtype='float32')",
        "import numpy as np\nx = np.zeros(4, dtype='<f4')",
        "from numpy import mean\nx = mean([1])",
        "import ctypes\nx = ctypes.c_double(1)",
        "import cython\nx: cython.double",
        "import math\nx = getattr(math, 'x') or math.inf",
    ],
)
def test_each_way_to_a_float_is_caught(line: str, finds_marked: Check) -> None:
    *before, last = line.split("\n")
    finds_marked("\n".join([*before, f"{last}  # <- float"]))


@pytest.mark.parametrize(
    "line",
    [
        "x = 7 / 2",
        "x = 7\nx /= 2",
        "x = 2 ** -1",
        "x = pow(2, -1)",
        "import operator\nx = operator.truediv(7, 2)",
        "from operator import truediv as half\nx = half(7, 2)",
        "import numpy\nx = numpy.divide(7, 2)",
    ],
)
def test_each_true_division_is_caught(line: str, finds_marked: Check) -> None:
    *before, last = line.split("\n")
    finds_marked("\n".join([*before, f"{last}  # <- division"]))


@pytest.mark.parametrize(
    "line",
    [
        "import math\nx = math.sin(1)",
        "from math import atan2 as angle\nx = angle(1, 2)",
        "import math as m\nx = m.hypot(3, 4)",
        "from math import *\nx = cos(1)",
        "import math\nx = math.pow(2, 3)",
        "import math\nf = math.exp",
        "import cmath\nx = cmath.sqrt(1)",
        "import numpy as np\nx = np.sin(1)",
        "import numpy as np\nx = np.linalg.norm([1])",
        "sine = __import__('math').sin",
    ],
)
def test_each_inexact_function_is_caught(line: str, finds_marked: Check) -> None:
    *before, last = line.split("\n")
    finds_marked("\n".join([*before, f"{last}  # <- inexact-math"]))


def test_integers_stay_silent(finds_nothing: Check) -> None:
    finds_nothing("""
        import math, operator, struct
        import numpy as np

        def f(n: int, path: str) -> int:
            match n:
                case float():
                    raise TypeError
            if type(n) is float or not isinstance(n, (int, float)):
                raise TypeError
            a = math.isqrt(n) + math.gcd(n, 2) + math.lcm(2, 3) + math.comb(4, 2) + math.perm(3) + math.factorial(3)
            a += math.floor(n) + math.ceil(n) + math.trunc(n) + math.prod([1, 2])
            b = 2 ** 3 + pow(2, 3, 5) + pow(3, -1, 7) + operator.floordiv(7, 2) + 7 // 2 + divmod(7, 2)[0]
            c = struct.unpack("<IhQ", bytes(14))[0] + int(np.zeros(3, dtype=np.int32)[0])
            return a + b + c + round(n)
    """)


def test_declared_floats_are_excused_and_inexact_functions_are_not(finds_marked: Check) -> None:
    finds_marked("""
        # retick: floats -- the server decides, clients only predict
        import math, random

        def step(state: float, inputs: tuple[int, ...]) -> float:
            half = state / 2 + 0.5 + math.sqrt(2)
            half += math.sin(half)  # <- inexact-math
            half += half ** 0.5  # <- inexact-math
            half += sum([half, 1.0])  # <- inexact-math
            half += sum(1 for _ in inputs) + sum([1, 2])
            return half + random.random()  # <- random
    """)
