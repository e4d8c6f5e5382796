"""Turns the annotations of a class into its plan: which fields there are, where they are held, how they are packed."""

import dataclasses
import struct
import sys
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Annotated, Any, ClassVar, Final, TypeVar, get_args, get_origin, get_type_hints

from retick.errors import SchemaError, UsageError
from retick.sim.kinds import F64, U8, Kind, Most, read_annotation
from retick.sim.world.advice import advice_on
from retick.sim.world.boxes import boxes_of
from retick.sim.world.members import (
    CacheKind,
    Member,
    PartKind,
    Range,
    ReferenceKind,
    ThingsKind,
    ValuesKind,
    Visible,
    value_kind_of,
)
from retick.sim.world.storage import IS_COMPILED, Cell, FieldAttribute, FieldPlan, Root, Step, ThingPlan

# What a declaration of a world can say about a field besides its type.


T = TypeVar("T")


OwnerOnly: Final = Visible.OWNER
"""Marks a field that a server sends only to the owner of the thing."""
ServerOnly: Final = Visible.SERVER
"""Marks a field that a server does not send."""


class Mark(Enum):
    """Marks in the annotations below."""

    REF = "reference"
    CACHE = "cache"
    ANGLE = "angle"
    PLAYER = "player"
    JUMPS = "jumps"


Ref = Annotated[T | None, Mark.REF]
"""A reference to an item of a list, saved as its id; None once the item has left its list."""
Cache = Annotated[T, Mark.CACHE]
"""A value that is not saved: a load resets it to its default, then calls the world's ``rebuild``."""
Angle = Annotated[F64, Mark.ANGLE]
"""A float in radians. Drawing between two states turns it the shorter way round."""
Player = Annotated[U8, Mark.PLAYER]
"""The owner of a thing: a seat, 0 to ``num_players - 1``, or ``NOBODY``. A class has at most one such field."""
NOBODY: Final = 255
"""The ``Player`` of a thing that has no owner."""
Jumps = Annotated[U8, Mark.JUMPS]
"""How often a thing has jumped to another place, modulo 256. When it changes, drawing between two states does not
move the thing from one place to the other. A class has at most one such field."""


LIST_ITEMS = 1024
"""The most items of a list that is declared without ``Most``."""
_NOTHING = object()


