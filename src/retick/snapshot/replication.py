"""One snapshot for many receivers, each with its own baseline.

A :class:`Replica` is what the sender knows of one receiver: the snapshots that it was sent, and the newest that it has
acknowledged. A :class:`Fanout` encodes the current snapshot for all of them, once for each distinct baseline and view:
receivers that acknowledged the same tick and see the same entities get the same bytes object.

Baselines are always what the receiver made of the packets, never the sender's own past state. The two differ where a
threshold held a small change back; measured against the receiver's, such changes add up until they are sent.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from retick.snapshot.baseline import BaselineRing
from retick.snapshot.codec import Codec
from retick.snapshot.model import Snapshot

__all__ = ["Fanout", "FanoutStats", "Replica", "View"]

View = frozenset[int]
"""The ids that a receiver sees."""


class Replica:
    """What one receiver holds, as far as its acknowledgements tell."""

    def __init__(self, history: int = 64) -> None:
        self._sent: BaselineRing[Snapshot] = BaselineRing(history)
        self._base: Snapshot | None = None

    @property
    def base(self) -> Snapshot | None:
        """The newest snapshot that the receiver certainly holds; None until one was acknowledged."""
        return self._base

    def sent(self, snapshot: Snapshot) -> None:
        """This is what the receiver makes of the packet just sent."""
        self._sent.insert(snapshot.tick, snapshot)

    def acknowledge(self, tick: int) -> None:
        """The receiver has applied the packet of this tick. Unknown and old ticks change nothing."""
        held = self._sent.get(tick)
        if held is not None and (self._base is None or tick > self._base.tick):
            self._base = held

    def forget(self) -> None:
        """The receiver lost its state: the next packet must be a full one."""
        self._base = None


@dataclass(slots=True, kw_only=True)
class FanoutStats:
    """How much work was shared."""

    encoded: int = 0
    """Packets that were made."""
    shared: int = 0
    """Packets that were asked for again."""


class Fanout:
    """The packets of one tick."""

    def __init__(self, codec: Codec, current: Snapshot, *, packed: bool = False) -> None:
        self._codec = codec
        self._current = current
        self._packed = packed
        self._views: dict[View, Snapshot] = {}
        # By identity of the baseline, which is kept alive here so that no other can get its address.
        self._made: dict[tuple[int, View | None], tuple[Snapshot | None, bytes, Snapshot | None]] = {}
        self.stats = FanoutStats()

    def view(self, ids: Iterable[int] | None) -> Snapshot:
        """The current snapshot as one with this view sees it."""
        if ids is None:
            return self._current
        wanted = frozenset(ids)
        if wanted not in self._views:
            self._views[wanted] = self._current.select(wanted)
        return self._views[wanted]

    def packet(self, base: Snapshot | None, view: View | None = None) -> bytes:
        """For a receiver that holds ``base``, or nothing yet."""
        key = (id(base), view)
        made = self._made.get(key)
        if made is not None:
            self.stats.shared += 1
            return made[1]
        self.stats.encoded += 1
        current = self.view(view)
        if base is None:
            packet = self._codec.encode_full(current)
        else:
            packet = self._codec.encode_delta(base, current, packed=self._packed)
        self._made[key] = (base, packet, None)
        return packet

    def result(self, base: Snapshot | None, view: View | None = None) -> Snapshot:
        """What that receiver makes of :meth:`packet`; to be given to :meth:`Replica.sent`."""
        packet = self.packet(base, view)
        key = (id(base), view)
        held = self._made[key][2]
        if held is None:
            held = self._codec.decode_full(packet) if base is None else self._codec.apply_delta(base, packet)
            self._made[key] = (base, packet, held)
        return held
