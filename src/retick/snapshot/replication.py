"""One snapshot for many receivers, each with its own baseline.

A :class:`Replica` is what the sender knows of one receiver: the snapshots that were sent to it, and the newest that it
has acknowledged. A :class:`Fanout` encodes the current snapshot for all of them, once for each distinct baseline and
view: receivers that acknowledged the same tick and see the same entities get the same bytes object.

A baseline is always what the receiver made of a packet, never the sender's own past state. The two differ where a
threshold held a small change back. Measured against the receiver's, such changes add up until they are sent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from retick.errors import BaselineMissing, UsageError, with_code
from retick.snapshot.codec import Codec
from retick.snapshot.compact.head import USUAL_AGES, pick_history
from retick.snapshot.model import Snapshot

# Baselines: the snapshots that deltas start from.
#
# Both ends keep a ring of them. The sender keeps what each receiver must have made of its packets, the receiver what it
# did make. The snapshot format has no acknowledgements: the caller's protocol carries them.

S = TypeVar("S")


class BaselineRing(Generic[S]):
    """At most ``capacity`` values by ascending tick; a new one drops the oldest."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise UsageError(f"capacity must be at least 1, not {capacity}")
        self._capacity = capacity
        self._held: dict[int, S] = {}
        self._last: int | None = None

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def last_tick(self) -> int | None:
        """The newest tick ever inserted."""
        return self._last

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[tuple[int, S]]:
        """Pairs of tick and value, oldest first."""
        return iter(list(self._held.items()))

    def insert(self, tick: int, value: S, *, keep: int | None = None) -> None:
        """Keep a value. The tick must be above every earlier one: a UsageError otherwise, and nothing changes.

        The value of tick ``keep`` is not dropped to make room, but the next oldest, if there is one.
        """
        if self._last is not None and tick <= self._last:
            raise with_code(UsageError(f"baselines come in order: tick {tick} after {self._last}"), "OutOfOrder")
        if len(self._held) == self._capacity:
            oldest = next(iter(self._held))
            del self._held[oldest if oldest != keep else next((held for held in self._held if held != keep), oldest)]
        self._held[tick] = value
        self._last = tick

    def drop_before(self, tick: int) -> None:
        """Drop every value older than ``tick``."""
        for held in list(self._held):
            if held >= tick:
                break
            del self._held[held]

    def get(self, tick: int) -> S | None:
        """The value of exactly this tick; None if it is not held."""
        return self._held.get(tick)

    def require(self, tick: int) -> S:
        """The value of exactly this tick; raises BaselineMissing if it is not held: ask for a full snapshot."""
        value = self._held.get(tick)
        if value is None:
            message = f"the snapshot of tick {tick} is not held: ask for a full one"
            raise with_code(BaselineMissing(message, tick=tick), "BaselineNotFound")
        return value

    def latest_at_or_before(self, tick: int) -> tuple[int, S] | None:
        """Tick and value of the newest that is not after ``tick``; None if there is none."""
        for held, value in reversed(self._held.items()):
            if held <= tick:
                return held, value
        return None


View = frozenset[int]
"""The ids of the entities that a receiver sees."""


class Ticked(Protocol):
    """A snapshot in any form: a :class:`Replica` needs only its tick."""

    @property
    def tick(self) -> int: ...


T = TypeVar("T", bound=Ticked)


class Replica(Generic[T]):
    """What one receiver holds, as far as its acknowledgements tell."""

    def __init__(self, history: int = 64, *, compact: bool = True) -> None:
        """``history``: the most snapshots kept: the base, and the newest that wait for an acknowledgement.

        ``compact=False``: this receiver does not read compact packets, as its handshake said. A :class:`Fanout` with a
        compact codec then sends it packets of version 2.
        """
        self.compact = compact
        """Whether the receiver reads compact packets; it matters only if the sender's codec writes them."""
        self._sent: BaselineRing[T] = BaselineRing(history)
        self._base: T | None = None
        self._older: list[T] = []

    @property
    def history(self) -> list[T]:
        """Up to three older snapshots that the receiver has acknowledged, newest first, for compact deltas."""
        if self._base is None:
            return []
        held = {snapshot.tick: snapshot for snapshot in self._older}
        return [held[tick] for tick in pick_history(self._base.tick, list(held))]

    @property
    def older(self) -> Sequence[T]:
        """The last few snapshots that were acknowledged before the base, oldest first."""
        return self._older

    @property
    def base(self) -> T | None:
        """The newest snapshot that the receiver certainly holds; None until one was acknowledged."""
        return self._base

    def sent(self, snapshot: T) -> None:
        """Remember what the receiver makes of the packet just sent."""
        self._sent.insert(snapshot.tick, snapshot, keep=None if self._base is None else self._base.tick)

    def acknowledge(self, tick: int) -> None:
        """Note that the receiver has applied the packet of this tick. Unknown and old ticks change nothing."""
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
        """Start over because the receiver lost its state: the next packet must be a full one."""
        self._base = None
        self._older = []


