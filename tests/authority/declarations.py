"""Random declarations of worlds, and worlds filled with random values."""

from enum import Enum
from typing import Annotated, Any

from hypothesis import strategies as st

from retick.sim import (
    F64,
    I8,
    I16,
    I64,
    U8,
    U32,
    U64,
    Angle,
    Dice,
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
from retick.sim.kinds import BOOL
from retick.sim.world.members import ReferenceKind, ShapeKind, TextKind, ThingsKind, ValuesKind, members_of

__all__ = ["filled", "worlds"]


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


SCALARS = st.sampled_from(
    [U8, I8, I16, U32, U64, I64, bool, Colour, F64, Angle]
) | st.builds(
    lambda kind, low, size, step: Annotated[kind, Range(low, low + size, step=step)],
    st.sampled_from([F64, Angle]),
    st.sampled_from([-500, -1.5, 0, 7]),
    st.sampled_from([1, 64, 1000.5]),
    st.sampled_from([1, 0.5, 0.01, 1 / 16]),
) | st.builds(
    lambda kind, low, size, step: Annotated[kind, Range(low, low + size, step=step)],
    st.sampled_from([I8, I16, U64]),
    st.sampled_from([-500, 0, 7]),
    st.sampled_from([10, 64, 1000.5]),
    st.sampled_from([1, 2, 7]),
)  # fmt: skip
STEPS = st.sampled_from([None, Range(-500, 500, step=1), Range(0, 64, step=2), Range(-7, 9)])
FINE = st.sampled_from([Range(0, 640, step=1 / 16), Range(-1.5, 99, step=0.1)])
SHAPES = st.builds(
    lambda kind, bounds: kind if bounds is None else Annotated[kind, bounds],
    st.sampled_from([Vector2, Rect, FRect]),
    STEPS,
) | st.builds(lambda kind, bounds: Annotated[kind, bounds], st.sampled_from([Vector2, FRect]), FINE)
TEXTS = st.sampled_from([1, 7, 8, 9, 20, 255]).map(lambda most: Annotated[str, Most(most)]) | st.just(str)


@st.composite
def fields(draw: st.DrawFn, things: list[Any]) -> Any:
    """The annotation of one field; ``things`` are classes that it may use."""
    shape = draw(st.sampled_from(["scalar", "scalar", "optional", "values", "part", "items", "ref", "server", "dice"]))
    if shape in ("part", "items", "ref") and things:
        thing = draw(st.sampled_from(things))
        if shape == "items":
            return Annotated[list[thing], Most(draw(st.integers(1, 3)))]
        if shape == "ref":
            return Ref[thing]
        return draw(st.sampled_from([thing, thing | None]))
    scalar = draw(SCALARS | SHAPES | TEXTS)
    if shape == "optional":
        return scalar | None
    if shape == "values":
        scalar = draw(SCALARS | SHAPES)
        return Annotated[list[scalar], Most(draw(st.integers(1, 4)))]
    if shape == "server":
        return Annotated[scalar, ServerOnly]
    return Dice if shape == "dice" else scalar


@st.composite
def worlds(draw: st.DrawFn) -> Any:
    """A class of worlds."""
    things: list[Any] = []
    for number in range(draw(st.integers(1, 3))):
        named = {f"f{index}": hint for index, hint in enumerate(draw(st.lists(fields(things), max_size=5)))}
        if draw(st.booleans()):
            named["player"] = Player
        things.append(type(Thing)(f"Thing{number}", (Thing,), {"__annotations__": named, "__module__": __name__}))
    hints = {f"f{index}": hint for index, hint in enumerate(draw(st.lists(fields(things), min_size=1, max_size=5)))}
    hints["all"] = Annotated[list[things[-1]], Most(4)]
    return type(World)("Drawn", (World,), {"__annotations__": hints, "num_players": 2, "__module__": __name__})


def _value(draw: Any, kind: Any) -> Any:
    if isinstance(kind, TextKind):
        text = draw(st.text(max_size=kind.most) | st.just("x" * kind.most))
        return text.encode()[: kind.most].decode(errors="ignore")
    if isinstance(kind, ShapeKind):
        return kind.shape(*[_number(draw, each) for _, each in kind.numbers])  # type: ignore[call-arg]  # as many as it has
    return _number(draw, kind)


def _number(draw: Any, kind: Any) -> Any:
    if kind.members:
        return draw(st.sampled_from(kind.members))
    if kind is BOOL:
        return draw(st.booleans())
    if kind.is_real:
        return draw(st.floats(allow_nan=False) | st.floats(-1000, 1000))
    return draw(st.integers(kind.least, kind.greatest) | st.sampled_from([kind.least, kind.greatest]))


def filled(draw: Any, world: Any) -> None:
    """Give every field of a world a random value."""
    _fill(draw, world)
    items: dict[Any, list[Any]] = {}
    _collect(world, items)
    for every in list(items.values()):
        for item in every:
            _link(draw, item, items)


def _fill(draw: Any, cell: Any) -> None:
    for member in members_of(type(cell)):
        kind = member.kind
        if kind.inside is Dice:
            continue
        absent = member.optional and draw(st.booleans())
        if isinstance(kind, ThingsKind):
            made = [_new(draw, kind.inside) for _ in range(draw(st.integers(0, kind.most)))]
            setattr(cell, member.name, made)
        elif isinstance(kind, ValuesKind):
            count = draw(st.integers(0, kind.most))
            setattr(cell, member.name, [_value(draw, kind.each) for _ in range(count)])
        elif kind.inside is not None:
            setattr(cell, member.name, None if absent else _new(draw, kind.inside))
        elif not isinstance(kind, ReferenceKind):
            setattr(cell, member.name, None if absent else _value(draw, kind))


def _new(draw: Any, thing: Any) -> Any:
    given = {member.name: member.kind.zero for member in members_of(thing) if member.is_needed}
    made = thing(**given)
    _fill(draw, made)
    return made


def _collect(cell: Any, items: dict[Any, list[Any]]) -> None:
    for member in members_of(type(cell)):
        inside = member.things(cell)
        if isinstance(member.kind, ThingsKind):
            items.setdefault(member.kind.inside, []).extend(inside)
        for each in inside:
            _collect(each, items)


def _link(draw: Any, cell: Any, items: dict[Any, list[Any]]) -> None:
    for member in members_of(type(cell)):
        target = member.kind.target
        if target is not None and items.get(target):
            setattr(cell, member.name, draw(st.sampled_from(items[target]) | st.none()))
