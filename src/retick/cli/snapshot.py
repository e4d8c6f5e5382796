"""``retick snapshot``: train a prior, and explain what compact deltas cost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from retick._regular_files import read_bytes
from retick.cli.play.files import check_new_file
from retick.cli.snapshot_scoring import TRACE_ENTITIES, Source, costs, counted, mean_bytes, read_source, train
from retick.cli.terminal import say
from retick.errors import DecodeError, UsageError
from retick.snapshot import Angle, Group, Motion, Prior, Rotation, Schema, Snapshot, schema_to_json
from retick.snapshot.compact.defaults import prediction_of
from retick.snapshot.compact.prior import generic_prior
from retick.snapshot.fields import Predictor

# Searches for damping and acceleration that a game did not declare.
#
# Every candidate is tried on the snapshots, and the one with the fewest bytes is taken. Candidates for an acceleration
# are the most frequent second differences of a field while it moves.

_MOVING = (Motion, Rotation, Angle)
DAMPINGS = (0.999, 0.995, 0.99, 0.98, 0.95, 0.9)
SAMPLE = 300
"""Number of snapshots on which candidates are tried."""
SCALES = (0.9, 0.95, 1.05, 1.1, 1.15)
"""Factors that are tried for an acceleration that was found."""
APART = 3
"""Most snapshots between those that show an acceleration, since many falls are short."""
LEAST_GAIN = 0.002
"""Least share of the bytes that a candidate must save."""


def fit(schema: Schema, snapshots: Sequence[Snapshot], *, lag: int, prior: Prior) -> Schema:
    """Make a schema with groups for all fields, and the dampings and accelerations that save most."""
    middle = max(0, (len(snapshots) - SAMPLE) // 2)
    sample = snapshots[middle : middle + SAMPLE]
    groups = list(prediction_of(schema).groups)
    best = _cost(schema, groups, sample, lag, prior)
    for number, group in enumerate(groups):
        for candidates in (_accelerated, _damped, _accelerated, _scaled):
            for candidate in candidates(groups[number], sample, lag):
                tried = [*groups]
                tried[number] = Group(group.component, group.fields, candidate)
                cost = _cost(schema, tried, sample, lag, prior)
                if cost < best * (1 - LEAST_GAIN):
                    best, groups = cost, tried
    return Schema(schema.components, groups)


def _cost(schema: Schema, groups: Sequence[Group], sample: Sequence[Snapshot], lag: int, prior: Prior) -> float:
    return train(Schema(schema.components, groups), sample, lag=lag, before=prior, own=False)[1]


def _damped(group: Group, sample: Sequence[Snapshot], lag: int) -> list[Predictor]:
    """The group's predictor with each of the dampings."""
    given = group.predictor
    return [replace(given, damping=damping) for damping in DAMPINGS] if isinstance(given, _MOVING) else []


def _scaled(group: Group, sample: Sequence[Snapshot], lag: int) -> list[Predictor]:
    """The predictor with a slightly smaller or larger acceleration, since damping hides a part of it."""
    given = group.predictor
    if not isinstance(given, Motion):
        return []
    return [replace(given, acceleration=tuple(scale * a for a in given.acceleration)) for scale in SCALES]


def _accelerated(group: Group, sample: Sequence[Snapshot], lag: int) -> list[Predictor]:
    """The predictor with the most frequent acceleration of each field, if one stands out and none is set yet."""
    if not isinstance(group.predictor, Motion) or any(group.predictor.acceleration):
        return []
    found = [_acceleration(group.component, field, sample, min(lag, APART)) for field in group.fields]
    single = [tuple(a if at == index else 0.0 for at in range(len(found))) for index, a in enumerate(found) if a]
    return [replace(group.predictor, acceleration=acceleration) for acceleration in single]


def _acceleration(component: int, field: int, sample: Sequence[Snapshot], lag: int) -> float:
    seen: Counter[int] = Counter()
    for at in range(2 * lag, len(sample), 3):
        three = sample[at - 2 * lag], sample[at - lag], sample[at]
        if three[0].ids != three[2].ids or three[0].ids != three[1].ids:
            continue
        for a, b, c in zip(*(snapshot.column(component, field) for snapshot in three), strict=False):
            if abs(c - b) > lag and abs(c - 2 * b + a) > lag:
                seen[round((c - 2 * b + a) / 2)] += 1
    if not seen:
        return 0.0
    # The mean of the values around the peak.
    peak = max(seen, key=lambda value: sum(seen[value + near] for near in range(-3, 4)))
    near = range(peak - 3, peak + 4)
    weight = sum(seen[value] for value in near)
    if 10 * weight < sum(seen.values()):
        return 0.0
    return 2.0 * sum(value * seen[value] for value in near) / weight / (lag * lag)


snapshot_app = typer.Typer(name="snapshot", no_args_is_help=True, help="Make snapshot deltas smaller.")

SourceArgument = Annotated[
    Path, typer.Argument(metavar="CAPTURE", help="A trace (raw or .xz), or a folder of snapshot packets.")
]
SchemaOption = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="Schema as JSON; a folder needs one, a trace may have other groups."),
]
EntitiesOption = Annotated[int, typer.Option(help="Entities of each frame of a trace.")]
LagOption = Annotated[int, typer.Option(min=1, help="Frames between a snapshot and its baseline.")]
PriorOption = Annotated[
    Path | None, typer.Option("--prior", metavar="FILE", help="Start from this prior instead of the library's own.")
]


@snapshot_app.callback()
def snapshot() -> None:
    """Make snapshot deltas smaller."""


