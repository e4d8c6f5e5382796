"""One snapshot for many receivers, each with its own baseline.

A :class:`Replica` is what the sender knows of one receiver: the snapshots that it was sent, and the newest that it has
acknowledged. A :class:`Fanout` encodes the current snapshot for all of them, once for each distinct baseline and view:
receivers that acknowledged the same tick and see the same entities get the same bytes object.

A baseline is always what the receiver made of a packet, never the sender's own past state. The two differ where a
threshold held a small change back. Measured against the receiver's, such changes add up until they are sent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from retick.snapshot.baseline import BaselineRing
from retick.snapshot.codec import Codec
from retick.snapshot.compact.head import USUAL_AGES, pick_history
from retick.snapshot.model import Snapshot

__all__ = ["Fanout", "FanoutStats", "Replica", "View"]

View = frozenset[int]
"""The ids of the entities that a receiver sees."""


class Ticked(Protocol):
    """A snapshot in whatever form; a :class:`Replica` needs no more of it."""

    @property
    def tick(self) -> int: ...


T = TypeVar("T", bound=Ticked)


class Replica(Generic[T]):
    """What one receiver holds, as far as its acknowledgements tell."""

    def __init__(self, history: int = 64) -> None:
        """``history``: snapshots kept, at most: the base, and the newest that wait for an acknowledgement."""
        self._sent: BaselineRing[T] = BaselineRing(history)
        self._base: T | None = None
        self._older: list[T] = []

    @property
    def history(self) -> list[T]:
        """Up to three older snapshots that the receiver has acknowledged, for compact deltas; the newest first."""
        if self._base is None:
            return []
        held = {snapshot.tick: snapshot for snapshot in self._older}
        return [held[tick] for tick in pick_history(self._base.tick, list(held))]

    @property
    def base(self) -> T | None:
        """The newest snapshot that the receiver certainly holds; None until one was acknowledged."""
        return self._base

    def sent(self, snapshot: T) -> None:
        """Remember what the receiver makes of the packet just sent."""
        self._sent.insert(snapshot.tick, snapshot, keep=None if self._base is None else self._base.tick)

    def acknowledge(self, tick: int) -> None:
        """The receiver has applied the packet of this tick. Unknown and old ticks change nothing."""
        # Most acknowledgements repeat the last one.
        if self._base is not None and tick <= self._base.tick:
            return
        held = self._sent.get(tick)
        if held is not None:
            if self._base is not None:
                self._older = [*self._older[-USUAL_AGES[-1] :], self._base]
            self._base = held
            self._sent.drop_before(tick)

    def forget(self) -> None:
        """The receiver lost its state: the next packet must be a full one."""
        self._base = None
        self._older = []


@dataclass(slots=True, kw_only=True)
class FanoutStats:
    """How much work was shared."""

    encoded: int = 0
    """Packets encoded."""
    shared: int = 0
    """Packets asked for again, and not encoded again."""


class _Made(NamedTuple):
    """A packet, and what it was made from. The baseline is kept alive, so that no other can get its ``id``."""

    base: Snapshot | None
    current: Snapshot
    """As the receiver's view has it."""
    packet: bytes
    history: tuple[Snapshot, ...]


class Fanout:
    """The packets of one tick."""

    def __init__(self, codec: Codec, current: Snapshot, *, packed: bool = False, header: bool = True) -> None:
        """``header=False`` makes packets without the 28-byte header: see :meth:`Codec.encode_payload`."""
        self._codec = codec
        self._current = current
        self._packed = packed
        self._header = header
        # Without thresholds a receiver gets the sender's very values, and no packet has to be decoded to know them.
        self._exact = not any(field.threshold for component in codec.schema.components for field in component.fields)
        self._views: dict[View, Snapshot] = {}
        self._made: dict[tuple[int, View | None, tuple[int, ...]], _Made] = {}
        self._results: dict[tuple[int, View | None, tuple[int, ...]], Snapshot] = {}
        self.stats = FanoutStats()

    @property
    def tick(self) -> int:
        """The tick of every packet."""
        tick: int = self._current.tick
        return tick

    def view(self, ids: Iterable[int] | None) -> Snapshot:
        """The current snapshot as a receiver with this view sees it; None means everything."""
        if ids is None:
            return self._current
        wanted = frozenset(ids)
        found = self._views.get(wanted)
        if found is None:
            found = self._views[wanted] = self._current.select(wanted)
        return found

    def packet(self, base: Snapshot | None, view: View | None = None, history: Sequence[Snapshot] = ()) -> bytes:
        """For a receiver that holds ``base``, or None for one that holds nothing yet.

        ``history``, for a compact codec: older snapshots that it holds too (:attr:`Replica.history`).
        """
        return self._make(base, view, history).packet

    def result(self, base: Snapshot | None, view: View | None = None, history: Sequence[Snapshot] = ()) -> Snapshot:
        """What that receiver makes of :meth:`packet`; to be given to :meth:`Replica.sent`."""
        key = (id(base), view, tuple(map(id, history)))
        made = self._made.get(key) or self._make(base, view, history)
        if self._exact and made.current.owned:
            return made.current
        if key not in self._results:
            self._results[key] = self._decoded(base, made.packet, history)
        return self._results[key]

    def _make(self, base: Snapshot | None, view: View | None, history: Sequence[Snapshot]) -> _Made:
        key = (id(base), view, tuple(map(id, history)))
        made = self._made.get(key)
        if made is not None:
            self.stats.shared += 1
            return made
        self.stats.encoded += 1
        current = self.view(view)
        if not self._header:
            packet = self._codec.encode_payload(base, current, self._packed, history=history)
        elif base is None:
            packet = self._codec.encode_full(current)
        else:
            packet = self._codec.encode_delta(base, current, self._packed, history=history)
        made = self._made[key] = _Made(base, current, packet, tuple(history))
        return made

    def _decoded(self, base: Snapshot | None, packet: bytes, history: Sequence[Snapshot]) -> Snapshot:
        if not self._header:
            return self._codec.decode_payload(base, self.tick, packet, history=history)
        if base is None:
            return self._codec.decode_full(packet)
        return self._codec.apply_delta(base, packet, history=history)
