"""A folder as a stranger may send it, and every command that reads something of it.

The folder has files of each kind, and a ``pyproject.toml`` that names a game whose module leaves a mark when it is
imported.
"""

import inspect
import io
import lzma
import shutil
import tarfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
import typer

from retick import replay
from retick.audit.desync.bundle import load_bundle, save_bundle
from retick.cli.app import app
from retick.cli.trace_notes import header_line, note_line
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.playing.key_files import load_identity, load_server_key, make_token_key
from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt, schema_to_json
from retick.snapshot.compact.prior import generic_prior
from retick.tokens import issue, to_text
from retick.transport.capture import CaptureWriter

VECTORS = Path(__file__).parents[1] / "vectors"
MARK = "imported"
"""The file that appears when code of the folder was run."""

READS: dict[str, list[list[str]]] = {
    "capture export": [["match.rtkc", "--pcapng", "new.pcapng"]],
    "desync explain": [["match.desync"], ["own.desync"], ["own.desync", "--json"]],
    "packet": [
        ["match.rtkc"],
        ["."],
        ["match.rtkc", "--keylog", "keys.log"],
        ["full.snap", "--schema", "schema.json", "--json"],
    ],
    "replay diff": [["match.rtk", "match.rplk"], ["own.rtk", "own.rtk"]],
    "replay export": [
        ["match.rtk"],
        ["match.rtk", "--states"],
        ["own.rtk", "--states"],
        ["own.rtk", "match.rtk", "--into", "snapshots"],
    ],
    "replay info": [["match.rtk", "match.rplk", "own.rtk"]],
    "replay play": [["match.rtk"], ["own.rtk"], ["own.rtk", "--window"]],
    "replay record": [["new.rtk", "--script", "script.txt"]],
    "replay verify": [
        ["match.rtk", "match.rplk"],
        ["own.rtk"],
        ["."],
        ["*.rtk"],
        [".", "--engine", "processes", "--workers", "1"],
        ["matches.tar"],
        ["matches.tar.xz"],
        ["matches.parquet"],
        ["--manifest", "manifest.csv"],
        ["own.rtk", "--manifest", "manifest.parquet"],
        ["own.rtk", "--results", "rows.jsonl"],
        ["own.rtk", "--results", "rows.parquet"],
    ],
    "snapshot explain": [
        ["trace.bin", "--entities", "1", "--lag", "1"],
        ["trace.bin.xz", "--entities", "1", "--lag", "1", "--prior", "prior"],
        ["snapshots", "--schema", "schema.json", "--lag", "1"],
    ],
    "snapshot train": [
        ["trace.bin", "--entities", "1", "--lag", "1", "--out", "new.prior", "--no-fit"],
        ["snapshots", "--schema", "schema.json", "--lag", "1", "--out", "new.prior", "--prior", "prior", "--no-fit"],
    ],
    "token issue": [["--key", "tokens.key", "--server-key", "00" * 32, "--address", "h:1", "--player", "1"]],
    "token show": [["ann.token"], ["ann.token", "--key", "tokens.key"]],
    "trace": [["notes.rtkt", "--out", "new.json"]],
}
"""Each command that reads files of others, with words that name files of the folder."""

STARTS: dict[str, list[list[str]]] = {
    "bots": [["1", "--token", "ann.token"], ["1", "--identity", "own.identity"]],
    "host": [["--bot", "--port", "0", "--no-announce", "--identity", "own.identity"]],
    "join": [["127.0.0.1:9", "--bot", "--identity", "own.identity"]],
    "play": [["a:B", "--identity", "own.identity"]],
    "relay": [["--port", "0", "--key", "relay.key"]],
    "serve": [
        ["runner", "--port", "0", "--config", "config.json"],
        ["runner", "--port", "0", "--key", "server.key", "--tokens", "tokens.key"],
    ],
    "studio": [["--port", "0", "--identity", "own.identity"]],
    "watch": [["127.0.0.1:9", "--identity", "own.identity"]],
}
"""The commands that run until they are stopped, with the files of the user that they read."""

