"""Floats, division and inexact functions: small games that break the rules, and the right alternatives."""

from collections.abc import Callable

import pytest

from retick.audit import audit_source

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


def test_a_game_whose_state_declares_floats_is_clean_if_it_uses_them_safely(finds_nothing: Check) -> None:
    finds_nothing("""
        import math
        from retick.sim import F64, U8, Record, maths

        class Tank(Record):
            x: F64
            y: F64
            heading: F64
            fuel: U8

        class Tanks:
            num_players = 2

            def initial_state(self, seed: int) -> Tank:
                return Tank(x=320.0, y=float(seed % 480), heading=math.pi / 4, fuel=100)

            def step(self, state: Tank, inputs: tuple[int, ...]) -> Tank:
                speed = 2.5 if inputs[0] & 1 else 1e-3
                x = min(max(state.x + speed * maths.cos(state.heading), 0.0), 640.0)
                y = abs(state.y - speed * maths.sin(state.heading)) % 480.0
                far = math.sqrt(x * x + y * y) > 100.5 or math.fsum([x, y]) / 2 >= 3.0
                fuel = state.fuel ** 2 // 100 - round(x) % 2 - math.floor(y) // 1000
                return state.replace(x=x, y=y, heading=maths.wrapped(state.heading + 0.1 * far), fuel=max(fuel, 0))
    """)


def test_a_game_of_declared_floats_is_caught_where_it_is_careless(finds_marked: Check) -> None:
    finds_marked("""
        import math, statistics
        import numpy as np
        from retick.sim import F64, Thing, World

        class Tank(Thing):
            x: F64 = 0.0
            y: F64 = 0.0

        class Tanks(World):
            def advance(self, inputs):
                for tank in self.tanks:
                    tank.x += math.cos(tank.y)  # <- inexact-math
                    tank.y **= 2  # <- inexact-math
                    tank.x = tank.y ** 0.5 + 2 ** -1  # <- inexact-math
                    tank.x = pow(tank.y, 2)  # <- inexact-math
                    tank.x = math.hypot(tank.x, tank.y)  # <- inexact-math
                    tank.x = math.dist((tank.x, 0.0), (0.0, 0.0))  # <- inexact-math
                middle = sum(tank.x for tank in self.tanks) / 4  # <- inexact-math
                middle = statistics.mean([1.0, 2.0])  # <- inexact-math
                middle = np.array([1.0]) @ np.array([2.0])  # <- inexact-math
                middle = np.sum(np.array([1.0, 2.0]))  # <- inexact-math
                middle = complex(1, 2).real + len(self.tanks) ** 2  # <- inexact-math
    """)


def test_the_replacement_is_in_the_text_of_the_finding() -> None:
    (finding,) = audit_source("import math\nx = math.sin(1)\n").findings
    assert "`math.sin`: use `retick.sim.maths.sin`" in str(finding)


def test_each_way_to_give_a_float_to_an_integer_field_is_caught(finds_marked: Check) -> None:
    finds_marked("""
        from typing import Annotated
        from retick.sim import F64, I32, U8, Record, maths

        class Tank(Record):
            x: F64 = 0.5
            y: float = 0.5
            score: I32 = -0.5  # <- float-field
            fuel: Annotated[U8, "litres"] = 0
            ready: bool = False

        class Game:
            def step(self, state, inputs):
                tank = Tank(x=1.5, score=state.x, fuel=3)  # <- float-field
                tank = tank.replace(x=tank.x / 2, fuel=tank.fuel / 2)  # <- float-field
                return tank.replace(score=maths.sin(1))  # <- float-field
    """)


def test_a_plain_float_or_a_vector_of_a_state_is_a_declared_float(finds_nothing: Check) -> None:
    for kind in ("float", "Vector2", "FRect"):
        finds_nothing(f"""
            from retick.sim import FRect, Thing, Vector2, World

            class Tank(Thing):
                speed: {kind}

            class Tanks(World):
                def advance(self, inputs):
                    for tank in self.tanks:
                        tank.speed = tank.speed * 0.5 + tank.speed / 3
        """)


def test_a_plain_float_outside_of_a_state_declares_nothing(finds_marked: Check) -> None:
    finds_marked("""
        class Tank:
            speed: float  # <- float
    """)


def test_a_world_is_checked_at_its_assignments(finds_marked: Check) -> None:
    finds_marked("""
        from retick.sim import F64, U8, Angle, Thing, World
        from retick.sim.maths import floor, sqrt

        class Tank(Thing):
            x: F64 = 0.0
            heading: Angle = 0.0
            fuel: U8 = 0

        class Big(Tank):
            armour: U8 = 0

        class Tanks(World):
            def advance(self, inputs):
                for tank in self.tanks:
                    tank.x += 0.5
                    tank.fuel /= 2  # <- float-field
                    tank.fuel = sqrt(tank.x)  # <- float-field
                    tank.armour = tank.heading + 1  # <- float-field
                    tank.fuel = floor(tank.x) + int(tank.heading)
    """)


def test_a_field_that_is_a_float_elsewhere_in_the_file_is_not_judged(finds_nothing: Check) -> None:
    finds_nothing("""
        from retick.sim import F64, I32, Record

        class Tank(Record):
            x: F64

        class Cell(Record):
            x: I32

        def moved(thing):
            return thing.replace(x=0.5)
    """)


def test_without_float_fields_the_rule_float_speaks(finds_marked: Check) -> None:
    finds_marked("""
        from retick.sim import I32, Record

        class Ball(Record):
            x: I32 = 0.5  # <- float

        def start():
            return Ball(x=1 / 2)  # <- division
    """)
