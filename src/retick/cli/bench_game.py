"""``retick bench game``: what a frame of one's own game costs, where the time goes, and how deep a rollback may be."""

import cProfile
import json
import os
import pstats
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from retick._kernels import is_compiled
from retick.audit.game_loader import load_game, played_rows, press_function_of
from retick.cli.arguments import wanted_game
from retick.cli.exit_codes import playing
from retick.cli.terminal import Screen, count, say_json, working
from retick.errors import RetickError
from retick.sim.contract import Simulation
from retick.sim.prng import seeded_inputs
from retick.sim.world import SimulatedWorld

DEPTH = 8
"""Frames of the rollback that is measured."""
FRAME = 1e6 / 60
"""Microseconds of a frame at 60 Hz."""
MOST_FUNCTIONS = 10
_THING = re.compile(r".*?\[id \d+\]")
"""The part of a field's name that says to which thing it belongs."""


def game(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="The game, as module:Class, file.py:Class or by its id; a file with one world needs no class.",
            show_default="[tool.retick] game of pyproject.toml",
        ),
    ] = None,
    frames: Annotated[int, typer.Option(min=2 * DEPTH, help="Frames that are played.")] = 600,
    rounds: Annotated[int, typer.Option(min=1, help="How often each is measured; the best counts.")] = 5,
    seed: Annotated[int, typer.Option(min=1, help="Seed of the match and its inputs.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    one_form: Annotated[
        bool, typer.Option("--one-form", help="Measure only the form of the kernels that is in use.")
    ] = False,
) -> None:
    """Measure one frame, a save, a load and a rollback of 8 frames of a game, with compiled kernels and without.

    The match is played by the game's own bot(player, state) or press(player, state), or else with random inputs.
    It says in which functions the time is spent, how the time grows with the number of things, and how deep a rollback
    fits into a frame at 60 Hz.
    Exit code 0: measured. 1: the game raised an error. 2: misuse.

    Example: retick bench game game.py:Tanks --frames 1200
    """
    name = wanted_game(game)
    with working("playing"), playing():
        found = measure_game(load_game(name), frames=frames, rounds=rounds, seed=seed)
    forms = {"compiled" if is_compiled() else "uncompiled": found}
    if is_compiled() and not one_form:
        with working("the same without compiled kernels"):
            forms["uncompiled"] = _uncompiled(name, frames, rounds, seed)
    if as_json:
        say_json({"game": name, "frames": frames, **forms}, indent=2)
    else:
        _tell(name, frames, forms)


