"""``retick snapshot``: train a prior, and explain what compact deltas cost."""

from pathlib import Path
from typing import Annotated

import typer

from retick.cli.exit_codes import named
from retick.cli.play.recording import check_new_file
from retick.cli.snapshot.fitting import fit
from retick.cli.snapshot.scoring import costs, train
from retick.cli.snapshot.sources import TRACE_ENTITIES, Source, read_source
from retick.cli.terminal import say
from retick.errors import UsageError
from retick.snapshot import Group, Prior, Schema, schema_to_json
from retick.snapshot.compact.prior import generic_prior

__all__ = ["read_prior", "snapshot_app"]

snapshot_app = typer.Typer(name="snapshot", no_args_is_help=True, help="Make snapshot deltas smaller.")

SourceArgument = Annotated[
    Path, typer.Argument(metavar="CAPTURE", help="A trace (raw or .xz), or a folder of snapshot packets.")
]
SchemaOption = Annotated[Path | None, typer.Option("--schema", metavar="FILE", help="Schema of a folder, as JSON.")]
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
    fitting: Annotated[bool, typer.Option("--fit/--no-fit", help="Search for damping and acceleration.")] = True,
    entities: EntitiesOption = TRACE_ENTITIES,
    lag: LagOption = 6,
) -> None:
    """Make a prior from recorded snapshots, and fit damping and acceleration.

    The prior goes to both ends: Codec(schema, compact=True, prior=Prior.from_bytes(data)). It is part of the hash by
    which they agree. Exit code 0: written. 2: misuse, or nothing to read.

    Example: retick snapshot train capture/ --schema schema.json --out arena.prior --schema-out fitted.json
    """
    check_new_file(out)
    source = _read(capture, schema, entities, lag)
    before = generic_prior()
    fitted = source.schema
    if fitting:
        fitted = fit(source.schema, source.snapshots, lag=lag, prior=before)
        for group in fitted.groups:
            say(f"  {_label(fitted, group)}: {group.predictor}")
    _first, was = train(source.schema, source.snapshots, lag=lag, before=before)
    prior, now = train(fitted, source.snapshots, lag=lag, before=before)
    out.write_bytes(prior.to_bytes())
    if schema_out is not None:
        schema_out.write_text(schema_to_json(fitted, names=True), encoding="utf-8")
    say(f"{out}: {len(source.snapshots)} snapshots, {was:.1f} bytes a packet as declared, {now:.1f} as fitted")


@snapshot_app.command()
def explain(
    capture: SourceArgument,
    schema: SchemaOption = None,
    prior: PriorOption = None,
    entities: EntitiesOption = TRACE_ENTITIES,
    lag: LagOption = 6,
) -> None:
    """Show what each group of fields costs, plain and compact.

    Exit code 0: shown. 2: misuse, or nothing to read.

    Example: retick snapshot explain trace.bin.xz
    """
    source = _read(capture, schema, entities, lag)
    plain, compact, groups = costs(source.schema, source.snapshots, lag=lag, prior=read_prior(prior))
    say(f"  {'plain':>9} {'compact':>9}  bytes a packet, of {len(source.snapshots) - lag} packets")
    for group, before, after in zip(groups, plain, compact, strict=False):
        label = _label(source.schema, group)
        say(f"  {before:9.1f} {after:9.1f}  {label} ({type(group.predictor).__name__})")
    say(f"  {plain[-1]:9.1f} {compact[-1]:9.1f}  which entities have changed")
    say(f"  {sum(plain):9.1f} {sum(compact):9.1f}  all")


def read_prior(path: Path | None) -> Prior:
    """The prior in a file; the library's own for None."""
    if path is None:
        return generic_prior()
    with named(path):
        return Prior.from_bytes(path.read_bytes())


def _read(capture: Path, schema: Path | None, entities: int, lag: int) -> Source:
    source = read_source(capture, schema, entities)
    if len(source.snapshots) <= lag:
        raise UsageError(f"{capture} has {len(source.snapshots)} snapshots: more than {lag} are needed")
    return source


def _label(schema: Schema, group: Group) -> str:
    at = schema.by_id[group.component]
    fields = [item.id for item in schema.components[at].fields]
    return ", ".join(schema.label(at, fields.index(field)) for field in group.fields)
