"""Interest: a receiver sees some entities, each with a priority, in packets of bounded size.

Each entity has a score. Every tick, each visible entity that differs from what the receiver holds adds its priority to
its score. Destroys are sent first; then entities by score, the highest first, each if it still fits. An entity that was
sent starts again at zero. One that did not fit keeps its score, and so comes earlier the next time.

So there is a bound on waiting. With N waiting entities, of which at least k fit into a packet beside the destroys, an
entity of priority p is sent within ``w * (1 + p_max / p)`` ticks, where ``w`` is N / k rounded up. For in any w ticks
in which nothing is sent twice everything is sent, and nothing is sent twice before its score is above that of an entity
that waits.

An entity whose set of components changed cannot be updated: it is destroyed, and created by the next packet.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from retick.errors import UsageError
from retick.snapshot.codec import Codec
from retick.snapshot.kernels.copies import gather
from retick.snapshot.kernels.encoder import Encoder
from retick.snapshot.kernels.layout import HEADER_BYTES, MASKED, PACKED
from retick.snapshot.limits import Limits
from retick.snapshot.model import Snapshot
from retick.wire.varint import varuint_size

__all__ = ["BudgetedPacket", "Interest"]

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
    """What :meth:`Interest.encode` made."""

    packet: bytes
    """At most as long as the budget."""
    result: Snapshot
    """What the receiver makes of it: the baseline to use, once it is acknowledged."""
    sent: tuple[int, ...]
    """Ids of entities that were created or updated."""
    destroyed: tuple[int, ...]
    """Ids that left the view, or the world."""
    waiting: tuple[int, ...]
    """Ids that differ from what the receiver holds, and did not fit."""


@dataclass(slots=True)
class _Sizes:
    """The exact size of a packet while entities are added to it."""

    destroys: int
    entries_each: int
    created: int = 0
    created_bytes: int = 0
    updated: int = 0
    updated_bytes: int = 0

    def total(self) -> int:
        total = HEADER_BYTES + _section(self.destroys, 4 * self.destroys)
        total += _section(self.created, self.created_bytes)
        return total + _section(self.updated * self.entries_each, self.updated_bytes)


def _section(count: int, content: int) -> int:
    if count == 0:
        return 0
    body = varuint_size(count) + content
    return 1 + varuint_size(body) + body


def _check_writable(codec: Codec, packed: bool) -> None:
    """Refuse a schema whose packets a reader with the codec's limits would always refuse."""
    components, limits = codec.schema.components, codec.limits
    widest = max((len(component.fields) for component in components), default=0)
    if widest > limits.max_fields_per_component or (packed and len(components) > limits.max_components_per_entity):
        raise UsageError("the schema has more components or fields than the codec's limits allow")


