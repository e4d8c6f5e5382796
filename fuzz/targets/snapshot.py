"""The snapshot codec: full packets, deltas, compact frames, the beginning of a session, the inspector, JSON schemas.

The first byte of a packet chooses schema, version and strictness. Errors must carry a code, and a baseline must stay as
it is whatever is applied to it.
"""

from collections.abc import Callable
from typing import Any

from fuzz.target import Bug, Target, name_of, of
from retick.errors import DecodeError, SchemaError
from retick.snapshot import (
    Bool,
    Codec,
    CompactPacket,
    CompactReceiver,
    Component,
    Field,
    Fixed,
    Prior,
    Schema,
    SInt,
    Snapshot,
    UInt,
    VarSInt,
    VarUInt,
)
from retick.snapshot.compact.head import read_head, read_header, split_check
from retick.snapshot.compact.packet import PayloadCodec
from retick.snapshot.compact.prior import empty_prior
from retick.snapshot.inspect import SnapshotExplainer, inspect_frame, inspect_packet
from retick.snapshot.limits import Limits
from retick.snapshot.schema import schema_from_json, schema_to_json
from retick.snapshot.session import SessionReceiver, decode_session_init

__all__ = ["TARGETS"]

PLAIN = Schema([Component(1, [Field(1, UInt(10)), Field(2, Fixed(min_q=-5, max_q=5, scale=1)), Field(3, Bool())])])
MIXED = Schema(
    [
        Component(1, [Field(1, VarUInt()), Field(2, SInt(64)), Field(3, VarSInt(), threshold=2)]),
        Component(2, []),
        Component(5, [Field(1, UInt(57)), Field(2, Fixed(min_q=7, max_q=7, scale=1)), Field(3, UInt(64))]),
    ]
)
MIXED_BEFORE: dict[int, dict[int, tuple[int, ...]]] = {1: {1: (9, -9, 9), 2: ()}, 4: {5: (1, 7, 2)}, 9: {}}
MIXED_AFTER: dict[int, dict[int, tuple[int, ...]]] = {1: {1: (700, -9, 0), 2: ()}, 4: {5: (1, 7, 5)}, 8: {2: ()}}
BASES: dict[Schema, Snapshot] = {
    PLAIN: Snapshot.of(PLAIN, tick=5, entities={at: {1: (at, 0, True)} for at in (1, 2, 300)}),
    MIXED: Snapshot.of(MIXED, tick=5, entities=MIXED_BEFORE),
}
NEXT = {
    PLAIN: Snapshot.of(PLAIN, tick=6, entities={at: {1: (at, 3, at > 2)} for at in (1, 300, 301)}),
    MIXED: Snapshot.of(MIXED, tick=6, entities=MIXED_AFTER),
}
SMALL = Limits(max_sections=4, max_entities_create=3, max_entities_update=3, max_entities_destroy=2)
CODECS = [
    Codec(schema, version=version, strict=strict, limits=limits)
    for limits in (None, SMALL)
    for version in (2, 0)
    for schema in (PLAIN, MIXED)
    for strict in (True, False)
]
SESSIONS = CODECS[:4] + CODECS[8:12]
COMPACT = [Codec(schema, compact=True, sealed=sealed) for sealed in (True, False) for schema in (PLAIN, MIXED)]
KEPT = {id(codec): codec.encode_full(BASES[codec.schema]) for codec in (*CODECS, *COMPACT)}