WRITTEN = {
    "--capture", "--folder", "--into", "--keylog", "--out", "--pcapng", "--record", "--reports", "--schema-out",
    "--trace",
}  # fmt: skip
"""Options that name a file or a folder to write."""
WRITERS = {"demo", "package", "replay generate", "token keygen"}
"""Commands that read no file, or the program that one wants to give away."""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command, by its words."""

    def leaves(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
        if not hasattr(command, "commands"):
            yield name, command
            return
        for child, below in command.commands.items():
            yield from leaves(below, f"{name} {child}".strip())

    yield from leaves(typer.main.get_command(app))


def file_parameters(command: Any) -> set[str]:
    """The options of a command that name files or folders, and FILE if an argument does."""
    hints = get_type_hints(inspect.unwrap(command.callback))
    named = [each for each in command.params if "FILE" in (each.metavar or "") or Path in _types(hints.get(each.name))]
    return {each.opts[0] if each.opts[0].startswith("--") else "FILE" for each in named}


def _types(hint: Any) -> set[Any]:
    """The types in an annotation such as ``list[Path] | None``."""
    return {hint}.union(*map(_types, get_args(hint)))


def make_folder(folder: Path, module: str) -> Path:
    """Write files of every kind, and a project whose game is in ``module``, a name that nobody else uses."""
    _write_project(folder, module)
    _write_recordings(folder)
    _write_archives(folder, module)
    _write_snapshots(folder)
    _write_secrets(folder)
    (folder / "script.txt").write_text("3 right left\n")
    (folder / "config.json").write_text("{}")
    (folder / "notes.rtkt").write_text(header_line("ann", clock=0, rate=60) + note_line("e", 1, "hello"))
    return folder


def leave_mark(folder: Path) -> str:
    """A line of Python that leaves the mark."""
    return f"__import__('pathlib').Path({str(folder / MARK)!r}).touch()\n"


def _write_project(folder: Path, module: str) -> None:
    (folder / "pyproject.toml").write_text(f'[tool.retick]\ngame = "{module}.py:Own"\n')
    (folder / f"{module}.py").write_text(
        f"{leave_mark(folder)}"
        "from retick.games.fighter import Fighter\n"
        "class Own(Fighter):\n"
        "    game_id, game_version = 'somebody.own', 1\n"
    )


def _write_recordings(folder: Path) -> None:
    match = replay.sealed(replay.Replay(seed=2, frames=bout(2, 60)), Fighter(), every=20)
    replay.save(folder / "match.rtk", match)
    replay.save(folder / "match.rplk", match.replace(game_id="", game_version=0, checkpoints={}))
    own = match.replace(game_id="somebody.own", game_version=1)
    replay.save(folder / "own.rtk", own)
    shutil.copy(VECTORS / "desync" / "fighter-v1.desync", folder / "match.desync")
    _write_own_bundle(folder)
    with (folder / "match.rtkc").open("wb") as file:
        CaptureWriter(file).add(b"RBN1", ("127.0.0.1", 7777), sent=True, now=0.0)
    (folder / "keys.log").write_text("")


def _write_own_bundle(folder: Path) -> None:
    """A bundle whose recordings are of the planted game."""
    bundle = load_bundle(folder / "match.desync")
    for name in ("around", "recordings"):
        held: Any = getattr(bundle, name)
        if isinstance(held, dict):
            changed: Any = {key: each.replace(game_id="somebody.own") for key, each in held.items()}
        else:
            changed = None if held is None else held.replace(game_id="somebody.own")
        object.__setattr__(bundle, name, changed)
    save_bundle(folder / "own.desync", bundle)


def _write_archives(folder: Path, module: str) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in ("pyproject.toml", f"{module}.py", "match.rtk", "own.rtk"):
            tar.add(folder / name, arcname=name)
    (folder / "matches.tar").write_bytes(packed.getvalue())
    (folder / "matches.tar.xz").write_bytes(lzma.compress(packed.getvalue()))
    rows = {"path": ["own.rtk"], "replay": [(folder / "own.rtk").read_bytes()]}
    pq.write_table(pa.table(rows), folder / "matches.parquet")
    (folder / "manifest.csv").write_text("path,seed,checksum\nown.rtk,2,\n")
    entries = {"path": ["own.rtk"], "seed": [2], "checksum": [None]}
    pq.write_table(pa.table(entries), folder / "manifest.parquet")


def _write_snapshots(folder: Path) -> None:
    plain = Schema([Component(1, [Field(1, UInt(8), name="x")], name="thing")])
    (folder / "schema.json").write_text(schema_to_json(plain, names=True))
    (folder / "snapshots").mkdir()
    codec = Codec(plain)
    for tick in range(1, 6):
        data = codec.encode_full(Snapshot.of(plain, tick=tick, entities={1: {1: (tick,)}}))
        (folder / "snapshots" / f"{tick}.snap").write_bytes(data)
    (folder / "full.snap").write_bytes(data)
    numbers = array("i", [0, 0, 0, 0, 0, 0, 0, 0] * 5).tobytes()
    (folder / "trace.bin").write_bytes(numbers)
    (folder / "trace.bin.xz").write_bytes(lzma.compress(numbers))
    (folder / "prior").write_bytes(generic_prior().to_bytes())


def _write_secrets(folder: Path) -> None:
    make_token_key(folder / "tokens.key")
    load_identity(folder / "own.identity")
    load_server_key(folder / "server.key")
    (folder / "relay.key").write_text("00" * 32)
    token = issue(bytes(32), player=1, server_key=bytes(32), addresses=[("127.0.0.1", 9)], now=1.0, entropy=bytes)
    (folder / "ann.token").write_text(to_text(token))
    (folder / "rows.jsonl").write_text("")