class Interest:
    """The packets of one receiver, within a budget."""

    def __init__(self, codec: Codec, *, budget: int, packed: bool = False) -> None:
        """``budget``: bytes of a packet at most, header included. Any one entity must fit into it."""
        if packed and codec.version < 2:
            raise UsageError("packed updates are of wire version 2")
        _check_writable(codec, packed)
        table = codec.schema.table
        least = HEADER_BYTES + 12 + table.entity_worst_bytes
        most = min(codec.limits.max_packet_bytes, codec.limits.max_section_len, codec.limits.max_section_bytes)
        if not least <= budget <= most:
            raise UsageError(f"a budget for this schema must be from {least} to {most} bytes, not {budget}")
        self._codec = codec
        self._budget = budget
        self._mode = PACKED if packed else MASKED
        self._entries_each = len(codec.schema.components) if packed else 1
        # Encodes all that has changed, without limits, to measure it.
        self._measure = Encoder(codec.schema, codec.version, _UNLIMITED, False)
        self._encoder = Encoder(codec.schema, codec.version, codec.limits, codec.strict)
        self._gained: dict[int, float] = {}

    @property
    def budget(self) -> int:
        """Bytes of a packet, at most."""
        return self._budget

    @property
    def gained(self) -> dict[int, float]:
        """The score of each waiting entity."""
        return dict(self._gained)

    def encode(self, base: Snapshot, world: Snapshot, visible: Mapping[int, float]) -> BudgetedPacket:
        """A delta with the most urgent changes from ``base`` to the visible part of ``world``.

        ``visible`` gives the priority of each visible id, above zero; ids that are not in the world are ignored. For a
        receiver that holds nothing yet, ``base`` is an empty snapshot of any tick but 0: no delta starts from tick 0.
        """
        if base.tick == 0:
            raise UsageError("no delta starts from tick 0: count ticks from 1")
        current = self._comparable(base, world.select(visible))
        packet = self._measure.delta(base, current, self._mode)
        dirty = self._measure.entity_sizes()
        ids = current.ids
        self._gain([ids[at] for at, _size, _new in dirty], visible)
        alive = set(ids)
        destroyed = [identity for identity in base.ids if identity not in alive]
        if len(packet) <= self._budget and self._within_limits(dirty, destroyed, base.count):
            chosen = {ids[at]: at for at, _size, _new in dirty}
        else:
            destroyed = destroyed[: self._most_destroys()]
            chosen = self._choose(dirty, ids, len(destroyed), self._room(base.count - len(destroyed)))
            target = self._compose(base, current, set(destroyed), chosen)
            packet = self._encoder.delta(base, target, self._mode)
        for identity in chosen:
            del self._gained[identity]
        return BudgetedPacket(
            packet=packet,
            result=self._codec.apply_delta(base, packet),
            sent=tuple(sorted(chosen)),
            destroyed=tuple(destroyed),
            waiting=tuple(sorted(self._gained)),
        )

    def _gain(self, waiting: list[int], visible: Mapping[int, float]) -> None:
        gained = {}
        for identity in waiting:
            priority = visible[identity]
            if not 0.0 < priority < inf:
                raise UsageError(f"the priority of entity {identity} must be above zero, not {priority!r}")
            gained[identity] = self._gained.get(identity, 0.0) + priority
        self._gained = gained

    def _comparable(self, base: Snapshot, current: Snapshot) -> Snapshot:
        """The snapshot without entities whose set of components is another than in ``base``."""
        components = range(len(self._codec.schema.components))
        if all(base.row_count(c) == base.count and current.row_count(c) == current.count for c in components):
            return current
        before = {identity: [base.has(at, c) for c in components] for at, identity in enumerate(base.ids)}
        same = [
            identity
            for at, identity in enumerate(current.ids)
            if before.get(identity) in (None, [current.has(at, c) for c in components])
        ]
        return current if len(same) == current.count else current.select(same)

    def _room(self, kept: int) -> int:
        """How many entities one packet may create beside those that stay."""
        limits = self._codec.limits
        return min(limits.max_entities_create, limits.max_total_entities_after_apply - kept)

    def _within_limits(self, dirty: list[tuple[int, int, bool]], destroyed: list[int], held: int) -> bool:
        limits = self._codec.limits
        created = sum(new for _at, _size, new in dirty)
        return (
            created <= self._room(held - len(destroyed))
            and len(dirty) - created <= limits.max_entities_update
            and len(destroyed) <= limits.max_entities_destroy
        )

    def _most_destroys(self) -> int:
        # Room for the count and the section's head.
        return min(self._codec.limits.max_entities_destroy, (self._budget - HEADER_BYTES - 11) // 4)

    def _choose(self, dirty: list[tuple[int, int, bool]], ids: list[int], destroys: int, room: int) -> dict[int, int]:
        """The ids to send, with their index in the current snapshot; at most ``room`` new ones."""
        limits = self._codec.limits
        sizes = _Sizes(destroys=destroys, entries_each=self._entries_each)
        chosen: dict[int, int] = {}
        for at, size, new in sorted(dirty, key=lambda entry: (-self._gained[ids[entry[0]]], ids[entry[0]])):
            before = (sizes.created, sizes.created_bytes, sizes.updated, sizes.updated_bytes)
            if new:
                sizes.created, sizes.created_bytes = sizes.created + 1, sizes.created_bytes + size
            else:
                sizes.updated, sizes.updated_bytes = sizes.updated + 1, sizes.updated_bytes + size
            too_many = (new and sizes.created > room) or sizes.updated > limits.max_entities_update
            if too_many or sizes.total() > self._budget:
                sizes.created, sizes.created_bytes, sizes.updated, sizes.updated_bytes = before
            else:
                chosen[ids[at]] = at
        return chosen

    def _compose(self, base: Snapshot, current: Snapshot, destroyed: set[int], chosen: dict[int, int]) -> Snapshot:
        """``base`` without the destroyed entities, and with the chosen ones as they are now."""
        sources = {identity: at for at, identity in enumerate(base.ids) if identity not in destroyed}
        sources.update((identity, ~at) for identity, at in chosen.items())
        order = array("q", [sources[identity] for identity in sorted(sources)])
        return gather(Snapshot, base, current, order, current.tick)  # type: ignore[no-any-return]  # mypy sees kernels untyped
