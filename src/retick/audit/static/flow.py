"""Which expressions still belong to an argument: the lattice under the rules about changed states.

A value is traced to the parameters that it came from and to how many layers of it are new. ``state.players`` is
the caller's own (0 layers); ``list(state.players)`` is a new list of the caller's players (1 layer);
``[copy.copy(p) for p in state.players]`` is a new list of new players (2 layers). Reading an attribute or an element
takes one layer off; changing an object with no new layer changes the caller's.
"""

from dataclasses import dataclass, replace

__all__ = ["EVERYTHING", "Env", "Trace", "merge", "merge_env"]

EVERYTHING = "*"
"""In ``fresh``: an element was replaced, and one cannot tell which."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a value comes from."""

    origins: frozenset[str]
    """Parameters that it is part of."""
    layers: int = 0
    """Layers that are new; what lies below them is the caller's."""
    fresh: frozenset[str] = frozenset()
    """Attributes of a new layer that were given values of their own."""

    def inside(self, attribute: str = EVERYTHING) -> "Trace | None":
        """The trace of an attribute or an element."""
        if EVERYTHING in self.fresh or (attribute in self.fresh and attribute != EVERYTHING):
            return None
        return Trace(self.origins, max(self.layers - 1, 0))

    def copied(self, fresh: frozenset[str] = frozenset()) -> "Trace":
        """The trace of a shallow copy."""
        return Trace(self.origins, max(self.layers, 1), self.fresh | fresh)

    def held(self) -> "Trace":
        """The trace of a new container that holds the value."""
        return Trace(self.origins, self.layers + 1)

    def given(self, attribute: str, value: "Trace | None") -> "Trace":
        """The trace after an attribute or an element was replaced; which element, one cannot tell."""
        if value is None:
            return replace(self, fresh=self.fresh | {attribute})
        return replace(self, layers=max(self.layers, value.layers + 1 if value.layers else 0))


Env = dict[str, Trace]


def merge(first: Trace | None, second: Trace | None) -> Trace | None:
    """Either of two: whatever may still be the caller's counts as the caller's."""
    if first is None or second is None:
        return first or second
    return Trace(first.origins | second.origins, min(first.layers, second.layers), first.fresh & second.fresh)


def merge_env(first: Env | None, second: Env | None) -> Env | None:
    """The environment after two branches; ``None`` is a branch that does not come back."""
    if first is None or second is None:
        return first if second is None else second
    merged: Env = {}
    for name in {**first, **second}:
        trace = merge(first.get(name), second.get(name))
        if trace is not None:
            merged[name] = trace
    return merged
