"""The codec, the one object that users of snapshots need: encode, decode, apply."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from retick.errors import EncodeError, UsageError
from retick.snapshot import layout
from retick.snapshot.compact.defaults import prediction_of
from retick.snapshot.compact.head import VERSION as COMPACT_VERSION
from retick.snapshot.compact.head import compact_hash, read_header
from retick.snapshot.compact.packet import PayloadCodec
from retick.snapshot.compact.prior import Prior, generic_prior
from retick.snapshot.decoder import Decoder
from retick.snapshot.encoder import Encoder
from retick.snapshot.errors import baseline_error, invalid_error, limit_error, value_error
from retick.snapshot.fields import is_int
from retick.snapshot.layout import (
    CHOOSE,
    CREATES,
    DELTA,
    DESTROYS,
    FULL,
    HEADER_BYTES,
    INVALID_BASELINE_TICK,
    MASKED,
    PACKED,
)
from retick.snapshot.limits import Limits
from retick.snapshot.model import Entities, Snapshot
from retick.snapshot.schema import Component, Field, Schema
from retick.snapshot.session import (
    FrameHeader,
    SessionState,
    decode_session_init,
    encode_session_init,
    standard_header,
)
from retick.wire.bits import BitWriter
from retick.wire.varint import encode_varuint

# Deltas from explicit change lists (wire version 2).
#
# For a game that tracks its own changes and need not compare snapshots. The lists are written as they are: each must
# have ascending ids; the order of components and of field indices is the caller's, but readers refuse what does not
# ascend. Thresholds are ignored. Not compiled: lists of Python objects cost more than the bits made of them.

Updates = Mapping[int, Mapping[int, Iterable[tuple[int, Any]]]]
"""For each entity id and component id, pairs of field index (not id) and value."""
_Listed = Sequence[tuple[int, Mapping[int, Iterable[tuple[int, Any]]]]]


def encode_change_lists(
    schema: Schema,
    limits: Limits,
    longest: int,
    destroys: Sequence[int],
    create_body: Callable[[Snapshot], bytes],
    created: Snapshot,
    updates: _Listed,
) -> bytes:
    """Encode the payload: destroy, create and packed update sections, without those whose list is empty.

    ``longest`` bounds a section's body in addition to ``limits.max_section_bytes``.
    """
    _check_length(layout.LIMIT_CREATE, limits.max_entities_create, created.count)
    _check_length(layout.LIMIT_UPDATE, limits.max_entities_update, len(updates))
    _check_length(layout.LIMIT_DESTROY, limits.max_entities_destroy, len(destroys))
    payload = b""
    if destroys:
        _check_ascending(destroys)
        body = encode_varuint(len(destroys)) + b"".join(identity.to_bytes(4, "little") for identity in destroys)
        payload += _section(DESTROYS, body, limits, longest)
    if created.count:
        payload += _section(CREATES, create_body(created), limits, longest)
    if updates:
        _check_ascending([identity for identity, _ in updates])
        payload += _section(PACKED, _packed_body(schema, limits, updates), limits, longest)
    return payload


def _check_length(status: int, limit: int, actual: int) -> None:
    if actual > limit:
        raise limit_error(status, limit, actual)


def _check_ascending(ids: Sequence[int]) -> None:
    previous = -1
    for identity in ids:
        if not isinstance(identity, int) or not 0 <= identity <= 0xFFFFFFFF:
            raise EncodeError(f"an entity id must be from 0 to 4294967295, not {identity!r}")
        if identity <= previous:
            raise invalid_error(layout.ENTITY_ORDER, previous=previous, current=identity)
        previous = identity


def _section(tag: int, body: bytes, limits: Limits, longest: int) -> bytes:
    _check_length(layout.LIMIT_SECTION_BYTES, limits.max_section_bytes, len(body))
    _check_length(layout.SECTION_LENGTH, longest, len(body))
    return bytes((tag,)) + encode_varuint(len(body)) + body


def _packed_body(schema: Schema, limits: Limits, updates: _Listed) -> bytes:
    writer = BitWriter()
    writer.write_varuint(sum(len(components) for _, components in updates))
    for entity, components in updates:
        _check_length(layout.LIMIT_COMPONENTS, limits.max_components_per_entity, len(components))
        for identity, fields in components.items():
            index = schema.by_id.get(identity)
            if index is None:
                raise invalid_error(layout.UNKNOWN_COMPONENT, schema, component=identity)
            component = schema.components[index]
            _check_length(layout.LIMIT_FIELDS, limits.max_fields_per_component, len(component.fields))
            _write_entry(schema, writer, entity, component, list(fields))
    writer.align()
    return writer.to_bytes()


def _write_entry(
    schema: Schema, writer: BitWriter, entity: int, component: Component, fields: list[tuple[int, Any]]
) -> None:
    if not fields:
        raise invalid_error(layout.EMPTY_FIELD_MASK, schema, component=component.id)
    index_bits = (len(component.fields) - 1).bit_length()
    writer.align()
    writer.write_varuint(entity)
    writer.write_varuint(component.id)
    writer.write_varuint(len(fields))
    for index, value in fields:
        if not 0 <= index < len(component.fields):
            raise invalid_error(layout.INVALID_FIELD_INDEX, schema, component=component.id, found=index)
        writer.write_bits(index, index_bits)
        _write_value(writer, entity, component, component.fields[index], value)


def _write_value(writer: BitWriter, entity: int, component: Component, item: Field, value: Any) -> None:
    codec = item.codec
    if not isinstance(value, int) or (isinstance(value, bool) and not codec.holds_bools):
        raise value_error(entity, component, item, value, "TypeMismatch")
    if not codec.lowest <= value <= codec.highest:
        raise value_error(entity, component, item, value)
    codec.write(writer, value)


class Codec:
    """Encodes and decodes packets of one schema and one wire version.

    Version 0 writes updates with masks. Version 2 adds packed updates, which it chooses by its size rule, change
    lists, and sessions with compact headers. A strict codec also refuses packets that no correct encoder makes;
    ``strict=False`` accepts them as sdec does. A codec keeps working space: give each thread its own codec.

    ``compact=True`` writes entropy-coded deltas (version 3, docs/formats/compact.md), each starting from the ``prior``;
    with ``sealed=True`` without a check, for links that refuse altered packets.
    """

    def __init__(
        self,
        schema: Schema,
        version: int = 0,
        limits: Limits | None = None,
        strict: bool = True,
        *,
        compact: bool = False,
        prior: Prior | None = None,
        sealed: bool = False,
    ) -> None:
        if not isinstance(schema, Schema):
            raise UsageError(f"a codec needs a Schema, not {schema!r}")
        if not is_int(version) or version not in (0, 2):
            raise UsageError(f"wire version must be 0 or 2, not {version!r}")
        if limits is not None and not isinstance(limits, Limits):
            raise UsageError(f"limits are Limits, not {limits!r}")
        if compact and version:
            raise UsageError("a compact codec has a wire version of its own: leave version out")
        if not compact and (prior is not None or sealed):
            raise UsageError("prior and sealed are for compact=True")
        if prior is not None and not isinstance(prior, Prior):
            raise UsageError(f"a prior is a Prior, not {type(prior).__name__}: Prior.from_bytes(data)")
        self.schema = schema
        self.version = COMPACT_VERSION if compact else version
        version = 2 if compact else version
        self.limits = limits or Limits()
        self.strict = strict
        self._mode = CHOOSE if version >= 2 else MASKED
        self._encoder = Encoder(schema, version, self.limits, strict)
        self._decoder = Decoder(schema, version, self.limits, strict, Snapshot)
        self._hash: int | None = None
        self._compact: PayloadCodec | None = None
        if compact:
            prediction = prediction_of(schema)
            prior = prior or generic_prior()
            self._hash = compact_hash(schema, prediction, prior)
            self._plain = Codec(schema, 2, limits, strict)
            self._compact = PayloadCodec(self._plain, prediction, prior, sealed)

    @property
    def schema_hash(self) -> int:
        """The number by which both ends know that they mean the same fields; if compact, also groups and prior."""
        return self.schema.hash if self._hash is None else self._hash

    @property
    def plain(self) -> "Codec":
        """The codec for receivers that do not read compact packets: of version 2, or this one if it is not compact."""
        return self if self._compact is None else self._plain

    def compact_payloads(self) -> PayloadCodec:
        """The part that codes compact payloads, for callers that carry statistics."""
        if self._compact is None:
            raise UsageError("this codec is not compact: Codec(schema, compact=True)")
        return self._compact

    def encode_full(self, snapshot: Snapshot) -> bytes:
        """Encode a packet with every entity of ``snapshot``."""
        if self._compact is not None:
            payload = self._plain.encode_payload(None, snapshot)
            return standard_header(self, FULL, snapshot.tick, 0, len(payload)) + payload
        return self._encoder.full(snapshot)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def encode_full_into(self, snapshot: Snapshot, buffer: Any) -> int:
        """Encode a full packet into a writable buffer; returns how many bytes it took."""
        self._need_plain("encode_full_into")
        return self._encoder.full(snapshot, buffer)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def decode_full(self, data: Any) -> Snapshot:
        """Decode the snapshot in a full packet."""
        if self._compact is not None:
            tick, payload = read_header(data, FULL, None, self.schema_hash, self.limits, self.schema)
            return self._plain.decode_payload(None, tick, payload)
        return self._decoder.full(data)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def encode_delta(
        self,
        base: Snapshot,
        snapshot: Snapshot,
        packed: bool = False,
        *,
        baseline_tick: int | None = None,
        history: Sequence[Snapshot] = (),
    ) -> bytes:
        """Encode the changes from ``base``, which should be what the receiver made of earlier packets, to ``snapshot``.

        Version 2 chooses between masked and packed updates by its size rule; ``packed`` always uses packed ones. If
        ``baseline_tick`` is given, it must be the baseline's own. A compact codec predicts from ``history``: up to
        three older snapshots that the receiver holds too, newest first (see :func:`pick_history`).
        """
        if baseline_tick is not None and baseline_tick != base.tick:
            raise baseline_error(base.tick, baseline_tick)
        if self._compact is not None:
            payload = self._compact.encode(base, snapshot, history).payload
            return standard_header(self, DELTA, snapshot.tick, base.tick, len(payload)) + payload
        mode = self._packed_mode() if packed else self._mode
        return self._encoder.delta(base, snapshot, mode)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def encode_delta_into(self, base: Snapshot, snapshot: Snapshot, buffer: Any, packed: bool = False) -> int:
        """Encode a delta into a writable buffer; returns how many bytes it took."""
        self._need_plain("encode_delta_into")
        mode = self._packed_mode() if packed else self._mode
        return self._encoder.delta(base, snapshot, mode, buffer)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def apply_delta(self, base: Snapshot, data: Any, *, history: Iterable[Snapshot] = ()) -> Snapshot:
        """Apply a delta packet to ``base``, which never changes; returns the new snapshot.

        For a compact packet ``history`` must have the older snapshots that it names; others do no harm.
        """
        if self._compact is not None:
            tick, payload = read_header(data, DELTA, base.tick, self.schema_hash, self.limits, self.schema)
            return self._apply_payload(base, tick, payload, history)
        return self._decoder.delta(base, data)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def _apply_payload(self, base: Snapshot, tick: int, payload: bytes, history: Iterable[Snapshot]) -> Snapshot:
        held = {snapshot.tick: snapshot for snapshot in history}
        return self.compact_payloads().decode(base, tick, payload, held.get)[0]

    def encode_payload(
        self,
        base: Snapshot | None,
        snapshot: Snapshot,
        packed: bool = False,
        *,
        history: Sequence[Snapshot] = (),
    ) -> bytes:
        """Encode a packet without its 28-byte header: full if ``base`` is None, else a delta.

        For a protocol that sends both ticks in its own header and compares schemas on connecting.
        """
        if self._compact is not None and base is not None:
            return self._compact.encode(base, snapshot, history).payload
        packet = self.encode_full(snapshot) if base is None else self.encode_delta(base, snapshot, packed)
        return packet[HEADER_BYTES:]

    def decode_payload(
        self, base: Snapshot | None, tick: int, payload: bytes, *, history: Iterable[Snapshot] = ()
    ) -> Snapshot:
        """Decode the snapshot of ``tick`` from the result of :meth:`encode_payload`, with the same ``base``."""
        if self._compact is not None and base is not None:
            return self._apply_payload(base, tick, payload, history)
        if base is None:
            return self.decode_full(standard_header(self, FULL, tick, 0, len(payload)) + payload)
        return self.apply_delta(base, standard_header(self, DELTA, tick, base.tick, len(payload)) + payload)

    def encode_changes(
        self,
        *,
        tick: int,
        baseline_tick: int,
        destroys: Sequence[int] = (),
        creates: Entities | None = None,
        updates: Updates | None = None,
    ) -> bytes:
        """Encode a delta from explicit lists, for a game that tracks its changes (version 2).

        Everything is written in the order given; a reader accepts only ascending ids and field indices.
        """
        self._need_version_2("change lists")
        if baseline_tick == 0:
            raise invalid_error(INVALID_BASELINE_TICK, found=0, flags=DELTA)
        created = Snapshot.of(self.schema, tick=tick, entities=creates or {})
        limits = self.limits
        # A strict encoder writes no section that a reader with the same limits refuses.
        longest = limits.max_section_len if self.strict else limits.max_section_bytes
        payload = encode_change_lists(
            self.schema, limits, longest, destroys, self._encoder.create_body, created, list((updates or {}).items())
        )
        return standard_header(self, DELTA, tick, baseline_tick, len(payload)) + payload

    def encode_session_init(self, *, tick: int, session_id: int | None = None) -> bytes:
        """Encode the packet that opens a session, whose compact frames count ticks from ``tick`` (version 2)."""
        self._need_version_2("sessions")
        return encode_session_init(self, tick, session_id)

    def decode_session_init(self, data: Any) -> SessionState:
        """Decode the start of a session."""
        self._need_version_2("sessions")
        return decode_session_init(self, self._decoder, data)

    def encode_frame(self, base: Snapshot, snapshot: Snapshot, *, last_tick: int) -> bytes:
        """Encode a delta with the compact header, for a receiver whose session is at ``last_tick`` (version 2)."""
        self._need_session(last_tick)
        return self._encoder.frame(base, snapshot, last_tick)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def decode_frame_header(self, data: Any, *, last_tick: int) -> FrameHeader:
        """Decode the header and section framing of a compact frame, without the bodies."""
        self._need_session(last_tick)
        framing = self._decoder.frame_header(data, last_tick)
        return FrameHeader(
            flags=framing.flags,
            tick=framing.tick,
            baseline_tick=framing.baseline_tick,
            payload_len=framing.payload_bytes(),
        )

    def apply_frame(self, base: Snapshot, data: Any, *, last_tick: int) -> Snapshot:
        """Apply a compact delta frame to ``base``; returns the new snapshot."""
        self._need_session(last_tick)
        return self._decoder.frame(base, data, last_tick)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def decode_full_frame(self, data: Any, *, last_tick: int) -> Snapshot:
        """Always raises an error: a compact frame cannot carry a full snapshot; send it with the standard header."""
        self._need_session(last_tick)
        return self._decoder.full_frame(data, last_tick)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def _packed_mode(self) -> int:
        self._need_version_2("packed updates")
        return PACKED

    def _need_session(self, last_tick: object) -> None:
        self._need_version_2("compact frames")
        if not is_int(last_tick) or not 0 <= last_tick <= 0xFFFFFFFF:
            raise UsageError(f"last_tick must be from 0 to 4294967295, not {last_tick!r}")

    def _need_plain(self, what: str) -> None:
        if self._compact is not None:
            raise UsageError(f"{what} is not for compact codecs")

    def _need_version_2(self, what: str) -> None:
        self._need_plain(what)
        if self.version < 2:
            raise UsageError(f"{what} are of wire version 2; this codec speaks version {self.version}")
