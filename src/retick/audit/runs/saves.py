"""Plays a match with a save and load at every frame, and steps each frame several times.

A save that loses something is noticed after loading. A value outside the state is noticed when a frame is stepped
twice, or by a new game object, since both must give the same result. A step that changes its argument is noticed when
that state is read again.
"""

import copy
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

from retick.errors import UsageError
from retick.sim.contract import PacksState, Simulation
from retick.sim.prng import seeded_inputs
from retick.testing.determinism import Observation, observe


class Broken(NamedTuple):
    """The first frame at which two results differ, with both results."""

    frame: int
    what: str
    first: Observation
    second: Observation


class Saved(NamedTuple):
    """A saved state."""

    data: Any
    form: str
    """How it was saved: ``packed`` by the game, ``pickled`` or ``copied``."""


def save(game: Simulation[Any], state: Any) -> Saved:
    """Save a state so that later steps cannot change it: as the game's own bytes, a pickle, or a deep copy."""
    if isinstance(game, PacksState):
        try:
            return Saved(game.pack_state(state), "packed")
        except UsageError:
            pass  # a world whose save() does not return bytes is saved in another way
    try:
        return Saved(pickle.dumps(state), "pickled")
    except Exception:  # objects may raise anything when they are pickled
        return Saved(copy.deepcopy(state), "copied")


def load(game: Simulation[Any], saved: Saved) -> Any:
    """Load a state that ``save`` has saved."""
    if saved.form == "packed" and isinstance(game, PacksState):
        return game.unpack_state(saved.data)
    return pickle.loads(saved.data) if saved.form == "pickled" else copy.deepcopy(saved.data)


def first_broken_save(
    factory: Callable[[], Simulation[Any]],
    *,
    seed: int,
    frames: int,
    mask: int | None = None,
    on_frame: Callable[[int], None] = lambda frame: None,
) -> Broken | None:
    """Play the match; return the first difference, None if there is none. ``on_frame`` is called before each frame."""
    game, straight = factory(), factory()
    state, straight_state = game.initial_state(seed), straight.initial_state(seed)
    for frame, inputs in enumerate(seeded_inputs(game, seed, frames, mask=mask)):
        on_frame(frame)
        before, saved = observe(game, state), save(game, state)
        loaded = load(game, saved)
        if (restored := observe(game, loaded)) != before:
            return Broken(frame - 1, "a state before saving and after loading", before, restored)
        after = observe(game, game.step(state, inputs))
        if (now := observe(game, state)) != before:
            return Broken(frame, "the state given to step, before and after the call", before, now)
        state = game.step(loaded, inputs)
        if (again := observe(game, state)) != after:
            return Broken(frame, "the frame stepped once and, from the same saved state, again", after, again)
        fresh = factory()
        other = observe(fresh, fresh.step(load(fresh, saved), inputs))
        if other != after:
            return Broken(frame, "the frame stepped by this game object and by a new one", after, other)
        straight_state = straight.step(straight_state, inputs)
        if (plain := observe(straight, straight_state)) != again:
            return Broken(frame, "the match played straight and through save and load", plain, again)
    return None
