"""The boxes of things: places of ``__slots__`` from which Python reads fields as fast as it reads any attribute.

A class of things cannot simply have its fields as ``__slots__``: two classes that have some cannot be bases of one
class. So all boxes are in one chain of classes, each with a few more than the one before. A class of things inherits
from the first that has enough of them, and one with several bases from the longest of theirs.
"""

import sys
from functools import cache
from typing import Any

from retick.errors import SchemaError
from retick.sim.world.storage import Cell, Root

STEP = 4
"""How many boxes each class of the chain adds."""


def boxes_of(cls: type) -> list[Any]:
    """All boxes that the objects of a class have, in order."""
    boxes: list[Any] = []
    while (box := getattr(cls, _name(len(boxes)), None)) is not None:
        boxes.append(box)
    return boxes


def bases_with_boxes(bases: tuple[type, ...], count: int, namespace: dict[str, Any]) -> tuple[type, ...]:
    """The bases of a new class of things, with a class of the chain among them if it needs more boxes."""
    held = max(len(boxes_of(base)) for base in bases)
    if count <= held:
        return bases
    things = [base for base in bases if issubclass(base, Cell)]
    if any(_has_own_slots(each) for base in things for each in base.__mro__):
        # The slots of a game's own class stand behind its boxes, so more boxes can only follow in the class itself.
        own = namespace["__slots__"]
        more = tuple(_name(index) for index in range(held, count))
        namespace["__slots__"] = (*((own,) if isinstance(own, str) else own), *more)
        return bases
    behind = bases.index(things[-1]) + 1
    root = Root if issubclass(things[0], Root) else Cell
    return (*bases[:behind], _chain(root, -(-count // STEP)), *bases[behind:])


def check_slots(name: str, bases: tuple[type, ...]) -> None:
    """Refuse several bases of things of which one has slots of a game's own: Python cannot lay them out together."""
    things = [base for base in bases if issubclass(base, Cell)]
    for base in things:
        if len(things) > 1 and any(_has_own_slots(each) for each in base.__mro__):
            raise SchemaError(
                f"class {name} cannot have {base.__name__}, which has __slots__ of its own, beside another class of "
                "things: declare what is in the slots as fields, with Cache[...] for what is not state"
            )


def names_in(namespace: dict[str, Any]) -> set[str]:
    """The names that the body of a class annotates."""
    # retick: allow environment -- where a class keeps its annotations; which fields it has does not depend on it
    if sys.version_info >= (3, 14):  # annotations are made when somebody asks for them
        import annotationlib

        made = annotationlib.get_annotate_from_class_namespace(namespace)
        if made is not None:
            return set(annotationlib.call_annotate_function(made, annotationlib.Format.FORWARDREF))
    return set(namespace.get("__annotations__", ()))


def _name(index: int) -> str:
    return f"_retick_box{index}"


@cache
def _chain(root: type, links: int) -> type:
    """The class with so many times ``STEP`` boxes."""
    before = root if links == 1 else _chain(root, links - 1)
    names = tuple(_name(index) for index in range((links - 1) * STEP, links * STEP))
    return type(f"{root.__name__}Boxes", (before,), {"__slots__": names, "__module__": __name__})


def _has_own_slots(cls: type) -> bool:
    is_ours = cls in (Cell, Root) or cls.__module__ == __name__ or not issubclass(cls, Cell)
    return not is_ours and bool(vars(cls).get("__slots__"))
