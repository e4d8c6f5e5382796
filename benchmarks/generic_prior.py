"""Makes ``retick/snapshot/compact/generic.py``: the prior that comes with the library.

It learns from the seeded generators beside it, so that anyone can make it again: python benchmarks/generic_prior.py
"""

import sys
import tempfile
from base64 import b85encode
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import arena
import tumble

import retick.snapshot.compact
from retick.cli.snapshot.scoring import train
from retick.cli.snapshot.sources import read_source
from retick.snapshot import Prior
from retick.snapshot.compact.statistics import empty_prior

LAG = 6
HEAD = '"""The prior that comes with the library, made by benchmarks/generic_prior.py."""\n\n__all__ = ["GENERIC"]\n\n'


def make() -> Prior:
    prior = empty_prior()
    for schema in (arena.undeclared(), arena.declared()):
        prior, _bytes = train(schema, arena.frames(schema, 900, seed=77), lag=LAG, before=prior, own=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tumble.bin"
        path.write_bytes(tumble.trace(900))
        source = read_source(path, None, tumble.BOXES)
        prior, mean = train(source.schema, source.snapshots, lag=LAG, before=prior, own=False)
    print(f"tumble: {mean:.1f} bytes a packet")
    return prior


def main() -> None:
    text = b85encode(make().to_bytes()).decode()
    lines = [text[at : at + 100] for at in range(0, len(text), 100)]
    body = "\n".join(f'    b"{line}"' for line in lines)
    target = Path(retick.snapshot.compact.__path__[0]) / "generic.py"
    target.write_text(f"{HEAD}GENERIC = (\n{body}\n)\n", encoding="utf-8")
    print(f"{target.name}: {len(text)} characters")


if __name__ == "__main__":
    main()