@dataclass(slots=True, kw_only=True)
class FanoutStats:
    """How much work was shared between receivers."""

    encoded: int = 0
    """How many packets were encoded."""
    shared: int = 0
    """How many packets were asked for again, and reused."""


class _Made(NamedTuple):
    """A packet, and what it was made from. Keeps the baseline alive, so that no other can get its ``id``."""

    base: Snapshot | None
    current: Snapshot
    """The current snapshot in the receiver's view."""
    packet: bytes
    history: tuple[Snapshot, ...]


_Key = tuple[int, View | None, tuple[int, ...], bool]


class Fanout:
    """Encodes the packets of one tick.

    A :class:`Replica` tells what its receiver reads. With a compact codec, receivers that read compact packets get
    them, and the others plain ones, from one fanout.
    """

    def __init__(self, codec: Codec, current: Snapshot, *, packed: bool = False, header: bool = True) -> None:
        """``header=False`` makes packets without the 28-byte header: see :meth:`Codec.encode_payload`."""
        self._codec = codec
        self._plain = codec.plain
        self._current = current
        self._packed = packed
        self._header = header
        # Without thresholds a receiver gets exactly the sender's values, so no packet has to be decoded to know them.
        self._exact = not any(field.threshold for component in codec.schema.components for field in component.fields)
        self._views: dict[View, Snapshot] = {}
        self._made: dict[_Key, _Made] = {}
        self._results: dict[_Key, Snapshot] = {}
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

    def send(self, replica: Replica[Snapshot], view: Iterable[int] | None = None) -> bytes:
        """Encode the packet for one receiver, compact if the codec is and the receiver reads it; note it as sent.

        ``view`` has the ids that the receiver sees; None means everything.
        """
        view = None if view is None else frozenset(view)
        base, compact = replica.base, replica.compact and self._plain is not self._codec
        history = replica.history if compact else ()
        packet = self.packet(base, view, history, compact=compact)
        replica.sent(self.result(base, view, history, compact=compact))
        return packet

    def packet(
        self,
        base: Snapshot | None,
        view: View | None = None,
        history: Sequence[Snapshot] = (),
        *,
        compact: bool = True,
    ) -> bytes:
        """The packet for a receiver that holds ``base``, or None if it holds nothing yet.

        ``history``, for a compact codec: older snapshots that it holds too (:attr:`Replica.history`). ``compact=False``
        gives the packet of the codec's :attr:`Codec.plain`.
        """
        return self._make(base, view, history, compact).packet

    def result(
        self,
        base: Snapshot | None,
        view: View | None = None,
        history: Sequence[Snapshot] = (),
        *,
        compact: bool = True,
    ) -> Snapshot:
        """What the receiver makes of :meth:`packet`, to be passed to :meth:`Replica.sent`."""
        key = (id(base), view, tuple(map(id, history)), compact)
        made = self._made.get(key) or self._make(base, view, history, compact)
        if self._exact and made.current.owned:
            return made.current
        if key not in self._results:
            self._results[key] = self._decoded(base, made.packet, history, compact)
        return self._results[key]

    def _make(self, base: Snapshot | None, view: View | None, history: Sequence[Snapshot], compact: bool) -> _Made:
        key = (id(base), view, tuple(map(id, history)), compact)
        codec = self._codec if compact else self._plain
        made = self._made.get(key)
        if made is not None:
            self.stats.shared += 1
            return made
        self.stats.encoded += 1
        current = self.view(view)
        if not self._header:
            packet = codec.encode_payload(base, current, self._packed, history=history)
        elif base is None:
            packet = codec.encode_full(current)
        else:
            packet = codec.encode_delta(base, current, self._packed, history=history)
        made = self._made[key] = _Made(base, current, packet, tuple(history))
        return made

    def _decoded(self, base: Snapshot | None, packet: bytes, history: Sequence[Snapshot], compact: bool) -> Snapshot:
        codec = self._codec if compact else self._plain
        if not self._header:
            return codec.decode_payload(base, self.tick, packet, history=history)
        if base is None:
            return codec.decode_full(packet)
        return codec.apply_delta(base, packet, history=history)
