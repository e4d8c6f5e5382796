"""Makes ``retick/snapshot/compact/generic_prior.txt``: the prior that comes with the library.

It learns from the seeded generators beside it: players in an arena, and boxes of a physics engine (boxes.py says what
that needs). To make it again: python -m benchmarks.generic_prior
"""

import tempfile
from array import array
from base64 import b85encode
from pathlib import Path

import retick.snapshot.compact
from benchmarks import arena, boxes
from retick.cli.snapshot_scoring import read_source, trace_schema, train
from retick.snapshot import Prior, Schema, schema_to_json
from retick.snapshot.compact.prior import empty_prior

LAG = 6
SHARES = 1, 3
"""Shares of the arena and the boxes, where both have taught something; and of undeclared and declared boxes."""
SURE = 10
"""Most uses that a model counts, fewer than in a prior for one game, so that it adapts to a game soon."""


def of_arena() -> Prior:
    prior = empty_prior()
    for schema in (arena.undeclared(), arena.declared()):
        prior, mean = train(schema, arena.frames(schema, 900, seed=77), lag=LAG, before=prior, own=False)
        print(f"arena: {mean:.1f} bytes a packet")
    return prior


def of_boxes() -> Prior:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "boxes.bin"
        path.write_bytes(boxes.trace())
        bare = Path(folder) / "bare.json"
        bare.write_text(schema_to_json(Schema(trace_schema().components)), encoding="utf-8")
        learned = []
        for schema in (bare, None):
            source = read_source(path, schema, boxes.BOXES)
            prior, mean = train(source.schema, source.snapshots, lag=LAG, before=empty_prior(), own=False)
            print(f"boxes: {mean:.1f} bytes a packet")
            learned.append(prior)
    return blend(*learned)


def blend(one: Prior, other: Prior) -> Prior:
    """Mix what both have learned by their shares; what only one has learned is kept."""
    models, weights = array("I"), array("i")
    for a, b in zip(one.shared, other.shared, strict=True):
        trust = (a & 255) * SHARES[0], (b & 255) * SHARES[1]
        p = a >> 16 if not sum(trust) else ((a >> 16) * trust[0] + (b >> 16) * trust[1]) // sum(trust)
        models.append(p << 16 | max(a & 255, b & 255))
    for a, b, fresh in zip(one.weights, other.weights, empty_prior().weights, strict=True):
        both = (a * SHARES[0] + b * SHARES[1]) // sum(SHARES)
        weights.append(b if a == fresh else a if b == fresh else both)
    return Prior(models, weights)


def unsure(prior: Prior) -> Prior:
    """Limit the counts of a prior to SURE."""
    models = array("I", [model & 0xFFFF0000 | min(SURE, model & 255) for model in prior.shared])
    return Prior(models, prior.weights)


def main() -> None:
    text = b85encode(unsure(blend(of_arena(), of_boxes())).to_bytes()).decode()
    target = Path(retick.snapshot.compact.__path__[0]) / "generic_prior.txt"
    target.write_text("".join(f"{text[at : at + 118]}\n" for at in range(0, len(text), 118)), encoding="ascii")
    print(f"{target.name}: {len(text)} characters")


if __name__ == "__main__":
    main()
