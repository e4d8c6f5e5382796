"""``retick snapshot``: train a prior, and explain what compact deltas cost."""

from pathlib import Path
from typing import Annotated

import typer

from retick.cli.play.recording import check_new_file
from retick.cli.snapshot.fitting import fit
from retick.cli.snapshot.scoring import costs, counted, mean_bytes, train
from retick.cli.snapshot.sources import TRACE_ENTITIES, Source, read_source
from retick.cli.terminal import say
from retick.errors import DecodeError, UsageError
from retick.snapshot import Group, Prior, Schema, schema_to_json
from retick.snapshot.compact.defaults import prediction_of
from retick.snapshot.compact.priors.prior import generic_prior

__all__ = ["read_prior", "say_if_of_another_plan", "snapshot_app"]

snapshot_app = typer.Typer(name="snapshot", no_args_is_help=True, help="Make snapshot deltas smaller.")

SourceArgument = Annotated[
    Path, typer.Argument(metavar="CAPTURE", help="A trace (raw or .xz), or a folder of snapshot packets.")
]
SchemaOption = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="Schema as JSON: a folder needs it, a trace may have other groups."),
]
EntitiesOption = Annotated[int, typer.Option(help="Entities of each frame of a trace.")]
LagOption = Annotated[int, typer.Option(min=1, help="Frames between a snapshot and its baseline.")]
PriorOption = Annotated[
    Path | None, typer.Option("--prior", metavar="FILE", help="Start from this prior; else from the library's own.")
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
        typer.Option("--prior", metavar="FILE", help="Prior that a folder's compact packets were made with."),
    ] = None,
    fitting: Annotated[bool, typer.Option("--fit/--no-fit", help="Search for damping and acceleration.")] = True,
    entities: EntitiesOption = TRACE_ENTITIES,
    lag: LagOption = 6,
) -> None:
    """Make a prior from recorded snapshots, and fit damping and acceleration; a fit that saves nothing is left out.

    The prior goes to both ends: Codec(schema, compact=True, prior=Prior.from_bytes(data)). It is part of the hash by
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
        say(f"what was fitted is in the schema, and the prior goes with it; {where}")


def _trained(schema: Schema, source: Source, lag: int, before: Prior) -> Prior:
    return train(schema, source.snapshots, lag=lag, before=before)[0]


def _measured(schema: Schema, source: Source, lag: int, prior: Prior, name: str) -> float:
    """Says both sizes, and gives the carried one."""
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
    """The prior in a file; the library's own for None."""
    if path is None:
        return generic_prior()
    try:
        return Prior.from_bytes(path.read_bytes())
    except DecodeError as error:
        raise UsageError(f"{path}: {error}") from None


def say_if_of_another_plan(path: Path | None, prior: Prior, schema: Schema) -> None:
    """A prior that was trained for other groups still helps, but less: whoever names one should know."""
    if prior.own is not None and not prior.is_for(prediction_of(schema).plan):
        say(f"{path} was trained with other groups of fields than this schema has: its own part is not used", err=True)


def _read(capture: Path, schema: Path | None, entities: int, lag: int, prior: Prior) -> Source:
    source = read_source(capture, schema, entities, prior)
    if source.left_out:
        what = "a packet was" if source.left_out == 1 else f"{source.left_out} packets were"
        say(f"{capture}: {what} left out: the snapshots that they change are not there", err=True)
    if len(source.snapshots) <= lag:
        raise UsageError(f"{capture} has {len(source.snapshots)} snapshots: more than {lag} are needed")
    return source


def _label(schema: Schema, group: Group) -> str:
    at = schema.by_id[group.component]
    fields = [item.id for item in schema.components[at].fields]
    return ", ".join(schema.label(at, fields.index(field)) for field in group.fields)