def _uncompiled(name: str, frames: int, rounds: int, seed: int) -> dict[str, Any]:
    """The same in a process that takes the kernels' Python source."""
    words = ["--frames", str(frames), "--rounds", str(rounds), "--seed", str(seed), "--json", "--one-form"]
    done = subprocess.run(
        [sys.executable, "-m", "retick", "bench", "game", name, *words],
        env={**os.environ, "RETICK_PURE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RetickError(f"without compiled kernels the game cannot be measured: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout)["uncompiled"]
    return found


def measure_game(factory: Callable[[], Simulation[Any]], *, frames: int, rounds: int, seed: int) -> dict[str, Any]:
    """All figures of a game, in microseconds; the least of ``rounds`` for each frame, and their mean."""
    sim: Any = factory()
    press = press_function_of(sim)
    rows = played_rows(factory(), press, seed, frames) if press else list(seeded_inputs(sim, seed, frames))
    states = [sim.initial_state(seed)]
    for row in rows:
        states.append(_kept(sim, sim.step(states[-1], row)))
    frames = len(rows)
    best = [[float("inf")] * 3 for _ in range(frames)]
    rolled = [float("inf")] * (frames - DEPTH)
    for _ in range(rounds):
        for frame, row in enumerate(rows):
            best[frame] = [*map(min, best[frame], _timed(sim, states[frame], row))]
        for first in range(0, frames - DEPTH, DEPTH):
            rolled[first] = min(rolled[first], _rollback(sim, states[first], rows[first : first + DEPTH]))
    advance, save, load = (sum(each[part] for each in best) / frames for part in range(3))
    again = [each for each in rolled if each < float("inf")]
    return {
        "advance_us": advance,
        "save_us": save,
        "load_us": load,
        "slowest_advance_us": max(each[0] for each in best),
        "rollback_of_8_us": sum(again) / len(again),
        "deepest_rollback_at_60_hz": max(int((FRAME - load) / (advance + save)) - 1, 0),
        "state_bytes": max(map(len, packed)) if (packed := [*filter(None, map(_packed(sim), states))]) else None,
        "things": _growth(sim, states, [each[0] for each in best]),
        "functions": _functions(sim, states[0], rows),
    }


def _kept(sim: Any, state: Any) -> Any:
    return sim.keep(state) if isinstance(sim, SimulatedWorld) else state


def _packed(sim: Any) -> Callable[[Any], bytes | None]:
    pack = getattr(sim, "pack_state", None)
    return lambda state: None if pack is None else pack(state)


def _timed(sim: Any, state: Any, row: tuple[int, ...]) -> tuple[float, float, float]:
    """Microseconds of one frame, of saving after it, and of loading before it."""
    clock = time.perf_counter
    if not isinstance(sim, SimulatedWorld):  # its states are values: to save one is to keep a reference
        began = clock()
        sim.step(state, row)
        return (clock() - began) * 1e6, 0.0, 0.0
    began = clock()
    sim.reload(state)
    loaded = clock()
    after = sim.step_unkept(state, row)
    advanced = clock()
    sim.keep(after)
    saved = clock()
    return (advanced - loaded) * 1e6, (saved - advanced) * 1e6, (loaded - began) * 1e6


def _rollback(sim: Any, state: Any, rows: list[tuple[int, ...]]) -> float:
    """Microseconds of going back to a state and running the frames since then again, each of them saved."""
    began = time.perf_counter()
    if isinstance(sim, SimulatedWorld):
        state = sim.reload(state)
    for row in rows:
        state = sim.step(state, row)
    return (time.perf_counter() - began) * 1e6


def _growth(sim: Any, states: list[Any], spent: list[float]) -> dict[str, float] | None:
    """How the time of a frame grows with the number of things: a line of least squares; None if it never changes."""
    counts = [
        len({found[0] for name, _ in sim.fields(state) if (found := _THING.match(name))}) for state in states[:-1]
    ]
    if len(set(counts)) < 2:
        return None
    middle, mean = sum(counts) / len(counts), sum(spent) / len(spent)
    across = sum((each - middle) ** 2 for each in counts)
    each = sum((one - middle) * (other - mean) for one, other in zip(counts, spent, strict=True)) / across
    return {"least": min(counts), "most": max(counts), "without_any_us": mean - each * middle, "each_us": each}


def _functions(sim: Any, state: Any, rows: list[tuple[int, ...]]) -> list[dict[str, Any]]:
    """The functions in which most time is spent, themselves and with what they call, as shares of the whole."""
    profile = cProfile.Profile()
    profile.enable()
    for row in rows:
        state = sim.step(state, row)
    profile.disable()
    found: Any = pstats.Stats(profile)
    stats = {key: each for key, each in found.stats.items() if "_lsprof.Profiler" not in key[2]}
    whole = sum(own for _, _, own, _, _ in stats.values()) or 1.0
    most = sorted(stats.items(), key=lambda each: -each[1][2])[:MOST_FUNCTIONS]
    return [
        {"name": _place(*key), "share": own / whole, "with_calls": total / whole, "calls": calls / len(rows)}
        for key, (_, calls, own, total, _) in most
    ]


def _place(file: str, line: int, name: str) -> str:
    return f"{name} ({Path(file).name}:{line})" if line else name


def _tell(name: str, frames: int, forms: dict[str, dict[str, Any]]) -> None:
    console = Screen()
    table = Table(title=f"{name}, {count(frames, 'frame')}", title_justify="left")
    table.add_column("µs")
    for form in forms:
        table.add_column(f"{form} kernels", justify="right")
    lines = {
        "advance_us": "one frame",
        "slowest_advance_us": "the slowest frame",
        "save_us": "a save",
        "load_us": "a load",
        "rollback_of_8_us": "a rollback of 8 frames",
    }
    for key, words in lines.items():
        table.add_row(words, *(f"{found[key]:,.1f}" for found in forms.values()))
    console.print(table)
    for form, found in forms.items():
        deepest = count(found["deepest_rollback_at_60_hz"], "frame")
        console.tell(f"{form}: a rollback of up to {deepest} fits into a frame at 60 Hz, if drawing takes no time")
    found = next(iter(forms.values()))
    if grows := found["things"]:
        least, most, rest, each = (grows[key] for key in ("least", "most", "without_any_us", "each_us"))
        grown = f"{rest:,.1f} µs, and {each:,.2f} µs more for each thing"
        console.tell(f"with {least} to {most} things a frame takes about {grown}")
    else:
        console.tell("the number of things never changed, so nothing is known about how the time grows with it")
    functions = Table("function", "itself", "with calls", "calls a frame")
    for one in found["functions"]:
        functions.add_row(one["name"], f"{one['share']:.0%}", f"{one['with_calls']:.0%}", f"{one['calls']:,.1f}")
    console.print(functions)