@snapshot_app.command("train")
def train_command(
    capture: SourceArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The new prior.", show_default=False)],
    schema: SchemaOption = None,
    schema_out: Annotated[
        Path | None, typer.Option("--schema-out", metavar="FILE", help="Write the schema with what was fitted.")
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option("--prior", metavar="FILE", help="The prior with which a folder's compact packets were made."),
    ] = None,
    fitting: Annotated[bool, typer.Option("--fit/--no-fit", help="Search for damping and acceleration.")] = True,
    entities: EntitiesOption = TRACE_ENTITIES,
    lag: LagOption = 6,
) -> None:
    """Make a prior from recorded snapshots, and fit damping and acceleration; a fit that saves nothing is dropped.
    Both ends need the prior: Codec(schema, compact=True, prior=Prior.from_bytes(data)). It is part of the hash by
    which they agree. Sizes are measured on the same snapshots.

    Exit code 0: written. 2: misuse, or a capture, schema or prior that cannot be read.

    Example: retick snapshot train capture/ --schema schema.json --out arena.prior --schema-out fitted.json
    """
    check_new_file(out)
    source = _read(capture, schema, entities, lag, read_prior(prior))
    before = generic_prior()
    say(f"  {'carried':>9} {'stateless':>9}  {counted()}; {len(source.snapshots) - lag} packets")
    _measured(source.schema, source, lag, before, "as declared, with the library's prior")
    best, best_prior, name = source.schema, _trained(source.schema, source, lag, before), "as declared"
    least = _measured(best, source, lag, best_prior, "as declared, with the new prior")
    if fitting:
        fitted = fit(source.schema, source.snapshots, lag=lag, prior=before)
        fitted_prior = _trained(fitted, source, lag, before)
        if _measured(fitted, source, lag, fitted_prior, "as fitted, with the new prior") < least:
            best, best_prior, name = fitted, fitted_prior, "as fitted"
    for group in best.groups:
        say(f"  {_label(best, group)}: {group.predictor}")
    out.write_bytes(best_prior.to_bytes())
    if schema_out is not None:
        schema_out.write_text(schema_to_json(best), encoding="utf-8")
    say(f"{out}: of {len(source.snapshots)} snapshots, {name}")
    if name == "as fitted":
        where = "it is not written: --schema-out FILE" if schema_out is None else f"use {schema_out} at both ends"
        say(f"the prior needs the fitted schema; {where}")


def _trained(schema: Schema, source: Source, lag: int, before: Prior) -> Prior:
    return train(schema, source.snapshots, lag=lag, before=before)[0]


def _measured(schema: Schema, source: Source, lag: int, prior: Prior, name: str) -> float:
    """Print both sizes, and return the carried one."""
    carried, stateless = (
        mean_bytes(schema, source.snapshots, lag=lag, prior=prior, carried=carried) for carried in (True, False)
    )
    say(f"  {carried:9.1f} {stateless:9.1f}  {name}")
    return carried


@snapshot_app.command()
def explain(
    capture: SourceArgument,
    schema: SchemaOption = None,
    prior: PriorOption = None,
    entities: EntitiesOption = TRACE_ENTITIES,
    lag: LagOption = 6,
) -> None:
    """Show what each group of fields costs, plain and compact.

    Compact packets of a folder are read with the same prior. Exit code 0: shown. 2: misuse, or a capture, schema or
    prior that cannot be read.

    Example: retick snapshot explain trace.bin.xz
    """
    used = read_prior(prior)
    source = _read(capture, schema, entities, lag, used)
    say_if_of_another_plan(prior, used, source.schema)
    plain, compact, groups = costs(source.schema, source.snapshots, lag=lag, prior=used)
    say(f"  {'plain v2':>9} {'carried':>9}  {counted()}; {len(source.snapshots) - lag} packets")
    for group, before, after in zip(groups, plain, compact, strict=False):
        label = _label(source.schema, group)
        say(f"  {before:9.1f} {after:9.1f}  {label} ({type(group.predictor).__name__})")
    say(f"  {plain[-2]:9.1f} {compact[-2]:9.1f}  which entities have changed")
    say(f"  {plain[-1]:9.1f} {compact[-1]:9.1f}  heads, destroys and creates of compact packets")
    say(f"  {sum(plain):9.1f} {sum(compact):9.1f}  all")


def read_prior(path: Path | None) -> Prior:
    """Read a prior; None means the library's own."""
    if path is None:
        return generic_prior()
    try:
        return Prior.from_bytes(read_bytes(path))
    except DecodeError as error:
        raise UsageError(f"{path}: {error}") from None


def say_if_of_another_plan(path: Path | None, prior: Prior, schema: Schema) -> None:
    """Print a line if the prior was trained for other groups, so that it helps less."""
    if prior.own is not None and not prior.is_for(prediction_of(schema).plan):
        say(f"{path} was trained with other groups than this schema has: its specific part is not used", err=True)


def _read(capture: Path, schema: Path | None, entities: int, lag: int, prior: Prior) -> Source:
    source = read_source(capture, schema, entities, prior)
    if source.left_out:
        what = "a packet was" if source.left_out == 1 else f"{source.left_out} packets were"
        say(f"{capture}: {what} left out: the snapshots that they change are missing", err=True)
    if len(source.snapshots) <= lag:
        raise UsageError(f"{capture} has {len(source.snapshots)} snapshots: more than {lag} are needed")
    return source


def _label(schema: Schema, group: Group) -> str:
    at = schema.by_id[group.component]
    fields = [item.id for item in schema.components[at].fields]
    return ", ".join(schema.label(at, fields.index(field)) for field in group.fields)
