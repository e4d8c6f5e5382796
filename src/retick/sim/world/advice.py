"""Advice on what to write instead of an annotation or a default that a declaration cannot have."""

import dataclasses
from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from retick.sim.kinds import SCALARS

_FIELDS = f"must be {SCALARS}, a str, a Vector2, a Rect, an FRect, a Thing, a Ref, a Cache, or a list of these"
_INSTEAD = {
    dict: "write list[...] of a Thing that holds key and value; or Cache[dict] if it can be made from the fields",
    set: "write list[...], whose order is the same on every peer",
    frozenset: "write list[...], whose order is the same on every peer",
    tuple: "write Vector2 or Rect for a position, list[int] or list[float] for other numbers, or declare a Thing",
    list: "write what it holds: list[Bullet], or Annotated[list[Bullet], Most(64)]",
    bytes: "write list[U8], or Annotated[str, Most(32)]",
    object: "write the type of the value",
    Any: "write the type of the value; or Cache[...] if it can be made from the fields",
}
_GROUP = (
    "write list[Alien] with your class of Things: alien.kill() becomes self.aliens.remove(alien), and "
    "pygame.sprite.spritecollide becomes a loop with colliderect"
)
_SPRITE = "write class Alien(Thing) in place of class Alien(pygame.sprite.Sprite), and its groups as list[Alien]"
_OF_PYGAME = {
    "Vector2": "write Vector2 of retick.sim, which has the same methods: from retick.sim import Vector2",
    "Rect": "write Rect of retick.sim, which has the same methods: from retick.sim import Rect",
    "FRect": "write FRect of retick.sim, which has the same methods: from retick.sim import FRect",
    "Vector3": "write three floats, or declare a Thing with x, y and z",
    "Color": "write list[int]; or keep colours out of the world, in a table that is drawn from",
    "Surface": "keep pictures out of the world: load them where you draw, by the kind of the thing",
    "Font": "keep fonts out of the world: make them once, in the module, and draw with them",
    "Sound": "keep sounds out of the world: call self.cue(...) and play them in hear",
    "Group": _GROUP,
    **dict.fromkeys(("AbstractGroup", "RenderPlain", "RenderClear", "RenderUpdates", "OrderedUpdates"), _GROUP),
    "LayeredUpdates": _GROUP,
    "LayeredDirty": _GROUP,
    "GroupSingle": "write Alien | None with your class of Things, or Ref[Alien] if the object is in a list too",
    **dict.fromkeys(("Sprite", "WeakSprite", "DirtySprite", "WeakDirtySprite"), _SPRITE),
    "Clock": "a world has no clock: advance is called once for each frame, so dt is 1 / 60",
}


def advice_on(given: Any) -> str:
    """Say why an annotation, or ``field(...)`` of dataclasses as a default, cannot be declared, and what can."""
    if isinstance(given, dataclasses.Field):
        if given.default_factory is not dataclasses.MISSING:
            return (
                "field(...) is for dataclasses. Each object gets a default of its own here: write = [] or = Vector2()"
            )
        return "field(...) is for dataclasses. Write the default itself"
    kind = get_origin(given) or given
    try:
        instead = _INSTEAD.get(kind)
    except TypeError:  # an unhashable value is not a type
        instead = None
    if instead is not None:
        return f"cannot be {given if kind is not given else kind.__name__}: {instead}"
    if kind in (Union, UnionType):
        return _advice_on_several([part for part in get_args(given) if part is not NoneType])
    if _is_of_pygame(kind):
        instead = _OF_PYGAME.get(kind.__name__, "keep it out of the world, where you draw")
        return f"cannot be pygame's {kind.__name__}: {instead}"
    if isinstance(kind, type) and (base := sprite_class(kind.__mro__)):
        name = kind.__name__
        return f"cannot be {name}, a class of pygame's {base}s, which are not saved: write class {name}(Thing)"
    if isinstance(kind, type):
        return f"{_FIELDS}, not {kind.__name__}: if this is a class of yours, write class {kind.__name__}(Thing)"
    return f"{_FIELDS}, not {given!r}"


def _advice_on_several(kinds: list[Any]) -> str:
    shown = " | ".join(getattr(kind, "__name__", None) or repr(kind) for kind in kinds)
    if all(hasattr(kind, "_members") for kind in kinds):
        return (
            f"cannot be one of several classes, {shown}: write a list for each, or declare one class with the fields "
            "of all and a field that says which kind it is"
        )
    return f"cannot be one of several types, {shown}: write one of them"


def sprite_class(bases: Iterable[type]) -> str:
    """The name of the first class of ``pygame.sprite`` among some classes; empty if there is none."""
    return next((base.__name__ for base in bases if base.__module__ == "pygame.sprite"), "")


def advice_on_value(value: Any) -> str:
    """Advise on a value that was assigned to a name that is not declared."""
    kind = type(value)
    return f", and {advice_on(kind)}" if _is_of_pygame(kind) else ": write its name and type in the class"


def _is_of_pygame(kind: Any) -> bool:
    return isinstance(kind, type) and kind.__module__.partition(".")[0] == "pygame"
