"""Interest: a receiver sees some entities, each with a priority, in packets of bounded size.

Each entity has a score. Every tick, each visible entity that differs from what the receiver holds adds its priority to
its score. Destroys are sent first; then entities by score, the highest first, each if it still fits. An entity that was
sent starts again at zero. One that did not fit keeps its score, and so comes earlier the next time.

So there is a bound on waiting. With N waiting entities, of which at least k fit into a packet beside the destroys, an
entity of priority p is sent within ``w * (1 + p_max / p)`` ticks, where ``w`` is N / k rounded up. For in any w ticks
in which nothing is sent twice everything is sent, and nothing is sent twice before its score is above that of an entity
that waits.

An entity whose set of components changed cannot be updated: it is destroyed, and created by the next packet.

With a compact codec the changes are chosen in the same way, by their plain sizes, and then written compact. So packets
are mostly a good deal shorter than the budget, and never longer: one that would be goes in its plain form, for which
there is always room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retick.errors import UsageError
from retick.snapshot.codec import Codec
from retick.snapshot.compact.head import CHECK_BYTES
from retick.snapshot.encoder import Encoder
from retick.snapshot.layout import DELTA, HEADER_BYTES, MASKED, PACKED
from retick.snapshot.limits import Limits
from retick.snapshot.model import Snapshot
from retick.snapshot.session import standard_header
from retick.snapshot.urgency import Urgency

_UNLIMITED = Limits(
    **dict.fromkeys(
        (
            "max_entities_create",
            "max_entities_update",
            "max_entities_destroy",
            "max_components_per_entity",
            "max_fields_per_component",
            "max_section_bytes",
            "max_section_len",
        ),
        2147483647,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetedPacket:
    """The result of :meth:`Interest.encode`."""

    packet: bytes
    """The packet, at most as long as the budget."""
    result: Snapshot
    """The receiver's snapshot after it: the baseline to use, once it is acknowledged."""
    sent: tuple[int, ...]
    """The ids of created and updated entities."""
    destroyed: tuple[int, ...]
    """The ids that left the view, or the world."""
    waiting: tuple[int, ...]
    """The ids of entities that differ from what the receiver holds, and did not fit."""


def _check_writable(codec: Codec, packed: bool) -> None:
    """Refuse a schema whose packets a reader with the codec's limits would always refuse."""
    components, limits = codec.schema.components, codec.limits
    widest = max((len(component.fields) for component in components), default=0)
    if widest > limits.max_fields_per_component or (packed and len(components) > limits.max_components_per_entity):
        raise UsageError("the schema has more components or fields than the codec's limits allow")


class Interest:
    """Makes the packets of one receiver, within a budget."""

    def __init__(self, codec: Codec, *, budget: int, packed: bool = False) -> None:
        """``budget``: the most bytes of a packet, header included. Any single entity must fit into it."""
        if packed and codec.version < 2:
            raise UsageError("packed updates are of wire version 2")
        self._compact = None if codec.plain is codec else codec
        codec = codec.plain
        _check_writable(codec, packed)
        table = codec.schema.table
        # What a compact packet in plain form has in addition: the form, and the check.
        more = 0 if self._compact is None else 1 + CHECK_BYTES
        least = HEADER_BYTES + 12 + table.entity_worst_bytes + more
        most = min(codec.limits.max_packet_bytes, codec.limits.max_section_len, codec.limits.max_section_bytes)
        if not least <= budget <= most:
            raise UsageError(f"a budget for this schema must be from {least} to {most} bytes, not {budget}")
        self._codec = codec
        self._budget = budget
        # Without limits: it also writes entities that do not fit, to measure them.
        encoder = Encoder(codec.schema, codec.version, _UNLIMITED, False)
        self._urgency = Urgency(encoder, PACKED if packed else MASKED, budget - more, codec.limits)

    @property
    def budget(self) -> int:
        """The most bytes of a packet."""
        return self._budget

    @property
    def gained(self) -> dict[int, float]:
        """The score of each waiting entity."""
        return self._urgency.gained()

    def encode(
        self, base: Snapshot, world: Snapshot, visible: Mapping[int, float], *, history: Sequence[Snapshot] = ()
    ) -> BudgetedPacket:
        """Encode the most urgent changes from ``base`` to the visible part of ``world``.

        ``visible`` gives the priority of each visible id, above zero; ids that are not in the world are ignored. For a
        receiver that holds nothing yet, ``base`` is an empty snapshot of any tick but 0: no delta starts from tick 0.
        ``history``, for a compact codec: older results that the receiver holds too (:attr:`Replica.history`).
        """
        packet, sent, destroyed, waiting = self._urgency.encode(Snapshot, base, world, visible)
        result = self._codec.apply_delta(base, packet)
        if self._compact is not None:
            packet = self._compacted(self._compact, base, result, history, packet[HEADER_BYTES:])
        return BudgetedPacket(packet=packet, result=result, sent=sent, destroyed=destroyed, waiting=waiting)

    def _compacted(
        self, codec: Codec, base: Snapshot, result: Snapshot, history: Sequence[Snapshot], sections: bytes
    ) -> bytes:
        """The same changes as a compact packet; in its plain form if only that keeps to the budget."""
        packet = codec.encode_delta(base, result, history=history)
        if len(packet) <= self._budget:
            return packet
        payload = codec.compact_payloads().plain_form(base, result, sections)
        return standard_header(codec, DELTA, result.tick, base.tick, len(payload)) + payload
