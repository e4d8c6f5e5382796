"""step() changes neither what it was given nor its game object."""

import textwrap
from collections.abc import Callable

import pytest

Check = Callable[[str], None]


def game(body: str, before: str = "") -> str:
    return (
        "import copy, dataclasses, heapq\n"
        + textwrap.dedent(before)
        + "\nclass Game:\n    def step(self, state, inputs):\n"
        + textwrap.indent(textwrap.dedent(body), " " * 8)
        + "\n        return state\n"
    )


CHANGES = [
    "state.x = 1  # <- state-mutation",
    "state.x += 1  # <- state-mutation",
    "state['x'] = 1  # <- state-mutation",
    "state.x, y = 1, 2  # <- state-mutation",
    "state.p1.hp -= 25  # <- state-mutation",
    "state.players[0].hp = 3  # <- state-mutation",
    "del state.x  # <- state-mutation",
    "state.items.append(1)  # <- state-mutation",
    "state.items.sort()  # <- state-mutation",
    "x = state.items.pop()  # <- state-mutation",
    "state.update(x=1)  # <- state-mutation",
    "setattr(state, 'x', 1)  # <- state-mutation",
    "object.__setattr__(state, 'x', 1)  # <- state-mutation",
    "heapq.heappush(state.queue, 1)  # <- state-mutation",
    "inputs[0] = 1  # <- state-mutation",
    "p = state.p1\np.x = 1  # <- state-mutation",
    "a, b = state.players\nb.x = 1  # <- state-mutation",
    "for p in state.players:\n    p.x += 1  # <- state-mutation",
    "for i, p in enumerate(state.players):\n    p.x += i  # <- state-mutation",
    "for p in list(state.players):\n    p.x += 1  # <- state-mutation",
    "players = list(state.players)\nplayers[0].x = 1  # <- state-mutation",
    "new = copy.copy(state)\nnew.items.append(1)  # <- state-mutation",
    "new = dataclasses.replace(state, x=1)\nnew.p1.x = 2  # <- state-mutation",
    "items = state.items\nitems += [1]  # <- state-mutation",
    "p = state.p1 if inputs[0] else state.p2\np.x = 1  # <- state-mutation",
    "p = None\nif inputs[0]:\n    p = state.p1\nif p:\n    p.x = 1  # <- state-mutation",
    "p = inputs\nwhile p:\n    p.x = 1  # <- state-mutation\n    p = state.next",
    "if (p := state.p1):\n    p.x = 1  # <- state-mutation",
    "match state:\n    case [first, *rest]:\n        first.x = 1  # <- state-mutation",
    "with inputs as held:\n    held.x = 1  # <- state-mutation",
    "try:\n    p = state.p1\nexcept KeyError:\n    p = None\np.x = 1  # <- state-mutation",
    "def change():\n    state.x = 1  # <- state-mutation\nchange()",
    "best = max(state.players)\nbest.x = 1  # <- state-mutation",
    "self.combo = 1  # <- hidden-state",
    "self.combo += 1  # <- hidden-state",
    "self.log.append(1)  # <- hidden-state",
    "cache = self.cache\ncache[state] = 1  # <- hidden-state",
]


@pytest.mark.parametrize("body", CHANGES)
def test_each_change_of_what_step_was_given_is_caught(body: str, finds_marked: Check) -> None:
    finds_marked(game(body))


RIGHT = [
    "state = copy.deepcopy(state)\nstate.p1.x = 1",
    "new = copy.copy(state)\nnew.x = 1",
    "new = dataclasses.replace(state, items=[])\nnew.items.append(1)",
    "new = copy.copy(state)\nnew.items = []\nnew.items.append(1)",
    "new = state.replace(x=1)\nnew.x = 3",
    "players = list(state.players)\nplayers[0] = None\nplayers.append(1)",
    "players = list(state.players)\nplayers[0] = copy.copy(players[0])\nplayers[0].x = 1",
    "players = [copy.copy(p) for p in state.players]\nplayers[0].x = 1",
    "players = state.players[:]\nplayers.append(1)",
    "hp = state.hp\nhp -= 1",
    "pos = state.pos.add(state.speed)\npos = pos.update(3)",
    "d = {**state.table}\nd['x'] = 1",
    "row = [0] * 3\nrow[0] = state.x\nrow.append(state.y)",
    "for p in copy.deepcopy(state.players):\n    p.x = 1",
    "if inputs[0]:\n    return state\nstate = make(state)\nstate.x = 1",
]


@pytest.mark.parametrize("body", RIGHT)
def test_new_states_and_copies_are_fine(body: str, finds_nothing: Check) -> None:
    finds_nothing(game(body, before="def make(state): return copy.deepcopy(state)"))


def test_the_other_methods_of_the_contract_must_not_change_the_state(finds_marked: Check) -> None:
    finds_marked("""
        class Game:
            def __init__(self):
                self.speed = 3

            def step(self, state, inputs):
                return state

            def checksum(self, state):
                state.cached = 1  # <- state-mutation
                return 1

            def fields(self, state):
                state.names.sort()  # <- state-mutation
                return []
    """)


def test_a_step_of_its_own_is_a_step(finds_marked: Check) -> None:
    finds_marked("""
        def step(world, inputs):
            world.frame += 1  # <- state-mutation
            return world

        def steps(world):
            world.frame += 1
    """)


def test_a_mutable_world_may_change_itself(finds_nothing: Check) -> None:
    finds_nothing("""
        class World:
            def step(self, inputs):
                self.frame += 1
                self.players[0].x += inputs[0]
    """)
