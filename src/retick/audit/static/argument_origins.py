"""Where a value comes from: is it still an object of the caller, or a new one? The rules about changed states ask this.

An ``Origin`` says from which parameters a value came and how many layers of it are new. ``state.players`` belongs to
the caller (0 new layers). ``list(state.players)`` is a new list of the caller's players (1 layer). ``[copy.copy(p) for
p in state.players]`` is a new list of new players (2 layers). Reading an attribute or an element removes one layer.
Changing an object without a new layer changes the caller's object.
"""

from dataclasses import dataclass, replace

__all__ = ["EVERYTHING", "Env", "Origin", "merge", "merge_env"]

EVERYTHING = "*"
"""In ``fresh``: an element was replaced, and it is unknown which."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; no Origin at all means that it is new throughout."""

    parameters: frozenset[str]
    """The parameters whose objects it is, or is part of."""
    layers: int = 0
    """Number of outer layers that are new; below them are the caller's objects."""
    fresh: frozenset[str] = frozenset()
    """Attributes of the outermost layer that were replaced by new values."""

    def inside(self, attribute: str = EVERYTHING) -> "Origin | None":
        """The origin of an attribute or an element."""
        if EVERYTHING in self.fresh or (attribute in self.fresh and attribute != EVERYTHING):
            return None
        return Origin(self.parameters, max(self.layers - 1, 0))

    def copied(self, fresh: frozenset[str] = frozenset()) -> "Origin":
        """The origin of a shallow copy."""
        return Origin(self.parameters, max(self.layers, 1), self.fresh | fresh)

    def held(self) -> "Origin":
        """The origin of a new container that holds the value."""
        return Origin(self.parameters, self.layers + 1)

    def given(self, attribute: str, value: "Origin | None") -> "Origin":
        """The origin after an attribute or some element was replaced by ``value``."""
        if value is None:
            return replace(self, fresh=self.fresh | {attribute})
        return replace(self, layers=max(self.layers, value.layers + 1 if value.layers else 0))


Env = dict[str, Origin]
"""Origins by the name of the variable; a name that is missing holds a new value."""


def merge(first: Origin | None, second: Origin | None) -> Origin | None:
    """The origin of a value that is one of two: what may belong to the caller counts as the caller's."""
    if first is None or second is None:
        return first or second
    return Origin(first.parameters | second.parameters, min(first.layers, second.layers), first.fresh & second.fresh)


def merge_env(first: Env | None, second: Env | None) -> Env | None:
    """The origins of all names after two branches; ``None`` is a branch that returns or raises."""
    if first is None or second is None:
        return first if second is None else second
    merged: Env = {}
    for name in {**first, **second}:
        origin = merge(first.get(name), second.get(name))
        if origin is not None:
            merged[name] = origin
    return merged
