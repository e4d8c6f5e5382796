"""Worlds whose fields change in every way that there is, and a stage beside a new one after every change."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from retick.authority.layout import layout_of
from retick.authority.rows import Survey
from retick.authority.views import Stage
from retick.sim import (
    F64,
    I8,
    I64,
    NOBODY,
    U8,
    U64,
    Angle,
    Distance,
    FRect,
    Most,
    Player,
    Range,
    Rect,
    Ref,
    ServerOnly,
    Thing,
    Vector2,
    World,
)
from tests.authority.gallery import Gallery
from tests.authority.worlds import Court, Side

__all__ = ["LOST", "WORLDS", "Box", "Cabinet", "Drawer", "Lid", "Where", "same_as_new", "surveys", "tell"]

LOST = 99
"""Hidden in a box that has no place."""
REALS = (0.0, -0.0, 1.0, 1.0 + 2**-52, -3.75, 1e300, float("inf"), float("-inf"), 0.03125, 5e-324)
TEXTS = ("", "a", "eight ch", "b", "nine char", "zöe", "a text of 23 characters", "\U0001f3a8")


class Lid(Thing):
    tilt: Angle = 0.5
    label: Annotated[str | None, Most(24)] = "lid"
    hinge: Vector2 | None = None
    scratches: Annotated[list[Vector2], Most(2)] = [(1, 2)]


class Key(Thing):
    teeth: Annotated[list[U64], Most(3)] = [1 << 63]
    box: Ref["Box"] = None


class Drawer(Thing):
    keys: Annotated[list[Key], Most(2)]
    depth: Annotated[U64 | None, Range(0, 1000, step=5)] = 7
    lid: Lid | None = None


class Box(Thing):
    player: Player = NOBODY
    area: Annotated[FRect, Range(-100, 100, step=1 / 8)] = FRect(0, 0, 4, 4)
    spin: Angle = 0.0
    weight: F64 | None = None
    load: Annotated[I64, Range(-100, 100, step=5)] = 0
    side: Side | None = Side.NONE
    is_shut: bool | None = None
    charge: I8 | None = None
    hidden: Annotated[U8, ServerOnly] = 0
    frame: Rect | None = None
    drawer: Drawer | None = None
    lid: Lid
    levels: Annotated[list[F64], Most(3)]
    shut: Annotated[list[bool], Most(3)] = [True]
    sides: Annotated[list[Side], Most(2)]
    name: Annotated[str, Most(24)] = ""


class Cabinet(World):
    """Every kind of field that can change in a way of its own, and things in the lists of parts of things."""

    num_players = 2
    interest: ClassVar[Any] = Distance(full=10, none=1000, fields=("area",))
    boxes: Annotated[list[Box], Most(4)]
    spare: Annotated[list[Key], Most(3)]
    lid: Lid | None = None

    def do(self, what: int, argument: int, player: int) -> None:
        boxes = self.boxes
        if what == 0 or not boxes:
            if len(boxes) < 4:
                boxes.append(Box(player=player))
            return
        one = boxes[argument % len(boxes)]
        real, text = REALS[argument % len(REALS)], TEXTS[argument % len(TEXTS)]
        drawer, lid = one.drawer, (one.lid if argument & 1 else self.lid)
        if what == 1:
            boxes.remove(one)
        elif what == 2:
            boxes[0], boxes[-1] = boxes[-1], boxes[0]
        elif what == 3:
            setattr(one.area, "xywh"[argument % 4], real)
            one.hidden = argument % 7
        elif what == 4:
            one.weight = None if argument % 3 == 0 else real
            one.side = (None, *Side)[argument % 4]
            one.is_shut = (None, False, True)[argument % 3]
            one.charge = (None, 0, -1, argument)[argument // 3 % 4]
        elif what == 5:
            one.load, one.spin = argument - 60, argument * 0.7
            one.player = (0, 1, NOBODY)[argument % 3]
        elif what == 6:
            one.frame = None if argument % 3 == 0 else Rect(argument, -1, 2, 3)
        elif what == 7 and one.frame is not None:
            one.frame.x = argument % 5
        elif what == 8:
            one.drawer = None if drawer is not None else Drawer(depth=argument, keys=[Key(teeth=[argument])])
        elif what == 9 and drawer is not None:
            drawer.depth = None if argument % 3 == 0 else argument
            drawer.lid = None if drawer.lid is not None else Lid(label=text)
        elif what == 10 and drawer is not None:
            drawer.keys = [*drawer.keys, Key(box=one)][argument & 1 :][-2:]
        elif what == 11:
            self.lid = None if self.lid is not None else Lid(hinge=(argument, 0))
        elif what == 12 and lid is not None:
            lid.hinge = None if argument % 3 == 0 else Vector2(real, 0.0)
            lid.label = None if argument % 5 == 0 else text
            lid.tilt = real if real == abs(real) != float("inf") else 0.0
        elif what == 13 and lid is not None:
            lid.scratches = [*lid.scratches, (argument, real)][argument & 3 :][-2:]
            for scratch in lid.scratches[argument & 1 :]:
                scratch.y = real
        elif what == 14:
            one.levels = [*one.levels, real][argument & 3 :][-3:]
            one.shut = [bool(argument >> bit & 1) for bit in range(argument % 4)]
            one.sides = list(Side)[argument % 3 : argument % 3 + argument % 2 + 1]
        elif what == 15:
            one.name = text[: argument % 24]
            self.spare = [*self.spare, Key(teeth=[argument, 1 << argument % 64])][-3:]
        else:
            for key in self.spare:
                key.box = None if key.box is not None else one
                key.teeth = [*key.teeth, argument][argument & 1 :][-3:]


class Fickle(Distance):
    """Fails at some things."""

    def position(self, thing: Any) -> tuple[float, ...]:
        if thing.hidden == LOST:
            raise LookupError("lost")
        return super().position(thing)


class Where(Cabinet):
    """Whose places a Python function gives."""

    interest: ClassVar[Any] = Fickle(full=10, none=1000, fields=("area.x", "lid.tilt"))


class Quiet(Court):
    def note(self, *_cue: Any) -> None:
        """A cue can be given while the world advances only, and here it does not."""


class Hall(Gallery):
    def do(self, what: int, argument: int, player: int) -> None:
        super().do(what & 7, argument, player)


WORLDS: dict[str, Any] = {"court": Quiet, "gallery": Hall, "cabinet": Cabinet, "where": Where}
SAVE, LOAD, ROUND = range(17, 20)


def tell(survey: Survey) -> str:
    """All that a survey says."""
    rows = [(entity, kind, list(numbers)) for entity, kind, numbers in survey.entities()]
    return f"{survey.tick} {rows} {survey.owners} {survey.holders} {survey.places.tobytes().hex()}"


def same_as_new(stage: Stage, tick: int, seats: Sequence[int | None]) -> Survey:
    """The next survey of a stage, which says what one of a new stage says."""
    going, fresh = stage.survey(tick, seats), Stage(stage.layout, stage.world).survey(tick, seats)
    assert tell(going) == tell(fresh)
    assert going.starts == fresh.starts
    assert all(one is other for one, other in zip(going.cells, fresh.cells, strict=True))
    assert stage.current is going
    return going


def surveys(name: str, deeds: Sequence[tuple[int, int, int]]) -> list[str]:
    """What a stage that goes on says after every deed."""
    world = WORLDS[name]()
    stage = Stage(layout_of(type(world)), world)
    saved = [world.save()]
    lines = []
    for tick, (what, argument, player) in enumerate(deeds, 1):
        if what == SAVE:
            saved.append(world.save())
        elif what == LOAD:
            world.load(saved[argument % len(saved)])
        elif what == ROUND:
            world.load(world.save())
        else:
            world.do(what, argument, player)
        seats = [(None, 0, tick & 7, argument)[(argument + tick * seat) % 4] for seat in range(world.num_players)]
        lines.append(tell(same_as_new(stage, tick, seats)))
    return lines
