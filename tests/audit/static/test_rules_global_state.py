"""What outlives a frame: module variables, class attributes, defaults, function attributes."""

from collections.abc import Callable

import pytest

Check = Callable[[str], None]

CASES = [
    "COUNT = 0\ndef f():\n    global COUNT  # <- global-state\n    COUNT += 1",
    "LOG = []\ndef f():\n    LOG.append(1)  # <- global-state",
    "TABLE = {}\ndef f(k):\n    TABLE[k] = 1  # <- global-state",
    "TABLE = {}\ndef f(k):\n    TABLE[k] += 1  # <- global-state",
    "TABLE = {}\ndef f(k):\n    del TABLE[k]  # <- global-state",
    "TABLE = {}\ndef f(k):\n    return TABLE.setdefault(k, 1)  # <- global-state",
    "TABLE = {}\ndef f(k):\n    here = TABLE\n    here[k] = 1  # <- global-state",
    "import itertools\nIDS = itertools.count()\ndef f():\n    return next(IDS)  # <- global-state",
    "import heapq\nHEAP = []\ndef f():\n    heapq.heappush(HEAP, 1)  # <- global-state",
    "import settings\ndef f():\n    settings.speed = 3  # <- global-state",
    "import settings\ndef f():\n    settings.levels.append(3)  # <- global-state",
    "def f():\n    globals()['x'] = 1  # <- global-state",
    "def f(seen=[]):  # <- global-state\n    return seen",
    "def f(*, seen={}):  # <- global-state\n    return seen",
    "import collections\nf = lambda seen=collections.deque(): seen  # <- global-state",
    "def f():\n    f.calls = 1  # <- global-state",
    "class G:\n    n = 0\n    def f(self):\n        G.n += 1  # <- global-state",
    "class G:\n    n = 0\n    def f(self):\n        type(self).n += 1  # <- global-state",
    "class G:\n    n = 0\n    def f(self):\n        self.__class__.n += 1  # <- global-state",
    "class G:\n    n = 0\n    @classmethod\n    def f(cls):\n        cls.n += 1  # <- global-state",
    "class G:\n    log = []\n    def f(self):\n        self.log.append(1)  # <- global-state",
    "class G:\n    log = {}\n    def f(self):\n        self.log[1] = 1  # <- global-state",
    "class G: pass\ndef f():\n    setattr(G, 'n', 1)  # <- global-state",
]


@pytest.mark.parametrize("text", CASES)
def test_each_change_of_what_is_shared_is_caught(text: str, finds_marked: Check) -> None:
    finds_marked(text)


def test_own_values_and_tables_made_at_import_are_fine(finds_nothing: Check) -> None:
    finds_nothing("""
        import os
        TABLE = {}
        for n in range(4):
            TABLE[n] = n * n
        TABLE.update({9: 81})

        class Registry:
            names = []
            kinds = []

            def __init_subclass__(cls) -> None:
                cls.kind = 1

            def __init__(self, log=(), limit=3) -> None:
                self.names = []
                self.names.append(limit)

            @classmethod
            def make(cls):
                made = cls()
                made.limit = 3
                return made

        def f(table, item):
            TABLE = {}
            TABLE[item] = 1
            table.append(item)
            local = []
            local.append(TABLE)
            counter = iter(local)
            return next(counter), Registry.names, local
    """)


def test_objects_of_the_class_body_that_a_world_changes_are_named(finds_marked: Check) -> None:
    finds_marked("""
        from typing import Annotated
        from retick.sim import Most, Thing, U8, World

        class Ship(Thing):
            x: U8 = 0

            def move(self):
                self.x += 1

        class Clock:
            ticks = 0

        HERO = Ship()

        class Game(World):
            ships: Annotated[list[Ship], Most(2)]
            grid = [0] * 9
            clock = Clock()
            names = []

            def advance(self, inputs):
                self.grid[3] = 1  # <- global-state
                self.clock.ticks += 1  # <- global-state
                self.names.append("a")  # <- global-state
                HERO.move()  # <- global-state
                HERO.x = 3  # <- global-state
                for ship in self.ships:
                    ship.move()
    """)


def test_a_call_of_the_base_class_changes_no_module(finds_nothing: Check) -> None:
    finds_nothing("""
        class Base:
            def __init__(self, x):
                self.x = x

        class Heir(Base):
            def __init__(self, x):
                Base.__init__(self, x)
    """)
