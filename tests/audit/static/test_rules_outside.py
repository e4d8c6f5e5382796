"""Clocks, randomness, environment, concurrency, I/O and output, however they are named."""

from collections.abc import Callable

import pytest

Check = Callable[[str], None]

USES = {
    "clock": [
        "import time\nx = time.time()",
        "from time import perf_counter as pc\nx = pc()",
        "import time as t\nx = t.monotonic_ns()",
        "import time\nclock = time.perf_counter  # <- clock\nx = clock()",
        "import time\ntime.sleep(1)",
        "from datetime import datetime\nx = datetime.now()",
        "import datetime as dt\nx = dt.date.today()",
        "import importlib\nx = importlib.import_module('time').time()",
        "def step(state, inputs):\n    from time import time\n    return time()",
        "from time import *\nx = perf_counter()",
    ],
    "random": [
        "import random\nx = random.randint(1, 6)",
        "from random import choice as pick\nx = pick([1])",
        "import random\nx = random.Random(1)",
        "import secrets\nx = secrets.token_bytes(4)",
        "import uuid\nx = uuid.uuid4()",
        "import os\nx = os.urandom(4)",
        "import numpy as np\nx = np.random.default_rng(1)",
        "import numpy.random as nr\nx = nr.rand()",
        "from numpy import random as nr\nx = nr.rand()",
        "import random\ndef roll(rng: random.Random):\n    return rng.random()",
    ],
    "environment": [
        "import os\nx = os.environ['HOME']",
        "from os import getenv\nx = getenv('HOME')",
        "import sys\nx = sys.platform",
        "import platform\nx = platform.machine()",
        "import locale\nx = locale.getlocale()",
        "import sys\nx = sys.maxsize",
        "import gc\ngc.collect()",
    ],
    "concurrency": [
        "import threading\nx = threading.Thread()",
        "from concurrent.futures import ThreadPoolExecutor\nx = ThreadPoolExecutor()",
        "import multiprocessing as mp\nx = mp.Pool()",
        "import asyncio\nx = asyncio.Event()",
        "async def step(state, inputs): ...",
    ],
    "io": [
        "x = open('level.json')",
        "x = input()",
        "from pathlib import Path\nx = Path('level.json')",
        "def load(level):\n    return level.read_text()",
        "import socket\nx = socket.socket()",
        "import subprocess\nx = subprocess.run(['ls'])",
        "import os\nx = os.listdir('.')",
        "import os.path\nx = os.path.exists('a')",
        "import urllib.request\nx = urllib.request.urlopen('x')",
        "import shutil as s\ns.rmtree('x')",
        "import pathlib\ndef load(p: pathlib.Path):\n    return p.open()",
    ],
    "output": [
        "print(1)",
        "import logging\nlogging.info('hit')",
        "import logging\nlog = logging.getLogger()  # <- output\ndef f():\n    log.info('x')\nprint()",
        "import sys\nsys.stdout.write('x')",
        "from pprint import pprint\npprint(1)",
    ],
}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in USES.items() for text in texts])
def test_each_way_out_of_the_simulation_is_caught(rule: str, text: str, finds_marked: Check) -> None:
    if text.endswith("x = perf_counter()"):
        text = text.replace("import *", f"import *  # <- {rule}")
    finds_marked(f"{text}  # <- {rule}")


def test_an_engines_clock_is_a_clock(finds_marked: Check) -> None:
    finds_marked("""
        import pygame

        def step(state, inputs):
            return state + pygame.time.get_ticks()  # <- clock
    """)


def test_the_functions_of_a_world_that_are_called_random_and_math_are_safe(finds_nothing: Check) -> None:
    finds_nothing("""
        from retick.sim import Dice, Thing, World, random
        from retick.sim import maths as math
        from retick.sim.random import choice

        class Rock(Thing):
            x: float; y: float; angle: float

            def __init__(self):
                self.x, self.y = random.uniform(0, 800), random.gauss(300, 20)
                self.angle = random.random() * math.tau

        class Rocks(World):
            num_players = 1
            rocks: list[Rock]
            dice: Dice

            def start(self, seed):
                self.rocks = [Rock() for _ in range(random.randint(2, 5))]

            def advance(self, inputs):
                rock = choice(self.rocks)
                rock.x += math.cos(rock.angle) * math.dist((rock.x, rock.y), (0, 0))
                random.shuffle(self.rocks)
    """)


def test_names_that_only_look_like_the_world_are_left_alone(finds_nothing: Check) -> None:
    finds_nothing("""
        import datetime
        import os.path
        import time  # an import that nobody uses harms nobody
        import uuid
        from pathlib import Path, PurePath
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            import pygame
            import random

        def step(state, inputs, time=0, random=None):
            open = state.doors
            input = inputs[0]
            when = datetime.timedelta(days=1)
            name = os.path.join("a", "b") + str(PurePath("a") / "b")
            return time.real + random.value + open[0] + input, when, uuid.UUID(int=3)

        def draw(where: Path, rng: "random.Random") -> None: ...

        if __name__ == "__main__":
            print(step(0.5, [time.time()]))
    """)


def test_the_right_alternative_draws_from_the_state(finds_nothing: Check) -> None:
    finds_nothing("""
        from retick.sim import U32, Record, XorShift32

        class Dice(Record):
            frame: U32
            rng: U32
            shown: U32

        class Game:
            num_players = 1

            def step(self, state, inputs):
                shown, rng = XorShift32(state.rng).between(1, 7)
                return state.replace(frame=state.frame + 1, rng=rng.state, shown=shown)
    """)


@pytest.mark.parametrize(
    "source",
    [
        "import pickle\nclass World:\n    def load(self, saved):\n        self.x = pickle.loads(saved)  # <- pickle\n",
        "from pickle import dumps\nclass World:\n    def save(self):\n        return dumps(self.x)  # <- pickle\n",
        "import dill as p\ndef load(self, saved):\n    self.x = p.loads(saved)  # <- pickle\n",
        "import pickle\ndef load(self, saved):\n    try:\n        pass\n    except pickle.PickleError:\n        pass\n",
    ],
)
def test_a_world_that_is_saved_as_a_pickle_is_found(finds_marked: Check, source: str) -> None:
    finds_marked(source)
