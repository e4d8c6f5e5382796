"""Carried statistics: one receiver, and what both ends have learned from the packets it acknowledged.

Every snapshot sent has its own statistics: those of its baseline, advanced by its packet. So a lost packet loses
nothing but itself, and both ends have what an acknowledged one taught.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from retick.errors import UsageError
from retick.snapshot.compact.coder import Statistics
from retick.snapshot.compact.head import pick_history
from retick.snapshot.model import Snapshot
from retick.snapshot.replication import BaselineRing

if TYPE_CHECKING:
    from retick.snapshot.codec import Codec

T = TypeVar("T")

MOST_OLDER = 16
"""How many acknowledged ticks a sender chooses history from."""


class CompactPacket(NamedTuple):
    """A packet to send; the caller's protocol carries the ticks."""

    tick: int
    baseline_tick: int
    """The baseline's tick; 0 for a full snapshot."""
    payload: bytes


class _KeptStatistics(NamedTuple):
    snapshot: Snapshot
    statistics: Statistics | None


class CompactSender:
    """The sender's end of one receiver."""

    def __init__(self, codec: "Codec", *, history: int = 64, carried: bool = True) -> None:
        """``history``: snapshots kept, as many at both ends. ``carried=False``: every packet starts from the prior."""
        self._codec = codec
        self._payloads = codec.compact_payloads()
        self._carried = carried
        self._sent: BaselineRing[Snapshot] = BaselineRing(history)
        # Statistics of the baseline and of what may become it: they are larger than most snapshots.
        self._learned: BaselineRing[Statistics] = BaselineRing(history)
        self._acknowledged: list[int] = []
        self._since = 0

    def encode(self, snapshot: Snapshot, *, most_bytes: int | None = None) -> CompactPacket:
        """Encode this snapshot: a delta from the newest acknowledged one, if there is one.

        With ``most_bytes`` a delta leaves out changes of the last entities; a later packet sends them.
        """
        held = [tick for tick in self._acknowledged[-MOST_OLDER:] if self._sent.get(tick) is not None]
        self._acknowledged = held
        start = self._learned.get(held[-1]) if held else None
        if start is None:
            payload = self._codec.encode_payload(None, snapshot)
            if most_bytes is not None and len(payload) > most_bytes:
                raise UsageError(f"a full snapshot takes {len(payload)} bytes, above {most_bytes}")
            self._keep(snapshot.copy(), self._payloads.prior_statistics(), None)
            return CompactPacket(snapshot.tick, 0, payload)
        base = self._sent.require(held[-1])
        older = [self._sent.require(tick) for tick in pick_history(held[-1], held)]
        carried = start if self._carried else None
        made = self._payloads.encode(base, snapshot, older, carried, most_bytes)
        result = snapshot if snapshot.owned else snapshot.copy()
        if made.cut or self._payloads.inexact:
            result, _learned = self._payloads.decode(base, snapshot.tick, made.payload, self._sent.get, carried)
        self._keep(result, made.statistics if self._carried else start, held[-1])
        return CompactPacket(snapshot.tick, held[-1], made.payload)

    def _keep(self, result: Snapshot, statistics: Statistics, base: int | None) -> None:
        self._sent.insert(result.tick, result, keep=base)
        self._learned.insert(result.tick, statistics, keep=base)

    def acknowledge(self, tick: int) -> None:
        """Note that the receiver has applied the packet of this tick. Unknown and repeated ticks change nothing."""
        # Most acknowledgements repeat the last one.
        if tick == self.base_tick or tick < self._since or self._sent.get(tick) is None:
            return
        if tick not in self._acknowledged:
            self._acknowledged.append(tick)
            self._acknowledged.sort()
            # No packet starts from an older one any more.
            self._learned.drop_before(self.base_tick)

    @property
    def base_tick(self) -> int:
        """The newest acknowledged tick; 0 for none."""
        return self._acknowledged[-1] if self._acknowledged else 0

    def forget(self) -> None:
        """Start over because the receiver lost its state: the next packet is a full snapshot."""
        self._acknowledged = []
        self._since = (self._sent.last_tick or 0) + 1


class CompactReceiver:
    """The receiver's end."""

    def __init__(self, codec: "Codec", *, history: int = 64) -> None:
        self._codec = codec
        self._payloads = codec.compact_payloads()
        self._held: BaselineRing[_KeptStatistics] = BaselineRing(history)

    @property
    def newest_tick(self) -> int:
        """The tick to acknowledge; 0 before the first snapshot."""
        return self._held.last_tick or 0

    def decode(self, packet: CompactPacket) -> Snapshot:
        """Decode a packet; if that raises a DecodeError, nothing has changed.

        A snapshot that is not newer than all before is not kept: do not acknowledge it.
        """
        return self.decode_as(packet, lambda snapshot: snapshot)

    def decode_as(self, packet: CompactPacket, read: Callable[[Snapshot], T]) -> T:
        """Decode a packet and pass the snapshot to ``read``; if that raises, the packet has no effect."""
        tick, baseline, payload = packet
        if baseline == 0:
            kept = _KeptStatistics(self._codec.decode_payload(None, tick, payload), None)
        else:
            base = self._held.require(baseline)
            start = base.statistics or self._payloads.prior_statistics()
            kept = _KeptStatistics(*self._payloads.decode(base.snapshot, tick, payload, self._older, start))
        found = read(kept.snapshot)
        if tick > self.newest_tick:
            # The sender continues from this baseline until a newer one is acknowledged.
            self._held.insert(tick, kept, keep=baseline)
        return found

    def _older(self, tick: int) -> Snapshot | None:
        kept = self._held.get(tick)
        return None if kept is None else kept.snapshot
