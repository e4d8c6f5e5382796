"""The published vectors as this project's objects."""

import functools
import json
from pathlib import Path
from typing import Any

from retick.snapshot import Bool, Codec, Component, Field, Fixed, Limits, Schema, SInt, Snapshot, UInt, VarSInt, VarUInt

VECTORS = Path(__file__).parents[1] / "vectors" / "sdec"


@functools.cache
def load(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def cases(name: str) -> list[Any]:
    return load(name)["cases"]  # type: ignore[no-any-return]  # JSON


def codec_of(entry: dict[str, Any]) -> Any:
    kind = entry["kind"]
    if kind == "fixed":
        return Fixed(min_q=entry["min_q"], max_q=entry["max_q"], scale=entry["scale"])
    if kind in ("uint", "sint"):
        return {"uint": UInt, "sint": SInt}[kind](entry["bits"])
    return {"bool": Bool, "varuint": VarUInt, "varsint": VarSInt}[kind]()


def schema_of(entry: dict[str, Any]) -> Schema:
    return Schema(
        Component(c["id"], [Field(f["id"], codec_of(f["codec"]), threshold=f["threshold_q"]) for f in c["fields"]])
        for c in entry["components"]
    )


@functools.cache
def schema_named(name: str) -> Schema:
    return schema_of(next(s["schema"] for s in load("schemas")["schemas"] if s["name"] == name))


def entity_pairs(entities: list[Any]) -> list[Any]:
    return [(e["id"], {c["id"]: tuple(c["fields"]) for c in e["components"]}) for e in entities]


def snapshot_of(schema: Schema, entry: dict[str, Any]) -> Snapshot:
    return Snapshot.of(schema, tick=entry["tick"], entities=entity_pairs(entry["entities"]))


def codec_for(case: dict[str, Any], version: int | None = None, *, strict: bool = False) -> Codec:
    limits = Limits(**case["limits"]) if case.get("limits") else Limits()
    wanted = case["wire_version"] if version is None else version
    return Codec(schema_named(case["schema"]), version=wanted, limits=limits, strict=strict)


def same(snapshot: Snapshot, entry: dict[str, Any]) -> bool:
    """Equal values, and equal types: a bool field gives bools."""
    got = [(identity, components) for identity, components in snapshot.entities()]
    return snapshot.tick == entry["tick"] and repr(got) == repr(entity_pairs(entry["entities"]))


def run_decode(codec: Codec, case: dict[str, Any], packet: bytes) -> Any:
    """What an ``op`` of the vectors gives, as the vectors write it down; snapshots as they are."""
    op = case["op"]
    base = snapshot_of(codec.schema, case["baseline"]) if case.get("baseline") else None
    if op == "decode_full":
        return codec.decode_full(packet)
    if op == "apply_delta":
        return codec.apply_delta(base, packet)
    if op == "decode_session_init":
        state = codec.decode_session_init(packet)
        return {
            "compact_mode": state.compact_mode,
            "last_tick": state.last_tick,
            "schema_hash": f"{state.schema_hash:016x}",
            "session_id": state.session_id,
        }
    last_tick = case["session_last_tick"]
    if op == "decode_session_frame":
        header = codec.decode_frame_header(packet, last_tick=last_tick)
        return {
            "baseline_tick": header.baseline_tick,
            "flags": header.flags,
            "last_tick_after": header.tick,
            "payload_len": header.payload_len,
            "tick": header.tick,
        }
    if op == "session_apply_delta":
        return codec.apply_frame(base, packet, last_tick=last_tick)
    assert op == "session_decode_full"
    return codec.decode_full_frame(packet, last_tick=last_tick)


def result_is(result: Any, expected: Any) -> bool:
    if isinstance(result, Snapshot):
        return same(result, expected)
    return bool(result == expected)