class Later:
    """Stands for a class that a reference names before it is declared."""

    def __init__(self, name: str, module: str) -> None:
        self.__name__, self.module = name, module

    def __or__(self, _other: Any) -> "Later":
        return self

    __ror__ = __or__

    def __call__(self) -> None:
        """Never called: exists because only callables may stand in an annotation."""

    def found(self, where: str) -> type:
        """The class that was meant; it must be declared by now."""
        # retick: allow environment -- the module of the game itself, on every peer
        kind = vars(sys.modules[self.module]).get(self.__name__) if self.module in sys.modules else None
        if not isinstance(kind, type):
            raise UsageError(f"{where} refers to {self.__name__}, which is not declared in {self.module}")
        return kind


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of the fields. A ``Later`` stands for a class that is not declared yet."""
    later: dict[str, Any] = {cls.__name__: Later(cls.__name__, cls.__module__)}
    while True:
        try:
            hints = get_type_hints(cls, localns=later, include_extras=True)
            break
        except NameError as error:
            if error.name is None or error.name in later:
                raise SchemaError(f"{cls.__name__}: {error}") from None
            later[error.name] = Later(error.name, cls.__module__)
        except TypeError as error:
            raise SchemaError(f"{cls.__name__}: {error}") from None
    # The library's own classes are annotated too.
    own = {name for base in cls.__mro__[1:] if "_members" not in vars(base) for name in get_type_hints(base)}
    return {
        name: hint
        for name, hint in hints.items()
        if get_origin(hint) is not ClassVar and (name not in own or name in vars(cls).get("__annotations__", ()))
    }


def member_of(owner: str, name: str, hint: Any) -> Member:
    """What one annotation declares."""
    said = read_annotation(hint)
    hint, optional = said.hint, said.is_optional
    common: dict[str, Any] = {
        "name": name,
        "visible": said.mark(Visible) or Visible.ALL,
        "range": said.mark(Range),
    }
    most = said.mark(Most)
    if Mark.CACHE in said.marks:
        return Member(kind=CacheKind(), **common)
    if Mark.REF in said.marks:
        if not isinstance(hint, Later) and not _is_thing(hint):
            raise SchemaError(f"{owner}.{name}: a reference is to a class of things, not to {hint!r}")
        return Member(kind=ReferenceKind(hint), **common)
    if get_origin(hint) is list:
        if optional:
            raise SchemaError(f"{owner}.{name}: a list may be empty, never None: write it without | None")
        return _list_member(owner, get_args(hint)[0], LIST_ITEMS if most is None else most.count, common)
    if said.kind is not None:
        is_player, is_jumps = Mark.PLAYER in said.marks, Mark.JUMPS in said.marks
        if optional and (is_player or is_jumps):
            raise SchemaError(
                f"{owner}.{name} cannot be None: a thing of no player has the Player NOBODY, and Jumps is 0"
            )
        common |= {"is_angle": Mark.ANGLE in said.marks, "is_player": is_player, "is_jumps": is_jumps}
        return Member(kind=said.kind, optional=optional, **common)
    kind = PartKind(hint) if _is_thing(hint) else value_kind_of(hint, None if most is None else most.count)
    if kind is not None:
        return Member(kind=kind, optional=optional, **common)
    if isinstance(hint, Later):
        raise SchemaError(
            f"{owner}.{name}: {hint.__name__} is not declared yet: move its class above {owner}, or write "
            f'Ref["{hint.__name__}"] if it only refers to one that is in a list'
        )
    raise SchemaError(f"{owner}.{name} {advice_on(hint)}")


def _list_member(owner: str, hint: Any, most: int, common: dict[str, Any]) -> Member:
    each = member_of(owner, common["name"], hint)
    if each.optional or not each.kind.is_listed:
        raise SchemaError(
            f"{owner}.{common['name']}: a list holds things, numbers, bools, enums, vectors or rectangles, not {hint!r}"
        )
    inside = each.kind.inside
    kind = ValuesKind(each.kind, most) if inside is None else ThingsKind(inside, most)
    common["range"] = common["range"] or each.range
    return Member(kind=kind, is_angle=each.is_angle, **common)


def check_members(owner: str, members: tuple[Member, ...]) -> None:
    """Refuse a class that has two of a field of which only one is allowed."""
    for what, names in (
        ("Player", [member.name for member in members if member.is_player]),
        ("Jumps", [member.name for member in members if member.is_jumps]),
    ):
        if len(names) > 1:
            raise SchemaError(f"{owner}.{names[1]}: a class has one {what}, and {owner}.{names[0]} has it already")


def _is_thing(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Cell) and not issubclass(hint, Root)


def plan_of(cls: type, members: tuple[Member, ...], defaults: dict[str, Any]) -> ThingPlan:
    """Plan how the things of a class are held and packed."""
    fields: list[Any] = []
    blank: list[Any] = []
    boxes = iter(boxes_of(cls))
    parts = 0
    for member in members:
        kind = member.kind
        default = _default_of(f"{cls.__name__}.{member.name}", member, defaults.get(member.name, _NOTHING))
        options = kind.plan() | {"optional": member.optional, "default": default}
        if kind.is_in_row:
            options["slot"] = len(blank)
            blank += _blank_slots(member, default)
        else:
            options["part"], parts = parts, parts + 1
        make = FieldAttribute if kind.is_made_when_read else FieldPlan
        fields.append(make(cls.__name__, member.name, kind.plan_code, box=next(boxes), **options))
    row: Any = blank
    if IS_COMPILED:
        row = b"".join(struct.pack("=d" if isinstance(raw, float) else "=q", _signed(raw)) for raw in blank)
    needed = [member.name for member in members if member.is_needed and member.name not in defaults]
    return ThingPlan(cls, fields, tuple(_steps(members, fields)), len(blank), parts, row, needed)


def _signed(raw: Any) -> Any:
    return raw - (1 << 64) if isinstance(raw, int) and raw >= 1 << 63 else raw


def _default_of(where: str, member: Member, given: Any) -> Any:
    """The checked default of a field; for a field without one, the initial value of its kind."""
    if isinstance(given, dataclasses.Field):
        raise SchemaError(f"{where}: {advice_on(given)}")
    if given is _NOTHING:
        return NOBODY if member.is_player else None if member.optional else member.kind.zero
    return None if given is None and member.optional else member.kind.default(given, where)


def _blank_slots(member: Member, default: Any) -> list[Any]:
    there = [int(default is not None)] if member.optional else []
    return [0 if default is None else member.kind.raw(default), *there]


def _steps(members: Sequence[Member], fields: Sequence[Any]) -> Iterator[Step]:
    """Group the fields into steps: runs of scalars that are always there, and one step for every other field."""
    run: list[tuple[Any, Kind]] = []

    def ended() -> Iterator[Step]:
        if run:
            yield Step(None, run[0][0].slot, [kind for _, kind in run], [field.where for field, _ in run])
            run.clear()

    for member, field in zip(members, fields, strict=True):
        if isinstance(member.kind, Kind) and not member.optional:
            run.append((field, member.kind))
            continue
        yield from ended()
        numbers = member.kind.numbers
        names = [f"{field.where}.{name}" if name else field.where for name, _ in numbers]
        yield Step(field, max(field.slot, 0), [kind for _, kind in numbers], names)
    yield from ended()