def _checked(codec: Codec, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except DecodeError as error:
        if not error.code:
            raise Bug("an error without a code") from error
        raise
    finally:
        if codec.encode_full(BASES[codec.schema]) != KEPT[id(codec)]:
            raise Bug("the baseline changed")


def _full(data: bytes) -> Any:
    codec = CODECS[data[0] % 16 if data else 0]
    return codec, _checked(codec, lambda: codec.decode_full(data[1:]))


def _delta(data: bytes) -> Any:
    codec = CODECS[data[0] % 16 if data else 0]
    return codec, _checked(codec, lambda: codec.apply_delta(BASES[codec.schema], data[1:]))


def _payload(data: bytes) -> Any:
    """The second byte chooses the baseline or none."""
    codec = CODECS[data[0] % 16 if data else 0]
    base = BASES[codec.schema] if data[1:2] < b"\x80" else None
    return codec, _checked(codec, lambda: codec.decode_payload(base, 6, data[2:]))


def _frame(data: bytes) -> Any:
    codec = SESSIONS[data[0] % 8 if data else 0]
    return codec, _checked(codec, lambda: codec.apply_frame(BASES[codec.schema], data[1:], last_tick=5))


def _full_frame(data: bytes) -> Any:
    codec = SESSIONS[data[0] % 8 if data else 0]
    return _checked(codec, lambda: codec.decode_full_frame(data[1:], last_tick=5))


def _frame_header(data: bytes) -> Any:
    codec = SESSIONS[data[0] % 8 if data else 0]
    return _checked(codec, lambda: codec.decode_frame_header(data[1:], last_tick=5))


def _init(data: bytes) -> Any:
    codec = SESSIONS[data[0] % 8 if data else 0]
    return _checked(codec, lambda: codec.decode_session_init(data[1:]))


def _receiver(data: bytes) -> list[str]:
    """Packets of a session one after the other, each after its length."""
    codec = SESSIONS[data[0] % 8 if data else 0]
    receiver = SessionReceiver(codec)
    base = BASES[codec.schema]
    said: list[str] = []
    data = data[1:]
    while data:
        packet, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        try:
            if not said:
                said.append(repr(receiver.open(packet)))
            else:
                said.append(repr(receiver.baseline_tick(packet)))
                said.append(repr(receiver.apply(base, packet).to_dict()))
        except DecodeError as error:
            said.append(f"{type(error).__name__}: {error}")
    return said


def _inspect(data: bytes) -> Any:
    codec = CODECS[data[0] % 16 if data else 0]
    packet = data[1:]
    report = inspect_packet(packet, codec.schema, strict=codec.strict)
    if sum(report.costs.values()) != 8 * len(packet):
        raise Bug("bits are missing from the costs")
    return report


def _inspect_frame(data: bytes) -> Any:
    codec = SESSIONS[data[0] % 8 if data else 0]
    return inspect_frame(data[1:], codec.schema, last_tick=5, strict=codec.strict)


def _explain(data: bytes) -> Any:
    codec = CODECS[data[0] % 16 if data else 0]
    explainer = SnapshotExplainer(codec.schema, last_tick=5 if codec.strict else None)
    packet = data[1:]
    if not explainer.recognises(packet):
        return None
    return explainer.explain(packet), explainer.detail_lines(), explainer.cost_lines(), explainer.to_json()


def _compact_codec(data: bytes) -> Codec:
    return COMPACT[data[0] % len(COMPACT) if data else 0]


def _compact(data: bytes) -> Any:
    """A payload of a compact delta; half of the codecs need no check, so that bodies are reached."""
    codec = _compact_codec(data)
    history = [BASES[codec.schema].copy(tick=tick) for tick in range(1, 5)]
    found = _checked(codec, lambda: codec.decode_payload(BASES[codec.schema], 6, data[1:], history=history))
    return codec, found


def _compact_delta(data: bytes) -> Any:
    codec = _compact_codec(data)
    return codec, _checked(codec, lambda: codec.apply_delta(BASES[codec.schema], data[1:]))


def _compact_full(data: bytes) -> Any:
    codec = _compact_codec(data)
    return codec, _checked(codec, lambda: codec.decode_full(data[1:]))


def _compact_receiver(data: bytes) -> Any:
    """A full snapshot, then a packet with these bytes."""
    codec = _compact_codec(data)
    receiver = CompactReceiver(codec, history=3)
    receiver.decode(CompactPacket(5, 0, codec.encode_payload(None, BASES[codec.schema])))
    return codec, receiver.decode(CompactPacket(6, 5, data[1:]))


def _prior(data: bytes) -> Any:
    return Prior.from_bytes(data)


def _law_of_priors(data: bytes, prior: Any) -> None:
    if Prior.from_bytes(prior.to_bytes()).to_bytes() != prior.to_bytes():
        raise Bug("what was read is not the same after writing and reading again")


def _law(data: bytes, found: Any) -> None:
    codec, snapshot = found
    if codec.limits == SMALL or not codec.strict:
        return  # limits count what one packet creates, and a lenient reader takes what no encoder makes
    if codec.decode_full(codec.encode_full(snapshot)).to_dict() != snapshot.to_dict():
        raise Bug("what was read is not the same after writing and reading again")


def _show(found: Any) -> str:
    return repr((found[1].tick, found[1].to_dict()))


def _schema(data: bytes) -> Any:
    return schema_from_json(data)


def _law_of_schema(data: bytes, schema: Any) -> None:
    if schema_from_json(schema_to_json(schema, names=True)).hash != schema.hash:
        raise Bug("what was read is not the same after writing and reading again")


def _seeds(make: Callable[[Codec, Snapshot, Snapshot], list[bytes]], codecs: list[Codec]) -> tuple[bytes, ...]:
    return tuple(
        bytes((number,)) + packet
        for number, codec in enumerate(codecs[: len(codecs) // 2])
        for packet in make(codec, BASES[codec.schema], NEXT[codec.schema])
    )


def _all_seeds(make: Callable[[Codec, Snapshot, Snapshot], bytes], codecs: list[Codec]) -> tuple[bytes, ...]:
    return tuple(
        bytes((number,)) + make(codec, BASES[codec.schema], NEXT[codec.schema]) for number, codec in enumerate(codecs)
    )


def _deltas(codec: Codec, base: Snapshot, current: Snapshot) -> list[bytes]:
    packed = [codec.encode_delta(base, current, packed=True)] if codec.version == 2 else []
    return [codec.encode_delta(base, current), *packed]


FULLS = _seeds(lambda codec, base, current: [codec.encode_full(current)], CODECS)
DELTAS = _seeds(_deltas, CODECS)
FRAMES = _seeds(lambda codec, base, current: [codec.encode_frame(base, current, last_tick=5)], SESSIONS)
INITS = _seeds(lambda codec, base, current: [codec.encode_session_init(tick=5, session_id=9)], SESSIONS)
PAYLOADS = _seeds(
    lambda codec, base, current: [
        b"\0" + codec.encode_payload(base, current),
        b"\xff" + codec.encode_payload(None, current),
    ],
    CODECS,
)
SESSION = bytes((1,)) + b"".join(
    bytes((len(packet) - 1,)) + packet[1:] for packet in (INITS[1], FRAMES[1], FULLS[1], DELTAS[2])
)
BODIES = _all_seeds(lambda codec, base, current: codec.encode_payload(base, current), COMPACT)
HISTORIES = _all_seeds(
    lambda codec, base, current: codec.encode_payload(base, current, history=[base.copy(tick=4), base.copy(tick=2)]),
    COMPACT,
)
COMPACT_PACKETS = (
    *_all_seeds(lambda codec, base, current: codec.encode_delta(base, current), COMPACT),
    *_all_seeds(lambda codec, base, current: codec.encode_full(current), COMPACT[:2]),
)
JSON = tuple(schema_to_json(schema, names=True).encode() for schema in (PLAIN, MIXED))

TARGETS: tuple[Target, ...] = (
    of("snapshot/full", _full, *FULLS, law=_law, show=_show, also=(Codec.decode_full,)),
    of("snapshot/delta", _delta, *DELTAS, law=_law, show=_show, also=(Codec.apply_delta,)),
    of("snapshot/payload", _payload, *PAYLOADS, law=_law, show=_show, also=(Codec.decode_payload,)),
    of("snapshot/frame", _frame, *FRAMES, law=_law, show=_show, also=(Codec.apply_frame,)),
    of("snapshot/frame-header", _frame_header, *FRAMES, also=(Codec.decode_frame_header,)),
    of("snapshot/full-frame", _full_frame, *FRAMES, also=(Codec.decode_full_frame,)),
    of("snapshot/session-init", _init, *INITS, also=(Codec.decode_session_init, decode_session_init)),
    of("snapshot/session", _receiver, SESSION, also=(SessionReceiver.open, SessionReceiver.apply,
                                                     SessionReceiver.baseline_tick)),
    of("snapshot/inspect", _inspect, *FULLS, *DELTAS, *COMPACT_PACKETS, also=(inspect_packet,)),
    of("snapshot/inspect-frame", _inspect_frame, *FRAMES, also=(inspect_frame,)),
    of("snapshot/explain", _explain, *FULLS[:2], *DELTAS[:3], *FRAMES[:2], *COMPACT_PACKETS,
       also=(SnapshotExplainer.explain,)),
    of("snapshot/compact", _compact, *BODIES, *HISTORIES, law=_law, show=_show,
       also=(PayloadCodec.decode, read_head, split_check)),
    of("snapshot/compact-delta", _compact_delta, *_all_seeds(Codec.encode_delta, COMPACT), law=_law, show=_show,
       also=(read_header,)),
    of("snapshot/compact-full", _compact_full,
       *_all_seeds(lambda codec, base, current: codec.encode_full(current), COMPACT), law=_law, show=_show),
    of("snapshot/compact-receiver", _compact_receiver, *BODIES, law=_law, show=_show, also=(CompactReceiver.decode,)),
    of("snapshot/prior", _prior, empty_prior().to_bytes(), law=_law_of_priors, also=(Prior.from_bytes,),
       show=lambda prior: hex(prior.digest)),
    Target(name="snapshot/schema", read=_schema, seeds=JSON, decoders=(name_of(schema_from_json),),
           law=_law_of_schema, refuses=(SchemaError,), show=lambda schema: hex(schema.hash)),
)  # fmt: skip
