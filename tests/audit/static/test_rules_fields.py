"""Floats in integer fields, where the state has both kinds."""

from collections.abc import Callable

Check = Callable[[str], None]


def test_each_way_to_give_a_float_to_an_integer_field_is_caught(finds_marked: Check) -> None:
    finds_marked("""
        from typing import Annotated
        from retick.sim import F64, I32, U8, Record, maths

        class Tank(Record):
            x: F64 = 0.5
            y: float = 0.5  # <- float-field
            score: I32 = -0.5  # <- float-field
            fuel: Annotated[U8, "litres"] = 0
            ready: bool = False

        class Game:
            def step(self, state, inputs):
                tank = Tank(x=1.5, score=state.x, fuel=3)  # <- float-field
                tank = tank.replace(x=tank.x / 2, fuel=tank.fuel / 2)  # <- float-field
                return tank.replace(score=maths.sin(1))  # <- float-field
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
